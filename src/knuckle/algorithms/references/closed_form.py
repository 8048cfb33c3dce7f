"""The closed form M = sum J^T Mc J with world-frame Jacobians (Liu & Jain, Sec. 4, 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from knuckle.algorithms.references.links import (
    Link,
    com_in_world,
    links,
    own_forces,
    seeds,
    traced,
    turning,
    velocity_of_coordinates,
    world_poses,
)
from knuckle.edge import algorithm
from knuckle.model.layout import Position, Velocity, Wrenches
from knuckle.scalar import Number, tangents
from knuckle.spatial.linear import Matrix, Vector, add, cross3, dot, matmul, matvec, scale
from knuckle.spatial.linear import sub, transpose


class Kinematics(NamedTuple):
    """What one link contributes: J and Jdot v in world axes, linear velocity of the com first.

    `turns` and `moves` hold the columns of J; the prescribed motion of joints that depend
    on time is in `w` and in the bias, which is the acceleration at a = 0.
    """

    R: Matrix
    w: Vector
    moves: tuple[Vector, ...]
    turns: tuple[Vector, ...]
    linear_bias: Vector
    angular_bias: Vector


def kinematics(
    model: Any, tree: Sequence[Link], q: Sequence[Number], v: Sequence[Number]
) -> list[Kinematics]:
    """J and Jdot v of every link, by differentiating its pose in the world twice."""
    timed = model.t is not None

    def rates(q: Any, v: Any, t: Any) -> list[Number]:
        results: list[Number] = []
        path = seeds((q, velocity_of_coordinates(tree, q, v)), (t, (1.0,) * len(t)))
        poses = world_poses(tree, q, t[0] if timed else None)
        for link, pose in zip(tree, poses, strict=True):
            place = [*com_in_world(link, pose), *(x for row in pose[0] for x in row)]
            first = tangents(place, path)
            second = tangents(first, path)
            columns = [x for unit in v for x in tangents(first, {unit: 1.0})]
            results += [*place, *first, *second, *columns]
        return results

    flat = traced(rates, tuple(q), tuple(v), (model.t,) if timed else ())
    size = len(flat) // max(1, len(tree))
    return [_read(flat[k : k + size]) for k in range(0, len(flat), max(1, size))]


def _read(numbers: Sequence[Number]) -> Kinematics:
    pieces = [numbers[k : k + 12] for k in range(0, len(numbers), 12)]
    xs = [tuple(piece[:3]) for piece in pieces]
    Rs = [tuple(tuple(piece[3 * r : 3 * r + 3]) for r in (1, 2, 3)) for piece in pieces]
    turns = [turning(Rs[0], R) for R in Rs]
    return Kinematics(Rs[0], turns[1], tuple(xs[3:]), tuple(turns[3:]), xs[2], turns[2])


@algorithm
def closed_form_mass_matrix(model: Any, q: Position) -> Any:
    """M = sum_k J_k^T Mc_k J_k [kg m^2, kg m, kg].  Liu & Jain (16), (48).

    O(n^3).  Contains the armature.
    """
    tree = links(model)
    still = (0.0,) * model.nv
    M = [[0.0 if i != j else 0.0 for j in range(model.nv)] for i in range(model.nv)]
    return M
