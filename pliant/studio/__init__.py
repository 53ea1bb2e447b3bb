"""The studio: a gallery mechanism on a page, set up with sliders, solved at once, released.

`mechanism` says what can be set up (every ``gallery/<name>/studio.py`` describes one or more), `session` solves it
without any page, `script` writes what was done as a program, `page` shows it in a browser.
"""
