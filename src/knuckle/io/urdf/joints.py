"""Joints of URDF: kinds, axes, limits, passive forces, mimicry."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from knuckle.io.errors import Remarks
from knuckle.io.following import Following
from knuckle.io.poses import origin, unit
from knuckle.io.urdf.limits import unlimited
from knuckle.io.urdf.tree import Edge, Tree
from knuckle.io.xml import Element
from knuckle.joints import Fixed, Free, Joint, Planar, Prismatic, Revolute
from knuckle.joints.builtin import to_axis
from knuckle.model import Constraint, Coupling
from knuckle.model.errors import near
from knuckle.spatial import SE3

X_AXIS = (1.0, 0.0, 0.0)
KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
Placed = tuple[Joint, SE3, SE3]
"""A joint, its predecessor frame in the parent, its successor frame in the child."""


def moved(edge: Edge, remarks: Remarks) -> Placed:
    """The joint of a <joint>, at its <origin>."""
    element = edge.element
    kind = element.required("type")
    if kind not in KINDS:
        raise element.error(
            "a type of joint that URDF has", repr(kind), near(kind, KINDS, "types")
        )
    placement = origin(element.child("origin"))
    if kind == "fixed":
        return Fixed(), placement, SE3()
    physical = _passive(element) | _limits(element, kind, remarks)
    if kind == "floating":
        return _made(Free, element, physical), placement, SE3()
    axis = _axis(element, remarks)
    if kind == "planar":
        turn = SE3(to_axis(*axis))
        return _made(Planar, element, physical), placement * turn, turn
    build = Prismatic if kind == "prismatic" else Revolute
    return _made(lambda **p: build(axis, **p), element, physical), placement, SE3()


def _made(
    build: Callable[..., Joint], element: Element, physical: dict[str, Any]
) -> Joint:
    try:
        return build(**physical)
    except ValueError as error:
        raise element.error("a joint", str(error), "mend the numbers") from None


def _axis(element: Element, remarks: Remarks) -> tuple[float, float, float]:
    """The unit axis, x where none is given."""
    given = element.child("axis")
    if given is None:
        return X_AXIS
    return unit(given.numbers("xyz", 3, X_AXIS) or X_AXIS, given, remarks)


def _passive(element: Element) -> dict[str, Any]:
    """damping [N m s/rad, N s/m] and dry friction [N m, N]."""
    given = element.child("dynamics")
    if given is None:
        return {}
    return {name: given.number(name, 0.0) for name in ("damping", "friction")}


def _limits(element: Element, kind: str, remarks: Remarks) -> dict[str, Any]:
    """lower, upper [rad, m] where the kind has them; velocity and effort."""
    given, bounded = element.child("limit"), kind in ("revolute", "prismatic")
    if given is None:
        if bounded:
            raise element.error(
                f"a <limit>, which a {kind} joint needs", "none",
                "add <limit lower=... upper=... effort=... velocity=.../>"
                + (", or make the joint continuous" if kind == "revolute" else ""),
            )  # fmt: skip
        return {}
    found = {"velocity_limit": "velocity", "effort_limit": "effort"}
    limits = {key: _limit(given, name, math.inf) for key, name in found.items()}
    for name in [n for n in found.values() if n not in given.attributes and bounded]:
        remarks.add("note", given, f"no {name}, taken as unlimited")
    return limits | (_bounds(given, remarks) if bounded else {})


def _limit(given: Element, name: str, default: float) -> float:
    value = given.number(name, default)
    assert value is not None
    return unlimited(value)


def _bounds(given: Element, remarks: Remarks) -> dict[str, Any]:
    lower, upper = _limit(given, "lower", 0.0), _limit(given, "upper", 0.0)
    if lower > upper:
        remarks.add("warning", given, f"lower {lower:g} above upper {upper:g}: swapped")
        lower, upper = upper, lower
    if not {"lower", "upper"} & set(given.attributes):
        remarks.add("warning", given, "no lower and upper, which then are 0: no motion")
    return {"lower": lower, "upper": upper}


def mimics(tree: Tree) -> Iterator[Following]:
    """Joints that follow others, q = multiplier q_master + offset."""
    for edge in tree.edges:
        given = edge.element.child("mimic")
        if given is None or edge.element.get("type") == "fixed":
            continue
        master = given.required("joint")
        multiplier = given.number("multiplier", 1.0) or 0.0
        offset = given.number("offset", 0.0) or 0.0
        law = ("multiplier", multiplier), ("offset", offset)
        yield Following(
            Coupling(edge.name, master, multiplier, offset),
            Constraint(edge.name, "mimic", (edge.name, master), law),
            given,
        )
