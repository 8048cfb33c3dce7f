"""External wrenches from what is known in the world."""

from __future__ import annotations

from typing import Any

from knuckle.algorithms.expressed import path, transforms
from knuckle.edge import algorithm
from knuckle.model.layout import Array, Position
from knuckle.spatial import Transform, force_at


@algorithm
def wrench(
    model: Any,
    q: Position,
    body: str,
    force_world: Array[3],  # type: ignore
    point_world: Array[3],  # type: ignore
) -> Any:
    """f = X* [p x F; F] [N m, N], (6,): an entry of `f_ext` for a body or frame.  (2.9).

    The force [N] acts at the point [m], both in world axes; f is in body axes at the
    body's origin.
    """
    model = model.in_space()
    carrier, pose = model.frame(body)
    X0 = transforms(model, q, path(carrier))[carrier]
    X = Transform.from_pose(pose, carrier.name, body) * X0
    return X.dual @ force_at(tuple(force_world), tuple(point_world))
