"""A joint is one expression; built-in ones come in through the same door as yours."""

from knuckle.joints import curves, surfaces
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
from knuckle.joints.charts import SphericalEulerCharts
from knuckle.joints.combining import Composite, Reversed
from knuckle.joints.contact import (
    BezierCurve,
    BezierSurface,
    CurveCurve,
    CurvePoint,
    SurfacePoint,
    SurfaceSurface,
)
from knuckle.joints.fitting import Fitted
from knuckle.joints.general import GENERAL
from knuckle.joints.joint import Joint
from knuckle.joints.registry import REGISTRY
from knuckle.joints.splines import SplineCurve, SplineSurface

__all__ = [
    "GENERAL",
    "REGISTRY",
    "BezierCurve",
    "BezierSurface",
    "Composite",
    "CurveCurve",
    "CurvePoint",
    "Cylindrical",
    "Fitted",
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
    "SphericalEulerCharts",
    "SphericalExp",
    "SplineCurve",
    "SplineSurface",
    "SurfacePoint",
    "SurfaceSurface",
    "Translational",
    "Universal",
    "curves",
    "surfaces",
]
