"""Formulations of published papers, added to pliant as a stranger's package adds one."""
