"""From links to bodies: a body for each joint, the last one with the mass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from knuckle.io.mjcf import masses
from knuckle.io.mjcf.assets import Assets
from knuckle.io.mjcf.document import Document
from knuckle.io.mjcf.geoms import Geom
from knuckle.io.mjcf.joints import Extra, Placed, kind, placed
from knuckle.io.mjcf.walk import Link, Part, Tree
from knuckle.io.xml import Element
from knuckle.joints import Fixed, Free
from knuckle.model import WORLD, Body, Shape
from knuckle.spatial import SE3, Inertia, quaternion

ROOT_JOINT = "root_joint"
WORLD_SHAPES = "worldbody"
"""The body, fixed to the world, that carries the world's own geoms."""
NOTHING = Extra()
HERE = SE3()
Spring = tuple[float, float]


class Names:
    """Names that are free, near those wanted."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = {WORLD, *taken}

    def take(self, wanted: str) -> str:
        name, k = wanted, 1
        while name in self._taken:
            name, k = f"{wanted}_{k}", k + 1
        self._taken.add(name)
        return name


@dataclass
class Assembly:
    """The bodies of a tree as they grow, and who is who."""

    tree: Tree
    extras: Mapping[str, Extra]
    springs: Mapping[str, Spring]
    root: str
    bodies: list[Body] = field(default_factory=list)
    elements: dict[str, Element] = field(default_factory=dict)
    body_names: dict[int, str] = field(default_factory=dict)
    joint_names: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        links = self.tree.links
        _unique([(link.name, link.element) for link in links])
        _unique([(p.name(), p.element) for link in links for p in link.joints])
        self._assets: dict[int, Assets] = {}
        self._names = Names(link.name for link in links[1:] if link.name)
        self._joint_names = Names(p.name() for link in links for p in link.joints)
        self._homes: dict[int, SE3] = {}

    def assets(self, document: Document) -> Assets:
        return self._assets.setdefault(id(document), Assets(document))

    def geoms(self, link: Link) -> list[Geom]:
        return [Geom(p, self.assets(p.scope.document)) for p in link.parts["geom"]]

    def build(self) -> None:
        """All bodies, in the order of the file."""
        links = self.tree.links
        settings = links[0].scope.document.settings
        geoms = [self.geoms(link) for link in links]
        pairs = zip(links[1:], geoms[1:], strict=True)
        found = masses.scaled([masses.inertia(k, g) for k, g in pairs], settings)
        self._world(links[0], geoms[0])
        moving = _carried(links, found)
        for k, link in enumerate(links[1:]):
            self._link(k + 1, link, geoms[k + 1], found[k], moving[k + 1])

    def _world(self, world: Link, geoms: Sequence[Geom]) -> None:
        self.body_names[id(world)] = WORLD
        self._homes[id(world)] = SE3()
        shapes = _shapes(geoms)
        if any(shapes):
            name = self._names.take(WORLD_SHAPES)
            joint_name = self._joint_names.take(name)
            self._add(world.element, name, None, Fixed(), joint_name, shapes=shapes)

    def _link(
        self, k: int, link: Link, geoms: Sequence[Geom], inertia: Inertia, moves: bool
    ) -> None:
        name = link.name or self._names.take(f"body_{k}")
        assert link.parent is not None
        parent = self.body_names[id(link.parent)]
        self.body_names[id(link)] = name
        self._homes[id(link)] = SE3(*_pair(self._homes[id(link.parent)] * link.pose))
        shapes = _shapes(geoms)
        steps = self._steps(link, name, moves)
        home, anchor = link.pose, SE3()
        for j, (step, joint_name) in enumerate(steps):
            here = SE3.translation(step.anchor)
            before = home * anchor.inverse() * here * step.before
            if step.joint.nv == 6:
                before = SE3()
            last = j == len(steps) - 1
            bare = joint_name.removeprefix(f"{name}:")
            body = name if last else self._names.take(f"{name}:{bare}")
            mass, seen = (inertia, shapes) if last else (None, ((), ()))
            offset = here if last else SE3()
            self._add(
                link.element, body, parent, step.joint, joint_name, before, mass,
                offset, seen,
            )  # fmt: skip
            parent, home, anchor = body, SE3(), here

    def _steps(self, link: Link, name: str, moves: bool) -> list[tuple[Placed, str]]:
        """The joints of a link, with their names."""
        home, at_world = self._homes[id(link)], link.parent is self.tree.links[0]
        parts = link.joints
        _check(link, parts, at_world)
        freed = bool(parts) and kind(parts[0]) == "free"
        if freed and self.root == "fixed":
            link.scope.document.remark(
                parts[0].element, "note", "root='fixed' holds this body where it starts"
            )
            parts = []
        if not parts:
            if self.root == "floating" and at_world and moves:
                neutral = (*home.p, *quaternion.from_rotation(home.R))
                joint_name = self._joint_names.take(ROOT_JOINT)
                return [(Placed(Free(neutral=neutral)), joint_name)]
            return [(Placed(Fixed()), self._joint_names.take(name))]
        alone = len(parts) == 1
        wanted = [name if alone else f"{name}:{k}" for k in range(len(parts))]
        pairs = zip(parts, wanted, strict=True)
        return [self._step(part, home, name) for part, name in pairs]

    def _step(self, part: Part, home: SE3, wanted: str) -> tuple[Placed, str]:
        joint_name = part.name() or self._joint_names.take(wanted)
        self.joint_names[id(part)] = joint_name
        extra = self.extras.get(joint_name, NOTHING)
        spring = self.springs.get(joint_name, (0.0, 0.0))
        return placed(part, home, extra, spring), joint_name

    def _add(
        self,
        element: Element,
        name: str,
        parent: str | None,
        joint: object,
        joint_name: str,
        placement: SE3 = HERE,
        inertia: Inertia | None = None,
        offset: SE3 = HERE,
        shapes: tuple[tuple[Shape, ...], tuple[Shape, ...]] = ((), ()),
    ) -> None:
        above = None if parent == WORLD else parent
        self.elements[name] = element
        self.bodies.append(
            Body(name, above, joint, placement, inertia, offset, joint_name, *shapes)
        )


def _unique(named: Sequence[tuple[str, Element]]) -> None:
    first: dict[str, Element] = {}
    for name, element in named:
        if name in first:
            raise element.error(
                f"a name that no other {element.tag} has",
                f"{name!r}, as in line {first[name].line}", "rename one of them",
            )  # fmt: skip
        if name:
            first[name] = element


def _pair(pose: SE3) -> tuple:
    return pose.R, pose.p


def _shapes(geoms: Sequence[Geom]) -> tuple[tuple[Shape, ...], tuple[Shape, ...]]:
    """What is seen and what may touch; many geoms are both."""
    pairs = [(geom, geom.shape()) for geom in geoms]
    seen = tuple(shape for geom, shape in pairs if shape and geom.shown)
    return seen, tuple(shape for geom, shape in pairs if shape and geom.collides)


def _carried(links: Sequence[Link], inertias: Sequence[Inertia]) -> list[bool]:
    """Whether a link or what it carries has mass."""
    place = {id(link): k for k, link in enumerate(links)}
    heavy = [False, *(inertia.mass > 0.0 for inertia in inertias)]
    for k in reversed(range(1, len(links))):
        above = links[k].parent
        if heavy[k] and above is not None:
            heavy[place[id(above)]] = True
    return heavy


def _check(link: Link, parts: Sequence[Part], at_world: bool) -> None:
    """MuJoCo's rules of which joints go together."""
    kinds = [kind(part) for part in parts]
    if "free" not in kinds:
        turns = [k for k, what in enumerate(kinds) if what in ("ball", "hinge")]
        if "ball" in kinds and len(turns) > 1:
            raise parts[turns[-1]].element.error(
                "a ball joint to be the only turning one of its body",
                f"{len(turns)} that turn", "put another body between them",
            )  # fmt: skip
        return
    element = parts[kinds.index("free")].element
    if len(kinds) > 1:
        raise element.error(
            "a free joint to be the only one of its body", f"{len(kinds)} joints",
            "keep the free joint",
        )  # fmt: skip
    if not at_world and link.parent is not None:
        raise element.error(
            "a free joint in a body of the world",
            f"it in a body of {link.parent.name!r}",
            "move the body into <worldbody>",
        )  # fmt: skip
