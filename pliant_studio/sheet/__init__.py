"""The studio's sheet: drawing a mechanism."""
