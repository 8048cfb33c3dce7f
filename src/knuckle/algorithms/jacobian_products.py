"""The Jacobians of all bodies times vectors, without the Jacobians, in O(n)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from knuckle.edge import algorithm
from knuckle.joints import Joint
from knuckle.model.layout import Position, Velocity, Wrenches
from knuckle.scalar import Program, Trace, tangents
from knuckle.spatial import Motion, Subspace, Transform, cross


@algorithm
def jacobian_times(model: Any, q: Position, x: Velocity) -> Any:
    """J x of every body, (n_bodies, 6), in body axes at the body's origin.  Ex 4.1.

    For a velocity x what it adds to the body's velocity [rad/s, m/s]; any x laid out
    as v will do.  The trap: prescribed motions are no part of it.
    """
    model = model.in_space()
    W = model.per_body()
    W[model.world] = model.rest
    for i in model.outward():
        W[i] = i.joint.transform(q[i]) @ W[i.parent] + i.joint.subspace(q[i]) @ x[i]
    return of_bodies(model, W)


@algorithm
def jacobian_rate_times(model: Any, q: Position, v: Velocity, x: Velocity) -> Any:
    """Jdot x of every body, (n_bodies, 6), in body axes, moving at v.  (2.45), (3.42).

    Body by body W = X W_parent + S x is differentiated, with dX/dt = -(v_J x) X.  For
    x = v it is the acceleration that remains at a = 0.
    """
    model = model.in_space()
    W, dW = model.per_body(2)
    W[model.world] = dW[model.world] = model.rest
    dx = model.drift(q, v, x)
    for i in model.outward():
        X, S, vJ, _ = i.joint.motion(q[i], v[i])
        carried = X @ W[i.parent]
        W[i] = carried + S @ x[i]
        dS = subspace_rate(model, i, q[i], v[i])
        dW[i] = X @ dW[i.parent] - cross(vJ, carried) + dS @ x[i] + S @ dx[i]
    return of_bodies(model, dW)


@algorithm
def jacobian_transpose_times(model: Any, q: Position, f: Wrenches) -> Any:
    """sum of J^T f over all bodies [N m, N], (nv,).  Featherstone (5.13), (3.37).

    `f` holds wrenches as `f_ext` does: (n_bodies, 6) in body axes at the bodies'
    origins, or by name.
    """
    F, tau = model.per_body(2)
    for i in model.inward():
        F[i] += f[i]
        tau[i] = i.joint.subspace(q[i]).T @ F[i]
        F[i.parent] += i.joint.transform(q[i]).T @ F[i]
    return tau


def of_bodies(model: Any, m: Any) -> tuple[Motion, ...]:
    """Motions of the moving bodies as those of all bodies, each in its own frame."""
    found = []
    for body in model.model.bodies:
        carrier, pose = model.frame(body.name)
        found.append(Transform.from_pose(pose, carrier.name, body.name) @ m[carrier])
    return tuple(found)


def subspace_rate(model: Any, i: Any, q: Any, v: Any) -> Subspace:
    """dS/dt of a joint in the frame of its body, moving at v (3.42)."""
    joint = i.joint.model
    flat = _rate(joint)(*q, *v, *((model.t,) if joint.timed else ()))
    columns = [Motion.of(flat[6 * k : 6 * k + 6], i.name) for k in range(joint.nv)]
    return Subspace(columns, i.name)


@lru_cache(maxsize=1024)
def _rate(joint: Joint) -> Program:
    """dS/dt by columns, of (q, v) or (q, v, t)."""
    trace = Trace()
    q, v = trace.inputs("q", joint.nq), trace.inputs("v", joint.nv)
    t = trace.input("t") if joint.timed else None
    seeds = {x: rate for x, rate in zip(q, joint.qdot(q, v), strict=True)}
    clock = {} if t is None else {t: 1.0}
    flat = [x for column in joint.subspace(q, t) for x in column]
    names = [x.value for x in (*q, *v, *clock)]
    return Program.of(tangents(flat, {**seeds, **clock}), names)
