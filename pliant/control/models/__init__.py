"""Linear models and what can be read from them."""
