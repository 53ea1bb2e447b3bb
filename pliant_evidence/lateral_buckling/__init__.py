"""Evidence on flexural-torsional buckling."""
