"""Guards: the conditions under which a path of the derivative graph counts.

A literal is a condition or its negation: plus or minus (its index + 1). A guard holds
where all its literals do; what can never hold has none.
"""

from __future__ import annotations

from knuckle.scalar.choice import select
from knuckle.scalar.node import Number, Scalar, Trace

Guard = tuple[int, ...]

TRUE: Guard = ()


def literal(condition: Scalar, holds: bool = True) -> int:
    """The condition, or its negation."""
    while condition.op == "not":
        condition, holds = condition.args[0], not holds
    return condition.index + 1 if holds else -condition.index - 1


def both(a: Guard, b: Guard) -> Guard | None:
    """a and b; None where they exclude each other."""
    every = {*a, *b}
    return None if any(-x in every for x in every) else tuple(sorted(every))


def guarded_sum(trace: Trace, sums: dict[Guard, Number]) -> Number:
    """The sum of values, each of which counts where its literals hold.

    A value under a condition and one under its negation make one choice; the others
    choose between the value and 0, so that what does not count is never multiplied.
    """
    sums = dict(sums)
    while any(sums):
        innermost = max(sums, key=lambda t: (len(t), t))
        x = _outermost_last(innermost, sums)
        rest = _without(innermost, x)
        value = sums.pop(innermost)
        other = sums.pop(tuple(sorted((*rest, -x))), 0.0)
        condition = trace.nodes[abs(x) - 1]
        arms = (value, other) if x > 0 else (other, value)
        sums[rest] = sums.get(rest, 0.0) + select(condition, *arms)
    return sums.get((), 0.0)


def _outermost_last(literals: Guard, sums: dict[Guard, Number]) -> int:
    """The literal to settle first: one with a counterpart, else the least common."""
    for x in literals:
        if tuple(sorted((*_without(literals, x), -x))) in sums:
            return x
    return min(literals, key=lambda x: (sum(x in t or -x in t for t in sums), -abs(x)))


def _without(literals: Guard, x: int) -> Guard:
    return tuple(y for y in literals if y != x)
