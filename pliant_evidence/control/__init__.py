"""Evidence on control: closed forms of linear-quadratic theory."""
