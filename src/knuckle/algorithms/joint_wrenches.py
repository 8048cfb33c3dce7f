"""What goes through the joints, the forces of constraint included."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from knuckle.edge import algorithm
from knuckle.model.layout import Position, Velocity, Wrenches
from knuckle.spatial import SE3, Force, Inertia, Transform, cross
from knuckle.spatial.newton_euler import newton_euler


@algorithm
def joint_wrenches(
    model: Any, q: Position, v: Velocity, a: Velocity, f_ext: Wrenches | None = None
) -> Any:
    """f_J, (n_bodies, 6), on each body through its joint [N m, N].  (5.8)-(5.10).

    In body axes at the joint's successor frame (the body's origin without `offset`), in
    the order of `model.bodies`, joints that are fixed too.  The trap: S^T f_J is what
    reaches the body, tau + passive forces - armature a (3.37).
    """
    model = model.in_space()
    X, V, A, F, f = model.per_body(5)
    V[model.world], A[model.world] = model.rest, -model.gravity
    for i in model.outward():
        X[i], S, vJ, cJ = i.joint.motion(q[i], v[i])
        V[i] = X[i] @ V[i.parent] + vJ
        A[i] = X[i] @ A[i.parent] + S @ a[i] + cJ + cross(V[i], vJ)
    for b in reversed(pieces(model, f_ext)):
        i = b.carrier
        F[b.name] += newton_euler(b.inertia, V[i], A[i]) - b.external
        F[b.parent] += F[b.name] if b.welded else X[i].T @ F[b.name]
        f[b.name] = b.X_joint.dual @ F[b.name]
    return tuple(f[body.name] for body in model.model.bodies)


class Piece(NamedTuple):
    """One body by itself, in the frame of the moving body that carries it."""

    name: str
    parent: str
    carrier: Any
    welded: bool
    inertia: Inertia
    external: Force
    X_joint: Transform


def pieces(model: Any, f_ext: Any) -> list[Piece]:
    """The bodies one by one, parents first."""
    by_name = {} if f_ext is None else f_ext.by_name
    bodies = [model.model.bodies[k] for k in model.model.order]
    return [_piece(model, body, by_name) for body in bodies]


def _piece(model: Any, body: Any, by_name: Mapping[str, Any]) -> Piece:
    carrier, pose = model.frame(body.name)
    parent = body.parent or model.world.name
    X = Transform.from_pose(pose, carrier.name, body.name)
    external = Force.zero(carrier.name)
    for name, entries in by_name.items():
        if model.model.frame(name).body == body.name:
            at = Transform.from_pose(model.frame(name)[1], carrier.name, name)
            external = external + at.T @ Force.of(tuple(entries), name)
    joint = pose * SE3.translation(body.offset.p)
    return Piece(
        body.name,
        parent,
        carrier,
        model.frame(parent)[0] is carrier,
        X.T @ model.inertia_of(body),
        external,
        Transform.from_pose(joint, carrier.name, body.name),
    )
