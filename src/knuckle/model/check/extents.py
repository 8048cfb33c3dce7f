"""Rules on mass against size: units of com and inertia, density, com outside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from knuckle.model.check import sizes
from knuckle.model.check.finding import Finding
from knuckle.model.rigid import principal_moments

if TYPE_CHECKING:
    from knuckle.model.model import Model

FAR = 100.0
LIGHT, DENSE = 1.0, 30_000.0
"""[kg/m^3]: less than any solid's, more than any metal's (osmium has 22,600)."""
OUTSIDE = 0.5
WIDE = 1.5


def extents(model: Model) -> Iterator[Finding]:
    """Centres of mass and inertias that do not fit the size of their body."""
    for i, com, gyration in _gyrations(model):
        body = model.bodies[i]
        where, size = f"body {body.name!r}", _size(model, i)
        if com > FAR * max(gyration, size) and max(gyration, size) > 0.0:
            yield Finding(
                "warning", where,
                f"its com is {com:.3g} m from its origin, with a radius of gyration of "
                f"{gyration:.3g} m and joints within {size:.3g} m",
                "check the unit (mm or m) and the frame of com",
            )  # fmt: skip
        if gyration > FAR * max(com, size) and max(com, size) > 0.0:
            yield Finding(
                "warning", where,
                f"its inertia means a radius of gyration of {gyration:.3g} m, with com "
                f"and joints within {max(com, size):.3g} m",
                "check the unit of I_com (g mm^2 or kg m^2)",
            )  # fmt: skip


def bounds(model: Model) -> Iterator[Finding]:
    """Centres of mass outside the box around the shapes, and inertias too wide for it.

    No mass within the distance R of the com has a moment above m R^2.
    """
    for i, _, gyration in _gyrations(model):
        body = model.bodies[i]
        where, corners = f"body {body.name!r}", sizes.corners(body)
        if not len(corners):
            continue
        com = np.array(body.rigid.com, float)
        low, high = corners.min(axis=0), corners.max(axis=0)
        out = float(np.linalg.norm(com - np.clip(com, low, high)))
        diagonal = float(np.linalg.norm(high - low))
        if out > OUTSIDE * diagonal:
            yield Finding(
                "warning", where,
                f"its com lies {out:.3g} m outside its shapes, which measure "
                f"{diagonal:.3g} m from corner to corner",
                "check the frame and the unit of com, or the placement of the shapes",
            )  # fmt: skip
            continue
        farthest = float(np.linalg.norm(corners - com, axis=1).max())
        if gyration > WIDE * farthest:
            yield Finding(
                "warning", where,
                f"its inertia means a radius of gyration of {gyration:.3g} m, and its "
                f"shapes end {farthest:.3g} m from the com",
                "check I_com: its unit, or a placeholder such as (1, 1, 1)",
            )  # fmt: skip


def densities(model: Model) -> Iterator[Finding]:
    """Mass over the volume of the shapes, where no solid has such a density."""
    for body in model.bodies:
        volume = sizes.volume(body) if body.rigid.mass > 0.0 else None
        if not volume:
            continue
        density = body.rigid.mass / volume
        if not LIGHT <= density <= DENSE:
            kind = "lighter than foam" if density < LIGHT else "denser than any metal"
            yield Finding(
                "warning", f"body {body.name!r}",
                f"its mass {body.rigid.mass:.3g} kg in {volume:.3g} m^3 of shapes is "
                f"{density:.3g} kg/m^3, {kind}",
                "check the units of mass and of the shapes (mm or m)",
            )  # fmt: skip


def _gyrations(model: Model) -> Iterator[tuple[int, float, float]]:
    """(body, |com|, largest radius of gyration) [m] of what has mass."""
    heavy = [i for i, b in enumerate(model.bodies) if b.rigid.mass > 0.0]
    if not heavy:
        return
    moments, _ = principal_moments([model.bodies[i].rigid for i in heavy])
    for i, m in zip(heavy, moments, strict=True):
        rigid = model.bodies[i].rigid
        com = float(np.linalg.norm(rigid.com))
        yield i, com, float(np.sqrt(max(m[2], 0.0) / rigid.mass))


def _size(model: Model, i: int) -> float:
    """The distance of the farthest joint on a body from its origin [m]."""
    body = model.bodies[i]
    children = [model.bodies[k].placement.p for k in model._below[i]]
    return max(float(np.linalg.norm(p)) for p in [body.offset.inverse().p, *children])
