"""Velocities and accelerations of bodies and frames."""

from __future__ import annotations

from typing import Any

from knuckle.algorithms.expressed import express, path, transforms
from knuckle.edge import algorithm
from knuckle.model.layout import Position, Velocity
from knuckle.spatial import Motion, Transform, cross, spatial_to_classical
from knuckle.spatial.acceleration import Acceleration, same
from knuckle.spatial.linear import ZERO3


@algorithm
def frame_velocity(
    model: Any, q: Position, v: Velocity, frame: str, *, expressed: str = "body"
) -> Any:
    """V = J v + the prescribed motions [rad/s, m/s], (6,), angular first.  Ex 4.1.

    The trap: the linear part is that of the frame's origin in "body" and "aligned", of
    the body-fixed point at the world's origin in "world".
    """
    V, _ = frame_motion(model, q, v, None, frame, expressed)
    return V


@algorithm
def frame_acceleration(
    model: Any,
    q: Position,
    v: Velocity,
    a: Velocity,
    frame: str,
    *,
    expressed: str = "body",
    classical: bool = False,
) -> Any:
    """Spatial acceleration [rad/s^2, m/s^2], (6,), without gravity.  (2.46), (2.51).

    With `classical` its linear part is that of the body-fixed point at the origin, the
    spatial one plus w x v (2.47).  The trap: only the latter is what a tape measure and
    a watch give, and the spatial one is zero for a body that turns uniformly.
    """
    V, A = frame_motion(model, q, v, a, frame, expressed)
    return of_point(A, V) if classical else A


@algorithm
def frame_bias_acceleration(
    model: Any, q: Position, v: Velocity, frame: str, *, expressed: str = "body"
) -> Any:
    """Jdot v, (6,) [rad/s^2, m/s^2], of the J of `frame_jacobian`.  (2.47), (2.51).

    J a + Jdot v is the spatial acceleration in "body" and "world".  The trap: in
    "aligned", whose origin moves, it is the classical one.  Prescribed motions count.
    """
    V, A = frame_motion(model, q, v, None, frame, expressed)
    return of_point(A, V) if expressed == "aligned" else A


def frame_motion(
    model: Any, q: Any, v: Any, a: Any, name: str, expressed: str
) -> tuple[Motion, Motion]:
    """Velocity and spatial acceleration of a frame; a is None for no acceleration."""
    model = model.in_space()
    a = model.drift(q, v, v) if a is None else a
    carrier, pose = model.frame(name)
    V, A = model.per_body(2)
    V[model.world] = model.rest
    A[model.world] = Acceleration(ZERO3, ZERO3, model.rest, "world")
    support = path(carrier)
    for i in support:
        X, S, vJ, cJ = i.joint.motion(q[i], v[i])
        V[i] = X @ V[i.parent] + vJ
        A[i] = X @ A[i.parent] + S @ a[i] + cJ + cross(V[i], vJ)
    X = Transform.from_pose(pose, carrier.name, name)
    X0 = X * transforms(model, q, support)[carrier]
    V, A = (express(X @ m[carrier], X0, expressed) for m in (V, A))
    return V, A


def of_point(A: Motion, V: Motion) -> Motion:
    """The classical acceleration (2.47); A has it at hand if V is its velocity."""
    if isinstance(A, Acceleration) and same(A.velocity, V):
        return Motion(A.angular, A.classical)
    return spatial_to_classical(A, V)
