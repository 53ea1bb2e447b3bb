"""Small results made by hand, for examples and tests."""
