"""Evidence on the slider-crank of the shooting paper."""
