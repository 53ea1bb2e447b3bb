"""Small shared Numba maths: markers and scatter. No mechanics of any particular part lives here."""
