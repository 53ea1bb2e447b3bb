"""Results in a browser: `server` opens a page, `stage` draws a mechanism, `scene` plays films, `bars` has colours."""
