"""URDF of a Model: written from what the Model is, never from what was read."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from knuckle.io.screws import Link, link_of, merged
from knuckle.io.urdf.limits import UNLIMITED
from knuckle.io.urdf.write_shapes import shape_elements
from knuckle.io.written import Losses, Written, numbers, rpy, unfold
from knuckle.joints.builtin import to_axis
from knuckle.model import Actuator, Body, Constraint, Model
from knuckle.model.model import QUANTITIES
from knuckle.spatial import SE3, Inertia

EARTH = (0.0, 0.0, -9.81)
WORLD = "world"


def to_urdf(model: Model, name: str = "robot", allow_loss: bool = False) -> Written:
    """The Model as URDF text; `.losses` lists what URDF cannot say.

    Losses are refused unless `allow_loss`. Loading the text gives the same physics. A
    body whose frame lies off its joint's axis hangs on an empty link at the joint, and
    frames become empty links. Named positions go into SRDF: `knuckle.io.srdf.to_srdf`.
    """
    writer = _Writer(model, name)
    writer.write()
    return writer.losses.written(writer.robot, allow_loss)


class _Writer:
    """The <robot> as it grows, and the names that are taken."""

    def __init__(self, model: Model, name: str) -> None:
        self.model, self.losses = model, Losses("URDF")
        self.robot = ET.Element("robot", name=name)
        names = [b.name for b in model.bodies] + [f.name for f in model.frames]
        self.taken = {*names, *(str(b.joint_name) for b in model.bodies)}

    def write(self) -> None:
        model, single = self.model, _fixed_root(self.model)
        _model_losses(model, self.losses)
        if single is None:
            ET.SubElement(self.robot, "link", name=WORLD)
        for body in model.bodies:
            element = ET.SubElement(self.robot, "link", name=body.name)
            _inertial(element, body.rigid)
            shape_elements(element, body, self.losses)
            if body is not single:
                self.hang(body)
        for frame in model.frames:
            ET.SubElement(self.robot, "link", name=frame.name)
            name, parent = self.unique(f"{frame.name}_fixed"), frame.body or WORLD
            self.joint(name, "fixed", parent, frame.name, frame.placement)
        for actuator in model.actuators:
            _transmission(self.robot, actuator, self.losses)

    def unique(self, name: str) -> str:
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def hang(self, body: Body) -> None:
        """The joint of a body, through an empty link where one frame does not do."""
        link = link_of(body) or self.lost(body)
        found = _planar(link) if link.kind == "planar" else merged(link)
        child, name = body.name, str(body.joint_name)
        if found is None:
            found = link.lead, link.axis
            child, tie = self.unique(f"{name}_end"), self.unique(f"{name}_offset")
            ET.SubElement(self.robot, "link", name=child)
            self.joint(tie, "fixed", child, body.name, link.tail)
        origin, axis = found
        kind = _kind(body, link)
        element = self.joint(name, kind, body.parent or WORLD, child, origin)
        if kind not in ("fixed", "floating"):
            ET.SubElement(element, "axis", xyz=numbers(axis))
        _physics(element, body, self.losses)
        for constraint in self.model.constraints:
            if constraint.kind == "mimic" and constraint.between[0] == name:
                law, master = _law(constraint), constraint.between[1]
                ET.SubElement(element, "mimic", joint=master, attrib=law)
        for coupling in self.model.couplings:
            if coupling.joint == name and coupling.line:
                ratio, offset = coupling.line
                law = {"multiplier": repr(ratio), "offset": repr(offset)}
                ET.SubElement(element, "mimic", joint=coupling.sources[0], attrib=law)

    def lost(self, body: Body) -> Link:
        """The body held at its joint's neutral position."""
        self.losses.add(
            f"joint {body.joint_name!r} ({body.joint.name}), written as fixed"
        )
        rest = body.joint.pose(body.joint.neutral)
        return Link("fixed", body.placement * rest, body.offset.inverse())

    def joint(
        self, name: str, kind: str, parent: str, child: str, origin: SE3
    ) -> ET.Element:
        element = ET.SubElement(self.robot, "joint", name=name, type=kind)
        place = {"xyz": numbers(origin.p), "rpy": numbers(rpy(origin.R))}
        ET.SubElement(element, "origin", attrib=place)
        ET.SubElement(element, "parent", link=parent)
        ET.SubElement(element, "child", link=child)
        return element


def _model_losses(model: Model, losses: Losses) -> None:
    if tuple(model.gravity) != EARTH:
        losses.add(f"gravity {tuple(model.gravity)}")
    for constraint in model.constraints:
        if constraint.kind != "mimic":
            losses.add(f"constraint {constraint.name!r} ({constraint.kind})")
    for coupling in model.couplings:
        if not coupling.line:
            losses.add(
                f"coupling of joint {coupling.joint!r} (no multiple of one joint)"
            )
    if model.parameters:
        losses.add(f"parameters {', '.join(model.parameters)} (written as numbers)")
    if model.planar:
        losses.add("planar=True")


