"""Which link carries which: names, the one root, no cycles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from knuckle.io.errors import LoadError
from knuckle.io.xml import Element
from knuckle.model.errors import near


@dataclass(frozen=True)
class Edge:
    """A joint with the names of the links that it connects."""

    element: Element
    name: str
    parent: str
    child: str


@dataclass(frozen=True)
class Tree:
    """The links by name, the joints in the order of the file, and the root link."""

    links: dict[str, Element]
    edges: tuple[Edge, ...]
    root: str


def tree_of(robot: Element) -> Tree:
    """The tree of a <robot>, or the error that tells why it is none."""
    links = named(robot.all("link"))
    if not links:
        raise robot.error("a <link>", "none", "check that this is a URDF file")
    edges = tuple(
        _edge(element, name, links)
        for name, element in named(robot.all("joint")).items()
    )
    carried: dict[str, Edge] = {}
    for edge in edges:
        if edge.child in carried:
            other = carried[edge.child]
            raise edge.element.error(
                f"one joint that carries link {edge.child!r}",
                f"a second one, after {other.name!r} in line {other.element.line}",
                "URDF has trees only: remove one, or close the loop through loops=",
            )
        carried[edge.child] = edge
    _refuse_cycles(carried)
    return Tree(
        links, edges, _root(robot, [n for n in links if n not in carried], links)
    )


def named(elements: Iterable[Element]) -> dict[str, Element]:
    """Elements by their names, each of which occurs once."""
    found: dict[str, Element] = {}
    for element in elements:
        name = element.required("name")
        if name in found:
            raise element.error(
                f"a {element.tag} name that occurs once",
                f"{name!r}, which line {found[name].line} has too",
                "rename one of them",
            )
        found[name] = element
    return found


def _edge(element: Element, name: str, links: dict[str, Element]) -> Edge:
    ends = []
    for tag in ("parent", "child"):
        end = element.only(tag)
        link = end.required("link")
        if link not in links:
            raise end.error(
                "the name of a link", repr(link), near(link, links, "links")
            )
        ends.append(link)
    return Edge(element, name, *ends)


def _root(robot: Element, roots: list[str], links: dict[str, Element]) -> str:
    if len(roots) == 1:
        return roots[0]
    shown = ", ".join(map(repr, roots[:5])) + (", ..." if len(roots) > 5 else "")
    raise links[roots[1]].error(
        "one root link", f"{len(roots)} links that no joint carries: {shown}",
        "connect them by joints, fixed ones if they do not move",
    )  # fmt: skip


def _refuse_cycles(carried: dict[str, Edge]) -> None:
    safe: set[str] = set()
    for start in carried:
        path: dict[str, None] = {}
        link = start
        while link in carried and link not in safe and link not in path:
            path[link] = None
            link = carried[link].parent
        if link in path:
            raise _cycle([*path][[*path].index(link) :], carried)
        safe.update(path)


def _cycle(loop: list[str], carried: dict[str, Edge]) -> LoadError:
    shown = " -> ".join(map(repr, [*loop[:6], *["..."] * (len(loop) > 6), loop[0]]))
    return carried[loop[0]].element.error(
        "a tree",
        f"a cycle of parents, {shown}",
        "URDF has trees only: remove one joint",
    )
