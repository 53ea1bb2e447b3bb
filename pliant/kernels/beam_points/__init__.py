"""What happens at a Gauss point of a beam whose nodes are interpolated: strains, and how nodes feel resultants there.

Beams of any order p and what runs along beams share these kernels. The arrays that they read have, one row an element,
``dofs``, ``order``, ``length`` (in space ``frames``), and by order the tables ``shape``, ``slope`` and ``weight``.
"""
