"""Strains at a Gauss point of an interpolated beam, and the forces of resultants there on the nodes.

Beams of any order p and parts that run along beams share these kernels. Their arrays have one row per element of
``dofs``, ``order``, ``length`` (in space ``frames``), and per order the tables ``shape``, ``slope`` and ``weight``.
"""
