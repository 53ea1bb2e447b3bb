"""Evidence on the four-bar of the thesis."""
