"""The tree among the joints of SDF; what closes a loop or gears is data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from knuckle.io.errors import Remarks
from knuckle.io.flat import flat
from knuckle.io.following import Following
from knuckle.io.roots import ROOT_JOINT
from knuckle.io.sdf.joints import axes_of, ends, joint_of, kind_of
from knuckle.io.sdf.scope import Scope, between
from knuckle.io.sdf.values import number, word
from knuckle.io.xml import Element
from knuckle.joints import Fixed, Free, Joint
from knuckle.model import Constraint, Coupling
from knuckle.spatial import SE3


@dataclass(frozen=True)
class Arm:
    """How a link hangs on another: the joint, and its frame on both."""

    name: str
    parent: str | None
    joint: Joint
    placement: SE3
    offset: SE3 = field(default_factory=SE3)


class Tree:
    """Which joint carries a link: the first in the file that does not close a loop."""

    def __init__(self, top: Scope, remarks: Remarks) -> None:
        self.remarks = remarks
        self.links = {
            scope.prefix + name: (scope, name, element)
            for scope in top.walk()
            for name, element in scope.all("link")
        }
        self.arms: dict[str, Arm] = {}
        self.carriers: set[str | None] = set()
        self.constraints: list[Constraint] = []
        self.following: list[tuple[tuple[str, str], Following]] = []
        for scope in top.walk():
            for name, element in scope.all("joint"):
                self._add(scope, name, element)

    def roots(self) -> Iterator[tuple[str, Arm]]:
        """Links that no joint carries: free, or fast where the model is static."""
        hanging = {link: x for link, x in self.links.items() if link not in self.arms}
        free = [link for link, (scope, _, _) in hanging.items() if not scope.static]
        taken = {arm.name for arm in self.arms.values()}
        for link, (scope, name, _) in hanging.items():
            joint = Fixed() if scope.static else Free()
            only = free == [link] and ROOT_JOINT not in taken
            called = ROOT_JOINT if only else link
            yield link, Arm(called, None, joint, scope.pose(name))

    def _add(self, scope: Scope, name: str, element: Element) -> None:
        if scope.static:
            self.remarks.add("note", element, "a joint in a static model, ignored")
            return
        parent, child = ends(scope, element)
        if kind_of(element) == "gearbox":
            self._gear(scope, name, element, (parent or "world", child))
            return
        arm = self._arm(scope, name, element, parent, child)
        self._mimic(scope, name, element)
        fast = self.links[child][0].static
        if fast or child in self.arms or self._carries(child, parent):
            self._loop(element, arm, child)
        else:
            self.arms[child] = arm
            self.carriers.add(parent)

    def _arm(
        self,
        scope: Scope,
        name: str,
        element: Element,
        parent: str | None,
        child: str,
    ) -> Arm:
        here = scope.pose(name)
        placement, offset = (
            here if link is None else between(self._home(link), here)
            for link in (parent, child)
        )
        joint = joint_of(scope, name, element, self.remarks)
        return Arm(scope.prefix + name, parent, joint, placement, offset)

    def _home(self, link: str) -> SE3:
        scope, name, _ = self.links[link]
        return scope.pose(name)

    def _carries(self, child: str, parent: str | None) -> bool:
        """Whether the child is the parent, or carries it already."""
        if child not in self.carriers:
            return parent == child
        while parent is not None and parent != child:
            parent = self.arms[parent].parent if parent in self.arms else None
        return parent == child

    def _loop(self, element: Element, arm: Arm, child: str) -> None:
        law = (
            ("joint", arm.joint),
            ("placement", (arm.placement.R, arm.placement.p)),
            ("offset", (arm.offset.R, arm.offset.p)),
        )
        between_ = (arm.parent or "world", child)
        self.constraints.append(Constraint(arm.name, "loop", between_, law))
        why = f"joint {arm.name!r} closes a loop at {child!r}: data without effect"
        self.remarks.add("error", element, why)

    def _gear(
        self, scope: Scope, name: str, element: Element, links: tuple[str, str]
    ) -> None:
        law = (
            ("ratio", number(element, "gearbox_ratio", 1.0)),
            ("reference", word(element, "gearbox_reference_body", "")),
            *((e.tag, flat(e)) for e in element.all("axis", "axis2")),
        )
        full = scope.prefix + name
        self.constraints.append(Constraint(full, "gearbox", links, law))
        why = f"gearbox {full!r}: couplings are data without effect"
        self.remarks.add("error", element, why)

    def _mimic(self, scope: Scope, name: str, element: Element) -> None:
        """q = multiplier (q_leader - reference) + offset."""
        tags = ("axis", "axis2")[: axes_of(kind_of(element))]
        for axis in element.all(*tags) if tags else ():
            given = axis.child("mimic")
            if given is None:
                continue
            follower = scope.prefix + name
            leader = scope.prefix + given.required("joint")
            names = ("multiplier", 1.0), ("offset", 0.0), ("reference", 0.0)
            law = {key: number(given, key, default) for key, default in names}
            on = axis.tag, given.get("axis", "axis")
            constant = law["offset"] - law["multiplier"] * law["reference"]
            self.following.append((on, Following(
                Coupling(follower, leader, law["multiplier"], constant),
                Constraint(follower, "mimic", (follower, leader),
                           (*law.items(), ("axes", on))),
                given,
            )))  # fmt: skip

    def mimics(self) -> Iterator[Following]:
        """The joints that follow others; axes of a leader are its coordinates."""
        joints = {arm.name: arm.joint for arm in self.arms.values()}
        for (axis, of), item in self.following:
            law, leader = item.coupling, joints.get(item.coupling.sources[0])
            follower = joints.get(law.joint)
            if leader is not None and leader.nq > 1 and not leader.custom:
                place = f"{law.sources[0]}[{int(of == 'axis2')}]"
                law = Coupling(law.joint, place, law.ratio, law.offset)
            if follower is not None and follower.nq > 1:
                told = f"{axis} alone of joint {law.joint!r} cannot follow another"
                self.remarks.add("error", item.element, told)
                self.constraints.append(item.constraint)
                continue
            yield Following(law, item.constraint, item.element)
