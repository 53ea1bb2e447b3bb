"""Results in a browser: `server` opens the page, `stage` puts a mechanism on it, `player` moves it, `bars` colours it."""
