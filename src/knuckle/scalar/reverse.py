"""Reverse differentiation of a trace: one sweep from the outputs back to the inputs.

The weight of a node is d(sum of weighted outputs) / d(node). Inside an arm of a `where`
it holds only while that arm is taken, so it carries the condition, its guard: what the
arm that is not taken would add is never formed, be it infinite or no number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from knuckle.scalar.choice import logic, logic_not, select
from knuckle.scalar.derive import partials
from knuckle.scalar.node import CONDITIONS, Number, Scalar, live

Weight = tuple[Number, Number | None]
"""(value, guard): the value counts where the guard holds; None holds everywhere."""

UNROLLED = 2000
"""Operations up to which a scan is swept step by step; longer ones go forward."""


def gradient(
    outputs: Sequence[Number], weights: Sequence[Number], inputs: Sequence[Scalar]
) -> tuple[Number, ...]:
    """sum_k weights[k] d(outputs[k]) / d(inputs[j]) for each j.

    Inputs may be any nodes; what lies before them is not looked at. Zeros are the plain
    float 0.0.
    """
    sweep = _Sweep(outputs, inputs)
    for x, w in zip(outputs, weights, strict=True):
        if isinstance(x, Scalar) and not _is_zero(w):
            sweep.give(x, (w, None))
    sweep.run()
    return tuple(sweep.total(x) for x in inputs)


class _Sweep:
    """Weights of nodes, gathered from the last node to the first."""

    def __init__(self, outputs: Iterable[Number], inputs: Iterable[Scalar]) -> None:
        self.leaves = {x.index for x in inputs}
        self.nodes = live(outputs)
        self.moving = set(self.leaves)
        for node in self.nodes:
            if any(a.index in self.moving for a in node.args):
                self.moving.add(node.index)
        self.weights: dict[int, Weight] = {}
        self.items: dict[int, dict[int, Weight]] = {}

    def run(self) -> None:
        """From the last node to the first; every weight is complete when it is used."""
        for node in reversed(self.nodes):
            if node.index in self.leaves:
                continue
            if node.index in self.items:
                self.through(node, self.items.pop(node.index))
            elif node.index in self.weights:
                self.pass_on(node, self.weights.pop(node.index))

    def total(self, x: Scalar) -> Number:
        return _plain(self.weights.get(x.index, (0.0, None)))

    def give(self, node: Scalar, weight: Weight) -> None:
        """Add to the weight of a node that moves."""
        if node.index in self.moving and not _is_zero(weight[0]):
            before = self.weights.get(node.index)
            self.weights[node.index] = _sum(before, weight)

    def pass_on(self, node: Scalar, weight: Weight) -> None:
        value, guard = weight
        if node.op in CONDITIONS:
            return
        if node.op == "item":
            slots = self.items.setdefault(node.args[0].index, {})
            slots[node.value] = _sum(slots.get(node.value), weight)
        elif node.op in _CHOICES:
            condition, x, y = _CHOICES[node.op](node)
            self.give(x, (value, _both(guard, condition)))
            self.give(y, (value, _both(guard, logic_not(condition))))
        else:
            for a, partial in zip(node.args, partials(node), strict=True):
                if a.index in self.moving:
                    self.give(a, (value * partial, guard))

    def through(self, node: Scalar, slots: dict[int, Weight]) -> None:
        """A loop or a table: weights of its items become weights of its arguments."""
        guard = _any(guard for _, guard in slots.values())
        weights = {k: _plain(weight) for k, weight in slots.items()}
        moving = [n for n, a in enumerate(node.args) if a.index in self.moving]
        found = _THROUGH[node.op](node, weights, moving)
        for n, value in zip(moving, found, strict=True):
            self.give(node.args[n], (value, guard))


def _choice_of_where(node: Scalar) -> tuple[Any, Scalar, Scalar]:
    condition, x, y = node.args
    return condition, x, y


_CHOICES: dict[str, Callable[[Scalar], tuple[Any, Scalar, Scalar]]] = {
    "where": _choice_of_where,
    "min": lambda node: (node.args[0] <= node.args[1], node.args[0], node.args[1]),
    "max": lambda node: (node.args[1] <= node.args[0], node.args[0], node.args[1]),
}
"""(condition, taken where it holds, taken where not) of the primitives that choose."""


def _length(node: Scalar) -> int:
    steps: int = node.value.length
    return steps * len(node.value.body.ops)


def _unrolled(
    node: Scalar, weights: dict[int, Number], moving: Sequence[int]
) -> tuple[Number, ...]:
    """Every step of the loop in turn, on new leaves for its arguments."""
    loop = node.value
    carried = node.args[: loop.carried]
    carry: Sequence[Number] = carried
    for k in range(loop.length):
        carry = loop.body(float(k), *carry, *node.args[loop.carried :])
    results = [carry[k] for k in weights]
    return _by_place(node, moving, results, list(weights.values()))


def _by_place(
    node: Scalar,
    moving: Sequence[int],
    results: Sequence[Number],
    weights: Sequence[Number],
    held: Sequence[Scalar] = (),
) -> tuple[Number, ...]:
    """The gradient by the arguments at these places, with some nodes held; one that
    stands twice counts at its first place."""
    first = {node.args[n]: n for n in reversed(moving)}
    found = dict(zip(first, gradient(results, weights, [*first, *held])))
    return tuple(
        found[node.args[n]] if first[node.args[n]] == n else 0.0 for n in moving
    )


def _forward(
    node: Scalar, weights: dict[int, Number], moving: Sequence[int]
) -> tuple[Number, ...]:
    """The loop with the rate of one argument after the other beside it."""
    from knuckle.scalar.loop_rates import loop_rates

    found = []
    for n in moving:
        seed = [1.0 if k == n else 0.0 for k in range(len(node.args))]
        rates = loop_rates(node, seed)
        found.append(sum((w * rates[k] for k, w in weights.items()), 0.0))
    return tuple(found)


def _scan(
    node: Scalar, weights: dict[int, Number], moving: Sequence[int]
) -> tuple[Number, ...]:
    """Unrolled where it is short, else by the rates of what moves it."""
    through = _unrolled if _length(node) <= UNROLLED else _forward
    return through(node, weights, moving)


def _fixed_point(
    node: Scalar, weights: dict[int, Number], moving: Sequence[int]
) -> tuple[Number, ...]:
    """The implicit function rule: one step of the body at the solution."""
    from knuckle.scalar import fixed_point
    from knuckle.scalar.bodies import items

    n = node.value.carried
    solved = fixed_point.weights(node, [weights.get(k, 0.0) for k in range(n)])
    solution = items(node, n)
    results = node.value.body(*solution, *node.args[n:])[:n]
    behind = [k for k in moving if k >= n]
    found = iter(_by_place(node, behind, results, solved, solution))
    return tuple(next(found) if k >= n else 0.0 for k in moving)


def _table(
    node: Scalar, weights: dict[int, Number], moving: Sequence[int]
) -> tuple[Number, ...]:
    from knuckle.scalar.tables import lookup_weights

    row = [weights.get(k, 0.0) for k in range(node.value.columns)]
    found = lookup_weights(node, row)
    return tuple(found[n] if n < len(found) else 0.0 for n in moving)


_THROUGH: dict[str, Callable[..., tuple[Number, ...]]] = {
    "scan": _scan,
    "while": _fixed_point,
    "lookup": _table,
}


def _sum(a: Weight | None, b: Weight) -> Weight:
    if a is None:
        return b
    if a[1] is b[1]:
        return a[0] + b[0], a[1]
    return _plain(a) + _plain(b), _any((a[1], b[1]))


def _plain(weight: Weight) -> Number:
    value, guard = weight
    return value if guard is None else select(guard, value, 0.0)


def _both(guard: Number | None, condition: Number) -> Number:
    return condition if guard is None else logic("and", guard, condition)


def _any(guards: Iterable[Number | None]) -> Number | None:
    total: Number | None = False
    for guard in guards:
        if guard is None or total is None:
            return None
        total = guard if total is False else logic("or", total, guard)
    return total


def _is_zero(x: Number) -> bool:
    return isinstance(x, float) and x == 0.0
