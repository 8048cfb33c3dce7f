"""Rules on joints: freedoms that are lost, limits that hold nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from knuckle.joints import Joint
from knuckle.joints.flaws import Flaw, flaws
from knuckle.model import coordinates
from knuckle.model.check.finding import Finding

if TYPE_CHECKING:
    from knuckle.model.model import Model

SAMPLES = 8


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


@lru_cache(maxsize=1024)
def _flaws(joint: Joint) -> tuple[Flaw, ...]:
    return tuple(flaws(joint))


def joint_poses(model: Model) -> Iterator[Finding]:
    """Poses that are no rigid motion somewhere, or not twice differentiable."""
    for placed in model.joints:
        for flaw in _flaws(placed.joint):
            rigid = "rigid" not in flaw.message
            yield Finding(
                "warning" if rigid else "error",
                f"joint {placed.name!r}",
                f"at {flaw.coordinate} = {flaw.value:.6g} {flaw.message}",
                "take functions with two continuous derivatives, or limits that keep "
                "away from there"
                if rigid
                else "build R from rotations",
            )


def limits(model: Model) -> Iterator[Finding]:
    """Limits that hold nothing, and neutral positions beyond them."""
    for placed in model.joints:
        joint = placed.joint
        yield from _zero_limits(placed.name, joint)
        if joint.nq != joint.nv:
            continue
        rows = zip(joint.lower, joint.upper, joint.neutral, strict=True)
        for low, high, neutral in rows:
            where = f"joint {placed.name!r}"
            if low == high:
                yield Finding("warning", where, f"its limits leave one value, {low:g}",
                              "give it limits, or take a Fixed joint")  # fmt: skip
            elif not low <= neutral <= high:
                yield Finding(
                    "note", where,
                    f"its neutral position {neutral:g} lies outside its limits "
                    f"[{low:g}, {high:g}]",
                    "start from model.random(rng) or a position of your own",
                )  # fmt: skip


def _zero_limits(name: str, joint: Joint) -> Iterator[Finding]:
    """Limits of 0 on speed or force, which files often mean as 'not known'."""
    for what in ("velocity_limit", "effort_limit"):
        if 0.0 in getattr(joint, what):
            yield Finding(
                "note",
                f"joint {name!r}",
                f"its {what.replace('_', ' ')} is 0, so that it may not "
                + ("move" if what == "velocity_limit" else "be driven"),
                f"give {what}=, or leave it out where it is not known",
            )
