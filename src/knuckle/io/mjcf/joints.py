"""Joints: each one a knuckle joint whose q is MuJoCo's qpos.

MuJoCo moves a body by its joints in order, each one in the body's own frame: a hinge
turns about an axis through `pos` by qpos - ref, a slide shifts, a ball turns about
`pos`. A constant turn or shift by -ref before the joint lets q be qpos itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from knuckle import joints
from knuckle.io.mjcf.poses import ORIGIN, direction
from knuckle.io.mjcf.settings import Settings
from knuckle.io.mjcf.walk import Part
from knuckle.joints import Joint
from knuckle.spatial import SE3, quaternion

TYPES = ("free", "ball", "slide", "hinge")
ROTATING = ("hinge", "ball")
NUMBERS = {"free": 7, "ball": 4, "slide": 1, "hinge": 1}
"""How many coordinates each type has."""
Z = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Extra:
    """What an actuator adds to its joint: armature and damping, both by gear^2."""

    armature: float = 0.0
    damping: float = 0.0


@dataclass(frozen=True)
class Placed:
    """A joint, its anchor in the body, and the constant motion before it."""

    joint: Joint
    anchor: tuple[float, ...] = ORIGIN
    before: SE3 = SE3()


def kind(part: Part) -> str:
    """free, ball, slide or hinge."""
    if part.element.tag == "freejoint":
        return "free"
    return str(part.entry.choice("type", TYPES, "hinge"))


def placed(part: Part, home: SE3, extra: Extra, spring: tuple[float, float]) -> Placed:
    """The joint of a part; `home` is the pose of its body in the world.

    `spring` are stiffness and damping that <joint springdamper> came out as.
    """
    what = kind(part)
    values = physics(part, what, extra, spring)
    if what == "free":
        return Placed(_free(part, home, values))
    if what == "ball":
        return Placed(joints.Spherical(**values), _anchor(part))
    return _along(part, what, values)


def _anchor(part: Part) -> tuple[float, ...]:
    """The point of the body that the joint turns about."""
    return tuple(part.scope.pose @ part.entry.numbers("pos", 3, ORIGIN))


def _along(part: Part, what: str, values: dict[str, Any]) -> Placed:
    """A hinge or slide: at q = ref the body stands as the file places it."""
    settings = part.scope.document.settings
    given = direction(part.entry, "axis", Z)
    axis = tuple(SE3(part.scope.pose.R) @ given)
    ref = _angle(settings, what, part.entry.number("ref", 0.0))
    if what == "hinge":
        before = SE3.rotation(axis, -ref) if ref else SE3()
        hinge = joints.Revolute(_unit(axis), neutral=(ref,), **values)
        return Placed(hinge, _anchor(part), before)
    before = SE3.translation([-ref * x for x in axis])
    slide = joints.Prismatic(_unit(axis), neutral=(ref,), **values)
    return Placed(slide, ORIGIN, before)


def _unit(axis: tuple[float, ...]) -> tuple[float, ...]:
    length = math.hypot(*axis)
    return tuple(x / length for x in axis)


def _free(part: Part, home: SE3, values: dict[str, Any]) -> Joint:
    """q = (x, y, z, quaternion) of the body in the world.

    MuJoCo's armature, springs and friction act along world axes, for which the joint
    is taken apart: its velocity is then MuJoCo's own.
    """
    neutral = (*home.p, *quaternion.from_rotation(home.R))
    if not any(values.get(key) for key in ("armature", "stiffness", "friction")):
        values.pop("rest", None)
        return joints.Free(neutral=neutral, **values)
    values["rest"] = neutral
    parts = joints.Translational(), joints.Spherical()
    return joints.Composite(*parts, neutral=neutral, name="Free by axes", **values)


def _angle(settings: Settings, what: str, value: float) -> float:
    return settings.radians(value) if what in ROTATING else value


def physics(
    part: Part, what: str, extra: Extra, spring: tuple[float, float]
) -> dict[str, Any]:
    """The physical keywords of the joint."""
    if part.element.tag == "freejoint":
        return {}
    settings, entry = part.scope.document.settings, part.entry
    values: dict[str, Any] = {
        "armature": entry.number("armature", 0.0) + extra.armature,
        **dict.fromkeys(("damping", "stiffness", "friction"), 0.0),
    }
    if settings.flag("damper"):
        own = spring[1] if any(spring) else _linear(part, "damping")
        values["damping"] = own + extra.damping
    if settings.flag("spring"):
        values["stiffness"] = spring[0] if any(spring) else _linear(part, "stiffness")
    if settings.flag("frictionloss"):
        values["friction"] = entry.number("frictionloss", 0.0)
    for name, value in values.items():
        if not math.isfinite(value) or (value < 0.0 and name != "stiffness"):
            raise part.element.error(f"{name} not below 0", f"{value}", "drop the sign")
    if what in ("hinge", "slide"):
        values["rest"] = _angle(settings, what, entry.number("springref", 0.0))
        values |= limits(part, what)
    elif what == "ball":
        _ball_limit(part)
    return values


def _linear(part: Part, name: str) -> float:
    """The coefficient of the first power; the others are not modelled."""
    values = part.entry.numbers(name, (1, 2, 3), (0.0,))
    if any(values[1:]):
        part.scope.document.remark(
            part.element, "error",
            f"{name}: the powers above the first are left out, {values[1:]}",
        )  # fmt: skip
    return float(values[0])


def limits(part: Part, what: str) -> dict[str, Any]:
    """lower, upper and effort_limit, where they are on."""
    settings = part.scope.document.settings
    values: dict[str, Any] = {}
    span = switched(part, "range", "limited")
    if span and settings.flag("limit"):
        low, high = (_angle(settings, what, x) for x in span)
        values |= {"lower": low, "upper": high}
    force = switched(part, "actuatorfrcrange", "actuatorfrclimited")
    if force:
        values["effort_limit"] = max(abs(x) for x in force)
        if force[0] != -force[1]:
            part.scope.document.remark(
                part.element, "warning",
                f"actuatorfrcrange {force} is not symmetric: the larger one is kept",
            )  # fmt: skip
    return values


def switched(part: Part, name: str, switch: str) -> tuple[float, float] | None:
    """The range of this name, if its switch or `autolimits` turns it on."""
    entry, settings = part.entry, part.scope.document.settings
    if entry.holder(name, switch) is None:
        return None
    on = str(entry.choice(switch, ("false", "true", "auto"), "auto"))
    if on == "false":
        return None
    span: tuple[float, float] | None = entry.numbers(name, 2)
    if on == "auto" and (span is None or span == (0.0, 0.0)):
        return None
    if on == "auto" and not settings.auto_limits:
        raise part.element.error(
            f"{switch}='true' or 'false' beside {name}, as autolimits is false",
            "none", f"write {switch}",
        )  # fmt: skip
    if on == "true" and settings.unsaid("autolimits", "true"):
        holder = entry.holder(switch)
        assert holder is not None
        holder.state(switch, True)
    if span is None or not span[0] < span[1]:
        raise part.element.error(
            f"two ascending numbers in {name}", f"{span}", f'write {name}="low high"'
        )
    return span


def _ball_limit(part: Part) -> None:
    span = switched(part, "range", "limited")
    if span is not None:
        part.scope.document.remark(
            part.element, "warning",
            "the limit of a ball joint's angle is left out: limits here are of single "
            f"coordinates; range {span}",
        )  # fmt: skip
