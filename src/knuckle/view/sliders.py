"""Numbers that a hand can move: positions as one slider for each freedom.

Where a position has unit quaternions, three sliders make a rotation vector of each;
all other coordinates are their own sliders, within their limits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from knuckle.model import Model
from knuckle.model.body import PlacedJoint
from knuckle.model.coordinates import motion
from knuckle.spatial import quaternion

Array = np.ndarray
Way = Callable[[Sequence[float]], Sequence[Any]]


@dataclass(frozen=True)
class Slider:
    """One number of a joint between two bounds [rad or m]."""

    label: str
    lower: float
    upper: float


@dataclass(frozen=True)
class Group:
    """Sliders that stand for the entries q of a position, and the way to and fro."""

    q: slice
    sliders: tuple[Slider, ...]
    read: Way
    write: Way

    def values(self, q: Array) -> Array:
        """Where the sliders stand at a position, within their bounds."""
        low, high = np.array([(s.lower, s.upper) for s in self.sliders]).T
        return np.clip(np.array(self.read(q[self.q].tolist()), float), low, high)

    def position(self, values: Sequence[float]) -> Array:
        """The entries of q where the sliders stand there."""
        return np.array(self.write([float(x) for x in values]), float)


def groups(model: Model, size: float) -> list[Group]:
    """The sliders of all joints in the order of q; `size` [m] bounds free distances."""
    found: list[Group] = []
    for placed in model.independent:
        limits = model.lower[placed.v], model.upper[placed.v]
        found += _of_joint(placed, size, *limits)
    return found


def _of_joint(
    placed: PlacedJoint, size: float, lower: Array, upper: Array
) -> Iterator[Group]:
    joint, start = placed.joint, placed.q.start
    unit = _unit(joint)
    if not _quaternions(unit):
        yield _steps(placed)
        return
    free = np.where(_angles(placed), np.pi, size)
    k = 0
    while k < joint.nq:
        if unit[k]:
            turns = [Slider(f"{placed.name} r{c}", -np.pi, np.pi) for c in "xyz"]
            q = slice(start + k, start + k + 4)
            yield Group(q, tuple(turns), quaternion.log, quaternion.exp)
            k += 4
        else:
            label = placed.name + (f" {k}" if joint.nq > 1 else "")
            slider = Slider(label, *_bounds(placed, k, free[k], lower, upper))
            yield Group(slice(start + k, start + k + 1), (slider,), list, list)
            k += 1


def _steps(placed: PlacedJoint) -> Group:
    """For positions on other manifolds: the step from neutral along every velocity."""
    joint, zero = placed.joint, placed.joint.neutral
    sliders = [Slider(f"{placed.name} {k}", -np.pi, np.pi) for k in range(joint.nv)]
    return Group(
        placed.q, tuple(sliders),
        lambda q: joint.difference(zero, q), lambda v: joint.integrate(zero, v, 1.0),
    )  # fmt: skip


def _quaternions(unit: Array) -> bool:
    """Whether the entries that normalising moves come in runs of four."""
    edges = np.flatnonzero(np.diff([0, *unit.astype(int), 0]))
    return bool(np.all((edges[1::2] - edges[::2]) % 4 == 0))


def _unit(joint: Any) -> Array:
    """Which entries of q belong to unit quaternions: those that normalising moves."""
    doubled = 2.0 * np.array(joint.neutral) + 1.0
    return np.array(joint.normalize(tuple(doubled.tolist()))) != doubled


def _angles(placed: PlacedJoint) -> Array:
    """Which coordinates turn the body; where nq is not nv, none that stands alone."""
    joint = placed.joint
    if joint.nq != joint.nv:
        return np.zeros(joint.nq, bool)
    _, _, S = motion(joint, np.array(joint.neutral))
    return np.any(np.abs(S[:3]) > 1e-9, axis=0)  # type: ignore[no-any-return]


def _bounds(
    placed: PlacedJoint, k: int, free: float, lower: Array, upper: Array
) -> tuple[float, float]:
    """The limits of a coordinate; a range of 2 `free` where they are infinite."""
    joint = placed.joint
    at = float(joint.neutral[k])
    low, high = -np.inf, np.inf
    if joint.nq == joint.nv:
        low, high = float(lower[k]), float(upper[k])
    if np.isinf(low):
        low = at - free if np.isinf(high) else high - 2.0 * free
    return low, low + 2.0 * free if np.isinf(high) else high
