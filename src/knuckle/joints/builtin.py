"""The joints everybody needs, each one expression through the door that users have."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from knuckle.joints.joint import Joint
from knuckle.scalar import Number, cos, floor, sin, sqrt, stumpff, where
from knuckle.spatial import SE3, Rx, Ry, Rz, Tx, Ty, Tz
from knuckle.spatial.linear import (
    Vector,
    add,
    cross3,
    dot,
    matTvec,
    matvec,
    scale,
    sub,
    transpose,
)
from knuckle.spatial.quaternion import conjugate, multiply, normalized, to_rotation
from knuckle.spatial.so3 import (
    exp_quaternion,
    exp_so3,
    half_cot,
    log_quaternion,
    right_jacobian_inverse_so3,
    right_jacobian_so3,
)

Numbers = Sequence[Number]
Axis = str | Sequence[float]
AxisPose = Callable[[Any, Any, Numbers], SE3]
ROTATE = {"x": Rx, "y": Ry, "z": Rz}
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def Fixed(**physical: Any) -> Joint:
    """No freedom: the successor frame is the predecessor frame."""
    return Joint(lambda q: SE3(), 0, **{"name": "Fixed", **physical})


def Revolute(axis: Axis = "z", **physical: Any) -> Joint:
    """Rotation by q [rad] about a unit axis (Featherstone Table 4.1)."""
    return _along("Revolute", axis, 1, _turned, physical)


def Prismatic(axis: Axis = "z", **physical: Any) -> Joint:
    """Translation by q [m] along a unit axis (Featherstone Table 4.1)."""
    return _along("Prismatic", axis, 1, _shifted, physical)


def Helical(axis: Axis = "z", pitch: float = 0.0, **physical: Any) -> Joint:
    """Rotation by q [rad] with translation pitch * q [m] (Featherstone Table 4.1).

    The pitch is in metres per radian, not per turn.
    """
    return _along(
        "Helical", axis, 1, lambda R, T, q: R(q[0]) * T(pitch * q[0]), physical
    )


def Cylindrical(axis: Axis = "z", **physical: Any) -> Joint:
    """Rotation by q0 [rad] about, translation by q1 [m] along one axis (Table 4.1)."""
    return _along("Cylindrical", axis, 2, lambda R, T, q: R(q[0]) * T(q[1]), physical)


def PlanarTranslation(**physical: Any) -> Joint:
    """Translation by q = (x, y) [m]."""
    name = {"name": "PlanarTranslation", **physical}
    return Joint(lambda q: Tx(q[0]) * Ty(q[1]), 2, **name)


def Translational(**physical: Any) -> Joint:
    """Translation by q = (x, y, z) [m]."""
    name = {"name": "Translational", **physical}
    return Joint(lambda q: Tx(q[0]) * Ty(q[1]) * Tz(q[2]), 3, **name)


def Universal(**physical: Any) -> Joint:
    """R = Rx(q0) Ry(q1) [rad] (Sueda 2.37)."""
    return Joint(lambda q: Rx(q[0]) * Ry(q[1]), 2, **{"name": "Universal", **physical})


def Free2D(**physical: Any) -> Joint:
    """Translation by (x, y) [m], then rotation by q2 [rad] about z (Sueda 2.53).

    v is qdot, in the axes of the predecessor; ``Planar`` has v in the successor.
    """
    name = {"name": "Free2D", **physical}
    return Joint(lambda q: Tx(q[0]) * Ty(q[1]) * Rz(q[2]), 3, **name)


def RackAndPinion(radius: float, **physical: Any) -> Joint:
    """Rolling along x: rotation by q [rad], p = (radius q, 0, 0) [m] (Example 4.6)."""
    name = {"name": "RackAndPinion", **physical}
    return Joint(lambda q: Tx(radius * q[0]) * Rz(q[0]), 1, **name)


def SphericalEuler(order: str = "zyx", **physical: Any) -> Joint:
    """R = R_a(q0) R_b(q1) R_c(q2) [rad] for the order "abc" (Featherstone 4.7-4.9).

    "zyx" is yaw, pitch, roll.  The trap: singular where the first and third axes align.
    """
    if len(order) != 3 or set(order) - set("xyz") or order[1] in (order[0], order[2]):
        raise ValueError(
            f"SphericalEuler: order is {order!r}, expected three letters of x, y, z, "
            "no two equal ones side by side, such as 'zyx'"
        )
    a, b, c = (ROTATE[letter] for letter in order)
    name = {"name": "SphericalEuler", **physical}
    return Joint(lambda q: a(q[0]) * b(q[1]) * c(q[2]), 3, **name)


def SphericalExp(**physical: Any) -> Joint:
    """R = exp(q x), q a rotation vector [rad]; v is qdot (Liu & Jain 53, Sueda 2.4).

    The trap: singular at |q| = 2 pi; ``reparameterize`` keeps away from it.
    """
    keywords = {
        "name": "SphericalExp",
        "subspace": _exp_subspace,
        "reparameterize": shorter_rotation_vector,
        **physical,
    }
    return Joint(lambda q: SE3(exp_so3(q)), 3, **keywords)


def shorter_rotation_vector(q: Numbers, v: Numbers) -> tuple[Vector, Vector]:
    """q (1 - 2 pi k / |q|) with |q| <= pi, where |q| > 3 pi / 2; v = S'^-1 S v.

    Sueda 2.4.8 (Grassia). The length falls to pi / 2 first, so it does not flutter.
    """
    t, turn = dot(q, q), 2.0 * math.pi
    far = t > (0.75 * turn) ** 2
    length = sqrt(where(far, t, 1.0))
    turns = floor(length / turn + 0.5)
    near = scale(where(far, 1.0 - turn * turns / length, 1.0), q)
    carried = matvec(right_jacobian_inverse_so3(near), matvec(right_jacobian_so3(q), v))
    return near, tuple(where(far, a, b) for a, b in zip(carried, v, strict=True))


def _exp_subspace(q: Numbers) -> list[Vector]:
    """The columns of the right Jacobian of exp, 1 - c2 q x + c3 (q x)^2."""
    return [(*column, 0.0, 0.0, 0.0) for column in transpose(right_jacobian_so3(q))]


def Spherical(**physical: Any) -> Joint:
    """Rotation by the unit quaternion q = (w, x, y, z); v is the angular velocity.

    v is that of the successor, in its own frame [rad/s] (Featherstone 4.12, 4.13).
    """
    return Joint(
        lambda q: SE3(to_rotation(q)),
        4,
        3,
        lambda q, v, dt: multiply(q, exp_quaternion(scale(dt, v))),
        difference=lambda q0, q1: log_quaternion(multiply(conjugate(q0), q1)),
        normalize=normalized,
        **{"name": "Spherical", "neutral": (1.0, 0.0, 0.0, 0.0), **physical},
    )


def Free(**physical: Any) -> Joint:
    """All six freedoms: q = (x, y, z [m], w, x, y, z), v the body twist, angular first.

    v is in the successor frame, so S is the identity (Featherstone Table 4.1,
    corrected: the translation is in the predecessor frame).
    """
    return Joint(
        lambda q: SE3(to_rotation(q[3:]), q[:3]),
        7,
        6,
        _free_integrate,
        difference=_free_difference,
        normalize=lambda q: (*q[:3], *normalized(q[3:])),
        **{"name": "Free", "neutral": (0, 0, 0, 1, 0, 0, 0), **physical},
    )


def _free_integrate(q: Numbers, v: Numbers, dt: Number) -> Vector:
    """T exp(v dt) (Sueda 1.10)."""
    w, u = scale(dt, v[:3]), scale(dt, v[3:])
    t, first = dot(w, w), cross3(w, u)
    second = cross3(w, first)
    shift = add(u, add(scale(stumpff(2, t), first), scale(stumpff(3, t), second)))
    moved = add(q[:3], matvec(to_rotation(q[3:]), shift))
    return (*moved, *multiply(q[3:], exp_quaternion(w)))


def _free_difference(q0: Numbers, q1: Numbers) -> Vector:
    """log(T0^-1 T1)."""
    w = log_quaternion(multiply(conjugate(q0[3:]), q1[3:]))
    p = matTvec(to_rotation(q0[3:]), sub(q1[:3], q0[:3]))
    first = cross3(w, p)
    second = scale(half_cot(dot(w, w)), cross3(w, first))
    return (*w, *add(p, add(scale(-0.5, first), second)))


def Planar(**physical: Any) -> Joint:
    """Motion in the x-y plane: q = (x, y [m] in the predecessor, angle [rad] about z).

    v = (rate, vx, vy) in the successor frame, so S = [e3 e4 e5] (Featherstone Table 4.1
    and Example 4.5, corrected: qdot = (c vx - s vy, s vx + c vy, rate)).
    """
    return Joint(
        lambda q: Tx(q[0]) * Ty(q[1]) * Rz(q[2]),
        3,
        3,
        _planar_integrate,
        difference=_planar_difference,
        **{"name": "Planar", **physical},
    )


def _planar_integrate(q: Numbers, v: Numbers, dt: Number) -> Vector:
    """T exp(v dt) in the plane."""
    x, y, angle = q
    turn, u, w = (dt * rate for rate in v)
    a, b = stumpff(1, turn * turn), turn * stumpff(2, turn * turn)
    dx, dy = a * u - b * w, b * u + a * w
    c, s = cos(angle), sin(angle)
    return x + (c * dx - s * dy), y + (s * dx + c * dy), angle + turn


def _planar_difference(q0: Numbers, q1: Numbers) -> Vector:
    """log(T0^-1 T1) in the plane; the angle is not wrapped."""
    turn = q1[2] - q0[2]
    a, b = stumpff(1, turn * turn), turn * stumpff(2, turn * turn)
    c, s, x, y = cos(q0[2]), sin(q0[2]), q1[0] - q0[0], q1[1] - q0[1]
    dx, dy = c * x + s * y, c * y - s * x
    r = 1.0 / (a * a + b * b)
    return turn, r * (a * dx + b * dy), r * (a * dy - b * dx)


def _along(
    name: str,
    axis: Axis,
    nq: int,
    pose: AxisPose,
    physical: dict[str, Any],
) -> Joint:
    """The joint pose(R, T, q) with R and T the rotation and translation of an axis."""
    unit = direction(name, axis)
    if not physical:
        return _bare(name, struct.pack("<3d", *unit), nq, pose)
    return _on_axis(unit, nq, pose, {"name": name, **physical})


@lru_cache(maxsize=1024)
def _bare(name: str, bits: bytes, nq: int, pose: AxisPose) -> Joint:
    """Equal joints without keywords are one object: a rope has thousands of them."""
    return _on_axis(struct.unpack("<3d", bits), nq, pose, {"name": name})


def _on_axis(
    unit: tuple[float, ...], nq: int, pose: AxisPose, keywords: dict[str, Any]
) -> Joint:
    for k, (rotate, translate) in enumerate(((Rx, Tx), (Ry, Ty), (Rz, Tz))):
        if abs(unit[k]) == 1.0:
            R, T = _signed(rotate, unit[k]), _signed(translate, unit[k])
            return Joint(lambda q, R=R, T=T: pose(R, T, q), nq, **keywords)
    C = SE3(to_axis(*unit))
    return Joint(lambda q: C * pose(Rz, Tz, q) * C.inverse(), nq, **keywords)


def _turned(R: Any, T: Any, q: Numbers) -> SE3:
    return R(q[0])  # type: ignore[no-any-return]


def _shifted(R: Any, T: Any, q: Numbers) -> SE3:
    return T(q[0])  # type: ignore[no-any-return]


def _signed(move: Callable[[Number], SE3], sign: float) -> Callable[[Number], SE3]:
    return lambda x: move(sign * x)


def direction(name: str, axis: Axis) -> tuple[float, float, float]:
    """The unit vector of an axis: three numbers, or 'x', 'y', 'z', '-x', '-y', '-z'."""
    if isinstance(axis, str):
        if axis.removeprefix("-") not in AXES:
            raise ValueError(
                f"{name}: axis is {axis!r}, expected 'x', '-x', ... or (x, y, z)"
            )
        sign = -1.0 if axis.startswith("-") else 1.0
        x, y, z = (sign * a for a in AXES[axis.removeprefix("-")])
        return x, y, z
    try:
        numbers = [float(a) for a in axis]
    except (TypeError, ValueError):
        numbers = []
    length = math.hypot(*numbers)
    if len(numbers) != 3 or not math.isfinite(length) or length == 0.0:
        raise ValueError(f"{name}: axis is {axis!r}, expected a unit vector (x, y, z)")
    x, y, z = (a / length for a in numbers)
    if abs(length - 1.0) > 1e-9:
        raise ValueError(
            f"{name}: axis has length {length:.9g}, expected 1; write "
            f"axis=({x!r}, {y!r}, {z!r})"
        )
    return x, y, z


def to_axis(x: float, y: float, z: float) -> tuple[Vector, ...]:
    """A rotation whose third column is the axis, turned from the nearer of z and -z."""
    if z < 0.0:
        (a, b, c), (d, e, f), (g, h, i) = to_axis(x, -y, -z)
        return (a, b, c), (-d, -e, -f), (-g, -h, -i)
    r = 1.0 / (1.0 + z)
    return (
        (1.0 - x * x * r, -x * y * r, x),
        (-x * y * r, 1.0 - y * y * r, y),
        (-x, -y, z),
    )
