"""From a model to a design: quantities of analyses as functions of parameters, the best of them, and how sure they are.

`quantities` names numbers of analyses, `responses` evaluates them at values of parameters, with their derivatives;
`optimise` and `uncertainty` stand on it.
"""
