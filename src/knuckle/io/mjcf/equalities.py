"""Equalities between joints: MuJoCo holds them softly, here they are exact."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from knuckle.io.following import Following
from knuckle.model import Body, Constraint, Coupling

if TYPE_CHECKING:
    from knuckle.io.mjcf.sections import Item

IDENTITY = (0.0, 1.0, 0.0, 0.0, 0.0)
DEGREE = len(IDENTITY) - 1


def following(
    item: Item, constraint: Constraint, bodies: Iterable[Body]
) -> Following | None:
    """The law of an active <joint>; None for what ties no two hinges or slides.

    y - y0 = a0 + a1 (x - x0) + ... + a4 (x - x0)^4, from where both joints start.
    """
    active = item.entry.get("active", "true") == "true"
    if constraint.kind != "joint" or not active or not constraint.between:
        return None
    start = {str(b.joint_name): b.joint.neutral for b in bodies}
    y, *x = constraint.between
    if any(len(start.get(name, ())) != 1 for name in (y, *x)):
        return None
    given = item.entry.numbers("polycoef", tuple(range(1, 6)), IDENTITY)
    a = (*given, *IDENTITY[len(given) :])
    y0 = start[y][0]
    if not x:
        law = Coupling(y, (), offset=y0 + a[0])
    elif any(a[2:]):
        law = Coupling(y, x, function=polynomial(a, start[x[0]][0], y0))
    else:
        law = Coupling(y, x, a[1], y0 + a[0] - a[1] * start[x[0]][0])
    told = f"equality {constraint.name!r} of joints holds exactly here"
    named = ("ends", "polycoef", "active")
    left = [f"{key} {x}" for key, x in constraint.properties if key not in named]
    told += f"; left out: {', '.join(left)}" if left else ""
    return Following(law, constraint, item.element, told)


def polynomial(a: Sequence[float], x0: float, y0: float) -> Callable[[Any], Any]:
    """y0 + the sum of a_k (x - x0)^k."""

    def law(x: Any) -> Any:
        total: Any = 0.0
        for coefficient in reversed(a):
            total = coefficient + (x - x0) * total
        return y0 + total

    return law


def coefficients(coupling: Coupling, x0: float, y0: float) -> tuple[float, ...] | None:
    """a0 ... a4 of a law of at most one source; None where it is no such polynomial."""
    if not coupling.sources:
        return (coupling.offset - y0, *([0.0] * DEGREE))
    if coupling.line:
        ratio, offset = coupling.line
        return offset + ratio * x0 - y0, ratio, 0.0, 0.0, 0.0
    if len(coupling.sources) > 1 or coupling.function is None:
        return None
    steps = np.array([-2.0, -1.0, 0.0, 1.0, 2.0, 3.0, -0.5])
    values = np.array([coupling.value((), [x0 + s])[0] for s in steps]) - y0
    powers = np.vander(steps, DEGREE + 1, increasing=True)
    a = np.linalg.solve(powers[: DEGREE + 1], values[: DEGREE + 1])
    scale = np.abs(values).max() + 1.0
    a[np.abs(a) < 1e-14 * scale] = 0.0
    if not np.allclose(powers @ a, values, rtol=0.0, atol=1e-12 * scale):
        return None
    return tuple(a.tolist())
