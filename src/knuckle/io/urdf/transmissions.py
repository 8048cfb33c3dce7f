"""Transmissions of URDF as actuators: data, all of it."""

from __future__ import annotations

from knuckle.io.errors import Remarks
from knuckle.io.flat import flat
from knuckle.io.urdf.tree import Tree
from knuckle.io.xml import Element
from knuckle.model import Actuator


def actuators(robot: Element, tree: Tree, remarks: Remarks) -> list[Actuator]:
    """One for every <transmission>, on the joints of the tree that it names."""
    known = {edge.name for edge in tree.edges}
    found = []
    for k, element in enumerate(robot.all("transmission")):
        kind = element.child("type")
        named = [(e, e.get("name") or "") for e in element.all("joint")]
        for joint, name in named:
            if name not in known:
                remarks.add("note", joint, f"no joint is called {name!r}")
        found.append(
            Actuator(
                element.get("name") or f"transmission{k}",
                (kind.text if kind is not None else element.get("type")) or "",
                tuple(name for _, name in named if name in known),
                flat(element),
            )
        )
    return found
