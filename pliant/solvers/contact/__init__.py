"""Time stepping with rigid contacts: Moreau's scheme and the impulses of a step."""
