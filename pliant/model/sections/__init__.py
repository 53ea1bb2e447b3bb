"""Materials and sections of beams."""
