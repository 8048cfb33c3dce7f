"""Diagnostics: what is legal and doubtful. `model.check()` lists it, worst first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from knuckle.joints import Joint
from knuckle.model import coordinates
from knuckle.model.mass import mass_matrices
from knuckle.model.rigid import principal_moments
from knuckle.model.smoothness import joint_poses

if TYPE_CHECKING:
    from knuckle.model.body import Body
    from knuckle.model.model import Model

SEVERITIES = ("error", "warning", "note")
SAMPLES = 8
CONDITION = 1e10
RATIO = 1e4
FAR = 100.0


@dataclass(frozen=True)
class Finding:
    """One doubtful thing: an 'error' gives non-finite results, a 'note' is advice."""

    severity: str
    place: str
    message: str
    repair: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.place}: {self.message}; {self.repair}"


def check(model: Model) -> list[Finding]:
    """Every finding of every rule, errors first."""
    found = [finding for rule in RULES for finding in rule(model)]
    return sorted(found, key=lambda f: SEVERITIES.index(f.severity))


def nearly_exact_rotations(model: Model) -> Iterator[Finding]:
    """Entries within 1e-6 of 0 or +-1 were meant to be exact; they cost operations."""
    poses = [
        (f"body {b.name!r}: {what}", pose)
        for b in model.bodies
        for what, pose in (("placement", b.placement), ("offset", b.offset))
    ]
    poses += [(f"frame {f.name!r}: placement", f.placement) for f in model.frames]
    for place, pose in poses:
        near = [x for row in pose.R for x in row if 0.0 < abs(x - round(x)) < 1e-6]
        if near:
            yield Finding(
                "note",
                place,
                f"rotation entries such as {near[0]!r} are nearly, not exactly 0 or 1",
                "write exact angles (pi with all digits) if they are meant to be",
            )


def masses(model: Model) -> Iterator[Finding]:
    """Massless and nearly massless bodies, and great ratios along the tree."""
    total = sum(b.rigid.mass for b in model.bodies)
    above: dict[int, Body] = {}
    for i in model.order:
        body, parent = model.bodies[i], model.parents[i]
        mass, where = body.rigid.mass, f"body {body.name!r}"
        heavy = above.get(parent)
        if mass == 0.0 and body.joint.nv and any(body.rigid.I):
            yield Finding("note", where, "it has rotational inertia and no mass",
                          "give it its mass, or the joint armature=")  # fmt: skip
        elif mass == 0.0 and body.joint.nv:
            yield Finding("note", where, "it is massless inside the tree",
                          "nothing, if it stands for a part of a joint")  # fmt: skip
        elif 0.0 < mass < 1e-9 * total:
            yield Finding("warning", where, f"its mass {mass:g} kg is nearly none of "
                          f"{total:g} kg in all", "check the unit")  # fmt: skip
        elif mass > 0.0 and heavy and not 1 / RATIO < mass / heavy.rigid.mass < RATIO:
            yield Finding(
                "warning",
                where,
                f"its mass {mass:g} kg and {heavy.rigid.mass:g} kg of "
                f"{heavy.name!r}, which carries it, differ by more than {RATIO:g}",
                "check the units (g or kg) of both",
            )
        if mass > 0.0:
            above[i] = body
        elif heavy:
            above[i] = heavy


def extents(model: Model) -> Iterator[Finding]:
    """Centres of mass and inertias that do not fit the size of their body."""
    heavy = [i for i, b in enumerate(model.bodies) if b.rigid.mass > 0.0]
    if not heavy:
        return
    moments, _ = principal_moments([model.bodies[i].rigid for i in heavy])
    for i, m in zip(heavy, moments, strict=True):
        body = model.bodies[i]
        where, com = f"body {body.name!r}", float(np.linalg.norm(body.rigid.com))
        gyration = float(np.sqrt(max(m[2], 0.0) / body.rigid.mass))
        size = _size(model, i)
        if com > FAR * max(gyration, size) and max(gyration, size) > 0.0:
            yield Finding(
                "warning", where,
                f"its com is {com:.3g} m from its origin, with a radius of gyration of "
                f"{gyration:.3g} m and joints within {size:.3g} m",
                "check the unit (mm or m) and the frame of com",
            )  # fmt: skip
        if gyration > FAR * max(com, size) and max(com, size) > 0.0:
            yield Finding(
                "warning", where,
                f"its inertia means a radius of gyration of {gyration:.3g} m, with com "
                f"and joints within {max(com, size):.3g} m",
                "check the unit of I_com (g mm^2 or kg m^2)",
            )  # fmt: skip


def _size(model: Model, i: int) -> float:
    """The distance of the farthest joint on a body from its origin [m]."""
    body = model.bodies[i]
    children = [model.bodies[k].placement.p for k in model._below[i]]
    return max(float(np.linalg.norm(p)) for p in [body.offset.inverse().p, *children])


def joint_subspaces(model: Model) -> Iterator[Finding]:
    """Joints that lose a freedom at the neutral position, or everywhere."""
    rng = np.random.default_rng(0)
    for placed in model.joints:
        joint = placed.joint
        if not joint.nv:
            continue
        some = coordinates.random_of(joint, rng, (SAMPLES,))
        rest = np.array([joint.neutral])
        at_random, at_rest = (_rank(joint, q) for q in (some, rest))
        where = f"joint {placed.name!r}"
        if at_random < joint.nv:
            yield Finding(
                "error", where,
                f"its {joint.nv} velocities move the body in {at_random} directions"
                f"{_lost(joint, some)}",
                "leave out coordinates that do the same",
            )  # fmt: skip
        elif at_rest < joint.nv:
            yield Finding(
                "warning", where,
                f"at its neutral position {tuple(rest[0].tolist())} it has {at_rest} "
                f"of {joint.nv} freedoms{_lost(joint, rest)}",
                "start elsewhere, or take a joint without it, such as Spherical",
            )  # fmt: skip


def _rank(joint: Joint, q: np.ndarray) -> int:
    S = coordinates.motion(joint, q)[2]
    good = S[np.isfinite(S).all(axis=(1, 2))]
    return int(max(np.linalg.matrix_rank(good, tol=1e-9), default=0))


def _lost(joint: Joint, q: np.ndarray) -> str:
    """Which velocities of a joint do nothing, or the same, at the first position."""
    S = coordinates.motion(joint, q)[2]
    good = S[np.isfinite(S).all(axis=(1, 2))]
    if not len(good):
        return ""
    still = np.abs(np.linalg.svd(good[0])[2][-1])
    names = [f"{k}" for k in np.flatnonzero(still > 1e-6)]
    if len(names) == 1:
        return f": velocity {names[0]} moves nothing"
    return f": velocities {', '.join(names)} depend on each other"


def poses(model: Model) -> Iterator[Finding]:
    """Poses that are no rigid motion somewhere, or not twice differentiable."""
    yield from (Finding(*entry) for entry in joint_poses(model))


def limits(model: Model) -> Iterator[Finding]:
    """Limits that hold nothing, and neutral positions beyond them."""
    for placed in model.joints:
        joint = placed.joint
        if joint.nq != joint.nv:
            continue
        rows = zip(joint.lower, joint.upper, joint.neutral, strict=True)
        for low, high, neutral in rows:
            where = f"joint {placed.name!r}"
            if low == high:
                yield Finding("warning", where, f"its limits leave one value, {low:g}",
                              "take a Fixed joint")  # fmt: skip
            elif not low <= neutral <= high:
                yield Finding(
                    "note", where,
                    f"its neutral position {neutral:g} lies outside its limits "
                    f"[{low:g}, {high:g}]",
                    "start from model.random(rng) or a position of your own",
                )  # fmt: skip


def gravity(model: Model) -> Iterator[Finding]:
    """Gravity that is far from the Earth's, or has no effect in the plane."""
    g = float(np.linalg.norm(model.gravity))
    if model.planar and g > 0.0 and not any(model.gravity[:2]):
        yield Finding("note", "gravity", "it is normal to the plane and has no effect",
                      "write gravity=(0, -9.81, 0) for gravity along -y")  # fmt: skip
    elif g > 100.0:
        yield Finding("warning", "gravity", f"its size is {g:g} m/s^2",
                      "check the unit (mm or m)")  # fmt: skip


