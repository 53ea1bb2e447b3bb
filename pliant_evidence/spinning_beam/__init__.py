"""Evidence on the spinning beam of the shooting paper."""
