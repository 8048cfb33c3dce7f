"""Joints of two bodies that touch: a point, curve or surface on a curve or surface.

Each is one product: the frame of the contact on the first body, what may turn there,
and the way back from the frame of the contact on the second (Si & Guenter).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from knuckle.joints import curves, surfaces
from knuckle.joints.curves import Curve, Points
from knuckle.joints.joint import Joint
from knuckle.joints.surfaces import Surface
from knuckle.scalar import Number
from knuckle.spatial import SE3, Rx, Ry, Rz
from knuckle.spatial.se3 import Factor

TURNS = {"x": Rx, "y": Ry, "z": Rz}
FACING = SE3(((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)))
"""Normal against normal."""


def SurfaceSurface(
    first: Surface,
    second: Surface,
    turn: str = "",
    inside: bool = False,
    **physical: Any,
) -> Joint:
    """The second body's surface touches the first's: q = (u1, v1, u2, v2, turns).

    The tangents along u1 and u2 stay aligned unless turn="z" lets the body spin about
    the normal [rad]. The normals are opposite, or equal where ``inside``.
    """
    flip = SE3() if inside else FACING
    ends = _surface(first), _surface(second)
    return _contact("SurfaceSurface", *ends, turn, flip, physical)


def SurfacePoint(
    surface: Surface, turn: str = "", follow: bool = True, **physical: Any
) -> Joint:
    """The body's origin stays on the surface, its x-y plane tangent: q = (u, v, turns).

    turn="z" lets it spin about the normal, "xyz" turn freely; without ``follow`` it
    keeps the axes of the predecessor instead of the tangent plane's.
    """
    end = _surface(surface, follow)
    return _contact("SurfacePoint", end, POINT, turn, SE3(), physical)


def CurveCurve(first: Curve, second: Curve, turn: str = "", **physical: Any) -> Joint:
    """The second body's curve touches the first's, tangents aligned: q = (s1, s2, ...).

    turn="x" lets the body roll about the tangent [rad], "z" cross the curves.
    """
    ends = _curve(first), _curve(second)
    return _contact("CurveCurve", *ends, turn, SE3(), physical)


def CurvePoint(
    curve: Curve, turn: str = "", follow: bool = True, **physical: Any
) -> Joint:
    """The body's origin stays on the curve, x along the tangent: q = (s, turns).

    turn="x" lets it roll about the tangent, "xyz" turn freely; without ``follow`` it
    keeps the axes of the predecessor.
    """
    end = _curve(curve, follow)
    return _contact("CurvePoint", end, POINT, turn, SE3(), physical)


def BezierCurve(
    points: Points, up: Sequence[float] = (0.0, 0.0, 1.0), **physical: Any
) -> Joint:
    """The body follows the tangent of a Bezier curve, q in [0, 1] (Si & Guenter)."""
    name = {"name": "BezierCurve", **physical}
    return CurvePoint(curves.bezier(points, up), **name)


def BezierSurface(points: Points, **physical: Any) -> Joint:
    """The body keeps to the tangent plane of a Bezier surface, q in [0, 1]^2."""
    return SurfacePoint(
        surfaces.bezier(points), **{"name": "BezierSurface", **physical}
    )


@dataclass(frozen=True)
class _End:
    """A contact frame of some parameters, and their bounds."""

    frame: Callable[..., SE3]
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()


POINT = _End(SE3)


def _surface(surface: Surface, follow: bool = True) -> _End:
    if not isinstance(surface, Surface):
        raise TypeError(
            f"expected a Surface, got {type(surface).__name__}; write "
            "surfaces.surface(lambda u, v: (x, y, z))"
        )
    return _End(_placed(surface.frame, follow), surface.lower, surface.upper)


def _curve(curve: Curve, follow: bool = True) -> _End:
    if not isinstance(curve, Curve):
        raise TypeError(
            f"expected a Curve, got {type(curve).__name__}; write "
            "curves.curve(lambda s: (x, y, z))"
        )
    return _End(_placed(curve.frame, follow), (curve.lower,), (curve.upper,))


def _placed(frame: Callable[..., SE3], follow: bool) -> Callable[..., SE3]:
    return frame if follow else lambda *at: SE3.translation(frame(*at).p)


def _contact(
    name: str, a: _End, b: _End, turn: str, flip: SE3, physical: dict[str, Any]
) -> Joint:
    """pose = A(q_a) turns(q) flip B(q_b)^-1, within the bounds of the parameters."""
    if set(turn) - set(TURNS):
        raise ValueError(f"{name}: turn is {turn!r}, expected letters of x, y, z")
    na, nb = len(a.lower), len(b.lower)
    nq = na + nb + len(turn)

    def pose(q: Sequence[Number]) -> SE3:
        turned = SE3.of_factors(_turns(turn, q[na + nb :]))
        return a.frame(*q[:na]) * turned * flip * b.frame(*q[na : na + nb]).inverse()

    free = (math.inf,) * len(turn)
    lower = (*a.lower, *b.lower, *(-x for x in free))
    upper = (*a.upper, *b.upper, *free)
    return Joint(pose, nq, **{**bounded(name, lower, upper), **physical})


def _turns(turn: str, angles: Sequence[Number]) -> tuple[Factor, ...]:
    return tuple((f"R{axis}", a) for axis, a in zip(turn, angles, strict=True))


def bounded(
    name: str, lower: Sequence[float], upper: Sequence[float]
) -> dict[str, Any]:
    """Keywords of a joint with these bounds: it starts at 0 if inside, else midway."""
    pairs = list(zip(lower, upper, strict=True))
    start = [0.0 if a < 0.0 < b else 0.5 * (a + b) for a, b in pairs]
    return {
        "name": name,
        "lower": tuple(lower),
        "upper": tuple(upper),
        "neutral": tuple(start),
    }
