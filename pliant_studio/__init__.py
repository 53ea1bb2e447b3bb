"""The studio (`pl.studio`): a mechanism on a page, set up with sliders, solved at once, released.

`mechanism` says what can be set up: `own` makes it of any model, every ``pliant_gallery/<name>/studio.py`` describes
one or
more by hand. `session` solves it without any page, `diagram` draws what is read over one slider, `script` writes what
was done as a program, `page` and its tabs show it in a browser.
"""
