"""Design of mechanisms: quantities of analyses as functions of parameters, optimisation, and uncertainty.

`quantities` names numbers of analyses, `responses` evaluates them at values of parameters, with their derivatives;
`optimise` and `uncertainty` are based on it.
"""
