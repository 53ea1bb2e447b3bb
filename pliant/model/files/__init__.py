"""Models as files and as Python."""
