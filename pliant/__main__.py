"""``python -m pliant`` is the command ``pliant``."""

from importlib.metadata import entry_points

next(iter(entry_points(group="console_scripts", name="pliant"))).load()()
