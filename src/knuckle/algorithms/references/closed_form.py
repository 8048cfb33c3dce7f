"""The closed form M = sum J^T Mc J with world-frame Jacobians (Liu & Jain, Sec. 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from knuckle.algorithms.references.links import (
    Link,
    in_world,
    links,
    own_forces,
    seeds,
    traced,
    turning,
    velocity_of_coordinates,
    world_poses,
    wrenches,
)
from knuckle.edge import algorithm
from knuckle.model.layout import Position, Velocity, Wrenches
from knuckle.scalar import Number, tangents
from knuckle.spatial.linear import (
    Matrix,
    Vector,
    add,
    cross3,
    dot,
    matmul,
    matvec,
    scale,
    sub,
    transpose,
)


class LinkJacobian(NamedTuple):
    """J of one link by columns, linear velocity of its com first; all in world axes.

    `w` is its angular velocity; `linear` and `angular` are Jdot v, the accelerations at
    a = 0, with what joints that depend on time add.
    """

    R: Matrix
    moves: tuple[Vector, ...]
    turns: tuple[Vector, ...]
    w: Vector
    linear: Vector
    angular: Vector


def jacobians(model: Any, tree: Sequence[Link], q: Any, v: Any) -> list[LinkJacobian]:
    """J and Jdot v of every link, by differentiating its pose twice."""
    clock = () if model.t is None else (model.t,)

    def rates(q: Any, v: Any, t: Any) -> list[Number]:
        poses = world_poses(tree, q, t[0] if t else None)
        place = in_world(tree, poses)
        path = seeds((q, velocity_of_coordinates(tree, q, v)), (t, [1.0] * len(t)))
        first = tangents(place, path)
        columns = [x for unit in v for x in tangents(first, {unit: 1.0})]
        return [*place, *first, *tangents(first, path), *columns]

    flat = traced(rates, tuple(q), tuple(v), clock)
    size = 12 * len(tree)
    tables = [flat[k : k + size] for k in range(0, len(flat), size)]
    return [_link_jacobian([x[k : k + 12] for x in tables]) for k in range(0, size, 12)]


def _link_jacobian(pieces: Sequence[Sequence[Number]]) -> LinkJacobian:
    """From x and R by rows, their first and second rates and their columns."""
    xs = [tuple(x[:3]) for x in pieces]
    Rs = [(tuple(x[3:6]), tuple(x[6:9]), tuple(x[9:12])) for x in pieces]
    turns = [turning(Rs[0], R) for R in Rs]
    return LinkJacobian(
        Rs[0], tuple(xs[3:]), tuple(turns[3:]), turns[1], xs[2], turns[2]
    )


def inertia_in_world(link: Link, J: LinkJacobian) -> Matrix:
    """R I_com R^T."""
    return matmul(matmul(J.R, link.I_com), transpose(J.R))


@algorithm
def closed_form_mass_matrix(model: Any, q: Position) -> Any:
    """M = sum_k J_k^T Mc_k J_k [kg m^2, kg m, kg].  Liu & Jain (16), (48).

    Contains the armature.  O(n^3), whatever the tree.
    """
    tree, n = links(model), range(model.nv)
    M: list[list[Number]] = [[0.0] * model.nv for _ in n]
    for link, J in zip(tree, jacobians(model, tree, q, (0.0,) * model.nv), strict=True):
        I = inertia_in_world(link, J)
        for i in n:
            momentum, spin = scale(link.mass, J.moves[i]), matvec(I, J.turns[i])
            for j in n:
                M[i][j] = M[i][j] + dot(J.moves[j], momentum) + dot(J.turns[j], spin)
    ones = (1.0,) * model.nv
    rotors = own_forces(model, tree, q, ones, ones, passive=False)
    return [[M[i][j] + rotors[i] if i == j else M[i][j] for j in n] for i in n]


@algorithm
def closed_form(
    model: Any,
    q: Position,
    v: Velocity,
    a: Velocity,
    f_ext: Wrenches | None = None,
    *,
    passive: bool = True,
) -> Any:
    """M a + C - Q [N m, N], as `inverse_dynamics`.  Liu & Jain (3), (44) - (48).

    C = sum_k J_k^T (Mc_k Jdot_k + [w~_k] Mc_k J_k) v.  The trap: `f_ext` by name takes
    bodies, not frames.
    """
    tree, n = links(model), range(model.nv)
    gravity = model.values("gravity", model.model.gravity)
    tau = own_forces(model, tree, q, v, a, passive)
    on = wrenches(tree, f_ext)
    for link, J, given in zip(tree, jacobians(model, tree, q, v), on, strict=True):
        I = inertia_in_world(link, J)
        x, turn = J.linear, J.angular  # J a + Jdot v
        for j in n:
            x = add(x, scale(a[j], J.moves[j]))
            turn = add(turn, scale(a[j], J.turns[j]))
        couple, pull = (matvec(J.R, y) for y in given)
        pull_about_com = sub(couple, cross3(matvec(J.R, link.com), pull))
        force = sub(scale(link.mass, sub(x, gravity)), pull)
        gyroscopic = cross3(J.w, matvec(I, J.w))
        moment = sub(add(matvec(I, turn), gyroscopic), pull_about_com)
        for j in n:
            tau[j] = tau[j] + dot(J.moves[j], force) + dot(J.turns[j], moment)
    return Velocity(tau)
