"""The whole document: bodies, sites, keyframes and the data that MJCF knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from knuckle import convert
from knuckle.io.mjcf.bodies import WORLD_SHAPES
from knuckle.io.mjcf.classes import ACTUATORS
from knuckle.io.mjcf.equalities import coefficients
from knuckle.io.mjcf.write import motions, shapes
from knuckle.io.mjcf.write.motions import Chain
from knuckle.io.mjcf.write.nodes import Node, number, numbers, place
from knuckle.io.mjcf.write.shapes import Assets
from knuckle.io.written import Losses, Written
from knuckle.model import Actuator, Body, Constraint, Coupling, Model, ModelError
from knuckle.spatial import Inertia

LEAST = 1e-15
"""MuJoCo refuses moving bodies whose mass or moments are not above this."""
EQUALITIES = ("connect", "weld", "joint", "tendon", "flex", "flexstrain")


def to_mjcf(model: Model, allow_loss: bool = False) -> Written:
    """The Model as MJCF text that MuJoCo loads; `.losses` lists what MJCF cannot say.

    Losses are refused unless `allow_loss`. Loading the text gives the same physics.
    Units are SI and radians, orientations quaternions, and q is MuJoCo's qpos wherever
    free joints stand on the world itself.
    """
    losses = Losses("MJCF")
    root = Node("mujoco")
    root.add("compiler", angle="radian", inertiafromgeom="false", autolimits="true")
    root.add("option", gravity=numbers(model.gravity))
    assets = Assets(Node("asset"))
    world = Node("worldbody")
    _Tree(model, assets, losses).say(world)
    root.children += [n for n in (assets.node, world) if n.children]
    _sections(model, root, losses)
    losses.check(allow_loss)
    told = "".join(f"<!--{comment}-->\n" for comment in losses.comments)
    return Written(told + root.text(), losses)


class _Tree:
    """The bodies of a model, nested."""

    def __init__(self, model: Model, assets: Assets, losses: Losses) -> None:
        self.model, self.assets, self.losses = model, assets, losses
        self.frames: dict[str | None, list[Any]] = {}
        for frame in model.frames:
            self.frames.setdefault(frame.body, []).append(frame)

    def say(self, world: Node) -> None:
        """All bodies into the world's node."""
        self._sites(None, world)
        stack = [(name, world) for name in reversed(self.model.children("world"))]
        while stack:
            name, above = stack.pop()
            chain = Chain(tuple(self._chain(name)))
            node = self._body(chain, above)
            below = self.model.children(chain.last.name)
            stack.extend((child, node) for child in reversed(below))

    def _chain(self, name: str) -> Iterator[Body]:
        """The body with those that it only moves: massless, bare, carrying one."""
        body = self.model.body(name)
        yield body
        while self._bare(body):
            body = self.model.body(self.model.children(body.name)[0])
            yield body

    def _bare(self, body: Body) -> bool:
        below = self.model.children(body.name)
        if len(below) != 1 or body.rigid.mass or body.joint.nv == 0:
            return False
        child = self.model.body(below[0])
        stands = body.visuals or body.collisions or self.frames.get(body.name)
        free = {"free", "axes"} & {motions.kind(x.joint) for x in (body, child)}
        return not stands and not free and child.joint.nv > 0

    def _body(self, chain: Chain, above: Node) -> Node:
        body = chain.last
        if self._is_world(body):
            shapes.say(body, above, self.assets, self.losses)
            return above
        node = Node("body", {"name": body.name})
        home = motions.say(chain, node, self.losses)
        node.attributes |= place(home)
        above.children.append(node)
        self._inertial(body, node)
        shapes.say(body, node, self.assets, self.losses)
        self._sites(body.name, node)
        return node

    def _is_world(self, body: Body) -> bool:
        """The body that carries the world's own shapes, as it was read."""
        bare = not body.rigid.mass and not self.frames.get(body.name)
        bare = bare and not self.model.children(body.name) and body.joint.nv == 0
        here = not place(body.placement * body.offset.inverse())
        return body.name == WORLD_SHAPES and body.parent is None and bare and here

    def _inertial(self, body: Body, node: Node) -> None:
        inertia = body.rigid
        moves = any(self.model.body(n).joint.nv for n in self.model.support(body.name))
        if not inertia.mass:
            if any(inertia.I):
                self.losses.note(
                    f"body {body.name!r}", "MJCF has no moments of inertia without mass"
                )
            if moves and body.joint.nv:
                self.losses.note(f"body {body.name!r}", "MuJoCo moves no massless body")
            return
        said = _inertia(inertia)
        moments = np.linalg.eigvalsh(np.array(inertia.I_com, float))
        if body.joint.nv and moments[0] <= LEAST:
            self.losses.note(
                f"body {body.name!r}", "MuJoCo moves no body without rotational inertia"
            )
        if moments[0] + moments[1] < moments[2] * (1.0 - 1e-6):
            self.losses.note(
                f"body {body.name!r}", "MuJoCo refuses moments with a + b < c"
            )
        node.add("inertial", **said)

    def _sites(self, body: str | None, node: Node) -> None:
        for frame in self.frames.get(body, ()):
            node.add("site", name=frame.name, **place(frame.placement))