def _fixed_root(model: Model) -> Body | None:
    """The body that is the world: a single root, fixed where the world's frame is."""
    roots = [body for body in model.bodies if body.parent is None]
    if len(roots) != 1 or any(frame.body is None for frame in model.frames):
        return None
    link = link_of(roots[0])
    if link is None or link.kind != "fixed":
        return None
    pose = link.lead * link.tail
    return roots[0] if (pose.R, pose.p) == (SE3().R, SE3().p) else None


def _law(mimic: Constraint) -> dict[str, str]:
    """q = multiplier (q_master - reference) + offset, without the reference."""
    said = {
        "multiplier": 1.0,
        "offset": 0.0,
        "reference": 0.0,
        **dict(mimic.properties),
    }
    offset = said["offset"] - said["multiplier"] * said["reference"]
    return {"multiplier": repr(said["multiplier"]), "offset": repr(offset)}


def _planar(link: Link) -> tuple[SE3, tuple[float, ...]] | None:
    """(origin, axis): URDF's planar joint turns z to its axis and back."""
    normal = tuple(row[2] for row in link.tail.inverse().R)
    turn = SE3(to_axis(*normal)) * link.tail
    same = max(abs(x - (i == j)) for i, r in enumerate(turn.R) for j, x in enumerate(r))
    if same > 1e-15 or any(link.tail.p):
        return None
    return link.lead * link.tail, normal


def _kind(body: Body, link: Link) -> str:
    bounded = any(abs(x) < UNLIMITED for x in (*body.joint.lower, *body.joint.upper))
    return "continuous" if link.kind == "revolute" and not bounded else link.kind


def _physics(element: ET.Element, body: Body, losses: Losses) -> None:
    """<dynamics> and <limit>; armature and springs are unknown to URDF."""
    joint, where = body.joint, f"joint {body.joint_name!r}"
    kept = () if element.get("type") == "fixed" else ("damping", "friction", *LIMITS)
    for key in QUANTITIES:
        values = getattr(joint, key)
        if key in kept and len(set(values)) == 1:
            continue
        if key == "rest" and not any(joint.stiffness):
            continue
        if any(abs(x) not in (0.0, float("inf")) for x in values):
            losses.add(f"{where}: {key} {_listed(values)}")
    if not kept:
        return
    passive = {k: _one(getattr(joint, k)) for k in ("damping", "friction")}
    if any(passive.values()):
        attributes = {k: repr(x) for k, x in passive.items()}
        ET.SubElement(element, "dynamics", attrib=attributes)
    _limit(element, {tag: _one(getattr(joint, key)) for key, tag in LIMITS.items()})


LIMITS = {
    "lower": "lower",
    "upper": "upper",
    "effort_limit": "effort",
    "velocity_limit": "velocity",
}


def _limit(element: ET.Element, values: dict[str, float]) -> None:
    kind = element.get("type")
    if kind not in ("revolute", "prismatic"):
        values = {k: values[k] for k in ("effort", "velocity")}
        if all(x >= UNLIMITED for x in values.values()):
            return
    capped = {k: max(-UNLIMITED, min(UNLIMITED, x)) for k, x in values.items()}
    ET.SubElement(element, "limit", attrib={k: repr(x) for k, x in capped.items()})


def _one(values: Sequence[float]) -> float:
    return values[0] if len(set(values)) == 1 else 0.0


def _listed(values: Sequence[float]) -> str:
    return repr(values[0]) if len(values) == 1 else repr(tuple(values))


def _inertial(link: ET.Element, inertia: Inertia) -> None:
    """About the com; a body without mass and moments has none."""
    if not any(inertia.entries):
        return
    element = ET.SubElement(link, "inertial")
    heavy = inertia.mass > 0.0
    com = inertia.com if heavy else (0.0, 0.0, 0.0)
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.I_com if heavy else _full(inertia.I)
    ET.SubElement(element, "origin", xyz=numbers(com))
    ET.SubElement(element, "mass", value=repr(float(inertia.mass)))
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    values = dict(zip(names, map(repr, (xx, xy, xz, yy, yz, zz)), strict=True))
    ET.SubElement(element, "inertia", attrib=values)


def _full(I: Sequence[float]) -> tuple[tuple[float, ...], ...]:
    xx, xy, xz, yy, yz, zz = I
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


def _transmission(robot: ET.Element, actuator: Actuator, losses: Losses) -> None:
    """Only what a <transmission> gave: text all the way down."""
    if not (actuator.properties and _is_flat(actuator.properties)):
        losses.add(f"actuator {actuator.name!r} ({actuator.kind})")
        return
    unfold(ET.SubElement(robot, "transmission"), actuator.properties)


def _is_flat(pairs: object) -> bool:
    """Whether these are pairs of names and text all the way down."""
    if not isinstance(pairs, tuple):
        return False
    return all(isinstance(v, str) or _is_flat(v) for _, v in pairs)
