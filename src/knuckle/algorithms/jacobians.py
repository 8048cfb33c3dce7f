"""Jacobians of bodies, frames and points."""

from __future__ import annotations

from typing import Any

from knuckle.algorithms.expressed import carried, checked, path, shift, transforms
from knuckle.edge import algorithm
from knuckle.model.layout import Array, Position
from knuckle.spatial import SE3, Motion, Transform
from knuckle.spatial.linear import ZERO3, Matrix, sub

Columns = list[Motion]


@algorithm
def frame_jacobian(
    model: Any, q: Position, frame: str, *, expressed: str = "body"
) -> Any:
    """J, (6, nv), with V = J v [rad/s, m/s], angular first.  Featherstone (4.5), (4.6).

    Columns of joints that do not move the frame are exact zeros.  The trap: the linear
    rows are the velocity of the frame's origin in "body" and "aligned", that of the
    body-fixed point at the world's origin in "world".
    """
    model = model.in_space()
    return rows(columns(model, q, model.frame(frame), expressed))


@algorithm
def point_jacobian(model: Any, q: Position, body: str, point: Array[3]) -> Any:  # type: ignore
    """J_P, (3, nv), with v_P = J_P v [m/s] in world axes.  Featherstone (2.1), (4.5).

    `point` [m] is fixed to the body (or frame) and given in its coordinates.
    """
    model = model.in_space()
    carrier, pose = model.frame(body)
    home = carrier, pose * shift(point).pose()
    return rows(columns(model, q, home, "aligned"))[3:]


@algorithm
def body_jacobians(model: Any, q: Position, *, expressed: str = "body") -> Any:
    """J of every body, (n_bodies, 6, nv), as of `frame_jacobian`.  (4.5), (4.6)."""
    model = model.in_space()
    homes = [model.frame(b.name) for b in model.model.bodies]
    return tuple(rows(columns(model, q, home, expressed)) for home in homes)


def rows(J: Columns) -> Matrix:
    """The 6 rows over the columns."""
    return tuple(tuple(c.entries[k] for c in J) for k in range(6))


def columns(model: Any, q: Any, home: tuple[Any, SE3], expressed: str) -> Columns:
    """The columns of J of a frame: the body that carries it, and its pose there."""
    carrier, pose = home
    if checked(expressed) == "body":
        return _from_the_tip(model, q, carrier, pose)
    support = path(carrier)
    X0 = transforms(model, q, support)
    X = Transform.from_pose(pose, carrier.name) * X0[carrier]
    origin = X.r if expressed == "aligned" else ZERO3
    J: Columns = [Motion.zero()] * model.freedoms
    for j in support:
        X = Transform(X0[j].E, sub(X0[j].r, origin))
        J[j.v] = [carried(X, s) for s in j.joint.subspace(q[j])]
    return model.columns(q, J)  # type: ignore[no-any-return]


def _from_the_tip(model: Any, q: Any, carrier: Any, pose: SE3) -> Columns:
    """^fX_j S_j, with ^fX_parent = ^fX_j ^jX_parent on the way to the root."""
    X, J = model.per_body(2)
    X[carrier] = Transform.from_pose(pose, carrier.name)
    for j in model.each(reversed(path(carrier))):
        J[j] = X[j] @ j.joint.subspace(q[j])
        X[j.parent] = X[j] * j.joint.transform(q[j])
    columns: Columns = [Motion.zero()] * model.freedoms
    for j in path(carrier):
        columns[j.v] = J[j]
    return model.columns(q, columns)  # type: ignore[no-any-return]
