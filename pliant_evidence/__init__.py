"""Evidence that pliant computes what it claims: validation cases, benchmarks, figures, models of history.

A folder a subject: `validate.py` has its cases, `bench.py` its benchmarks, `theory.py` an independent answer,
`figures.py` the pictures of the documentation. Files beside the folders are what several subjects share. pliant imports
nothing of it: `pliant validate` and `pliant bench` find this package by its entry point, "pliant.evidence", as they
find anybody else's (`pliant_testing.discovery`).
"""
