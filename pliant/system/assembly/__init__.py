"""Assembly: bodies placed so that the joints close."""
