"""T, T_a and Y of a joint's S, while tracing too: pivots are chosen by selects."""

from __future__ import annotations

from typing import Any, NamedTuple

from knuckle.scalar import Number, reciprocal, where
from knuckle.spatial.linear import dot, identity, is_unit, is_zero
from knuckle.spatial.subspace import (
    ForceSubspace,
    PlanarForceSubspace,
    PlanarSubspace,
    Subspace,
)

Row = list[Number]


class Complement(NamedTuple):
    """T^T S = 0, T_a^T S = 1, T^T Y = 1, T_a^T Y = 0 (Featherstone 3.35, 3.36)."""

    T: Any
    Ta: Any
    Y: Any


def complement(S: Any) -> Complement:
    """The forces that a joint transmits, those that drive it, and the motions it bars.

    From unit forces: for each axis the one that meets it best becomes its T_a and is
    taken out of all others.  The trap: which one that is may change with q; what
    T and T_a are used for does not.
    """
    size = S.kind.size
    forces = [list(row) for row in identity(size)]
    motions = [list(row) for row in identity(size)]
    for k, s in enumerate(S):
        n = size - k  # forces[n:] are the columns of T_a so far, the last first
        power = [dot(f, s.entries) for f in forces]
        _best_last(forces, motions, power, n)
        best = _scaled(reciprocal(power[n - 1]), forces[n - 1])
        for j, f in enumerate(forces):
            forces[j] = best if j == n - 1 else _less(f, power[j], best)
    m = size - len(S)
    spans = {
        Subspace: (ForceSubspace, Subspace),
        PlanarSubspace: (PlanarForceSubspace, PlanarSubspace),
    }
    force, motion = spans[type(S)]
    columns = [force.kind.of(f, S.frame) for f in forces]
    rest = [motion.kind.of(x, S.frame) for x in motions[:m]]
    return Complement(
        force(columns[:m], S.frame),
        force(columns[m:][::-1], S.frame),
        motion(rest, S.frame),
    )


def _best_last(forces: list[Row], motions: list[Row], power: Row, n: int) -> None:
    """Of the first n, the force with the most power comes to place n - 1."""
    last = n - 1
    for j in range(last):
        if is_zero(power[j]) or (is_unit(power[last]) and not is_unit(power[j])):
            continue
        swap = is_zero(power[last]) or abs(power[j]) > abs(power[last])
        for rows in (forces, motions):
            rows[j], rows[last] = _exchanged(swap, rows[j], rows[last])
        (power[j],), (power[last],) = _exchanged(swap, [power[j]], [power[last]])


def _exchanged(swap: Any, a: Row, b: Row) -> tuple[Row, Row]:
    pairs = list(zip(a, b, strict=True))
    return [where(swap, y, x) for x, y in pairs], [where(swap, x, y) for x, y in pairs]


def _scaled(s: Number, row: Row) -> Row:
    return [s * x for x in row]


def _less(row: Row, s: Number, other: Row) -> Row:
    return [x - s * y for x, y in zip(row, other, strict=True)]
