"""Guards: the conditions under which a path of the derivative graph counts.

A literal is a condition or its negation: plus or minus (its index + 1). A guard is an
"or" of "and"s of literals, kept short: TRUE is the empty "and", FALSE the empty "or".
"""

from __future__ import annotations

from collections.abc import Sequence

from knuckle.scalar.choice import logic, logic_not, select
from knuckle.scalar.node import Number, Scalar, Trace

Conjunction = tuple[int, ...]
Guard = tuple[Conjunction, ...]

TRUE: Guard = ((),)
FALSE: Guard = ()


def literal(condition: Scalar, holds: bool = True) -> int:
    """The condition, or its negation."""
    while condition.op == "not":
        condition, holds = condition.args[0], not holds
    return condition.index + 1 if holds else -condition.index - 1


def both(a: Guard, b: Guard) -> Guard:
    """a and b."""
    if a == TRUE or b == TRUE:
        return b if a == TRUE else a
    return _short([set(x) | set(y) for x in a for y in b])


def either(guards: Sequence[Guard]) -> Guard:
    """One of the guards, at least."""
    if TRUE in guards:
        return TRUE
    return _short([set(x) for guard in guards for x in guard])


def _short(terms: list[set[int]]) -> Guard:
    """Without what is implied: x or (x and y) = x, x or (not x and y) = x or y."""
    terms = [t for t in terms if not any(-x in t for x in t)]
    changed = True
    while changed:
        changed = False
        for t in terms:
            for x in sorted(t):
                rest = t - {x}
                if any(u is not t and -x in u and u - {-x} <= rest for u in terms):
                    t.remove(x)
                    changed = True
    kept = sorted({tuple(sorted(t)) for t in terms}, key=lambda t: (len(t), t))
    shortest: list[Conjunction] = []
    for term in kept:
        if not any(set(s) <= set(term) for s in shortest):
            shortest.append(term)
    return tuple(shortest)


def conjunction(trace: Trace, guard: Guard) -> Conjunction:
    """The guard as literals that hold together; an "or" becomes a condition."""
    if len(guard) == 1:
        return guard[0]
    total: Number = False
    for term in guard:
        every: Number = True
        for x in term:
            condition = trace.nodes[abs(x) - 1]
            every = logic("and", every, condition if x > 0 else logic_not(condition))
        total = logic("or", total, every)
    return (literal(total),)


def guarded_sum(trace: Trace, sums: dict[Conjunction, Number]) -> Number:
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


def _outermost_last(literals: Conjunction, sums: dict[Conjunction, Number]) -> int:
    """The literal to settle first: one with a counterpart, else the least common."""
    for x in literals:
        if tuple(sorted((*_without(literals, x), -x))) in sums:
            return x
    return min(literals, key=lambda x: (sum(x in t or -x in t for t in sums), -abs(x)))


def _without(literals: Conjunction, x: int) -> Conjunction:
    return tuple(y for y in literals if y != x)
