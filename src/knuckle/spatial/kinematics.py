"""Spatial and classical acceleration, points on moving bodies, screws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from knuckle.scalar import Number, sqrt
from knuckle.spatial.linear import Vector, add, cross3, dot, scale, sub
from knuckle.spatial.vectors import Force, Motion


def spatial_to_classical(a: Motion, v: Motion) -> Motion:
    """[w-dot; r-ddot], r-ddot = a_O + w x v_O: the acceleration of the body-fixed point
    at the frame's origin [rad/s^2, m/s^2] (2.47-2.50)."""
    return Motion(a.angular, add(a.linear, cross3(v.angular, v.linear)), a.frame)


def classical_to_spatial(a: Motion, v: Motion) -> Motion:
    """[w-dot; a_O], a_O = r-ddot - w x v_O (2.47): what spatial algebra adds up."""
    return Motion(a.angular, sub(a.linear, cross3(v.angular, v.linear)), a.frame)


def point_velocity(v: Motion, point: Sequence[Number]) -> Vector:
    """v_P = v_O + w x OP [m/s] (2.1), the point in the frame of v."""
    return add(v.linear, cross3(v.angular, point))


def point_acceleration(a: Motion, v: Motion, point: Sequence[Number]) -> Vector:
    """a_O + w-dot x OP + w x v_P [m/s^2]: of the body-fixed point, in the axes of a.

    It is the classical acceleration; a is the spatial one (2.48).
    """
    turning = cross3(v.angular, point_velocity(v, point))
    return add(add(a.linear, cross3(a.angular, point)), turning)


def force_at(force: Sequence[Number], point: Sequence[Number]) -> Force:
    """The spatial force of a linear force [N] acting along a line through a point."""
    return Force(cross3(point, force), force)


@dataclass(frozen=True)
class Screw:
    """A motion or force as a rotation about an axis and a slide along it (2.10).

    ``direction`` is the free part s, ``point`` the point of the axis nearest the origin
    [m], ``pitch`` h = s . s_O / s . s [m/rad for a twist], ``magnitude`` |s|.
    """

    direction: Vector
    point: Vector
    pitch: Number
    magnitude: Number


def screw(x: Motion | Force) -> Screw:
    """The screw of a twist or wrench (2.10); a free vector has no axis.

    For a wrench s is the force and s_O the moment: stored in the other order.
    """
    s, moment = line_parts(x)
    r = 1.0 / dot(s, s)
    pitch = dot(s, moment) * r
    return Screw(s, scale(r, cross3(s, moment)), pitch, sqrt(dot(s, s)))


def screw_parts(x: Motion | Force) -> tuple[Motion | Force, Motion | Force]:
    """x = line vector [s; s_O - h s] + parallel free vector [0; h s] (2.10)."""
    s, moment = line_parts(x)
    free = scale(dot(s, moment) / dot(s, s), s)
    zero = (0.0, 0.0, 0.0)
    if isinstance(x, Force):
        return Force(sub(moment, free), s, x.frame), Force(free, zero, x.frame)
    return Motion(s, sub(moment, free), x.frame), Motion(zero, free, x.frame)


def line_parts(x: Motion | Force) -> tuple[Vector, Vector]:
    """(s, s_O): the free direction and its moment, for a motion or a force."""
    if isinstance(x, Force):
        return x.force, x.moment
    return x.angular, x.linear


def is_free_vector(x: Motion | Force, tolerance: float = 0.0) -> bool:
    """Whether s = 0: a pure translation or couple (Sec. 2.5)."""
    s, _ = line_parts(x)
    return all(abs(c) <= tolerance for c in s)


def is_line_vector(x: Motion | Force, tolerance: float = 0.0) -> bool:
    """Whether s . s_O = 0 with s not 0: a pure rotation or linear force (Sec. 2.5)."""
    s, moment = line_parts(x)
    return not is_free_vector(x, tolerance) and bool(abs(dot(s, moment)) <= tolerance)
