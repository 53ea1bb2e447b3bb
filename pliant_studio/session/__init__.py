"""The studio's session without a page."""
