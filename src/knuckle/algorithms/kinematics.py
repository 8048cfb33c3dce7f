"""Poses of bodies and frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from knuckle.algorithms.expressed import listed, transforms
from knuckle.edge import algorithm
from knuckle.model.layout import Position
from knuckle.spatial import Transform


class Poses(NamedTuple):
    """x_world = R x_body + p: rotations (..., n, 3, 3), positions (..., n, 3) [m]."""

    R: Any
    p: Any


@algorithm
def forward_kinematics(
    model: Any, q: Position, frames: Sequence[str] | None = None
) -> Any:
    """Poses (R, p) [1, m] in the world, of all bodies or of these frames.  Ex 4.3.

    In the order of `model.bodies`, or of `frames`, which also takes bodies and "world".
    The trap: R is the inverse of the book's E, the direction in which X acts.
    """
    model = model.in_space()
    every = [b.name for b in model.model.bodies]
    names = every if frames is None else listed(frames, "forward_kinematics", "frames")
    X0 = transforms(model, q, model.bodies)
    found = []
    for name in names:
        carrier, pose = model.frame(name)
        X = Transform.from_pose(pose, carrier.name, name) * X0[carrier]
        found.append(X.pose())
    return Poses(tuple(T.R for T in found), tuple(T.p for T in found))
