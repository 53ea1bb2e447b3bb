"""Forward and inverse dynamics of an arm of seven joints."""
