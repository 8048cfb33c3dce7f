"""What stands beside the tree: actuators, tendons, equalities, sites, keyframes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from knuckle.io.following import Following
from knuckle.io.mjcf.bodies import Assembly, Names
from knuckle.io.mjcf.classes import ACTUATORS, Entry
from knuckle.io.mjcf.equalities import following
from knuckle.io.mjcf.geoms import value
from knuckle.io.mjcf.joints import NUMBERS, Extra, kind
from knuckle.io.mjcf.poses import line
from knuckle.io.mjcf.walk import Part, Scope, Tree
from knuckle.io.xml import Element
from knuckle.model import Actuator, Constraint, Frame, Model
from knuckle.model.data import Properties
from knuckle.model.errors import near

Array = np.ndarray
REFERENCES = {
    **dict.fromkeys(("joint", "jointinparent", "joint1", "joint2"), "joint"),
    **dict.fromkeys(("site", "refsite", "slidersite", "cranksite"), "site"),
    **dict.fromkeys(("site1", "site2", "sidesite"), "site"),
    **dict.fromkeys(("body", "body1", "body2"), "body"),
    **dict.fromkeys(("tendon", "tendon1", "tendon2"), "tendon"),
    "geom": "geom",
}
"""The attributes that name things, and what they name."""
Sites: TypeAlias = Mapping[str, str]
"""What the frames of sites are called that could not keep their name."""
FORCES = ("stiffness", "damping", "frictionloss", "armature")


@dataclass(frozen=True)
class Item:
    """An element of a section, seen from one attachment and one replica."""

    entry: Entry
    scope: Scope
    replica: str | None
    replicas: Mapping[str, Sequence[str]]

    @property
    def element(self) -> Element:
        return self.entry.element

    def full(self, name: str) -> str:
        """The name of a thing as the Model has it."""
        if self.replica is not None and self.scope.prefix + name in self.replicas:
            return f"{self.scope.prefix}{name}{self.replica}"
        return self.scope.named(name)

    def end(self, element: Element, attribute: str, sites: Sites) -> str:
        """The name that an attribute gives, as the Model has it."""
        name = self.full(element.get(attribute, ""))
        return sites.get(name, name) if REFERENCES[attribute] == "site" else name

    def own(self) -> str:
        """The item's own name; '' where it has none."""
        name = self.element.get("name")
        return f"{self.scope.named(name)}{self.replica or ''}" if name else ""

    def targets(self) -> list[tuple[str, str]]:
        """(what it is, its name) of everything that the item names, as in the file."""
        found = []
        for element in (self.element, *self.element.children):
            for attribute, what in REFERENCES.items():
                if attribute in element.attributes:
                    found.append((what, element.get(attribute, "")))
        return found

    def properties(self, *without: str) -> Properties:
        """All else that the element and its class say."""
        names = [n for n in self.entry.names() if n not in ("name", "class", *without)]
        return tuple((name, value(self.entry.get(name))) for name in names)


