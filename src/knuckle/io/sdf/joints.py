"""Joints of SDF: kinds, axes and the frames they are expressed in."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from knuckle.io.errors import Remarks
from knuckle.io.poses import unit
from knuckle.io.sdf.scope import MODEL, WORLD, Scope
from knuckle.io.sdf.values import flag, number, word
from knuckle.io.urdf.limits import unlimited
from knuckle.io.xml import Element
from knuckle.joints import (
    Composite,
    Fixed,
    Helical,
    Joint,
    Prismatic,
    Revolute,
    Spherical,
)
from knuckle.model.errors import near
from knuckle.spatial.linear import matTvec, matvec

ONE_AXIS = ("revolute", "continuous", "prismatic", "screw")
TWO_AXES = ("universal", "revolute2")
KINDS = (*ONE_AXIS, *TWO_AXES, "fixed", "ball", "gearbox")
Z_AXIS = (0.0, 0.0, 1.0)
Physical = dict[str, Any]


def joint_of(scope: Scope, name: str, element: Element, remarks: Remarks) -> Joint:
    """The joint of a <joint>, in its own frame."""
    kind = kind_of(element)
    if kind == "fixed":
        return Fixed()
    if kind == "ball":
        return Spherical()
    axis, physical = _axis(scope, name, element, "axis", remarks)
    if kind in TWO_AXES:
        second, more = _axis(scope, name, element, "axis2", remarks)
        one = _made(lambda: Revolute(axis, **physical), element)
        two = _made(lambda: Revolute(second, **more), element)
        label = "Universal" if kind == "universal" else "Composite"
        return Composite(one, two, name=label)
    if kind == "screw":
        pitch = _pitch(element)
        return _made(lambda: Helical(axis, pitch, **physical), element)
    build = Prismatic if kind == "prismatic" else Revolute
    return _made(lambda: build(axis, **physical), element)


def kind_of(element: Element) -> str:
    """The type of a <joint>, one of those that SDF has."""
    kind = element.required("type")
    if kind not in KINDS:
        raise element.error(
            "a type of joint that SDF has", repr(kind), near(kind, KINDS, "types")
        )
    return kind


def axes_of(kind: str) -> int:
    """How many axes a type of joint has."""
    return 1 if kind in ONE_AXIS else 2 if kind in TWO_AXES else 0


def _made(build: Callable[[], Joint], element: Element) -> Joint:
    try:
        return build()
    except ValueError as error:
        raise element.error("a joint", str(error), "mend the numbers") from None


def _pitch(element: Element) -> float:
    """Metres per radian of a screw, right-handed where positive.

    screw_thread_pitch is in metres per turn; the older thread_pitch in radians per
    metre, and left-handed where positive.
    """
    given = element.child("screw_thread_pitch")
    if given is not None:
        return given.text_numbers(1, (1.0,))[0] / (2.0 * math.pi)
    old = number(element, "thread_pitch", 1.0)
    if old == 0.0:
        raise element.error("a <thread_pitch> [rad/m]", "0", "take a prismatic joint")
    return -1.0 / old


def _axis(
    scope: Scope, name: str, joint: Element, tag: str, remarks: Remarks
) -> tuple[tuple[float, float, float], Physical]:
    """The unit axis in the joint's frame, and the physical keywords of a Joint."""
    given = joint.child(tag)
    if given is None:
        raise joint.error(f"an <{tag}>", "none", f"add <{tag}><xyz>...</xyz></{tag}>")
    vector = given.child("xyz")
    xyz = Z_AXIS if vector is None else vector.text_numbers(3, Z_AXIS)
    where = vector.get("expressed_in", "") if vector is not None else ""
    if scope.version < (1, 7):
        in_model = flag(given, "use_parent_model_frame", scope.version < (1, 5))
        where = where or (MODEL if in_model else "")
    if where:
        frame, local = scope.find(where, given)
        xyz = matTvec(scope.pose(name).R, matvec(frame.pose(local).R, xyz))
        xyz = tuple(0.0 if abs(x) < 4e-16 else x for x in xyz)
    bounded = kind_of(joint) != "continuous"
    physical = _passive(given) | _limits(given, bounded, remarks)
    return unit(xyz, given, remarks), physical


def _passive(axis: Element) -> Physical:
    """Damping, dry friction and the spring, SI units of the coordinate."""
    given = axis.child("dynamics")
    if given is None:
        return {}
    tags = {"damping": "damping", "friction": "friction"}
    tags |= {"stiffness": "spring_stiffness", "rest": "spring_reference"}
    return {key: number(given, tag, 0.0) for key, tag in tags.items()}


def _limits(axis: Element, bounded: bool, remarks: Remarks) -> Physical:
    given = axis.child("limit")
    if given is None:
        return {}
    caps = {"effort_limit": "effort", "velocity_limit": "velocity"}
    found = {key: number(given, tag, math.inf) for key, tag in caps.items()}
    found = {k: math.inf if x < 0.0 else unlimited(x) for k, x in found.items()}
    return found | (_bounds(given, remarks) if bounded else {})


def _bounds(limit: Element, remarks: Remarks) -> Physical:
    lower, upper = (
        unlimited(number(limit, tag, default))
        for tag, default in (("lower", -math.inf), ("upper", math.inf))
    )
    if lower > upper:
        remarks.add("warning", limit, f"lower {lower:g} above upper {upper:g}: swapped")
        lower, upper = upper, lower
    return {"lower": lower, "upper": upper}


def ends(scope: Scope, element: Element) -> tuple[str | None, str]:
    """The full names of the links that a joint connects; None for the world."""
    found = []
    for tag in ("parent", "child"):
        name, end = word(element, tag), element.only(tag)
        frame, local = (
            (scope.outermost, MODEL) if name == WORLD else scope.find(name, end)
        )
        found.append(frame.carrier(local))
    if found[1] is None:
        raise element.only("child").error(
            "the name of a link", "'world', or what is fast in it",
            "exchange <parent> and <child>, and turn the axis",
        )  # fmt: skip
    return found[0], found[1]
