"""Inertias of the usual homogeneous solids, in their own axes about their centre.

Give either ``mass`` [kg] or ``density`` [kg/m^3]; lengths in [m].  The long axis is z.
``at=pose`` places the solid in the body frame.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from knuckle.scalar import Number
from knuckle.spatial.inertia import Inertia
from knuckle.spatial.linear import ZERO3
from knuckle.spatial.polyhedron import polyhedron as polyhedron
from knuckle.spatial.se3 import SE3


def box(
    size: Sequence[Number],
    mass: Number | None = None,
    density: Number | None = None,
    at: Any = None,
) -> Inertia:
    """A cuboid with edge lengths (x, y, z): m (y^2 + z^2) / 12, ... (Sueda 1.24)."""
    x, y, z = size
    m = _mass(mass, density, x * y * z)
    return _placed(m, _crossed(m / 12.0, x * x, y * y, z * z), at)


def ellipsoid(
    semi_axes: Sequence[Number],
    mass: Number | None = None,
    density: Number | None = None,
    at: Any = None,
) -> Inertia:
    """An ellipsoid with these semi-axes: m (b^2 + c^2) / 5, ..."""
    a, b, c = semi_axes
    m = _mass(mass, density, 4.0 / 3.0 * math.pi * a * b * c)
    return _placed(m, _crossed(m / 5.0, a * a, b * b, c * c), at)


def sphere(
    radius: Number,
    mass: Number | None = None,
    density: Number | None = None,
    at: Any = None,
) -> Inertia:
    """A full sphere: 2 m r^2 / 5."""
    return ellipsoid((radius, radius, radius), mass, density, at)


def hollow_sphere(
    outer: Number,
    inner: Number,
    mass: Number | None = None,
    density: Number | None = None,
    at: Any = None,
) -> Inertia:
    """A spherical shell: 2 m (R^5 - r^5) / (5 (R^3 - r^3)); inner = outer is the limit
    of a thin shell, 2 m r^2 / 3, and needs ``mass``."""
    R, r = outer, inner
    squares = R * R + R * r + r * r
    m = _mass(mass, density, 4.0 / 3.0 * math.pi * (R - r) * squares)
    fourth = (R * R + r * r) * R * (R + r) + r * r * r * r
    i = 0.4 * m * fourth / squares
    return _placed(m, (i, i, i), at)


def cylinder(
    radius: Number,
    length: Number,
    mass: Number | None = None,
    density: Number | None = None,
    at: Any = None,
) -> Inertia:
    """A full cylinder along z: I_z = m r^2 / 2, I_x = m (3 r^2 + l^2) / 12."""
    return hollow_cylinder(radius, 0.0, length, mass, density, at)


def hollow_cylinder(
    outer: Number,
    inner: Number,
    length: Number,
    mass: Number | None = None,
    density: Number | None = None,
    at: Any = None,
) -> Inertia:
    """A tube along z: I_z = m (R^2 + r^2) / 2, I_x = m (3 (R^2 + r^2) + l^2) / 12."""
    squares = outer * outer + inner * inner
    area = math.pi * (outer * outer - inner * inner)
    m = _mass(mass, density, area * length)
    side = m * (3.0 * squares + length * length) / 12.0
    return _placed(m, (side, side, 0.5 * m * squares), at)


def rod(
    length: Number,
    mass: Number,
    at: Any = None,
) -> Inertia:
    """A thin rod along z: I_x = m l^2 / 12, I_z = 0."""
    i = mass * length * length / 12.0
    return _placed(mass, (i, i, 0.0), at)


def capsule(
    radius: Number,
    length: Number,
    mass: Number | None = None,
    density: Number | None = None,
    at: Any = None,
) -> Inertia:
    """A cylinder of this length along z with two half spheres on its ends.

    A half sphere of mass m: centre 3 r / 8 from its face, 83 m r^2 / 320 about it.
    """
    r, l = radius, length
    tube, ball = r * r * l, 4.0 / 3.0 * r * r * r
    m = _mass(mass, density, math.pi * (tube + ball))
    a, b = m * tube / (tube + ball), m * ball / (tube + ball)
    arm = 0.5 * l + 0.375 * r
    side = a * (3.0 * r * r + l * l) / 12.0 + b * (83.0 / 320.0 * r * r + arm * arm)
    return _placed(m, (side, side, 0.5 * a * r * r + 0.4 * b * r * r), at)


def cone(
    radius: Number,
    length: Number,
    mass: Number | None = None,
    density: Number | None = None,
    at: Any = None,
) -> Inertia:
    """A full cone along z, apex up, about its centre of mass (l / 4 above the base):
    I_z = 3 m r^2 / 10, I_x = 3 m (4 r^2 + l^2) / 80."""
    m = _mass(mass, density, math.pi * radius * radius * length / 3.0)
    side = 3.0 * m * (4.0 * radius * radius + length * length) / 80.0
    return _placed(m, (side, side, 0.3 * m * radius * radius), at)


def point_mass(mass: Number, at: Sequence[Number] = ZERO3) -> Inertia:
    """A particle at a point of the body frame."""
    return Inertia(mass, at, (0.0, 0.0, 0.0))


def _crossed(k: Number, xx: Number, yy: Number, zz: Number) -> tuple[Number, ...]:
    return k * (yy + zz), k * (xx + zz), k * (xx + yy)


def _mass(mass: Number | None, density: Number | None, volume: Number) -> Number:
    if (mass is None) == (density is None):
        raise ValueError("a solid needs either mass=... or density=..., exactly one")
    return density * volume if mass is None else mass


def _placed(mass: Number, moments: Sequence[Number], at: Any) -> Inertia:
    if at is None:
        return Inertia(mass, ZERO3, moments)
    pose = SE3.from_any(at)
    return Inertia(mass, pose.p, moments, pose.R)
