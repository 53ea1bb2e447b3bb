"""The least time that an iteration of Newton's method can take: its operations, and the bytes that it moves."""
