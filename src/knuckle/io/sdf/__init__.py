"""SDF (the simulation description format, versions 1.4 to 1.12) as a Model.

A link is a body, in its own frame; a joint's zero is the pose of the file. Names in
nested models read 'model::link'. A root link is free, placed where the file has it,
unless its model is static or a joint ties it to the world.
"""

from __future__ import annotations

from typing import Any

from knuckle.io.admit import admitted
from knuckle.io.errors import Remarks
from knuckle.io.following import settled
from knuckle.io.report import leftovers
from knuckle.io.roots import rooted
from knuckle.io.sdf.includes import Documents
from knuckle.io.sdf.known import ATTRIBUTES, ELEMENTS, INSIDE
from knuckle.io.sdf.links import link_parts
from knuckle.io.sdf.scope import Scope, between
from knuckle.io.sdf.tree import Arm, Tree
from knuckle.io.sdf.values import numbers
from knuckle.io.source import Source
from knuckle.io.xml import Element
from knuckle.model import Body, Frame, Model

EARTH = (0.0, 0.0, -9.81)
"""Where a file has no world; a world without <gravity> has the format's -9.8."""

__all__ = ["read"]


def read(sdf: Element, source: Source, root: str = "auto") -> Model:
    """The Model of an <sdf>: of its <world>, or of its <model>."""
    remarks, documents = Remarks(), Documents(sdf, source)
    top, gravity = _top(sdf, documents)
    tree = Tree(top, remarks)
    bodies = rooted(_bodies(tree, documents, remarks), root)
    links = {link: element for link, (_, _, element) in tree.links.items()}
    couplings, left = settled(bodies, tree.mimics(), remarks)
    bodies = admitted(bodies, links, remarks, couplings)
    frames = _frames(top)
    for document in documents.roots:
        leftovers(document, remarks, ELEMENTS, ATTRIBUTES, INSIDE)
    return Model(
        bodies, frames, gravity, couplings=couplings,
        constraints=[*tree.constraints, *left], report=remarks.sorted(),
    )  # fmt: skip


def _top(sdf: Element, documents: Documents) -> tuple[Scope, tuple[float, ...]]:
    """The outermost scope, and gravity [m/s^2]."""
    world = sdf.child("world")
    if world is not None:
        top = documents.outermost(world, world.required("name"))
        return top, numbers(world, "gravity", 3, (0.0, 0.0, -9.8))
    top = documents.outermost(sdf, "")
    if not top.models:
        raise sdf.error("a <world> or a <model>", "none", "check that this is a robot")
    if len(top.models) == 1:
        for only in top.models.values():
            only.merged = True
    return top, EARTH


def _bodies(tree: Tree, documents: Documents, remarks: Remarks) -> list[Body]:
    """Free and fast links first, then links in the order of the joints."""
    hung: list[tuple[str, Arm]] = [*tree.roots(), *tree.arms.items()]
    bodies = []
    for link, arm in hung:
        scope, name, element = tree.links[link]
        parts: dict[str, Any] = link_parts(
            scope, name, element, documents.sources[element.file], remarks
        )
        bodies.append(
            Body(
                link, arm.parent, arm.joint, arm.placement,
                offset=arm.offset, joint_name=arm.name, **parts,
            )
        )  # fmt: skip
    return bodies


def _frames(top: Scope) -> list[Frame]:
    """The <frame>s, on the links that carry them."""
    homes = {
        scope.prefix + name: scope.pose(name)
        for scope in top.walk()
        for name, _ in scope.all("link")
    }
    found = []
    for scope in top.walk():
        for name, _ in scope.all("frame"):
            link, here = scope.carrier(name), scope.pose(name)
            placement = here if link is None else between(homes[link], here)
            found.append(Frame(scope.prefix + name, link, placement))
    return found
