"""What URDF files hold that this loader leaves out, and why."""

from __future__ import annotations

from knuckle.io.report import Judge, Verdict
from knuckle.io.xml import Element

MOVING = {
    *("dampingFactor", "springStiffness", "springReference", "implicitSpringDamper"),
    *("gravity", "turnGravityOff", "kinematic", "static", "plugin"),
}
"""What a <gazebo> extension may hold that changes the motion in Gazebo."""


def _gazebo(element: Element) -> Verdict:
    held = sorted({e.tag for e in element.walk()} & MOVING)
    reference = element.attributes.get("reference")
    whose = f" of {reference!r}" if reference else ""
    if held:
        return "warning", f"the Gazebo extension{whose} is ignored: {', '.join(held)}"
    return "note", f"the Gazebo extension{whose} is ignored"


ELEMENTS: dict[str, Verdict | Judge] = {
    "gazebo": _gazebo,
    "safety_controller": ("note", "soft limits of a controller, ignored"),
    "calibration": ("note", "where an encoder is read, ignored"),
    "ros2_control": ("note", "interfaces of a controller, ignored"),
    "sensor": ("note", "sensors are ignored"),
    "self_filter": ("note", "sensors are ignored"),
    "collision_checking": ("note", "names of shapes, ignored"),
    "verbose": ("note", "a flag of an older simulator, ignored"),
    "axis": ("note", "this type of joint has no axis, ignored"),
    "limit": ("note", "this type of joint has no limits, ignored"),
    "dynamics": ("note", "this type of joint has no passive forces, ignored"),
    "mimic": ("note", "this type of joint does not move, ignored"),
}
ATTRIBUTES: dict[str, Verdict] = {
    "limit@lower": ("note", "this type of joint has no limits, ignored"),
    "limit@upper": ("note", "this type of joint has no limits, ignored"),
    "link@type": ("note", "a hint from older versions of URDF, ignored"),
}
INSIDE = {
    "visual": "note",
    "collision": "note",
    "material": "note",
    "limit": "note",
    "transmission": "note",
}
