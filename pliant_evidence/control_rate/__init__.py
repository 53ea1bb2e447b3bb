"""Evidence on robots at control rate."""