def planar_offsets(model: Model) -> Iterator[Finding]:
    """Offsets normal to the plane, which planar results leave out."""
    if not model.planar:
        return
    for body in model.bodies:
        out = (body.placement.p[2], body.offset.p[2], body.rigid.h[2])
        if any(out):
            yield Finding("note", f"body {body.name!r}",
                          "its placement, offset or com has a part along z, which a "
                          "planar model leaves out",
                          "set it to 0, or take planar=False")  # fmt: skip


def mass_matrix(model: Model) -> Iterator[Finding]:
    """A mass matrix that is singular, or nearly, at random positions.

    The condition is taken after scaling the diagonal to 1, so that units do not matter.
    """
    if not 0 < model.nv <= 300:
        return
    M = mass_matrices(model, model.random(np.random.default_rng(0), (SAMPLES,)))
    M = M[np.isfinite(M).all(axis=(1, 2))]
    if not len(M):
        return
    diagonal = np.einsum("nii->ni", M)
    zero = (diagonal <= 1e-12 * diagonal.max(axis=1, keepdims=True)).all(axis=0)
    names = [name for name, z in zip(model.v_names, zero, strict=True) if z]
    if names:
        yield Finding("error", f"joint velocity {', '.join(names)}",
                      "it moves no inertia: the mass matrix is singular",
                      "give the bodies it moves an inertia about its axis, or the "
                      "joint armature=")  # fmt: skip
        return
    scale = 1.0 / np.sqrt(diagonal)
    values, vectors = np.linalg.eigh(scale[:, :, None] * M * scale[:, None, :])
    condition = values[:, -1] / np.maximum(values[:, 0], 1e-300)
    typical = int(np.argsort(condition)[len(condition) // 2])
    if condition[typical] > CONDITION:
        along = np.abs(vectors[typical, :, 0])
        large = along > 0.3 * along.max()
        part = [n for n, x in zip(model.v_names, large, strict=True) if x]
        singular = condition[typical] > 1e14
        yield Finding(
            "error" if singular else "warning",
            f"joint velocities {', '.join(part)}",
            f"the mass matrix is {'singular' if singular else 'nearly singular'}, its "
            f"condition {condition[typical]:.1e}: together they move hardly any mass",
            "give the bodies between them inertia, or the joints armature=",
        )


RULES: tuple[Callable[[Model], Iterator[Finding]], ...] = (
    nearly_exact_rotations,
    masses,
    extents,
    joint_subspaces,
    poses,
    limits,
    gravity,
    planar_offsets,
    mass_matrix,
)
