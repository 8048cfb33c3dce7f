"""The inertia of handles, with all that is joined to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from knuckle.algorithms.expressed import checked, listed, transforms
from knuckle.algorithms.forward_dynamics import forward_dynamics
from knuckle.algorithms.velocities import frame_acceleration
from knuckle.edge import algorithm
from knuckle.model.layout import Position, Velocity, Wrenches
from knuckle.scalar import Number
from knuckle.spatial import LDL, Force, Transform, articulated
from knuckle.spatial.ldl import over
from knuckle.spatial.linear import ZERO3, identity, transpose


@algorithm
def articulated_inertia(model: Any, q: Position, body: str) -> Any:
    """I^A, (6, 6) [kg m^2, kg m, kg], of a body and what it carries.  (7.21) - (7.23).

    f = I^A a + p^A for a force f on the body (or frame), in its axes at its origin, its
    own joint being cut.  The trap: it maps accelerations; I^A v is no momentum.
    """
    model = model.in_space()
    carrier, pose = model.frame(body)
    if carrier is model.world:
        raise ValueError(
            f"articulated_inertia: {body!r} does not move; name a body that does"
        )
    IA = model.per_body()
    for i in reversed(model.bodies):
        IA[i] += articulated(i.inertia)
        if carrier in i.ancestors:
            X, S = i.joint.transform(q[i]), i.joint.subspace(q[i])
            U = IA[i] @ S
            D = LDL(i.joint.with_rotor(S.T @ U))
            IA[i.parent] += X.T @ (IA[i] - U @ D.inv @ U.T)
    to_carrier = Transform.from_pose(pose, carrier.name, body).inverse()
    return (to_carrier.T @ IA[carrier]).matrix()


@algorithm
def inverse_articulated_inertia(
    model: Any,
    q: Position,
    handles: Sequence[str] | None = None,
    *,
    expressed: str = "body",
) -> Any:
    """Phi^A = J M^-1 J^T, (6 h, 6 h) [1/(kg m^2), 1/kg], of h handles.  (7.9), (7.4).

    a = Phi^A f + b^A for forces f on the handles: bodies or frames, by default all
    bodies that carry none.  Its inverse is the operational-space inertia.  J is never
    formed: unit forces go inward, and each joint gives way.  The trap: it has no
    inverse where the handles have fewer than 6 h freedoms between them.
    """
    model = model.in_space()
    names = tips(model.model) if handles is None else handles_of(handles)
    X, S, IA, B = model.per_body(4)
    Phi: list[list[Number]] = [[0.0] * (6 * len(names)) for _ in range(6 * len(names))]
    for i in model.bodies:
        IA[i], B[i] = articulated(i.inertia), {}
    B[model.world] = {}
    for h, (i, to_handle) in enumerate(places(model, q, names, expressed)):
        for k, unit in enumerate(identity(6), 6 * h):
            B[i][k] = to_handle.T @ Force.of(unit)
    for i in reversed(model.bodies):
        X, S = i.joint.transform(q[i]), i.joint.subspace(q[i])
        U = IA[i] @ S
        D = LDL(i.joint.with_rotor(S.T @ U))
        y = {k: D.forward(S.T @ f) for k, f in B[i].items()}
        for k in y:
            for j in y:
                if j <= k:
                    terms = zip(y[k], y[j], D.r, strict=True)
                    Phi[k][j] = Phi[j][k] = sum((over(*t) for t in terms), Phi[k][j])
        IA[i.parent] += X.T @ (IA[i] - U @ D.inv @ U.T)
        B[i.parent] |= {k: X.T @ (f - U @ (D.inv @ (S.T @ f))) for k, f in B[i].items()}
    return tuple(map(tuple, Phi))


class HandleEquations(NamedTuple):
    """a = Phi f + b: accelerations of the handles, (6 h,), by forces on them."""

    Phi: Any
    b: Any


@algorithm
def handle_equations(
    model: Any,
    q: Position,
    v: Velocity,
    tau: Velocity,
    f_ext: Wrenches | None = None,
    *,
    handles: Sequence[str] | None = None,
    expressed: str = "body",
    passive: bool = True,
) -> Any:
    """(Phi^A, b^A) with a = Phi^A f + b^A of several handles.  (7.4), (7.9), (7.10).

    How the handles accelerate, gravity and all other forces included, and what further
    forces f on them change.  The trap: a is the spatial acceleration, in "aligned" axes
    the classical one; so it is J dv/dt + dJ/dt v.
    """
    names = tips(model.model) if handles is None else handles_of(handles)
    Phi = inverse_articulated_inertia(model, q, names, expressed=expressed)
    a = forward_dynamics(model, q, v, tau, f_ext, passive=passive)
    ways = {"expressed": expressed, "classical": expressed == "aligned"}
    b = [frame_acceleration(model, q, v, a, name, **ways) for name in names]
    return HandleEquations(Phi, tuple(x for m in b for x in m))


def tips(model: Any) -> list[str]:
    """The bodies that carry no other."""
    carrying = {body.parent for body in model.bodies}
    return [body.name for body in model.bodies if body.name not in carrying]


def handles_of(names: Sequence[str]) -> list[str]:
    """The names themselves, if there are any, each once."""
    found = list(listed(names, "inverse_articulated_inertia", "handles"))
    if not found:
        raise ValueError(
            "handles: expected a list of bodies or frames, got an empty one; leave it "
            "out for all bodies that carry none"
        )
    return found


def places(
    model: Any, q: Any, names: Sequence[str], expressed: str
) -> list[tuple[Any, Transform]]:
    """The moving body that has each handle, and X from there to the axes asked for."""
    found = []
    X0 = transforms(model, q, model.bodies) if checked(expressed) != "body" else None
    for name in names:
        i, pose = model.frame(name)
        X = Transform.from_pose(pose, i.name, name)
        if expressed == "world":
            X = X0[i].inverse()
        elif expressed == "aligned":
            E = transpose((X * X0[i]).E)
            X = Transform(E, ZERO3, name, "aligned") * X
        found.append((i, X))
    return found
