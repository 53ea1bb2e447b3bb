"""Beams of rubber and silicone at large strains: closed forms, section integrals and marching, written separately."""
