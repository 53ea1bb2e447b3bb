"""A formulation of one mechanism: a rod on a torsion spring, in one minimal coordinate."""