class Sections:
    """The data of a document and its attachments."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.frames: list[Frame] = []
        self.sites: dict[str, str] = {}
        self.actuators: list[Actuator] = []
        self.constraints: list[Constraint] = []
        self.following: list[Following] = []
        links = tree.links
        self.known = {
            "joint": {p.name() for link in links for p in link.joints},
            "site": {p.name() for link in links for p in link.parts["site"]},
            "geom": {p.name() for link in links for p in link.parts["geom"]},
            "body": {link.name for link in links},
            "tendon": set(),
        }
        for item in self.items("tendon", ("tendon",)):
            self.known["tendon"].add(item.own())

    def items(self, section: str, tags: Sequence[str] = ()) -> Iterator[Item]:
        """The elements of a section, once for each attachment and replica."""
        for k, scope in enumerate(self.tree.scopes):
            document = scope.document
            for element in document.section(section):
                entry = document.classes.entry(element, None, tags)
                first = Item(entry, scope, None, self.tree.replicas)
                for suffix in self._suffixes(first):
                    item = Item(entry, scope, suffix, self.tree.replicas)
                    if self._whole(item, k == 0):
                        yield item

    def _suffixes(self, item: Item) -> Sequence[str | None]:
        for what, name in item.targets():
            copies = self.tree.replicas.get(item.scope.prefix + name)
            if copies and item.scope.named(name) not in self.known[what]:
                return list(dict.fromkeys(copies))
        return (None,)

    def _whole(self, item: Item, must: bool) -> bool:
        """Whether all that the item names is there; else it belongs to what is not."""
        for what, name in item.targets():
            if item.full(name) in self.known[what]:
                continue
            if must:
                there = [n for n in self.known[what] if n]
                repair = near(name, there, f"{what}s")
                raise item.element.error(f"the name of a {what}", repr(name), repair)
            return False
        return True

    # -- what actuators add to the passive dynamics --------------------------------

    def extras(self) -> dict[str, Extra]:
        """Armature and damping that actuators reflect onto their joints."""
        total: dict[str, Extra] = {}
        for item in self.items("actuator", ACTUATORS):
            armature, damping = _reflected(item)
            if not (armature or damping):
                continue
            name = item.entry.get("joint") or item.entry.get("jointinparent")
            if name is None or self._kind_of(item.full(name)) not in ("hinge", "slide"):
                item.scope.document.remark(
                    item.element, "error",
                    "armature and damping of an actuator are modelled on hinges and "
                    "slides alone",
                )  # fmt: skip
                continue
            now = total.get(item.full(name), Extra())
            total[item.full(name)] = Extra(
                now.armature + armature, now.damping + damping
            )
        return total

    def _kind_of(self, name: str) -> str:
        parts = (p for link in self.tree.links for p in link.joints)
        return next((kind(p) for p in parts if p.name() == name), "")

    # -- data ------------------------------------------------------------------------

    def read(self, made: Assembly) -> None:
        """Frames, actuators and constraints."""
        self._sites(made)
        names = Names(item.own() for item in self.items("actuator", ACTUATORS))
        for k, item in enumerate(self.items("actuator", ACTUATORS)):
            self.actuators.append(_actuator(item, k, names, self.sites))
        for section, tags in (("tendon", ("tendon",)), ("equality", ("equality",))):
            names = Names(item.own() for item in self.items(section, tags))
            for k, item in enumerate(self.items(section, tags)):
                made_of = _tendon if section == "tendon" else _equality
                constraint = made_of(item, k, names, self.sites)
                law = following(item, constraint, made.bodies)
                if law is None:
                    self.constraints.append(constraint)
                else:
                    self.following.append(law)

    def _sites(self, made: Assembly) -> None:
        names = Names(body.name for body in made.bodies)
        for link in self.tree.links:
            for part in link.parts["site"]:
                self._site(part, made.body_names[id(link)], names)

    def _site(self, part: Part, body: str, names: Names) -> None:
        own = part.name()
        name = names.take(own or f"{body}:site")
        if own != name:
            self.sites[own] = name
            told = (
                f"called {name!r}: a body has its name" if own else f"called {name!r}"
            )
            part.scope.document.remark(part.element, "note", told)
        ends = line(part.entry) if part.entry.holder("fromto") else None
        place = part.pose() if ends is None else part.scope.pose * ends[0]
        self.frames.append(Frame(name, None if body == "world" else body, place))

    def configurations(self, model: Model, made: Assembly) -> dict[str, Array]:
        """The positions of <keyframe>; qpos is q, but for what `root` changed."""
        document = self.tree.scopes[0].document
        found: dict[str, Array] = {}
        for k, key in enumerate(document.section("keyframe")):
            qpos = key.numbers("qpos", None)
            if qpos is not None:
                name = key.get("name") or f"key_{k}"
                found[name] = self._position(key, np.array(qpos), model, made)
        return found

    def _position(
        self, key: Element, qpos: Array, model: Model, made: Assembly
    ) -> Array:
        q, at = model.neutral(), 0
        for link in self.tree.links:
            for part in link.joints:
                end = at + NUMBERS[kind(part)]
                name = made.joint_names.get(id(part))
                if name is not None and end <= len(qpos):
                    q[model.joint(name).q] = qpos[at:end]
                at = end
        if at != len(qpos):
            raise key.error(
                f"{at} numbers in qpos", f"{len(qpos)}", "write one for each coordinate"
            )
        return model.normalize(q)


def _reflected(item: Item) -> tuple[float, float]:
    """gear^2 times armature and damping."""
    entry = item.entry
    if entry.holder("armature", "damping") is None:
        return 0.0, 0.0
    gear = entry.padded("gear", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0))[0]
    armature = gear * gear * entry.number("armature", 0.0)
    damping, *powers = entry.numbers("damping", (1, 2, 3), (0.0,))
    if any(powers):
        item.scope.document.remark(
            item.element, "error",
            f"damping: the powers above the first are left out, {tuple(powers)}",
        )  # fmt: skip
    return armature, gear * gear * damping


def _actuator(item: Item, k: int, names: Names, sites: Sites) -> Actuator:
    name = item.own() or names.take(f"{item.element.tag}_{k}")
    what = [a for a in REFERENCES if a in item.element.attributes]
    targets = tuple(item.end(item.element, a, sites) for a in what)
    through = ("transmission", " ".join(what))
    properties = (through, *item.properties(*what), *_inner(item))
    return Actuator(name, item.element.tag, targets, properties)


def _equality(item: Item, k: int, names: Names, sites: Sites) -> Constraint:
    name = item.own() or names.take(f"{item.element.tag}_{k}")
    what = [a for a in REFERENCES if a in item.element.attributes]
    between = tuple(item.end(item.element, a, sites) for a in what)
    properties = (("ends", " ".join(what)), *item.properties(*what))
    return Constraint(name, item.element.tag, between, properties)


def _tendon(item: Item, k: int, names: Names, sites: Sites) -> Constraint:
    """A path over sites and geoms, or a sum of joints; its forces are left out."""
    name = item.own() or names.take(f"tendon_{k}")
    between, path = [], []
    for step in item.element.all():
        inner: list[tuple[str, Any]] = []
        for attribute in step.attributes:
            text = str(step.get(attribute))
            if attribute in REFERENCES:
                between.append(item.end(step, attribute, sites))
                inner.append((attribute, between[-1]))
            else:
                inner.append((attribute, value(text)))
        path.append((step.tag, tuple(inner)))
    acting = [a for a in FORCES if any(item.entry.numbers(a, (1, 2, 3), (0.0,)))]
    if acting:
        item.scope.document.remark(
            item.element, "error",
            f"the {' and '.join(acting)} of a tendon are left out of the dynamics",
        )  # fmt: skip
    properties = (*item.properties(), ("path", tuple(path)))
    return Constraint(name, f"{item.element.tag} tendon", tuple(between), properties)


def _inner(item: Item) -> Properties:
    """Elements inside, as the configuration of a plugin."""
    pairs = []
    for child in item.element.all():
        attributes = tuple((n, value(str(child.get(n)))) for n in child.attributes)
        pairs.append((child.tag, attributes))
    return tuple(pairs)
