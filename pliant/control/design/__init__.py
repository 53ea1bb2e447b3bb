"""Design of regulators, observers and controllers."""
