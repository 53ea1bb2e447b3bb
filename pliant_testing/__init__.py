"""Contracts of parts, pliant's own and other packages', checked by one call.

    from pliant_testing import check_part, check_element

    check_part(Magnet, strength=2.0)
    check_element(Bernoulli())

A violated contract raises an AssertionError that names the part, the space, the contract and the numbers.
"""

from pliant_testing.elements import check_element
from pliant_testing.parts import check_part

__all__ = ["check_element", "check_part"]
