"""Evidence on `pl.estimate`: what it says of errors beside what they are."""
