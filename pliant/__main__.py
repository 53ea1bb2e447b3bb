"""``python -m pliant`` is the command ``pliant``."""

from pliant.cli.app import app

app()
