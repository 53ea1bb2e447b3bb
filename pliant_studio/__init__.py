"""The studio (`pl.studio`): a mechanism on a page, set up with sliders, solved at once, released.

`mechanism` describes a mechanism to set up: `any_model` makes one from any model, ``pliant_gallery/<name>/studio.py``
from a model of the gallery. `session` solves it without any page, `diagram` draws a reading over one slider, `script`
writes a session as a program, `page` and its tabs show it in a browser.
"""
