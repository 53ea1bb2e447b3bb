"""Derivatives by parameters: against closed forms, and against differences of whole solutions."""
