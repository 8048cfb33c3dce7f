"""What a Model refuses when it is built; what it is given becomes plain floats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from knuckle.joints import Joint
from knuckle.model import tree
from knuckle.model.body import WORLD, Body, Frame
from knuckle.model.coupling import Coupling
from knuckle.model.errors import Problems, near
from knuckle.model.rigid import check_inertias, clean_inertia, clean_pose
from knuckle.model.ties import tied_to_others

T = TypeVar("T")


def clean_bodies(
    bodies: Any, problems: Problems, planar: bool = False
) -> tuple[Body, ...]:
    """The bodies with plain floats, parents and joint names filled in."""
    clean = []
    for k, body in enumerate(clean_items(bodies, Body, "bodies", problems)):
        where = _named(body.name, f"bodies[{k}]", "body", problems)
        _check_joint(body, where, problems)
        clean.append(
            replace(
                body,
                parent=None if body.parent == WORLD else body.parent,
                placement=clean_pose(body.placement, f"{where}: placement", problems),
                offset=clean_pose(body.offset, f"{where}: offset", problems),
                inertia=clean_inertia(body.inertia, where, problems),
                joint_name=body.name if body.joint_name is None else body.joint_name,
                visuals=tuple(body.visuals or ()),
                collisions=tuple(body.collisions or ()),
            )
        )
    _unique([b.name for b in clean], "body", problems)
    if not problems:
        for joint in clean:
            _named(joint.joint_name, f"body {joint.name!r}: joint", "joint", problems)
        _unique([b.joint_name for b in clean], "joint", problems)
    check_inertias(clean, problems, planar)
    return tuple(clean)


def clean_frames(
    frames: Any, bodies: Sequence[Body], problems: Problems
) -> tuple[Frame, ...]:
    """The frames with plain floats; no two frames or bodies share a name."""
    clean = []
    names = {b.name for b in bodies if isinstance(b.name, str)}
    for k, frame in enumerate(clean_items(frames, Frame, "frames", problems)):
        where = _named(frame.name, f"frames[{k}]", "frame", problems)
        body = None if frame.body == WORLD else frame.body
        if not isinstance(body, str | None) or (body is not None and body not in names):
            problems.add(
                where, "the name of a body", f"{body!r}", near(body, names, "bodies")
            )
        if isinstance(frame.name, str) and frame.name in names:
            problems.add(
                where, "a name of its own", "the name of a body", "rename the frame"
            )
        placement = clean_pose(frame.placement, f"{where}: placement", problems)
        clean.append(Frame(frame.name, body, placement))
    _unique([f.name for f in clean], "frame", problems)
    return tuple(clean)


def clean_gravity(gravity: Any, problems: Problems) -> tuple[float, float, float]:
    """Three finite floats [m/s^2]."""
    try:
        x, y, z = (float(g) + 0.0 for g in gravity)
    except (TypeError, ValueError):
        problems.add(
            "gravity", "three numbers [m/s^2]", f"{gravity!r}", "write (0, 0, -9.81)"
        )
        return 0.0, 0.0, 0.0
    if not (isfinite(x) and isfinite(y) and isfinite(z)):
        problems.add("gravity", "finite numbers", f"{(x, y, z)}", "write (0, 0, -9.81)")
    return x, y, z


def clean_configurations(
    given: Any,
    bodies: Sequence[Body],
    couplings: Sequence[Coupling],
    problems: Problems,
) -> Mapping[str, np.ndarray]:
    """Named positions (nq,) as read-only arrays."""
    clean: dict[str, np.ndarray] = {}
    if problems:
        return clean
    following = {coupling.joint for coupling in couplings}
    nq = sum(b.joint.nq for b in bodies if b.joint_name not in following)
    for name, q in dict(given).items():
        row = np.array(q, float)
        if row.shape != (nq,) or not np.isfinite(row).all():
            problems.add(
                f"configurations[{name!r}]",
                f"{nq} finite numbers, one for each coordinate",
                f"shape {row.shape}: {row}",
                "see model.q_names for their order",
            )
        row.flags.writeable = False
        clean[name] = row
    return MappingProxyType(clean)


def parents_of(bodies: Sequence[Body], problems: Problems) -> tuple[int, ...]:
    """lambda of every body, -1 for the world; no unknown parents, no cycles."""
    place = {b.name: i for i, b in enumerate(bodies) if isinstance(b.name, str)}
    parents = []
    for body in bodies:
        if not isinstance(body.parent, str | None) or (
            body.parent is not None and body.parent not in place
        ):
            problems.add(
                f"body {body.name!r}: parent",
                "None (the world) or the name of a body",
                f"{body.parent!r}",
                near(body.parent, place, "bodies"),
            )
            parents.append(-1)
            continue
        parents.append(-1 if body.parent is None else place[body.parent])
    loop = [bodies[i].name for i in tree.cycle(parents)]
    if loop:
        problems.add(
            f"body {loop[0]!r}: parent",
            "a chain of parents that ends in the world",
            "the cycle " + " -> ".join([*loop, loop[0]]),
            "give one of them parent=None and close the loop through loops=",
        )
    return tuple(parents)


def check_moving_leaves(
    bodies: Sequence[Body],
    parents: Sequence[int],
    couplings: Sequence[Coupling],
    problems: Problems,
) -> None:
    """Every joint that moves must move some mass, unless its body is `unchecked`."""
    for body in moving_nothing(bodies, parents, couplings):
        if not body.unchecked:
            problems.add(
                f"body {body.name!r}: mass",
                "a positive mass on it or on a body it carries, as its joint moves",
                "0 kg in all",
                f"give {body.name!r} an inertia, or weld it with a Fixed joint",
            )


def moving_nothing(
    bodies: Sequence[Body], parents: Sequence[int], couplings: Sequence[Coupling] = ()
) -> list[Body]:
    """The bodies whose joints move no mass, so that M is singular.

    Nor does any joint that a coupling ties theirs to, by one step or several.
    """
    carried = [body.rigid.mass for body in bodies]
    for i in reversed(tree.depth_first(parents)):
        if parents[i] >= 0:
            carried[parents[i]] += max(carried[i], 0.0)
    found = [
        body
        for body, mass in zip(bodies, carried, strict=True)
        if mass <= 0.0 and body.joint.nv > 0 and body.rigid.mass == 0.0
    ]
    tied = tied_to_others({str(body.joint_name) for body in found}, couplings)
    return [body for body in found if body.joint_name not in tied]


def clean_items(given: Any, kind: type[T], what: str, problems: Problems) -> list[T]:
    """The items that are of this kind; the others are problems."""
    try:
        items = list(given)
    except TypeError:
        problems.add(
            what, f"a list of {kind.__name__}", shortened(given), f"write {what}=[...]"
        )
        return []
    for k, item in enumerate(items):
        if not isinstance(item, kind):
            problems.add(
                f"{what}[{k}]",
                f"a {kind.__name__}",
                f"{type(item).__name__} {item!r}",
                f"write {kind.__name__}(name, ...)",
            )
    return [item for item in items if isinstance(item, kind)]


def shortened(given: Any) -> str:
    """What was given, in a few words."""
    text = repr(given)
    return text if len(text) < 60 else f"a {type(given).__name__}"


def _named(name: Any, place: str, what: str, problems: Problems) -> str:
    """How errors call this item; its name is a string, not empty, not 'world'."""
    if not isinstance(name, str) or not name:
        problems.add(
            f"{place}: name", "a name", f"{name!r}", f"give the {what} a string as name"
        )
        return place
    if name == WORLD:
        problems.add(
            f"{place}: name",
            "any other name",
            "'world', which is reserved",
            f"rename the {what}; what is fixed to the world has parent=None",
        )
    return f"{what} {name!r}"


def _unique(names: Sequence[Any], what: str, problems: Problems) -> None:
    seen: dict[Any, int] = {}
    for k, name in enumerate(names):
        if not isinstance(name, str):
            continue
        if name in seen:
            problems.add(
                f"{what} {name!r}",
                "a name that occurs once",
                f"it twice, as number {seen[name]} and {k}",
                f"rename one{', by joint_name=' if what == 'joint' else ''}",
            )
        seen.setdefault(name, k)


def _check_joint(body: Body, where: str, problems: Problems) -> None:
    if not isinstance(body.joint, Joint):
        kind = getattr(body.joint, "__name__", None) or repr(body.joint)
        problems.add(
            f"{where}: joint",
            "a Joint",
            f"{type(body.joint).__name__} {kind}",
            "write joint=joints.Revolute('z') or Joint(pose, nq)",
        )


def check_no_loops(loops: Any, problems: Problems) -> None:
    """Refuse what would otherwise be left out of the dynamics silently."""
    if len(tuple(loops)):
        problems.add(
            "loops",
            "none, as this version has the dynamics of trees",
            f"{len(tuple(loops))}",
            "leave out loops=",
        )
