"""Poses and inertias as plain floats: which are refused, and why (Sec. 2.13)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from knuckle.model.body import Body
from knuckle.model.errors import Problems
from knuckle.spatial import SE3, Inertia
from knuckle.spatial.linear import cross3, dot

EXACT = 4.0 * np.finfo(float).eps
"""Rotation entries this near 0 or +-1 are meant to be exact: cos(pi / 2) is 6e-17."""
ORTHOGONAL = 1e-9
"""How far R^T R may be from 1."""
DEFINITE = 1e-9
"""Negative principal moments below this part of the largest are rounding."""
HUGE = 1e100
"""Beyond this sums of products overflow; the universe has 1e53 kg."""
TRIANGLE = 1e-6
"""Files give inertias to six digits: a flat body may miss a + b >= c by this part."""


def clean_pose(pose: Any, where: str, problems: Problems) -> SE3:
    """The pose in floats, rotation entries within 4 eps of 0 and +-1 made exact."""
    try:
        pose = SE3.from_any(pose)
        R = [[float(x) for x in row] for row in pose.R]
        p = [float(x) + 0.0 for x in pose.p]
    except (TypeError, ValueError) as error:
        problems.add(
            where, "an SE3 of numbers", f"{_short(pose)} ({error})", "write SE3(R, p)"
        )
        return SE3()
    if not all(map(math.isfinite, (*R[0], *R[1], *R[2], *p))):
        problems.add(where, "finite numbers", f"R = {R}, p = {p}", "write SE3(R, p)")
        return SE3()
    _check_rotation(R, where, problems)
    return SE3([[_exact(x) for x in row] for row in R], p)


def exact_pose(pose: SE3) -> SE3:
    """The pose multiplied out, rotation entries within 4 eps of 0 and +-1 made so."""
    return SE3([[_exact(x) for x in row] for row in pose.R], [x + 0.0 for x in pose.p])


def clean_inertia(inertia: Any, where: str, problems: Problems) -> Inertia:
    """The inertia in floats, without a frame tag; no mass for None."""
    if inertia is None:
        return Inertia.zero()
    if not isinstance(inertia, Inertia):
        problems.add(
            f"{where}: inertia",
            "an Inertia or None",
            f"{type(inertia).__name__} {_short(inertia)}",
            "write Inertia(mass, com, I_com)",
        )
        return Inertia.zero()
    try:
        entries = [float(x) + 0.0 for x in inertia.entries]
    except (TypeError, ValueError):
        entries = [float("nan")]
    if len(entries) != 10 or not np.all(np.abs(entries) < HUGE):
        problems.add(
            f"{where}: inertia",
            "ten finite numbers (mass, mass * com, I about the origin)",
            f"{tuple(inertia.entries)}",
            "look at mass, com and I_com of this body; constants are finite floats",
        )
        return Inertia.zero()
    return Inertia.of_entries(entries)


def check_inertias(
    bodies: Sequence[Body], problems: Problems, planar: bool = False
) -> None:
    """Mass >= 0, and the moments of a rigid body unless it is `unchecked`."""
    for body in bodies:
        if body.rigid.mass < 0.0:
            problems.add(
                f"body {body.name!r}: mass", "a positive mass", f"{body.rigid.mass} kg",
                "write a positive mass, or inertia=None for a massless body",
            )  # fmt: skip
    checked = [body for body in bodies if not body.unchecked]
    for body, what, *fault in inertia_faults(checked, planar):
        problems.add(f"body {body.name!r}: {what}", *fault)


def inertia_faults(
    bodies: Sequence[Body], planar: bool = False
) -> Iterator[tuple[Body, str, str, str, str]]:
    """(body, what, expected, got, repair) where no rigid body has such an inertia.

    The principal moments about the com are positive and a + b >= c. The limits are
    legal: a point mass, a thin rod, a flat plate, a massless body. In a planar model
    I_zz alone matters, so that (0, 0, I_zz) will do.
    """
    heavy = [body for body in bodies if body.rigid.mass >= 0.0]
    if not heavy:
        return
    moments, scale = principal_moments([body.rigid for body in heavy])
    for body, m, s in zip(heavy, moments, scale, strict=True):
        if body.rigid.mass == 0.0 and any(body.rigid.h):
            yield (
                body, "inertia", "no first moment without mass",
                f"h = {body.rigid.h}", "give it a mass",
            )  # fmt: skip
        elif m[0] < -DEFINITE * s:
            yield (
                body, "inertia about the centre of mass", "a positive-definite matrix",
                f"principal moments {_listed(m)} kg m^2",
                "check the signs of the products of inertia, and that I_com is about "
                "the com, not about the body's origin",
            )  # fmt: skip
        elif not planar and m[0] + m[1] < m[2] - TRIANGLE * m[2] - DEFINITE * s:
            yield (
                body, "inertia about the centre of mass",
                "principal moments a + b >= c (the triangle inequality)",
                f"{_listed(m)} kg m^2",
                "no body has such moments: check units and axes; the inertia of a "
                "rotor belongs into the joint's armature=",
            )  # fmt: skip


def principal_moments(
    inertias: Sequence[Inertia],
) -> tuple[np.ndarray, np.ndarray]:
    """The principal moments about the com, ascending, and |I_O|."""
    e = np.array([inertia.entries for inertia in inertias], float)
    mass, h = e[:, 0], e[:, 1:4]
    about_origin = e[:, [4, 5, 6, 5, 7, 8, 6, 8, 9]].reshape(-1, 3, 3)
    c = h / np.where(mass > 0.0, mass, 1.0)[:, None]
    shift = np.einsum("ni,ni,jk->njk", h, c, np.eye(3)) - np.einsum("nj,nk->njk", h, c)
    return np.linalg.eigvalsh(about_origin - shift), np.abs(about_origin).max((1, 2))


def _check_rotation(R: list[list[float]], where: str, problems: Problems) -> None:
    x, y, z = zip(*R, strict=True)
    products = [dot(x, x) - 1.0, dot(y, y) - 1.0, dot(z, z) - 1.0]
    fault = max(map(abs, (*products, dot(x, y), dot(y, z), dot(z, x))))
    if fault > ORTHOGONAL:
        problems.add(
            where,
            f"a rotation, R^T R = 1 to {ORTHOGONAL:g}",
            f"a deviation of {fault:.2g} with R = {R}",
            "normalise it, or build it from Rx, Ry, Rz",
        )
    elif dot(x, cross3(y, z)) < 0.0:
        problems.add(
            where,
            "a right-handed rotation, det R = 1",
            f"a reflection, det R = -1, R = {R}",
            "negate one axis, or all three",
        )


def _exact(x: float) -> float:
    near = float(round(x))
    return near + 0.0 if abs(x - near) <= EXACT else x


def _listed(values: Any) -> str:
    return "(" + ", ".join(f"{x:.6g}" for x in values) + ")"


def _short(x: Any) -> str:
    text = " ".join(repr(x).split())
    return text if len(text) < 80 else text[:77] + "..."
