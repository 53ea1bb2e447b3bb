"""Seeded faults: which validation row or test notices when pliant computes something wrong.

`make mutants` copies the packages, changes one place in the copy, and runs the cases and tests that should notice,
cheapest first, until a row or a test fails whose reference pliant did not compute. It writes the table of
``docs/verification/mutants.md``. A fault that nothing notices is a hole in the evidence.

fault.py      what a fault is, the copy with it
faults/       all faults, by what they break
references.py where the expected values of the tests come from
candidates.py runs candidates in a process of its own
run.py        two at a time, with a budget, remembers what is done
page.py       the table
"""
