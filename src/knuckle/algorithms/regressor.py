"""Inverse dynamics is linear in the inertias: the matrix of that."""

from __future__ import annotations

from typing import Any

from knuckle.edge import algorithm
from knuckle.model.layout import Position, Velocity
from knuckle.spatial import Inertia, Transform, cross
from knuckle.spatial.newton_euler import newton_euler

UNIT_INERTIAS = tuple(
    Inertia.of_entries([1.0 if i == k else 0.0 for i in range(10)]) for k in range(10)
)
"""One for each of (m, m c, I_xx, I_xy, I_xz, I_yy, I_yz, I_zz), I about the origin."""


@algorithm
def regressor(model: Any, q: Position, v: Velocity, a: Velocity) -> Any:
    """Y(q, v, a), (nv, 10 n_bodies), with M a + bias = Y pi.  Featherstone (2.68).

    pi are the entries (m, m c, I about the body's origin) of each body in the order of
    `model.bodies`, as `model.inertial_parameters()` lists them.  The trap: rotors and
    passive forces are no part of it, and pi is not (mass, com, I_com).
    """
    model = model.in_space()
    X, V, A, J = model.per_body(4)
    V[model.world], A[model.world], J[model.world] = model.rest, -model.gravity, {}
    for i in model.outward():
        X[i], S, vJ, cJ = i.joint.motion(q[i], v[i])
        V[i] = X[i] @ V[i.parent] + vJ
        A[i] = X[i] @ A[i.parent] + S @ a[i] + cJ + cross(V[i], vJ)
        J[i] = {k: X[i] @ s for k, s in J[i.parent].items()}
        J[i] |= {i.v.start + k: s for k, s in enumerate(S)}
    rows: list[list[Any]] = [[] for _ in range(model.freedoms)]
    for body in model.model.bodies:
        i, pose = model.frame(body.name)
        to_body = Transform.from_pose(pose, i.name, body.name)
        still = i is model.world
        for unit in UNIT_INERTIAS:
            I = Inertia.of_entries(unit.entries, body.name)
            f = None if still else newton_euler(I, to_body @ V[i], to_body @ A[i])
            for k, row in enumerate(rows):
                moved = not still and k in J[i]
                row.append((to_body @ J[i][k]).dot(f) if moved else 0.0)
    columns = [model.columns(q, column) for column in zip(*rows, strict=True)]
    return tuple(zip(*columns, strict=True)) if columns else tuple(map(tuple, rows))
