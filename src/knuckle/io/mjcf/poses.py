"""Positions and orientations: pos with quat, axisangle, xyaxes, zaxis or euler."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

from knuckle.io.mjcf.classes import Entry
from knuckle.io.mjcf.settings import Settings
from knuckle.io.xml import Element
from knuckle.spatial import SE3, Rx, Ry, Rz, quaternion
from knuckle.spatial.linear import cross3, dot, scale, sub, transpose

Triple: TypeAlias = tuple[float, float, float]
ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
TINY = 1e-14
TURN = {"x": Rx, "y": Ry, "z": Rz}
ORIGIN = (0.0, 0.0, 0.0)


def pose(entry: Entry, settings: Settings) -> SE3:
    """The frame of an element in that of its parent."""
    p = entry.numbers("pos", 3, ORIGIN)
    return SE3.translation(p) * turn(entry, settings)


def turn(entry: Entry, settings: Settings) -> SE3:
    """The orientation of an element, by whichever of the five ways it is written."""
    holder = entry.holder(*ORIENTATIONS)
    if holder is None:
        return SE3()
    written = [name for name in ORIENTATIONS if name in holder.attributes]
    if len(written) > 1:
        raise holder.error(
            "one of " + ", ".join(ORIENTATIONS), " and ".join(written), "keep one"
        )
    return READERS[written[0]](holder, settings)


def _quat(element: Element, settings: Settings) -> SE3:
    q = _unit(element, "quat", _given(element, "quat", 4, (1.0, 0.0, 0.0, 0.0)))
    return SE3(quaternion.to_rotation(q))


def _axisangle(element: Element, settings: Settings) -> SE3:
    *axis, angle = _given(element, "axisangle", 4)
    half = 0.5 * settings.radians(angle)
    s = math.sin(half)
    n = _unit(element, "axisangle", axis)
    return SE3(quaternion.to_rotation((math.cos(half), *(s * x for x in n))))


def _xyaxes(element: Element, settings: Settings) -> SE3:
    values = _given(element, "xyaxes", 6)
    x, y = _unit(element, "xyaxes", values[:3]), values[3:]
    y = _unit(element, "xyaxes", sub(y, scale(dot(x, y), x)))
    return SE3(transpose((x, y, cross3(x, y))))


def _zaxis(element: Element, settings: Settings) -> SE3:
    return towards(_unit(element, "zaxis", _given(element, "zaxis", 3)))


def towards(z: Sequence[float]) -> SE3:
    """The smallest turn that takes the z axis into this unit vector."""
    s = math.hypot(z[0], z[1])
    axis = (-z[1] / s, z[0] / s, 0.0) if s > 1e-10 else (1.0, 0.0, 0.0)
    half = 0.5 * math.atan2(s, z[2])
    q = (math.cos(half), *(math.sin(half) * x for x in axis))
    return SE3(quaternion.to_rotation(q))


def line(entry: Entry) -> tuple[SE3, float] | None:
    """The frame in the middle of `fromto`, its z axis along it, and half its length."""
    ends = entry.numbers("fromto", 6)
    if ends is None:
        return None
    along = [a - b for a, b in zip(ends[:3], ends[3:], strict=True)]
    length = math.hypot(*along)
    if length < TINY:
        raise entry.element.error(
            "two points in fromto", "the same twice", "move one of them"
        )
    middle = [0.5 * (a + b) for a, b in zip(ends[:3], ends[3:], strict=True)]
    turned = towards([x / length for x in along])
    return SE3.translation(middle) * turned, 0.5 * length


def _euler(element: Element, settings: Settings) -> SE3:
    angles = _given(element, "euler", 3, ORIGIN)
    return euler([settings.radians(a) for a in angles], settings)


def euler(angles: Sequence[float], settings: Settings) -> SE3:
    """Three turns [rad]: about an axis that moves along (lower case) or stays."""
    if not any(angles):
        return SE3()
    total = SE3()
    for letter, angle in zip(settings.euler_sequence, angles, strict=True):
        step = TURN[letter.lower()](angle)
        total = total * step if letter.islower() else step * total
    return SE3(total.R)


READERS = {
    "quat": _quat,
    "axisangle": _axisangle,
    "xyaxes": _xyaxes,
    "zaxis": _zaxis,
    "euler": _euler,
}


def _given(
    element: Element, name: str, count: int, default: tuple[float, ...] | None = None
) -> tuple[float, ...]:
    values = element.numbers(name, count, default)
    assert values is not None
    return values


def _unit(element: Element, name: str, vector: Sequence[float]) -> tuple[float, ...]:
    length = math.hypot(*vector)
    if length < TINY:
        raise element.error(
            f"a direction in {name}", "a vector of length 0", f"write another {name}"
        )
    return tuple(x / length for x in vector)


def direction(entry: Entry, name: str, default: Triple) -> tuple[float, ...]:
    """A unit vector of the file, of whatever length it is written."""
    holder = entry.holder(name) or entry.element
    return _unit(holder, name, entry.numbers(name, 3, default))
