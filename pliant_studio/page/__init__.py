"""The studio's page and its tabs."""
