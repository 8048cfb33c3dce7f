"""How gamma bends: the derivatives of G v, of G a + g and of G^T tau."""

from __future__ import annotations

from typing import Any, NamedTuple

from knuckle.model.coupled import Lift
from knuckle.scalar import Program, Trace
from knuckle.scalar.jacobian import forward
from knuckle.spatial.linear import Matrix, identity


class Curvature(NamedTuple):
    """By y: of G dy/dt, of G d2y/dt2 + g, and `forces`, of G^T tau; by dy/dt:
    `coriolis`, of g. Rows are those of all joints, of `forces` those of y."""

    velocity: Matrix
    acceleration: Matrix
    coriolis: Matrix
    forces: Matrix


def curvature(model: Any, q: Any, v: Any, a: Any, tau: Any) -> Curvature:
    """The derivatives at one motion; exact zeros where the couplings are linear."""
    constants = [x for tie in model.model.ties for x in model.law(tie.coupling)]
    flat = _program(model.model)(*constants, *q, *v, *a, *tau)
    n, all_joints = model.nv, model.freedoms
    rows = tuple(flat[k : k + n] for k in range(0, len(flat), n or 1))
    first, second, third = (k * all_joints for k in (1, 2, 3))
    parts = rows[:first], rows[first:second], rows[second:third], rows[third:]
    return Curvature(*parts)


def _program(model: Any) -> Program:
    """All of it as a program of (constants, y, dy/dt, d2y/dt2, tau), kept with the
    model."""
    if "curvature" not in model._kernels:
        model._kernels["curvature"] = _traced(model)
    return model._kernels["curvature"]  # type: ignore[no-any-return]


def _traced(model: Any) -> Program:
    trace, freedoms = Trace(), model.tree_joints[-1].v.stop
    laws = [
        trace.inputs(f"c{k}", len(tie.coupling.constants))
        for k, tie in enumerate(model.ties)
    ]
    y, v = trace.inputs("y", model.nq), trace.inputs("v", model.nv)
    a, tau = trace.inputs("a", model.nv), trace.inputs("tau", freedoms)
    lift = Lift(model, y, laws)
    along = [
        dict(zip(y[own.q], own.joint.qdot(y[own.q], unit), strict=True))
        for own in model.independent
        for unit in identity(own.joint.nv)
    ]
    moved = lift.acceleration(v, a)
    parts = (
        forward(lift.velocity(v), along),
        forward(moved, along),
        forward(moved, [{x: 1.0} for x in v]),
        forward(lift.forces(tau), along),
    )
    leaves = [x.value for part in (*laws, y, v, a, tau) for x in part]
    return Program.of([x for rows in parts for row in rows for x in row], leaves)
