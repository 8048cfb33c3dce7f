"""Lagrange's equations, differentiated literally from the energies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
)
from knuckle.algorithms.sparse_factorization import ltdl, solve_ltdl
from knuckle.edge import algorithm
from knuckle.model.layout import Position, Velocity
from knuckle.scalar import Number, tangents
from knuckle.spatial.linear import add, dot, identity, matTvec, matvec


def energies(
    model: Any,
    tree: Sequence[Link],
    q: Sequence[Number],
    v: Sequence[Number],
    t: Sequence[Number],
) -> tuple[Number, Number]:
    """(kinetic energy of the bodies, potential energy of gravity) [J]; q, v traced."""
    gravity = model.values("gravity", model.model.gravity)
    path = seeds((q, velocity_of_coordinates(tree, q, v)), (t, [1.0] * len(t)))
    poses = world_poses(tree, q, t[0] if t else None)
    place = in_world(tree, poses)
    rates = tangents(place, path)
    T: Number = 0.0
    U: Number = 0.0
    for k, (link, (R, _)) in enumerate(zip(tree, poses, strict=True)):
        xdot, *Rdot = (rates[j : j + 3] for j in range(12 * k, 12 * k + 12, 3))
        w = matTvec(R, turning(R, tuple(Rdot)))
        T = T + 0.5 * (link.mass * dot(xdot, xdot) + dot(w, matvec(link.I_com, w)))
        U = U - link.mass * dot(gravity, place[12 * k : 12 * k + 3])
    return T, U


@algorithm
def lagrange(
    model: Any, q: Position, v: Velocity, a: Velocity, *, passive: bool = True
) -> Any:
    """tau = d/dt dT/dv - d(T - U)/dq [N m, N], as `inverse_dynamics`.  Liu & Jain (17).

    Where v is not dq/dt, the quasi-velocity form (Hamel): the derivative by q runs
    along the motion of each unit velocity, and the brackets of these motions take away
    sum eta_l dT/dv_l with qdot(q, eta) = [qdot(q, v), qdot(q, e_j)].
    """
    tree = links(model)
    clock = () if model.t is None else (model.t,)

    def equations(q: Any, v: Any, a: Any, t: Any) -> list[Number]:
        T, U = energies(model, tree, q, v, t)
        path = seeds((q, velocity_of_coordinates(tree, q, v)), (t, [1.0] * len(t)))
        p = [tangents([T], {unit: 1.0})[0] for unit in v]
        pdot = tangents(p, path | seeds((v, a)))
        tau = list(pdot)
        for link in tree:
            for j, (along, eta) in enumerate(brackets(link, q, v), link.v.start):
                (slope,) = tangents([T - U], along)
                turned = (x * y for x, y in zip(eta, p[link.v], strict=True))
                tau[j] = tau[j] - slope - sum(turned)
        return tau

    tau = traced(equations, tuple(q), tuple(v), tuple(a), clock)
    own = own_forces(model, tree, q, v, a, passive)
    return Velocity(add(tau, own))


def brackets(link: Link, q: Any, v: Any) -> list[tuple[Any, list[Number]]]:
    """For each unit velocity of a joint its path of q, and eta of its bracket.

    eta solves G eta = w with G = dqdot/dv, whose columns are independent.
    """
    joint, here, speed = link.joint, tuple(q[link.q]), tuple(v[link.v])
    chain = range(-1, joint.nv - 1)
    G = [joint.qdot(here, unit) for unit in identity(joint.nv)]
    qdot = joint.qdot(here, speed)
    gram = [[dot(x, y) for y in G] for x in G]
    found = []
    for field in G:
        along = seeds((here, field))
        ahead = tangents(field, seeds((here, qdot)))
        w = [x - y for x, y in zip(ahead, tangents(qdot, along), strict=True)]
        right = [dot(column, w) for column in G]
        found.append((along, solve_ltdl(*ltdl(gram, chain), chain, right)))
    return found
