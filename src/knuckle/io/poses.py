"""Poses and axes as the formats write them."""

from __future__ import annotations

import math

from knuckle.io.errors import Remarks
from knuckle.io.xml import Element
from knuckle.spatial import SE3, Rx, Ry, Rz

ZERO = (0.0, 0.0, 0.0)


def rpy_pose(p: tuple[float, ...], rpy: tuple[float, ...]) -> SE3:
    """R = Rz(yaw) Ry(pitch) Rx(roll): roll first, about fixed axes [m, rad]."""
    roll, pitch, yaw = rpy
    if not (roll or pitch or yaw):
        return SE3(p=p)
    return SE3((Rz(yaw) * Ry(pitch) * Rx(roll)).R, p)


def origin(element: Element | None) -> SE3:
    """The pose of an <origin xyz rpy>; the identity where there is none."""
    if element is None:
        return SE3()
    p, rpy = element.numbers("xyz", 3, ZERO), element.numbers("rpy", 3, ZERO)
    assert p is not None and rpy is not None
    return rpy_pose(p, rpy)


def unit(
    axis: tuple[float, ...], element: Element, remarks: Remarks
) -> tuple[float, float, float]:
    """The axis scaled to length 1, with a remark where it was not."""
    length = math.hypot(*axis)
    if length == 0.0:
        raise element.error("an axis", "0 0 0", "write the direction of the axis")
    if abs(length - 1.0) > 1e-6:
        remarks.add("warning", element, f"axis of length {length:.6g} scaled to 1")
    x, y, z = (a / length for a in axis)
    return x, y, z
