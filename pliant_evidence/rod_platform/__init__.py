"""Evidence on the platform on six rods."""
