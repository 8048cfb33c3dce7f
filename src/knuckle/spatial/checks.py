"""Plain-float checks of an inertia, and its principal axes (numpy on floats)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from knuckle.spatial.linear import Matrix, Symmetric, Vector, full


def principal_axes(I: Matrix) -> tuple[Matrix, Vector]:
    """(R, moments) with I = R diag(moments) R^T, det R = 1, moments ascending.

    Axes of a repeated moment are any orthogonal ones; R is made as near the identity as
    flipping two axes allows.
    """
    moments, axes = np.linalg.eigh(np.array(I, float))
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] = -axes[:, 2]
    flips = [np.array(f) for f in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))]
    best = max(flips, key=lambda f: float(np.sum(np.diag(axes) * f)))
    return tuple(map(tuple, (axes * best).tolist())), tuple(moments.tolist())


def inertia_problems(mass: Any, h: Sequence[Any], I: Symmetric) -> list[str]:
    """What is physically impossible about (m, h, I_O): one sentence each.

    Finite; m >= 0; I_com symmetric positive definite with a + b >= c for its principal
    moments (to 1e-9 of the largest).  A massless body must have no h and no I.
    """
    entries = np.array([mass, *h, *I], float)
    if not np.all(np.isfinite(entries)):
        return [f"not finite: mass {mass}, h {tuple(h)}, I {I}"]
    if mass < 0.0:
        return [f"mass is {mass}, expected positive"]
    if mass == 0.0:
        if np.any(entries):
            return ["mass is 0 but h or the rotational inertia is not"]
        return []
    c = np.array(h, float) / mass
    I_com = np.array(full(I), float) - mass * (c @ c * np.eye(3) - np.outer(c, c))
    a, b, d = np.linalg.eigvalsh(I_com).tolist()
    scale = max(abs(a), abs(d))
    if a < -1e-9 * scale or d <= 0.0:
        shown = ", ".join(f"{x:.6g}" for x in (a, b, d))
        return [f"I_com has principal moments {shown}, expected all positive"]
    if a + b < d * (1.0 - 1e-9):
        return [
            f"principal moments {a:.6g} + {b:.6g} < {d:.6g} break the triangle "
            "inequality: no mass distribution has them"
        ]
    return []
