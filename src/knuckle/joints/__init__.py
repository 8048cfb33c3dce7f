"""A joint is one expression; built-in ones come in through the same door as yours."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from knuckle.joints import curves, surfaces
    from knuckle.joints.charts import SphericalEulerCharts
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
    from knuckle.joints.registry import REGISTRY
    from knuckle.joints.splines import SplineCurve, SplineSurface

LATER = {
    "SphericalEulerCharts": "charts",
    "BezierCurve": "contact",
    "BezierSurface": "contact",
    "CurveCurve": "contact",
    "CurvePoint": "contact",
    "SurfacePoint": "contact",
    "SurfaceSurface": "contact",
    "Fitted": "fitting",
    "GENERAL": "general",
    "REGISTRY": "registry",
    "SplineCurve": "splines",
    "SplineSurface": "splines",
}
"""Imported when first asked for, so that `import knuckle` stays quick."""
MODULES = ("curves", "surfaces")

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


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return import_module(f"{__name__}.{name}")
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{LATER[name]}"), name)
