"""Models of the gallery that bend, each by four formulations."""
