"""Rules on mass against size: units of com and inertia, density, com outside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from knuckle.model.check import sizes
from knuckle.model.check.finding import Finding
from knuckle.model.check.groups import groups

if TYPE_CHECKING:
    from knuckle.model.body import Body
    from knuckle.model.model import Model

T = TypeVar("T")
Array = np.ndarray
FAR, METRES = 100.0, 1.0
"""A com is far, or an inertia wide, at so many times the size, and so many metres."""
LIGHT, DENSE = 1.0, 30_000.0
"""[kg/m^3]: less than any solid's, more than any metal's (osmium has 22,600)."""
OUTSIDE, WIDE = 1.0, 1.5
"""How far a com may lie outside the shapes, in diagonals; how wide an inertia may be,
in distances from the com to the farthest corner."""


def extents(model: Model) -> Iterator[Finding]:
    """Centres of mass and inertias that do not fit the joints of bodies without shape.

    What is welded to a much heavier body gives notes: it hardly counts.
    """
    found = groups(model)
    for i, com, gyration in _gyrations(model):
        body = model.bodies[i]
        where, size = f"body {body.name!r}", _size(model, i)
        if len(next(sizes.outlines(body))):
            continue
        if com > max(FAR * max(gyration, size), METRES) and max(gyration, size) > 0.0:
            yield Finding(
                found.severity(i), where,
                f"its com is {com:.3g} m from its origin, with a radius of gyration of "
                f"{gyration:.3g} m and joints within {size:.3g} m",
                "check the unit (mm or m) and the frame of com",
            )  # fmt: skip
        if gyration > max(FAR * max(com, size), METRES) and max(com, size) > 0.0:
            yield Finding(
                found.severity(i), where,
                f"its inertia means a radius of gyration of {gyration:.3g} m, with com "
                f"and joints within {max(com, size):.3g} m",
                "check the unit of I_com (g mm^2 or kg m^2)",
            )  # fmt: skip


def bounds(model: Model) -> Iterator[Finding]:
    """Centres of mass outside the box around the shapes, and inertias too wide for it.

    No mass within the distance R of the com has a moment above m R^2.
    """
    found = groups(model)
    for i, _, gyration in _gyrations(model):
        body = model.bodies[i]
        com = np.array(body.rigid.com, float)
        said = _all(_misfit(com, gyration, x) for x in sizes.outlines(body))
        if said:
            yield Finding(found.severity(i), f"body {body.name!r}", *said)


def _misfit(com: Array, gyration: float, corners: Array) -> tuple[str, str] | None:
    """How com and radius of gyration do not fit into a box, and the repair."""
    if not len(corners):
        return None
    low, high = corners.min(axis=0), corners.max(axis=0)
    out = float(np.linalg.norm(com - np.clip(com, low, high)))
    diagonal = float(np.linalg.norm(high - low))
    farthest = float(np.linalg.norm(corners - com, axis=1).max())
    if out > OUTSIDE * diagonal:
        return (
            f"its com lies {out:.3g} m outside its shapes, which measure "
            f"{diagonal:.3g} m from corner to corner",
            "check the frame and the unit of com, or the placement of the shapes",
        )
    if gyration > WIDE * farthest:
        return (
            f"its inertia means a radius of gyration of {gyration:.3g} m, and its "
            f"shapes end {farthest:.3g} m from the com",
            "check I_com: its unit, or a placeholder such as (1, 1, 1)",
        )
    return None


def densities(model: Model) -> Iterator[Finding]:
    """Mass over the volume of the shapes, where no solid has such a density.

    Shapes that stand for contact points alone are small, so that the box around all of
    them must be too small for the mass.
    """
    found = groups(model)
    for i, body in enumerate(model.bodies):
        mass = body.rigid.mass
        if mass <= 0.0:
            continue
        box = _all(_dense(mass, x) for x in sizes.outlines(body))
        space = _all(_light(mass, x) for x in sizes.volumes(body))
        if box:
            yield _density(body, box, "denser than any metal", found.severity(i))
        elif space:
            yield _density(body, space, "lighter than foam", found.severity(i))


def _dense(mass: float, corners: Array) -> float | None:
    """The volume of the box, where it is too small for the mass."""
    if not len(corners):
        return None
    box = float(np.prod(corners.max(axis=0) - corners.min(axis=0)))
    return box if box > 0.0 and mass / box > DENSE else None


def _light(mass: float, volume: float | None) -> float | None:
    """The volume, where it is too large for the mass."""
    return volume if volume and mass / volume < LIGHT else None


def _all(verdicts: Iterable[T | None]) -> T | None:
    """The last verdict where all agree that something is wrong; read one by one."""
    last: T | None = None
    for last in verdicts:
        if last is None:
            return None
    return last


def _density(body: Body, volume: float, kind: str, severity: str) -> Finding:
    mass = body.rigid.mass
    return Finding(
        severity, f"body {body.name!r}",
        f"its mass {mass:.3g} kg in {volume:.3g} m^3 of shapes is "
        f"{mass / volume:.3g} kg/m^3, {kind}",
        "check the units of mass and of the shapes (mm or m)",
    )  # fmt: skip


def _gyrations(model: Model) -> Iterator[tuple[int, float, float]]:
    """(body, |com|, largest radius of gyration) [m] of what has mass."""
    moments = groups(model).moment
    for i, body in enumerate(model.bodies):
        if body.rigid.mass > 0.0:
            com = float(np.linalg.norm(body.rigid.com))
            yield i, com, float(np.sqrt(moments[i] / body.rigid.mass))


def _size(model: Model, i: int) -> float:
    """The distance of the farthest joint on a body from its origin [m]."""
    body = model.bodies[i]
    children = [model.bodies[k].placement.p for k in model._below[i]]
    return max(float(np.linalg.norm(p)) for p in [body.offset.inverse().p, *children])
