"""Beam meshes of finite-element programs as models: input of CalculiX and Abaqus (.inp), of Nastran (.bdf, .dat)."""
