"""A document of MJCF as a Model."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from knuckle.io.admit import admitted
from knuckle.io.errors import Remarks
from knuckle.io.following import settled
from knuckle.io.mjcf import known
from knuckle.io.mjcf.bodies import Assembly, Spring
from knuckle.io.mjcf.document import Document
from knuckle.io.mjcf.joints import Extra
from knuckle.io.mjcf.sections import Sections
from knuckle.io.mjcf.walk import Part, Tree, walk
from knuckle.io.report import leftovers
from knuckle.io.source import Source
from knuckle.io.xml import Element
from knuckle.model import Body, Model
from knuckle.model.gamma import all_positions
from knuckle.model.mass import mass_matrices
from knuckle.model.replacing import carried

OFF = 1e-6
"""How far a keyframe may be from what couplings say [rad, m]."""


def read(mujoco: Element, source: Source, root: str = "auto") -> Model:
    """The Model of a <mujoco> document; "auto" frees the bodies that the file frees."""
    remarks = Remarks()
    document = Document(mujoco, source, remarks)
    tree = walk(document)
    sections = Sections(tree)
    made = _assembled(tree, sections.extras(), root)
    if root == "floating" and all(b.parent or b.joint.nv < 6 for b in made.bodies):
        raise mujoco.error(
            "a body with mass that is free or fixed to the world for root='floating'",
            "none", "take root='auto'",
        )  # fmt: skip
    sections.read(made)
    couplings, left = settled(made.bodies, sections.following, remarks)
    bodies = admitted(made.bodies, made.elements, remarks, couplings)
    known.doubts(document, tree, remarks)
    model = Model(
        bodies,
        frames=sections.frames,
        gravity=document.settings.gravity,
        couplings=couplings,
        actuators=sections.actuators,
        constraints=[*sections.constraints, *left],
    )
    every = model.uncoupled
    known_positions = sections.configurations(every, made)
    _leftovers(document, remarks)
    every = every.replace(configurations=known_positions)
    model = model.replace(configurations=carried(every, bodies, couplings))
    _disobedient(model, known_positions, document, remarks)
    return model.replace(report=remarks.sorted())


def _disobedient(
    model: Model,
    given: Mapping[str, np.ndarray],
    document: Document,
    remarks: Remarks,
) -> None:
    """Keyframes at which joints are not where their couplings put them."""
    keys = [key for key in document.section("keyframe") if key.get("qpos") is not None]
    for key, (name, q) in zip(keys, given.items(), strict=True):
        off = np.abs(all_positions(model, model.configurations[name]) - q)
        for placed in model.tree_joints:
            if off[placed.q].max(initial=0.0) > OFF:
                told = f"joint {placed.name!r} is moved to where its coupling puts it"
                remarks.add("warning", key, told)


def _leftovers(document: Document, remarks: Remarks) -> None:
    for root in document.all_roots:
        leftovers(root, remarks, known.ELEMENTS, known.ATTRIBUTES, known.INSIDE)
    for included in document.all_included:
        for name in included.attributes:
            remarks.add("note", included, f"{name}: what includes this has its own")


def _assembled(tree: Tree, extras: Mapping[str, Extra], root: str) -> Assembly:
    """The bodies; twice where springs are given by the time that they take."""
    made = Assembly(tree, extras, {}, root)
    made.build()
    timed = [p for link in tree.links for p in link.joints if _timed(p)]
    if not timed:
        return made
    springs = _springs(timed, made)
    again = Assembly(tree, extras, springs, root)
    again.build()
    return again


def _timed(part: Part) -> bool:
    pair = part.entry.numbers("springdamper", 2, (0.0, 0.0))
    return min(pair) > 0.0


def _springs(timed: list[Part], made: Assembly) -> dict[str, Spring]:
    """springdamper = (time constant T, damping ratio z): k = m / (T z)^2, d = 2 m / T.

    1 / m is the joint's mean on the diagonal of M^-1 where the file places all bodies.
    """
    bodies: list[Body] = admitted(made.bodies, made.elements, Remarks())
    model = Model(bodies)
    M = mass_matrices(model, model.neutral()[None])[0]
    if not np.isfinite(M).all() or not np.linalg.cond(M) < 1e15:
        raise timed[0].element.error(
            "bodies with mass for springdamper", "a singular mass matrix",
            "write stiffness and damping",
        )  # fmt: skip
    mobility = np.linalg.inv(M)
    springs = {}
    for part in timed:
        name = made.joint_names.get(id(part))
        if name is None:
            continue
        here = model.joint(name).v
        m = 1.0 / float(np.diag(mobility)[here].mean())
        time, ratio = part.entry.numbers("springdamper", 2)
        springs[name] = (m / (time * ratio) ** 2, 2.0 * m / time)
    return springs
