"""Random rigid mechanisms in space, with their equations of motion written by hand."""
