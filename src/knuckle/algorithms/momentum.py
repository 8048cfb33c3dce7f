"""Centre of mass, momentum, and the matrix between velocities and momentum."""

from __future__ import annotations

from typing import Any

from knuckle.algorithms.expressed import com_of, shift, transforms
from knuckle.edge import algorithm
from knuckle.model.layout import Position, Velocity
from knuckle.spatial import Force, Inertia


@algorithm
def center_of_mass(model: Any, q: Position) -> Any:
    """c = sum of m_i c_i / sum of m_i [m], (3,), in the world.  Featherstone (2.63).

    Bodies that are fixed to the world do not count.
    """
    return com_of(total_inertia(model.in_space(), q))


@algorithm
def momentum(model: Any, q: Position, v: Velocity, *, about: str = "com") -> Any:
    """h = sum of I V [kg m^2/s, kg m/s], (6,), angular first.  (2.58), (2.61).

    In world axes, about the centre of mass or, with about="world", the world's origin.
    The trap: armature has none, and the one about the centre of mass is conserved in
    free fall.
    """
    if about not in ("com", "world"):
        raise ValueError(f"momentum: about={about!r}, expected 'com' or 'world'")
    model = model.in_space()
    X, V, H = model.per_body(3)
    V[model.world], H[model.world] = model.rest, Force.zero("world")
    for i in model.outward():
        X[i], S, vJ, cJ = i.joint.motion(q[i], v[i])
        V[i] = X[i] @ V[i.parent] + vJ
        H[i] = i.inertia @ V[i]
    for i in model.inward():
        H[i.parent] += X[i].T @ H[i]
    if about == "world":
        return H[model.world]
    return shift(com_of(total_inertia(model, q))).dual @ H[model.world]


@algorithm
def centroidal_momentum_matrix(model: Any, q: Position) -> Any:
    """A(q), (6, nv), momentum about the centre of mass = A v.  Table 6.2, (2.58).

    In world axes, angular first; the momentum of the part that a joint carries.  The
    last three rows over the mass are the Jacobian of the centre of mass.
    """
    model = model.in_space()
    X, I = model.per_body(2)
    I[model.world] = Inertia.zero("world")
    X0 = transforms(model, q, model.bodies)
    for i in model.outward():
        X[i], I[i] = i.joint.transform(q[i]), i.inertia
    for i in model.inward():
        I[i.parent] += X[i].T @ I[i]
    G = shift(com_of(I[model.world])).inverse()
    A = [Force.zero()] * model.freedoms
    for i in model.outward():
        A[i.v] = (X0[i] * G).T @ (I[i] @ i.joint.subspace(q[i]))
    A = model.columns(q, A)
    return tuple(tuple(h.entries[k] for h in A) for k in range(6))


def total_inertia(model: Any, q: Any) -> Inertia:
    """The inertia of all that moves, in the world: composite bodies (Table 6.2)."""
    I = model.per_body()
    I[model.world] = Inertia.zero("world")
    for i in model.inward():
        I[i] += i.inertia
        I[i.parent] += i.joint.transform(q[i]).T @ I[i]
    return I[model.world]  # type: ignore[no-any-return]
