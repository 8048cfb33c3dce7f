"""MuJoCo's free and ball joints, which move the body's own frame."""

from __future__ import annotations

import numpy as np

from knuckle.convert.convention import Coordinates
from knuckle.convert.rotations import (
    conjugate,
    quaternion,
    rotated,
    rotation,
    skew,
    times,
    transposed,
)
from knuckle.model import ModelError, PlacedJoint

Array = np.ndarray


def turned_ball(place: PlacedJoint) -> Coordinates:
    """MuJoCo turns the body's own axes: q' = o q o^-1 with o the offset's rotation."""
    R = np.array(place.body.offset.R, float)
    if np.array_equal(R, np.eye(3)):
        return Coordinates(4, lambda q: q, lambda q: q)
    o = quaternion(R)
    to = lambda q: times(times(o, q), conjugate(o))  # noqa: E731
    back = lambda q: times(times(conjugate(o), q), o)  # noqa: E731
    return Coordinates(4, to, back, lambda q: (R, R.T))


def axes_free(place: PlacedJoint) -> Coordinates:
    """A free joint whose v is MuJoCo's, but for the axes of placement and offset."""
    _at_world(place)
    body = place.body
    if any(body.offset.p):
        raise ModelError(
            f"joint {place.name!r}: MuJoCo's free joints move the body's own origin; "
            "give the body an offset without translation"
        )
    R0, p0 = np.array(body.placement.R, float), np.array(body.placement.p, float)
    Ro = np.array(body.offset.R, float)
    home, offset = quaternion(R0), quaternion(Ro)
    T = np.zeros((6, 6))
    T[:3, :3], T[3:, 3:] = R0, Ro

    def to_q(q: Array) -> Array:
        turn = times(times(home, q[..., 3:]), conjugate(offset))
        return np.concatenate([q[..., :3] @ R0.T + p0, turn], axis=-1)

    def from_q(q: Array) -> Array:
        turn = times(times(conjugate(home), q[..., 3:]), offset)
        return np.concatenate([(q[..., :3] - p0) @ R0, turn], axis=-1)

    return Coordinates(7, to_q, from_q, lambda q: (T, T.T))


def _at_world(place: PlacedJoint) -> None:
    body = place.body
    if body.parent not in (None, "world"):
        raise ModelError(
            f"joint {place.name!r}: MuJoCo has free joints at the world only, and body "
            f"{body.name!r} hangs on {body.parent!r}"
        )


def world_free(place: PlacedJoint) -> Coordinates:
    """Pose of the body in the world: placement * q * offset^-1; v' = (R u, w)."""
    _at_world(place)
    body = place.body
    R0, p0 = np.array(body.placement.R, float), np.array(body.placement.p, float)
    Ro, po = np.array(body.offset.R, float), np.array(body.offset.p, float)
    home, offset = quaternion(R0), quaternion(Ro)
    lever = -Ro.T @ po

    def to_q(q: Array) -> Array:
        p = rotated(q[..., 3:], lever) + q[..., :3]
        turn = times(times(home, q[..., 3:]), conjugate(offset))
        return np.concatenate([p @ R0.T + p0, turn], axis=-1)

    def from_q(q: Array) -> Array:
        turn = times(times(conjugate(home), q[..., 3:]), offset)
        p = (q[..., :3] - p0) @ R0 - rotated(turn, lever)
        return np.concatenate([p, turn], axis=-1)

    def matrix(q: Array) -> tuple[Array, Array]:
        to_world = R0 @ rotation(q[..., 3:])
        T = np.zeros((*q.shape[:-1], 6, 6), q.dtype)
        back = np.zeros_like(T)
        T[..., :3, 3:], T[..., 3:, :3] = to_world, Ro
        T[..., :3, :3] = -to_world @ skew(lever)
        back[..., :3, 3:], back[..., 3:, :3] = Ro.T, transposed(to_world)
        back[..., 3:, 3:] = skew(lever) @ Ro.T
        return T, back

    def drift(q: Array, v: Array) -> Array:
        w, u = v[..., :3], v[..., 3:]
        speed = u + np.cross(w, lever)
        linear = rotated(q[..., 3:], np.cross(w, speed)) @ R0.T
        return np.concatenate([linear, np.zeros_like(linear)], axis=-1)

    return Coordinates(7, to_q, from_q, matrix, drift)
