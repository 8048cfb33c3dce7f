"""Robots from files and back: URDF, MJCF, SDF."""