def _inertia(inertia: Inertia) -> dict[str, str]:
    """All six entries; three where the axes are the principal ones."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.I_com
    said = {"pos": numbers(inertia.com), "mass": number(inertia.mass)}
    if xy == xz == yz == 0.0:
        return said | {"diaginertia": numbers((xx, yy, zz))}
    return said | {"fullinertia": numbers((xx, yy, zz, xy, xz, yz))}


def _sections(model: Model, root: Node, losses: Losses) -> None:
    if model.loops:
        losses.note("loops", "they are not written")
    made = {name: Node(name) for name in ("tendon", "equality", "actuator", "keyframe")}
    for constraint in model.constraints:
        _constraint(constraint, made, losses)
    for coupling in model.couplings:
        _coupling(coupling, model, made["equality"], losses)
    for actuator in model.actuators:
        _actuator(actuator, made["actuator"], losses)
    if model.configurations:
        _keys(model, made["keyframe"], losses)
    root.children += [node for node in made.values() if node.children]


def _keys(model: Model, node: Node, losses: Losses) -> None:
    every = model.uncoupled
    try:
        there = convert.mujoco(every)
    except ModelError as error:
        losses.note("configurations", str(error))
        return
    for name, q in every.configurations.items():
        node.add("key", name=name, qpos=numbers(there.to_q(q).tolist()))


def _actuator(actuator: Actuator, node: Node, losses: Losses) -> None:
    """An actuator of MJCF; what it adds to its joint is in the joint already."""
    properties = dict(actuator.properties)
    through = properties.pop("transmission", None)
    if through is None or actuator.kind not in ACTUATORS:
        losses.note(f"actuator {actuator.name!r}", f"MJCF has no {actuator.kind!r}")
        return
    ends = dict(zip(through.split(), actuator.targets, strict=True))
    if {"joint", "jointinparent"} & set(ends):
        for name in ("armature", "damping"):
            properties.pop(name, None)
    made = node.add(actuator.kind, name=actuator.name, **ends)
    _properties(properties, made)


def _coupling(coupling: Coupling, model: Model, node: Node, losses: Losses) -> None:
    """y - y0 = a0 + a1 (x - x0) + ..., from where the joints start."""
    start = {p.name: p.joint.neutral for p in model.joints}
    ends = [start.get(name, ()) for name in (coupling.joint, *coupling.sources)]
    found = None
    if all(len(end) == 1 for end in ends):
        found = coefficients(coupling, ends[-1][0], ends[0][0])
    if found is None:
        losses.note(
            f"coupling of joint {coupling.joint!r}",
            "MJCF has polynomials of one hinge or slide up to degree 4",
        )
        return
    names = zip(("joint1", "joint2"), (coupling.joint, *coupling.sources), strict=False)
    node.add("joint", **dict(names), polycoef=numbers(found))


def _constraint(constraint: Constraint, made: dict[str, Node], losses: Losses) -> None:
    properties = dict(constraint.properties)
    ends, path = properties.pop("ends", None), properties.pop("path", None)
    tag, _, tendon = constraint.kind.partition(" ")
    if tendon == "tendon" and path is not None:
        node = made["tendon"].add(tag, name=constraint.name)
        _properties(properties, node)
        for step, inner in path:
            _properties(dict(inner), node.add(step))
    elif ends is not None and tag in EQUALITIES:
        named = dict(zip(ends.split(), constraint.between, strict=True))
        node = made["equality"].add(tag, name=constraint.name, **named)
        _properties(properties, node)
    else:
        losses.note(
            f"constraint {constraint.name!r}", f"MJCF has no {constraint.kind!r}"
        )


def _properties(properties: dict[str, Any], node: Node) -> None:
    """Attributes; pairs in pairs are an element inside."""
    for name, value in properties.items():
        if isinstance(value, tuple) and value and isinstance(value[0], tuple):
            _properties(dict(value), node.add(name))
        elif isinstance(value, tuple):
            node.attributes[name] = numbers(value)
        else:
            node.attributes[name] = value if isinstance(value, str) else number(value)
