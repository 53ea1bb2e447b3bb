"""Evidence on the 6-RUS robot."""
