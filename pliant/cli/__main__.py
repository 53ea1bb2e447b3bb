"""`python -m pliant.cli` is the command `pliant`."""

from __future__ import annotations

from pliant.cli import main

main()
