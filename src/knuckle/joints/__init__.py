"""A joint is one expression; built-in ones come in through the same door as yours."""

from knuckle.joints.builtin import (
    Cylindrical,
    Fixed,
    Free,
    Free2D,
    Helical,
    Planar,
    PlanarTranslation,
    Prismatic,
    RackAndPinion,
    Revolute,
    Spherical,
    SphericalEuler,
    SphericalExp,
    Translational,
    Universal,
)
from knuckle.joints.combining import Composite, Reversed
from knuckle.joints.joint import Joint
from knuckle.joints.registry import REGISTRY

__all__ = [
    "REGISTRY",
    "Composite",
    "Cylindrical",
    "Fixed",
    "Free",
    "Free2D",
    "Helical",
    "Joint",
    "Planar",
    "PlanarTranslation",
    "Prismatic",
    "RackAndPinion",
    "Reversed",
    "Revolute",
    "Spherical",
    "SphericalEuler",
    "SphericalExp",
    "Translational",
    "Universal",
]
