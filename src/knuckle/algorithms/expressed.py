"""Where a frame is, and its motion in the axes that were asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from knuckle.model.bodies import World
from knuckle.spatial import SE3, Inertia, Motion, Transform
from knuckle.spatial.linear import (
    ZERO3,
    Vector,
    add,
    cross3,
    is_zero,
    matTvec,
    transpose,
)

EXPRESSED = ("body", "world", "aligned")


def checked(expressed: str) -> str:
    """The keyword itself, if it is one of the three."""
    if expressed in EXPRESSED:
        return expressed
    raise ValueError(
        f"expressed={expressed!r}: expected 'body' (body axes, body origin), 'world' "
        "(world axes, world origin) or 'aligned' (world axes, origin of the frame)"
    )


def listed(names: Sequence[str], algorithm: str, option: str) -> Sequence[str]:
    """The names themselves, if they are not one string."""
    if isinstance(names, str):
        raise TypeError(
            f"{algorithm}: {option} is a list of names, got a string; "
            f"write {option}=[{names!r}]"
        )
    return names


def express(m: Any, X: Transform, expressed: str) -> Any:
    """A motion of the frame that X leads to: m, X^-1 m, or m in world axes (2.24)."""
    if checked(expressed) == "body":
        return m
    if expressed == "world":
        return X.inverse() @ m
    return Transform(transpose(X.E), ZERO3, X.target, "aligned") @ m


def carried(X: Transform, m: Motion) -> Motion:
    """X^-1 m = (E^T w, E^T v + r x E^T w), without X^-1 (Sec. A.4)."""
    w, v = matTvec(X.E, m.angular), matTvec(X.E, m.linear)
    return Motion(w, add(v, cross3(X.r, w)))


def path(carrier: Any) -> tuple[Any, ...]:
    """kappa: the moving bodies from the root to this one (Sec. 4.1)."""
    return () if isinstance(carrier, World) else tuple(reversed(carrier.support()))


def transforms(model: Any, q: Any, bodies: Sequence[Any]) -> Any:
    """^iX_0 = ^iX_parent ^parentX_0 of these bodies, parents first (Ex 4.3)."""
    X0 = model.per_body()
    X0[model.world] = Transform.identity("world")
    for i in model.each(bodies):
        X0[i] = i.joint.transform(q[i]) * X0[i.parent]
    return X0


def shift(point: Any) -> Transform:
    """From a frame to the one with its axes at a point [m]."""
    return Transform.from_pose(SE3.translation(tuple(point)))


def com_of(I: Inertia) -> Vector:
    """The centre of mass [m], if there is mass."""
    if is_zero(I.mass):
        raise ValueError(
            "centre of mass: the moving bodies have no mass; give one an inertia"
        )
    return I.com
