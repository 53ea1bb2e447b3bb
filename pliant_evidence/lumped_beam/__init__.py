"""Evidence on the lumped beam of the Udwadia-Kalaba paper."""
