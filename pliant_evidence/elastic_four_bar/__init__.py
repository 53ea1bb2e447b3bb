"""Evidence on the elastic four-bar of the shooting paper."""
