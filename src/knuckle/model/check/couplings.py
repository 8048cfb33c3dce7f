"""Rules on couplings: laws that are not finite, limits that followers cannot keep."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from knuckle.model.body import PlacedJoint
from knuckle.model.check.finding import Finding
from knuckle.model.errors import ModelError
from knuckle.model.gamma import all_positions, slopes
from knuckle.model.ties import Tie

if TYPE_CHECKING:
    from knuckle.model.model import Model

Array = np.ndarray
SAMPLES = 64
SLACK = 1e-6


def couplings(model: Model) -> Iterator[Finding]:
    """Followers without a finite value or slope, or beyond their limits, somewhere."""
    if not model.ties:
        return
    try:
        some = model.random(np.random.default_rng(0), SAMPLES)
    except ModelError as error:
        yield Finding("error", "couplings", str(error), "see the limits of each")
        return
    q = np.concatenate([model.neutral()[None], some])
    every, G = all_positions(model, q), slopes(model, q)
    for tie in model.ties:
        placed = model.tree_joints[tie.follower]
        yield from _locked(model, tie)
        yield from _range(placed, every[:, placed.q], G[:, placed.v])


def _range(placed: PlacedJoint, x: Array, slope: Array) -> Iterator[Finding]:
    """Where a follower goes, (rows, nq), the first row from the neutral position."""
    where = f"coupling of joint {placed.name!r}"
    if not (np.isfinite(x).all() and np.isfinite(slope).all()):
        yield Finding(
            "error", where, "its law or its slope is not finite everywhere",
            "take a smooth function, or limits that keep away from there",
        )  # fmt: skip
        return
    low, high = np.array(placed.joint.lower), np.array(placed.joint.upper)
    slack = SLACK * (1.0 + np.abs(x))
    outside = ((x < low - slack) | (x > high + slack)).any(axis=1)
    if outside[1:].any():
        yield Finding(
            "warning", where,
            f"it leads beyond the limits of the joint, to {x.min():.4g} .. "
            f"{x.max():.4g}, while those that it follows keep theirs",
            "change the limits, ratio or offset so that all can hold",
        )  # fmt: skip
    elif outside[0]:
        yield Finding(
            "note", where,
            f"at the neutral position the joint is at {x[0, 0]:g}, outside its limits",
            "start from model.random(rng) or a position of your own",
        )  # fmt: skip


def _locked(model: Model, tie: Tie) -> Iterator[Finding]:
    """Limits of a follower that leave the joint that it follows one value."""
    for placed in (model.joints[k] for k in tie.joints if k not in followers(model)):
        if placed.joint.custom:
            continue
        low, high = model.lower[placed.v], model.upper[placed.v]
        own = np.array(placed.joint.lower) < np.array(placed.joint.upper)
        if (own & (low == high)).any():
            yield Finding(
                "warning", f"coupling of joint {tie.coupling.joint!r}",
                f"its limits leave joint {placed.name!r}, which it follows, one value",
                "change the limits, ratio or offset so that all can hold",
            )  # fmt: skip


def followers(model: Model) -> set[int]:
    """The joints that follow others, by number."""
    return {tie.follower for tie in model.ties}
