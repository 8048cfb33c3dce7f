"""What resists the motion of a joint: dampers, dry friction, springs, limits.

A resistance pushes with r - K a, where K is diagonal: the part that depends on the
acceleration to come is solved with it, as armature is, which keeps stiff dampers and
limits stable at any time step. With w the velocity at the start of the step and
h = `ahead`, what acts is that of the velocity w + h a and of the position y + h w +
h^2 a:

    damper        -d (w + h a)
    dry friction  -f (w + h a) / max(|w|, s), in place of -f sign(v); s = friction_speed
    spring        -k (y + h w + h^2 a)
    limit         -D (z^2 (y + h w + h^2 a) + 2 z (w + h a)),  z = 0.1 / dt

A limit acts in a step that starts beyond it, at a distance y, unless it would pull
there. D is the inertia that the joint feels with its parent held, S^T I^A S + armature:
z is the bandwidth of a critically damped return. What arrives with the velocity v goes
v / (e z) beyond the limit and leaves it with e^-2 v.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from knuckle.scalar import Number, where
from knuckle.spatial.linear import is_zero

BANDWIDTH = 0.1
"""The bandwidth of limits, times dt."""

Pair = tuple[Number, Number]


@dataclass(frozen=True)
class Laws:
    """The choices that shape the physics of a step."""

    dt: Number
    limits: bool = True
    friction_speed: float = 1e-3


@dataclass(frozen=True)
class Stage:
    """Where the dynamics is evaluated, and from where its resistances look ahead.

    `q` and `v` are the point of evaluation, `q0` and `v0` the start of the step,
    `ahead` how long after the start dampers and limits act [s], `springs_ahead` the
    same for springs. With both zero the start is the point of evaluation.
    """

    q: Any
    v: Any
    q0: Any
    v0: Any
    ahead: Number = 0.0
    springs_ahead: Number = 0.0


def resistance(i: Any, stage: Stage, D: Any, laws: Laws) -> tuple[Any, Any]:
    """r and the diagonal of K of body i's joint [N m, N]; D is its inertia matrix."""
    parts = [_damping(i.joint, stage.v0[i], stage.ahead, laws)]
    if not all(is_zero(k) for k in i.joint.stiffness):
        parts.append(_springs(i, stage))
    if laws.limits and limited(i.joint.model):
        parts.append(_limits(i, stage, D, laws))
    sums = [_total(pairs) for pairs in zip(*parts, strict=True)]
    return tuple(r for r, _ in sums), tuple(k for _, k in sums)


def limited(joint: Any) -> bool:
    """Whether a position limit of the joint is finite."""
    return any(isfinite(x) for x in (*joint.lower, *joint.upper))


def with_diagonal(D: Any, rates: Sequence[Number]) -> Any:
    """D + K."""
    return tuple(
        tuple(x + rates[r] if r == c else x for c, x in enumerate(row))
        for r, row in enumerate(D)
    )


def _total(pairs: Sequence[Pair]) -> Pair:
    return sum((r for r, _ in pairs), 0.0), sum((k for _, k in pairs), 0.0)


def _damping(joint: Any, velocity: Any, h: Number, laws: Laws) -> list[Pair]:
    """-c (w + h a), c = d + f / max(|w|, s)."""
    found = []
    for d, f, w in zip(joint.damping, joint.friction, velocity, strict=True):
        if not is_zero(f):
            speed = abs(w)
            s = laws.friction_speed
            d = d + f / where(speed > s, speed, s)
        found.append((0.0 - d * w, d * h))
    return found


def _springs(i: Any, stage: Stage) -> list[Pair]:
    """-k (y + h w + h^2 a); where v is not dq/dt, -k y at the point of evaluation."""
    joint, plain = i.joint, not i.joint.model.custom
    h = stage.springs_ahead if plain else 0.0
    y = joint.model.difference(joint.rest, stage.q0[i] if plain else stage.q[i])
    return [
        (0.0 - k * (stretch + h * w), k * (h * h))
        for k, stretch, w in zip(joint.stiffness, y, stage.v0[i], strict=True)
    ]


def _limits(i: Any, stage: Stage, D: Any, laws: Laws) -> list[Pair]:
    """-D (z^2 (y + h w + h^2 a) + 2 z (w + h a)) where y is not 0 and this pushes
    back."""
    joint, h, z = i.joint.model, stage.ahead, BANDWIDTH / laws.dt
    spring, damper = z * z, z * z * h + 2.0 * z
    found: list[Pair] = []
    for k, (q, w) in enumerate(zip(stage.q0[i], stage.v0[i], strict=True)):
        low, high = joint.lower[k], joint.upper[k]
        if not (isfinite(low) or isfinite(high)):
            found.append((0.0, 0.0))
            continue
        y = where(q > high, q - high, where(q < low, q - low, 0.0))
        push = spring * y + damper * w
        inertia = where(push * y > 0.0, D[k][k], 0.0)
        found.append((0.0 - inertia * push, inertia * (damper * h)))
    return found
