"""SRDF beside a robot's file: group states become configurations of the Model.

Pairs that never collide are kept on the collision shapes of one of the two links, as
the property ('disable_collisions', (other link, reason)).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np

from knuckle.convert.joints import known_kind
from knuckle.io.errors import LoadError, Remarks
from knuckle.io.report import Verdict, leftovers
from knuckle.io.source import Source
from knuckle.io.written import numbers
from knuckle.io.xml import Element
from knuckle.model import Body, Model, PlacedJoint
from knuckle.model.gamma import all_positions
from knuckle.spatial import SE3
from knuckle.spatial.quaternion import to_rotation
from knuckle.spatial.so3 import quaternion_of_rotation

PLACES = (".", "../srdf")
ELEMENTS: dict[str, Verdict] = {
    "group": ("note", "groups of joints are ignored"),
    "virtual_joint": ("note", "how the root hangs on the world: see root=, ignored"),
    "end_effector": ("note", "end effectors are ignored"),
    "passive_joint": ("note", "which joints have no motor: ignored"),
    "rotor_params": ("warning", "inertias of rotors are ignored; see armature="),
    "gripper": ("note", "grippers are ignored"),
    "specificities": ("note", "sizes of feet are ignored"),
}


def beside(path: Path) -> Path | None:
    """The SRDF file of the same name, in the folder of a robot's file or ../srdf."""
    for place in PLACES:
        found = path.parent / place / f"{path.stem}.srdf"
        if found.is_file():
            return found.resolve()
    return None


def with_srdf(model: Model, source: Source) -> Model:
    """The Model with the configurations and the pairs that an SRDF file gives it."""
    root = source.parse()
    if root.tag != "robot":
        raise LoadError(
            root.file, root.line, "", "a root element <robot> (SRDF)", f"<{root.tag}>",
            "check that this is an SRDF file",
        )  # fmt: skip
    root.get("name")
    remarks = Remarks(model.report)
    states = _configurations(model, root, remarks)
    bodies = list(_apart(model, root, remarks))
    remarks.add("note", root, "its group states are configurations")
    leftovers(root, remarks, ELEMENTS, {}, {"robot": "note"})
    return model.replace(
        bodies=bodies,
        configurations={**model.configurations, **states},
        report=remarks,
    )


def to_srdf(model: Model, name: str = "robot") -> str:
    """The configurations of a Model, and its pairs that never collide, as SRDF text.

    The file beside `to_urdf`'s: what a robot does, not what it is.
    """
    robot = ET.Element("robot", name=name)
    for key, own in model.configurations.items():
        q = all_positions(model, own)
        state = ET.SubElement(robot, "group_state", name=key, group="all")
        for place in model.tree_joints:
            if place.joint.nq:
                value = numbers(_values(place, tuple(q[place.q].tolist())))
                ET.SubElement(state, "joint", name=place.name, value=value)
    for body in model.bodies:
        for key, value in getattr(next(iter(body.collisions), None), "properties", ()):
            if key == "disable_collisions":
                pair = {"link1": body.name, "link2": value[0], "reason": value[1]}
                ET.SubElement(robot, "disable_collisions", attrib=pair)
    ET.indent(robot)
    return ET.tostring(robot, encoding="unicode") + "\n"


def _values(place: PlacedJoint, q: tuple[float, ...]) -> tuple[float, ...]:
    """The inverse of `_coordinates`."""
    kind = known_kind(place.joint)
    if kind == "spherical":
        w, *v = q
        return (*v, w)
    if kind != "free":
        return q
    pose = place.body.placement * place.joint.pose(q) * place.body.offset.inverse()
    w, *v = quaternion_of_rotation(pose.R)
    return (*pose.p, *v, w)


def _configurations(
    model: Model, root: Element, remarks: Remarks
) -> Mapping[str, np.ndarray]:
    """Neutral but for the joints of a state; states of one name are put together."""
    found: dict[str, np.ndarray] = {}
    for state in root.all("group_state"):
        name = state.required("name")
        state.get("group")
        q = found.setdefault(name, model.neutral())
        for element in state.all("joint"):
            joint = element.required("name")
            place = next((p for p in model.joints if p.name == joint), None)
            text = element.required("value")
            if place is None or not place.joint.nq:
                remarks.add("note", element, f"no joint {joint!r} moves, ignored")
                continue
            if place not in model.independent:
                told = f"joint {joint!r} follows others by a coupling, ignored"
                remarks.add("note", element, told)
                continue
            numbers = element.parse_numbers(text, None, "attribute value")
            value = _coordinates(place, numbers)
            if value is None:
                told = f"{len(numbers)} values for {place.joint.nq} coordinates"
                remarks.add("warning", element, f"{told}, ignored")
            else:
                q[place.q] = value
    return found


def _coordinates(place: PlacedJoint, values: tuple[float, ...]) -> object:
    """The joint's q: quaternions there have w last, and a free pose is in the world."""
    kind = known_kind(place.joint)
    if len(values) != place.joint.nq:
        return None
    if kind == "spherical":
        x, y, z, w = values
        return _unit((w, x, y, z))
    if kind != "free":
        return values
    px, py, pz, x, y, z, w = values
    there = SE3(to_rotation(_unit((w, x, y, z))), (px, py, pz))
    pose = place.body.placement.inverse() * there * place.body.offset
    return (*pose.p, *quaternion_of_rotation(pose.R))


def _unit(q: tuple[float, ...]) -> tuple[float, ...]:
    norm = float(np.linalg.norm(q)) or 1.0
    return tuple(x / norm for x in q)


def _apart(model: Model, root: Element, remarks: Remarks) -> Iterator[Body]:
    """The bodies with what they need not be tested against."""
    solid = {body.name for body in model.bodies if body.collisions}
    apart: dict[str, list[tuple[str, tuple[str, str]]]] = {}
    for element in root.all("disable_collisions"):
        a, b = element.required("link1"), element.required("link2")
        reason = element.get("reason", "")
        if a not in solid:
            a, b = b, a
        if a not in solid:
            told = f"neither {a!r} nor {b!r} has a shape to collide, ignored: {reason}"
            remarks.add("note", element, told)
            continue
        apart.setdefault(a, []).append(("disable_collisions", (b, reason)))
    for body in model.bodies:
        more = tuple(apart.get(body.name, ()))
        yield replace(
            body,
            collisions=tuple(
                replace(shape, properties=(*shape.properties, *more))
                for shape in body.collisions
            ),
        )
