"""Rules on names and data: twins, references to nothing, named positions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from knuckle.model.check.finding import Finding
from knuckle.model.errors import ModelError, near
from knuckle.model.gamma import all_positions

if TYPE_CHECKING:
    from knuckle.model.model import Model


def names(model: Model) -> Iterator[Finding]:
    """Names that occur twice, or differ by capitals or white space alone."""
    kinds = {
        "body": [b.name for b in model.bodies],
        "joint": [p.name for p in model.joints],
        "frame": [f.name for f in model.frames],
        "actuator": [a.name for a in model.actuators if a.name],
        "constraint": [c.name for c in model.constraints if c.name],
    }
    for kind, given in kinds.items():
        for name, count in Counter(given).items():
            if count > 1:
                yield Finding("warning", f"{kind} {name!r}", f"the name occurs {count} "
                              "times", "give each its own")  # fmt: skip
        alike: dict[str, str] = {}
        for name in dict.fromkeys(given):
            other = alike.setdefault(name.strip().casefold(), name)
            if other != name:
                yield Finding(
                    "note", f"{kind} {name!r}",
                    f"it differs from {other!r} by capitals or white space alone",
                    "rename one",
                )  # fmt: skip


def references(model: Model) -> Iterator[Finding]:
    """Actuators and constraints on names that nothing of the model has."""
    shapes = [x for b in model.bodies for x in (*b.visuals, *b.collisions)]
    ties = [c.name for c in model.constraints]
    named = [getattr(x, "name", "") for x in shapes]
    known = dict.fromkeys(
        ["world", *model._index, *model._joints, *model._frames, *ties, *named]
    )
    parts = [(f"actuator {a.name!r}", "targets", a.targets) for a in model.actuators]
    parts += [(f"{c.kind} {c.name!r}", "between", c.between) for c in model.constraints]
    for place, what, given in parts:
        for name in given:
            if name not in known:
                yield Finding(
                    "warning", place,
                    f"its {what} name {name!r}, which nothing of the model has",
                    near(name, known, "names"),
                )  # fmt: skip


def trees(model: Model) -> Iterator[Finding]:
    """Bodies that hang on the world apart from the others: loose, or a scene."""
    roots = [b for b, p in zip(model.bodies, model.parents, strict=True) if p < 0]
    moving = [b.name for b in roots if b.joint.nv or model.children(b.name)]
    if len(moving) > 1:
        shown = ", ".join(map(repr, moving[:5])) + (", ..." if moving[5:] else "")
        yield Finding(
            "note", "world",
            f"{len(moving)} mechanisms stand on it, not connected: {shown}",
            "give a root its parent= if they are one",
        )  # fmt: skip


def configurations(model: Model) -> Iterator[Finding]:
    """Named positions off the joints' manifolds or outside their limits."""
    for name, q in model.configurations.items():
        where = f"configuration {name!r}"
        try:
            model.validate(q)
        except ModelError as error:
            yield Finding("warning", where, str(error), "take model.normalize(q)")
            continue
        every = all_positions(model, q)
        for placed in model.tree_joints:
            joint = placed.joint
            if joint.nq != joint.nv:
                continue
            at, low, high = (
                every[placed.q],
                np.array(joint.lower),
                np.array(joint.upper),
            )
            slack = 1e-6 * (1.0 + np.abs(at))
            for x, a, b in zip(at, low - slack, high + slack, strict=True):
                if not a <= x <= b:
                    yield Finding(
                        "warning", where,
                        f"it has joint {placed.name!r} at {x:g}, outside its limits "
                        f"[{joint.lower[0]:g}, {joint.upper[0]:g}]",
                        "change the position, or the limits",
                    )  # fmt: skip
