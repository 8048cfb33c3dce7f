"""MuJoCo's MJCF: read into a Model.

A Model's q is MuJoCo's qpos, number by number: in the order of the file, with `ref`
as the joint's neutral position, free joints with their pose in the world. v differs
from qvel at free joints alone (`kn.convert.mujoco`). Several joints of one body become
a chain of massless bodies, so that each keeps its name, limits and coordinate.
"""

from knuckle.io.mjcf.read import read

__all__ = ["read"]
