"""Values that SDF keeps as the text of child elements."""

from __future__ import annotations

import math

from knuckle.io.poses import rpy_pose
from knuckle.io.xml import Element
from knuckle.spatial import SE3
from knuckle.spatial.quaternion import to_rotation

ZERO6 = (0.0,) * 6
Pose = tuple[SE3, str]
"""A pose, and the frame that it is relative to ('' where none is named)."""


def number(parent: Element, tag: str, default: float) -> float:
    """The number in a child, or the default."""
    return numbers(parent, tag, 1, (default,))[0]


def numbers(
    parent: Element, tag: str, count: int, default: tuple[float, ...]
) -> tuple[float, ...]:
    """So many numbers in a child, or the default; inf is allowed where it is one."""
    child = parent.child(tag)
    infinite = any(math.isinf(x) for x in default)
    return default if child is None else child.text_numbers(count, default, infinite)


def flag(parent: Element, tag: str, default: bool) -> bool:
    """A truth value in a child: true, false, 1, 0."""
    child = parent.child(tag)
    if child is None:
        return default
    words = {"true": True, "1": True, "false": False, "0": False}
    text = child.word(str(default).lower()).lower()
    if text not in words:
        raise child.error("true, false, 1 or 0", repr(child.text), "take one of them")
    child.state("", words[text] == default)
    return words[text]


def word(parent: Element, tag: str, default: str | None = None) -> str:
    """The text of a child, or the default; an error where there is neither."""
    child = parent.child(tag) if default is not None else parent.only(tag)
    return default or "" if child is None else child.word(default)


def pose(parent: Element) -> Pose:
    """The <pose> of an element: x y z roll pitch yaw, or a quaternion x y z w."""
    child = parent.child("pose")
    if child is None:
        return SE3(), ""
    base = child.get("relative_to", "") or child.get("frame", "")
    if child.choice("rotation_format", FORMATS, FORMATS[0]) == FORMATS[1]:
        x, y, z, *turn = child.text_numbers(7, (0.0,) * 6 + (1.0,))
        return SE3(_rotation(turn, child), (x, y, z)), base
    x, y, z, *angles = child.text_numbers(6, ZERO6)
    if child.boolean("degrees", False):
        angles = [math.radians(a) for a in angles]
    return rpy_pose((x, y, z), tuple(angles)), base


FORMATS = ("euler_rpy", "quat_xyzw")


def _rotation(turn: list[float], element: Element) -> tuple[tuple[float, ...], ...]:
    x, y, z, w = turn
    norm = math.hypot(*turn)
    if abs(norm - 1.0) > 1e-3:
        raise element.error(
            "a unit quaternion", f"one of norm {norm:g}", "divide it by its norm"
        )
    return to_rotation(tuple(a / norm for a in (w, x, y, z)))
