"""Steps that adapt beside the best equal ones."""
