"""The kinematic tree as links: frames, replicas and attachments resolved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from knuckle.io.mjcf.classes import Entry
from knuckle.io.mjcf.document import Document, reference
from knuckle.io.mjcf.poses import ORIGIN, euler, pose
from knuckle.io.mjcf.refusals import refused
from knuckle.io.xml import Element
from knuckle.spatial import SE3

MAX_LINKS = 100_000
PLAIN = ("joint", "freejoint", "geom", "site", "inertial")


@dataclass
class Part:
    """A joint, geom, site or inertial of a link: where, seen through which class."""

    entry: Entry
    scope: Scope

    @property
    def element(self) -> Element:
        return self.entry.element

    def name(self) -> str:
        """The name with what frames and attachments add; '' where there is none."""
        own = self.entry.get("name")
        return self.scope.named(own) if own else ""

    def pose(self) -> SE3:
        """The frame of the part in its link."""
        return self.scope.pose * pose(self.entry, self.scope.document.settings)


@dataclass
class Link:
    """A body of the file, before it becomes one Body or several."""

    name: str
    parent: Link | None
    pose: SE3
    scope: Scope
    element: Element
    parts: dict[str, list[Part]] = field(default_factory=lambda: {t: [] for t in PLAIN})

    @property
    def joints(self) -> list[Part]:
        """Its joints, in the order in which they move it."""
        return self.parts["joint"]


@dataclass(frozen=True)
class Scope:
    """Where an element stands: in which link, frame, class, replica and attachment."""

    document: Document
    link: Link | None
    pose: SE3 = field(default_factory=SE3)
    childclass: str | None = None
    outer: tuple[Element, str | None] | None = None
    prefix: str = ""
    suffix: str = ""

    def named(self, name: str) -> str:
        return f"{self.prefix}{name}{self.suffix}"

    def inside(self, element: Element) -> Scope:
        """The scope with the element's childclass, which somebody may take."""
        own = element.get("childclass")
        if own is None:
            return self
        self.document.classes.find(own, element)
        element.state("childclass", True)
        outer = (element, self.childclass)
        return replace(self, childclass=own, outer=outer)

    def part(self, element: Element) -> Part:
        classes = self.document.classes
        if self.outer and "class" not in element.attributes:
            holder, before = self.outer
            if not classes.alike(self.childclass, before, (element.tag,)):
                holder.state("childclass", False)
        return Part(classes.entry(element, self.childclass), self)


@dataclass
class Tree:
    """All links, the world first, in the order of MuJoCo: depth first as written.

    `scopes` are the document itself and its attachments; `replicas` tells for names
    that were replicated which suffixes they got.
    """

    links: list[Link]
    scopes: list[Scope] = field(default_factory=list)
    replicas: dict[str, list[str]] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)


def walk(document: Document) -> Tree:
    """The links of a document."""
    whole = Scope(document, None)
    world = Link("world", None, SE3(), whole, document.root)
    tree = Tree([world], [whole])
    scope = replace(whole, link=world)
    bodies = document.root.all("worldbody")
    stack = [(e, scope) for part in reversed(bodies) for e in reversed(part.all(*TAGS))]
    while stack:
        element, scope = stack.pop()
        tree.seen.add(id(element))
        inner = list(VISIT[element.tag](element, scope, tree))
        stack.extend(reversed(inner))
        if len(tree.links) > MAX_LINKS:
            raise refused(element, "many bodies")
    for attached in {id(s.document): s.document for s in tree.scopes[1:]}.values():
        _prune(attached, tree.seen)
    return tree


def _prune(document: Document, seen: set[int]) -> None:
    """Remarks on what stands in an attached model and is not attached."""
    stack = document.root.all("worldbody")
    while stack:
        element = stack.pop()
        for child in element.children:
            if child.tag in TAGS and not any(id(e) in seen for e in child.walk()):
                document.remark(child, "note", "nobody attaches this")
                element.splice(child, [])
            elif child.tag in TAGS:
                element.all(child.tag)
                stack.append(child)


Steps = Iterator[tuple[Element, Scope]]


