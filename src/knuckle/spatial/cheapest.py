"""Choose among formulas of the same value the one with the least arithmetic.

The candidates are run once on probes that know only the zero pattern and which
entries coincide; the choice is cached by that pattern.  So a table of special cases
(planar rotations, zero rows, screws: Featherstone Sec. A.4, A.5) is never needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from knuckle.scalar import Number

Formula = Callable[..., Any]
_CHOICES: dict[Any, int] = {}


class _Tape:
    """The interned operations of one candidate: (kind, operands)."""

    def __init__(self) -> None:
        self.ops: list[tuple[Any, ...]] = []
        self.free: list[bool] = []
        self.known: dict[tuple[Any, ...], int] = {}

    def node(self, *key: Any) -> int:
        found = self.known.setdefault(key, len(self.ops))
        if found == len(self.ops):
            self.ops.append(key)
            self.free.append(all(map(self._is_free, key[1:])))
        return found

    def _is_free(self, operand: Any) -> bool:
        """Free inputs, and the 1 and 2 that a formula itself brings."""
        if type(operand) is int:
            return self.free[operand]
        return operand in (1.0, 2.0, "", "-")

    def leaf(self, name: str, free: bool) -> int:
        """An input; what is made of free inputs alone is free too."""
        k = self.node("leaf", name)
        self.free[k] = free
        return k

    def cost(self, outputs: list[Any]) -> int:
        """Operations plus instructions after fusing each sum with one product."""
        live = {x.node for x in outputs if isinstance(x, _Probe)}
        uses: dict[int, int] = {}
        for k in reversed(range(len(self.ops))):
            if k in live:
                for a in self.ops[k][1:]:
                    if type(a) is int:
                        live.add(a)
                        uses[a] = uses.get(a, 0) + 1
        total = 0
        for k in live:
            kind, *args = self.ops[k]
            if kind == "leaf" or self.free[k]:
                continue
            total += 2
            if kind == "sum" and any(
                type(a) is int and self.ops[a][0] == "product" and uses[a] == 1
                for a in args
            ):
                total -= 1
        return total


class _Probe:
    """A number of which only the identity is known; negation is free."""

    __slots__ = ("node", "sign", "tape")

    def __init__(self, tape: _Tape, node: int, sign: float = 1.0) -> None:
        self.tape, self.node, self.sign = tape, node, sign

    def __neg__(self) -> _Probe:
        return _Probe(self.tape, self.node, -self.sign)

    def __add__(self, y: Any) -> Any:
        if not isinstance(y, _Probe):
            if y == 0:
                return self
            return _Probe(self.tape, self.tape.node("sum", self.node, float(y)))
        if y.node == self.node:
            return 0.0 if y.sign != self.sign else 2.0 * self
        first, second = (self, y) if self.node < y.node else (y, self)
        same = "" if first.sign == second.sign else "-"
        node = self.tape.node("sum", first.node, second.node, same)
        return _Probe(self.tape, node, first.sign)

    __radd__ = __add__

    def __sub__(self, y: Any) -> Any:
        return self + (-y)

    def __rsub__(self, y: Any) -> Any:
        return (-self) + y

    def __mul__(self, y: Any) -> Any:
        if isinstance(y, _Probe):
            a, b = sorted((self.node, y.node))
            return _Probe(
                self.tape, self.tape.node("product", a, b), self.sign * y.sign
            )
        if y == 0:
            return 0.0
        node = self.node
        if abs(y) != 1:
            node = self.tape.node("product", node, abs(float(y)))
        return _Probe(self.tape, node, math.copysign(1.0, y) * self.sign)

    __rmul__ = __mul__


def cheapest(formulas: tuple[Formula, ...], *arguments: Any) -> Any:
    """The value of the formulas, all equal, computed by the cheapest one.

    What depends on the arguments before the last one alone (the cosines of a transform)
    counts nothing: it is shared by all that the transform acts on.  On plain floats the
    first formula is used.
    """
    entries: list[Number] = []
    _flatten(arguments, entries)
    if all(isinstance(x, (float, int)) for x in entries):
        return formulas[0](*arguments)
    pattern = _pattern(entries)
    key = (formulas, tuple(_shape(a) for a in arguments), pattern)
    if key not in _CHOICES:
        costs = [_cost(f, arguments, pattern) for f in formulas]
        _CHOICES[key] = costs.index(min(costs))
    return formulas[_CHOICES[key]](*arguments)


def _cost(formula: Formula, arguments: Any, pattern: tuple[Any, ...]) -> int:
    tape = _Tape()
    last: list[Number] = []
    _flatten(arguments[-1], last)
    first = len(pattern) - len(last)
    leaves = iter([
        x if type(x) is float else _Probe(tape, tape.leaf(str(x), k < first))
        for k, x in enumerate(pattern)
    ])  # fmt: skip
    outputs: list[Any] = []
    _flatten(formula(*_rebuild(arguments, leaves)), outputs)
    return tape.cost(outputs)


def _pattern(entries: list[Number]) -> tuple[Any, ...]:
    """Per entry: 0.0, 1.0, -1.0, a stand-in constant, or the place of first use."""
    seen: dict[Any, Any] = {}
    pattern: list[Any] = []
    for k, x in enumerate(entries):
        if not isinstance(x, (float, int)):
            pattern.append(seen.setdefault(id(x), k))
        elif x in (0, 1, -1):
            pattern.append(float(x))
        else:
            pattern.append(seen.setdefault(("constant", x), math.sqrt(k + 1.7)))
    return tuple(pattern)


def _flatten(x: Any, into: list[Number]) -> None:
    if isinstance(x, tuple):
        for item in x:
            _flatten(item, into)
    else:
        into.append(x)


def _shape(x: Any) -> Any:
    return tuple(_shape(item) for item in x) if isinstance(x, tuple) else 0


def _rebuild(x: Any, leaves: Any) -> Any:
    if isinstance(x, tuple):
        return tuple(_rebuild(item, leaves) for item in x)
    return next(leaves)
