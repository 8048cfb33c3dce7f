"""Limits of URDF, which has no word for none."""

from __future__ import annotations

import math

UNLIMITED = 1e16
"""From here on a limit means none, as in SDF."""


def unlimited(x: float) -> float:
    """The limit, infinite from `UNLIMITED` on."""
    return math.copysign(math.inf, x) if abs(x) >= UNLIMITED else x