def _plain(element: Element, scope: Scope, tree: Tree) -> Steps:
    link = scope.link
    assert link is not None
    tag = "joint" if element.tag == "freejoint" else element.tag
    if len(tree.links) and link is tree.links[0] and tag in ("joint", "inertial"):
        raise element.error(
            "a body around it", "the world", f"write <{element.tag}> inside a <body>"
        )
    part = (
        scope.part(element)
        if element.tag != "freejoint"
        else Part(Entry(element), scope)
    )
    link.parts[tag].append(part)
    _note_replica(element, scope, tree)
    yield from ()


def _note_replica(element: Element, scope: Scope, tree: Tree) -> None:
    name = element.attributes.get("name")
    if scope.suffix and name:
        tree.replicas.setdefault(f"{scope.prefix}{name}", []).append(scope.suffix)


def _body(element: Element, scope: Scope, tree: Tree) -> Steps:
    own = element.get("name")
    name = scope.named(own) if own else ""
    placement = scope.pose * pose(Entry(element), scope.document.settings)
    inner = scope.inside(element)
    link = Link(name, scope.link, placement, inner, element)
    tree.links.append(link)
    _note_replica(element, scope, tree)
    inner = replace(inner, link=link, pose=SE3())
    for child in element.all(*TAGS):
        yield child, inner


def _frame(element: Element, scope: Scope, tree: Tree) -> Steps:
    for name in ("scale", "massscale", "scaling"):
        if name in element.attributes:
            raise refused(element, "scaled frame")
    moved = scope.pose * pose(Entry(element), scope.document.settings)
    inner = replace(scope.inside(element), pose=moved)
    for child in element.all(*TAGS):
        yield child, inner


def _replicate(element: Element, scope: Scope, tree: Tree) -> Steps:
    """Copies with turns euler(k angles) and shifts that add up along the way."""
    settings = scope.document.settings
    count = int(element.number("count") or element.required("count"))
    if not 0 < count <= MAX_LINKS:
        raise element.error("a count above 0", f"{count}", "write how many")
    angles = [settings.radians(a) for a in element.numbers("euler", 3, ORIGIN) or ()]
    offset = SE3.translation(element.numbers("offset", 3, ORIGIN) or ORIGIN)
    digits, separator = len(str(count)), element.get("sep", "")
    moved = SE3()
    for k in range(count):
        suffix = f"{separator}{k:0{digits}d}{scope.suffix}"
        inner = replace(scope.inside(element), pose=scope.pose * moved, suffix=suffix)
        for child in element.all(*TAGS):
            yield child, inner
        p = (moved * offset).p
        moved = SE3.translation(p) * euler([(k + 1) * a for a in angles], settings)


def _attach(element: Element, scope: Scope, tree: Tree) -> Steps:
    """A body, a frame or all of another model, under a prefix."""
    document = scope.document
    model = element.get("model")
    other = document if model is None else document.attached(model, element)
    if len(tree.scopes) > 1000:
        raise refused(element, "many attachments")
    inner = replace(
        scope,
        document=other,
        prefix=scope.prefix + element.required("prefix"),
        childclass=None,
    )
    tree.scopes.append(inner)
    named = {tag: element.get(tag, "") for tag in ("body", "frame")}
    named = {tag: name for tag, name in named.items() if name}
    if not named:
        for world in other.root.all("worldbody"):
            yield from ((child, inner) for child in world.all(*TAGS))
        return
    (tag, name), *_ = named.items()
    known = {e.attributes.get("name", ""): e for e in _inside(other.root, tag)}
    yield known[reference(name, list(known), tag, element)], inner


def _inside(root: Element, tag: str) -> Iterator[Element]:
    stack = root.all("worldbody")
    while stack:
        element = stack.pop()
        if element.tag == tag:
            yield element
        stack.extend(element.children)


def _refuse(element: Element, scope: Scope, tree: Tree) -> Steps:
    raise refused(element, element.tag)


VISIT = {
    **dict.fromkeys(PLAIN, _plain),
    "body": _body,
    "frame": _frame,
    "replicate": _replicate,
    "attach": _attach,
    "composite": _refuse,
    "flexcomp": _refuse,
}
TAGS = tuple(VISIT)
