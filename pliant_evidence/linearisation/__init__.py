"""Evidence on linearisation: difference quotients of the nonlinear equations."""
