"""URDF (the unified robot description format of ROS) as a Model.

A link is a body, in its own frame; a joint keeps its name; q follows the order of the
<joint> elements. The rules are those of the URDF XML specification.
"""

from __future__ import annotations

from knuckle.io.admit import admitted
from knuckle.io.errors import Remarks
from knuckle.io.following import settled
from knuckle.io.report import leftovers
from knuckle.io.roots import rooted
from knuckle.io.source import Source
from knuckle.io.urdf.joints import mimics, moved
from knuckle.io.urdf.known import ATTRIBUTES, ELEMENTS, INSIDE
from knuckle.io.urdf.links import link_parts
from knuckle.io.urdf.materials import Materials
from knuckle.io.urdf.transmissions import actuators
from knuckle.io.urdf.tree import Tree, tree_of
from knuckle.io.xml import Element
from knuckle.joints import Fixed
from knuckle.model import Body, Model

WORLD = "world"
__all__ = ["read"]


def read(robot: Element, source: Source, root: str = "auto") -> Model:
    """The Model of a <robot>; "auto" fixes the root link, unless a joint frees it."""
    remarks = Remarks()
    if not robot.get("name"):
        remarks.add("note", robot, "the robot has no name")
    version = robot.get("version", "1.0")
    if version != "1.0":
        remarks.add("note", robot, f"version {version} is read as 1.0")
    tree, materials = tree_of(robot), Materials(robot, remarks)
    names = _body_names(tree, remarks)
    bodies = rooted(_bodies(tree, names, source, materials, remarks), root)
    links = {body: tree.links[link] for link, body in names.items()}
    couplings, constraints = settled(bodies, mimics(tree), remarks)
    bodies = admitted(bodies, links, remarks, couplings)
    materials.finish()
    motors = actuators(robot, tree, remarks)
    leftovers(robot, remarks, ELEMENTS, ATTRIBUTES, INSIDE)
    return Model(
        bodies, couplings=couplings, actuators=motors, constraints=constraints,
        report=remarks.sorted(),
    )  # fmt: skip


def _bodies(
    tree: Tree,
    names: dict[str, str],
    source: Source,
    materials: Materials,
    remarks: Remarks,
) -> list[Body]:
    """The root link first, then links in the order of the joints that carry them."""
    parts = {
        n: link_parts(e, source, materials, remarks) for n, e in tree.links.items()
    }
    bodies = []
    if tree.root in names:
        body, taken = names[tree.root], {edge.name for edge in tree.edges}
        name = body if body not in taken else f"{body}_to_world"
        bodies.append(Body(body, None, Fixed(), joint_name=name, **parts[tree.root]))
    for edge in tree.edges:
        joint, placement, offset = moved(edge, remarks)
        bodies.append(
            Body(
                names[edge.child], names.get(edge.parent), joint, placement,
                offset=offset, joint_name=edge.name, **parts[edge.child],
            )
        )  # fmt: skip
    return bodies


def _body_names(tree: Tree, remarks: Remarks) -> dict[str, str]:
    """Link to body; a root link called 'world' that is but a frame is the world."""
    names = {name: name for name in tree.links}
    if WORLD not in names:
        return names
    link = tree.links[WORLD]
    if tree.root != WORLD:
        raise link.error(
            "another name",
            "'world', which only a root link may have",
            "rename the link",
        )
    holds = [c for c in link.walk() if c.tag in ("inertial", "visual", "collision")]
    if not holds:
        del names[WORLD]
        return names
    names[WORLD] = "world_link"
    if "world_link" in tree.links:
        raise link.error("one link 'world_link'", "two", "rename it")
    remarks.add("note", link, "called 'world_link', as 'world' is the inertial frame")
    return names
