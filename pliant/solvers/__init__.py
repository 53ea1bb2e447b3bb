"""Newton, paths and time stepping over systems; linear algebra on arrays. Solvers know equations, not parts."""
