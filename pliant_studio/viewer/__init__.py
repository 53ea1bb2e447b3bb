"""Results in a browser: `server` opens a page, `stage` puts a mechanism on it, `theatre` moves it, `bars` colours.

`door` keeps strangers out.
"""
