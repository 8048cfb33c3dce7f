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
    """f = X* [p x F; F] [N m, N], (6,), as `f_ext` holds it.  (2.9), (2.25).

    Of a force [N] at a point [m], both in world axes, on a body or frame; f is in its
    axes at its origin.
    """
    model = model.in_space()
    carrier, pose = model.frame(body)
    X0 = transforms(model, q, path(carrier))[carrier]
    X = Transform.from_pose(pose, carrier.name, body) * X0
    force, point = (tuple(x) for x in (force_world, point_world))  # type: ignore
    return X.dual @ force_at(force, point)
