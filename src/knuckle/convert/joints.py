"""How the coordinates of each kind of joint appear in other engines."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from knuckle.convert.convention import Coordinates
from knuckle.convert.rotations import transposed
from knuckle.convert.world_free import axes_free, turned_ball, world_free
from knuckle.joints import Composite, builtin
from knuckle.model import ModelError, PlacedJoint

Array = np.ndarray


@cache
def _kinds() -> dict[tuple[str, ...], str]:
    """The joints whose variables differ between engines, by what they compute."""
    made = {
        "free": builtin.Free,
        "spherical": builtin.Spherical,
        "planar": builtin.Planar,
    }
    by_axes = Composite(builtin.Translational(), builtin.Spherical())
    kinds = {_content(make()): kind for kind, make in made.items()}
    return {**kinds, _content(by_axes): "free by axes"}


def _content(joint: Any) -> tuple[str, ...]:
    speed = joint.core.qdot
    return joint.core.numbers.digest(), "" if speed is None else speed.digest()


def known_kind(joint: Any) -> str | None:
    """free, free by axes, spherical or planar, by what it computes; None for others."""
    return _kinds().get(_content(joint))


def _kind(place: PlacedJoint, engine: str) -> str:
    """free, free by axes, spherical, planar, or plain where v is dq/dt."""
    kind = known_kind(place.joint)
    if kind is None and place.joint.custom:
        raise ModelError(
            f"joint {place.name!r} ({place.joint.name}): {engine} has no joint with "
            "these velocities; there are Free, Spherical, Planar and all with v = dq/dt"
        )
    return kind or "plain"


def for_pinocchio(place: PlacedJoint, nq: int) -> Coordinates:
    kind = _kind(place, "Pinocchio")
    if kind == "free":
        last = np.array([0, 1, 2, 4, 5, 6, 3])
        return _reordered(last, np.array([3, 4, 5, 0, 1, 2]))
    if kind == "spherical":
        return _reordered(np.array([1, 2, 3, 0]), None)
    if kind == "planar":
        swapped = _permutation(np.array([1, 2, 0]))
        return Coordinates(4, _with_angle(2), _without_angle(2), lambda q: swapped)
    if kind == "free by axes":
        raise ModelError(
            f"joint {place.name!r}: Pinocchio has no free joint with the velocity of "
            "the origin in the axes of the predecessor; take Free()"
        )
    if (place.joint.nv, nq) == (1, 2):
        return Coordinates(2, _with_angle(0), _without_angle(0))
    return _plain(place)


def for_mujoco(place: PlacedJoint) -> Coordinates:
    kind = _kind(place, "MuJoCo")
    if kind == "free":
        return world_free(place)
    if kind == "free by axes":
        return axes_free(place)
    if kind == "spherical":
        return turned_ball(place)
    if kind == "planar":
        return Coordinates(3, _same, _same, _planar_matrix, _planar_drift)
    return _plain(place)


def _same(x: Array) -> Array:
    return x


def _plain(place: PlacedJoint) -> Coordinates:
    return Coordinates(place.joint.nq, _same, _same)


def _reordered(order: Array, speeds: Array | None) -> Coordinates:
    back = np.argsort(order)
    matrix = None
    if speeds is not None:
        swapped = _permutation(speeds)
        matrix = lambda q: swapped  # noqa: E731
    return Coordinates(
        len(order), lambda q: q[..., order], lambda q: q[..., back], matrix
    )


def _permutation(order: Array) -> tuple[Array, Array]:
    P = np.eye(len(order))[order]
    return P, P.T


def _with_angle(k: int) -> Callable[[Array], Array]:
    """The angle at the end as its cosine and sine."""
    return lambda q: np.concatenate(
        [q[..., :k], np.cos(q[..., k:]), np.sin(q[..., k:])], axis=-1
    )


def _without_angle(k: int) -> Callable[[Array], Array]:
    return lambda q: np.concatenate(
        [q[..., :k], np.arctan2(q[..., k + 1 :], q[..., k : k + 1])], axis=-1
    )


def _planar_matrix(q: Array) -> tuple[Array, Array]:
    """dx/dt, dy/dt and the rate, of the rate and the successor's vx, vy."""
    c, s = np.cos(q[..., 2]), np.sin(q[..., 2])
    T = np.zeros((*q.shape[:-1], 3, 3), q.dtype)
    T[..., 0, 1], T[..., 0, 2], T[..., 1, 1], T[..., 1, 2] = c, -s, s, c
    T[..., 2, 0] = 1.0
    return T, transposed(T)


def _planar_drift(q: Array, v: Array) -> Array:
    """R (w x u)."""
    crossed = np.stack(
        [0.0 * v[..., 0], -v[..., 0] * v[..., 2], v[..., 0] * v[..., 1]], -1
    )
    return np.einsum("...ij,...j->...i", _planar_matrix(q)[0], crossed)
