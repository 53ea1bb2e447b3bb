"""`python -m pliant_cli` is the command `pliant`."""

from __future__ import annotations

from pliant_cli import main

main()
