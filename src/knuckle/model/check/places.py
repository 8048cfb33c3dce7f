"""Rules on poses: entries that were meant to be exact, places far from their body."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from knuckle.model.check.finding import Finding
from knuckle.model.check.sizes import reach

if TYPE_CHECKING:
    from knuckle.model.model import Model

NEAR = 1e-6
TIMES, METRES = 30.0, 3.0
"""Far is so many times the reach of a body, and at least so many metres."""


def nearly_exact_rotations(model: Model) -> Iterator[Finding]:
    """Entries within 1e-6 of 0 or +-1 were meant to be exact; they cost operations."""
    poses = [
        (f"body {b.name!r}: {what}", pose)
        for b in model.bodies
        for what, pose in (("placement", b.placement), ("offset", b.offset))
    ]
    poses += [(f"frame {f.name!r}: placement", f.placement) for f in model.frames]
    near = {
        place: x
        for place, pose in poses
        for row in pose.R
        for x in row
        if 0.0 < abs(x - round(x)) < NEAR
    }
    if near:
        first, *others = near
        more = f" and {len(others)} more" if others else ""
        yield Finding(
            "note",
            first + more,
            f"rotation entries such as {near[first]!r} are nearly, not exactly 0 or 1",
            "write exact angles (pi with all digits) if they are meant to be",
        )


def far_frames(model: Model) -> Iterator[Finding]:
    """Joints and frames far from the body that carries them."""
    joints = [
        (f"joint {p.name!r}", p.body.parent, p.body.placement) for p in model.joints
    ]
    frames = [(f"frame {f.name!r}", f.body, f.placement) for f in model.frames]
    for what, carrier, pose in [*joints, *frames]:
        far = float(np.linalg.norm(pose.p))
        if carrier is None or far <= METRES:
            continue
        size = reach(model, carrier)
        if far > TIMES * size > 0.0:
            yield Finding(
                "warning",
                what,
                f"it sits {far:.3g} m from the origin of {carrier!r}, whose mass and "
                f"shapes lie within {size:.3g} m",
                "check the unit (mm or m)",
            )
