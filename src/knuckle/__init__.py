"""Articulated rigid-body dynamics: the textbook, compiled.

A mechanism is a `Model` of `Body`s on `Joint`s; an algorithm is a function of a model and
arrays. Called on arrays, it is compiled for that model once and then runs as a NumPy ufunc.
"""

from knuckle import joints, scalar, spatial
from knuckle.algorithms import *  # noqa: F403
from knuckle.algorithms import __all__ as _algorithms
from knuckle.edge import algorithm, compile, interpret
from knuckle.joints import Joint
from knuckle.model import Body, Frame, Model, ModelError
from knuckle.model.layout import Array, Position, Velocity, Wrenches
from knuckle.scalar import where
from knuckle.spatial import SE3, FrameError, Inertia

__version__ = "0.1.0"

__all__ = [
    "SE3",
    "Array",
    "Body",
    "Frame",
    "FrameError",
    "Inertia",
    "Joint",
    "Model",
    "ModelError",
    "Position",
    "Velocity",
    "Wrenches",
    "algorithm",
    "compile",
    "interpret",
    "joints",
    "scalar",
    "spatial",
    "where",
    *_algorithms,
]
