"""Evidence on the crank-slider of the Udwadia-Kalaba paper."""
