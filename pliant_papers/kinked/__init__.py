"""Kinked-beam finite elements in relative coordinates, for planar arms of links, beams and rotary joints."""
