"""Derivatives as functions from algorithms to algorithms: they compose.

A position is varied along the velocities that move it, so that derivatives by q have
as many columns as v.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from knuckle.edge.algorithm import Algorithm
from knuckle.edge.derived import Call, Derived, Results, applied
from knuckle.edge.extra import extra_shape
from knuckle.edge.products import Pull, Push
from knuckle.edge.rolled import trace_rolled
from knuckle.edge.signature import Given
from knuckle.edge.tracing import Traced, record_of
from knuckle.edge.variables import Leaves, Variable
from knuckle.scalar import Number
from knuckle.scalar.jacobian import METHODS
from knuckle.scalar.jacobian import jacobian as rows_of
from knuckle.scalar.node import live

Names = str | Sequence[str]
CHOICES = ("auto", "rule", *METHODS)


def jacobian(alg: Any, wrt: Names, method: str = "auto") -> Algorithm:
    """d(alg) / d(wrt): the shape of a result, then that of the argument.

    `wrt` names one argument of the algorithm, or a declared parameter of the model, or
    several; several, or several results, come as a named tuple. By q the columns are
    those of v, by a placement the entries of a body twist. `method` is "auto" (a
    registered rule, else the cheapest), "rule", "forward", "reverse" or "dstar".
    """
    if method not in CHOICES:
        known = ", ".join(map(repr, CHOICES))
        raise ValueError(f"jacobian: method {method!r}; there are {known}")
    return Jacobian(_checked(alg, "jacobian"), _names(wrt, "jacobian"), method)


def hessian(alg: Any, wrt: Names) -> Algorithm:
    """d2(alg) / d(wrt[0]) d(wrt[1]); one name stands for both.

    The trap: along a quaternion joint it is the change of the first derivative under a
    second move, which is symmetric only up to the Lie bracket of the two.
    """
    names = _names(wrt, "hessian")
    if len(names) > 2:
        raise ValueError(f"hessian: one or two names, got {', '.join(names)}")
    return jacobian(jacobian(alg, names[0]), names[-1])


def jvp(alg: Any, wrt: Names) -> Algorithm:
    """sum over wrt of d(alg) / d(wrt) times a direction.

    The directions are further arguments, after those without a default: jvp(f, "q") is
    called as (model, q, v, a, dq), and dq has the shape of v.
    """
    return Push(_checked(alg, "jvp"), _names(wrt, "jvp"))


def vjp(alg: Any, wrt: Names) -> Algorithm:
    """weights . d(alg) / d(wrt): the gradient of the weighted result.

    The weights, of the shape of the result, are a further argument after those without
    a default: vjp(f, "q") is called as (model, q, v, a, weights). Of several results
    they are a tuple of arrays in the same order, or go by name in a dict.
    """
    return Pull(_checked(alg, "vjp"), _names(wrt, "vjp"))


def check_rule(
    alg: Algorithm, names: tuple[str, ...], model: Any, *args: Any, **options: Any
) -> float:
    """How far a rule is from the derivative of the traced text, relative to the
    largest entry, at one configuration of plain numbers."""
    from knuckle.edge.interpret import interpret

    found = [
        interpret(jacobian(alg, names, method), model)(*args, **options)
        for method in ("rule", "forward")
    ]
    if len(names) == 1:
        found = [(x,) for x in found]
    worst = 0.0
    for x, y in zip(*found, strict=True):
        largest = float(np.abs(y).max(initial=0.0))
        worst = max(worst, float(np.abs(x - y).max(initial=0.0)) / (largest or 1.0))
    return worst


class Jacobian(Derived):
    """d(base) / d(wrt)."""

    what = "jacobian"

    def __init__(self, base: Algorithm, wrt: tuple[str, ...], method: str) -> None:
        self.method = method
        super().__init__(base, wrt)

    def __reduce__(self) -> Any:
        return type(self), (self.base, self.wrt, self.method)

    def results(self, source: Traced, leaves: Leaves, call: Call) -> Results:
        variables = [call.variable(self.base, name) for name in self.wrt]
        blocks = self.by_rule(leaves, call)
        left = [x for x in variables if x.name not in blocks]
        if left:
            directions = [d for x in left for d in x.directions(leaves)]
            method = "auto" if self.method == "rule" else self.method
            rows = rows_of(applied(source, leaves), directions, method)
            start = 0
            for x in left:
                blocks[x.name] = [row[start : start + x.size] for row in rows]
                start += x.size
        found: Results = {}
        for x in variables:
            below = iter(blocks[x.name])
            for k, out in enumerate(source.outputs):
                numbers = [y for _ in range(out.size) for y in next(below)]
                if x in left and self.is_second(x.name, k, len(source.outputs)):
                    numbers = symmetric(numbers, x)
                name = self.name_of(out.name, x.name, len(source.outputs))
                found[name] = (out.core + x.shape, numbers)
        return found

    def rolls(self, model: Any) -> bool:
        """A registered rule is a text, whose loops may stay loops."""
        return bool(self.whole_rule()) and Algorithm.rolls(self, model)

    def rolled(self, model: Any, given: Given, extra: tuple[str, ...]) -> Traced:
        names = self.whole_rule()
        if not names:
            return super().rolled(model, given, extra)

        def text(view: Any, *args: Any, **options: Any) -> Any:
            found = self.base.rules[names](view, *args, **options)
            blocks = [found[names.index(name)] for name in self.wrt]
            return blocks[0] if len(blocks) == 1 else record_of(name, self.wrt)(*blocks)

        name = text.__name__ = self.__name__
        shapes = {name: extra_shape(model, name) for name in extra}
        return trace_rolled(text, model, self.parameters, given, shapes)  # type: ignore

    def whole_rule(self) -> tuple[str, ...]:
        """The arguments of a registered rule that gives all that is asked for."""
        names = () if isinstance(self.base, Jacobian) else self.rule()
        return names if {*self.wrt} <= {*names} else ()

    def is_second(self, wrt: str, k: int, results: int) -> bool:
        """Is result k of the base its own derivative by the same argument?"""
        base = self.base
        if not isinstance(base, Jacobian):
            return False
        return base.wrt[k * len(base.wrt) // results] == wrt

    def name_of(self, result: str, wrt: str, results: int) -> str:
        """How a block is called in the named tuple: by what there are several of."""
        parts = [result] * (results > 1) + [wrt] * (len(self.wrt) > 1 or results == 1)
        return "_".join(parts).replace(".", "_")

    def by_rule(self, leaves: Leaves, call: Call) -> dict[str, list[Sequence[Number]]]:
        """The rows that the best registered rule gives, by the name of the argument."""
        if isinstance(self.base, Jacobian):
            return self.by_second_rule(self.base, leaves, call)
        names = self.rule()
        if not names:
            return {}
        made = call.traced(self.base.rules[names])
        numbers = iter(applied(made, leaves))
        blocks: dict[str, list[Sequence[Number]]] = {}
        for name, out in zip(names, made.outputs, strict=True):
            flat = [next(numbers) for _ in range(out.size)]
            width = call.variable(self.base, name).size if out.size else 1
            rows = range(0, out.size, width)
            blocks[name] = [flat[k : k + width] for k in rows]
        return blocks

    def by_second_rule(
        self, base: Jacobian, leaves: Leaves, call: Call
    ) -> dict[str, list[Sequence[Number]]]:
        """The same of a derivative: rows run over its results, one after the other."""
        if not {self.method, base.method} <= {"auto", "rule"}:
            return {}
        blocks = {}
        for name in self.wrt:
            rows: list[Sequence[Number]] = []
            for first in base.wrt:
                block = _second(base.base, first, name, leaves, call)
                if block is None:
                    break
                rows += block
            else:
                blocks[name] = rows
        if self.method == "rule" and not blocks:
            raise ValueError(self.no_rule(base.base.second_rules))
        return blocks

    def no_rule(self, known: Iterable[tuple[str, ...]]) -> str:
        """What there is instead."""
        return (
            f"jacobian: {self.base.__name__} has no rule by {', '.join(self.wrt)}; "
            f"rules: {'; '.join(', '.join(names) for names in known) or 'none'}"
        )

    def rule(self) -> tuple[str, ...]:
        """The arguments of the rule that covers most of what is asked for."""
        if self.method not in ("auto", "rule"):
            return ()
        covered = {names: len({*names} & {*self.wrt}) for names in self.base.rules}
        best = max(covered, key=lambda names: covered[names], default=())
        if best and covered[best]:
            return best
        if self.method == "rule":
            raise ValueError(self.no_rule(covered))
        return ()


def _second(
    alg: Algorithm, first: str, second: str, leaves: Leaves, call: Call
) -> list[Sequence[Number]] | None:
    """Rows d(d(alg)/d(first)[i, j]) / d(second), by a registered rule if there is."""
    swapped = (first, second) not in alg.second_rules
    found = alg.second_rules.get((second, first) if swapped else (first, second))
    if found is None:
        return None
    rule, place = found
    made = call.traced(rule)
    start = sum(out.size for out in made.outputs[:place])
    part = made.program.part(start, start + made.outputs[place].size)
    rows, n, m = made.outputs[place].core
    flat = applied(made._replace(program=part), leaves)
    if not swapped:
        return [flat[k : k + m] for k in range(0, len(flat), m)]
    return [
        flat[i * n * m + k : (i + 1) * n * m : m] for i in range(rows) for k in range(m)
    ]


def symmetric(numbers: list[Number], x: Variable) -> list[Number]:
    """Second derivatives, one for each pair of moves that commute: the cheaper half.

    Moves along different joints do; two rotations of one ball do not.
    """
    n = x.size
    halves = []
    for upper in (True, False):
        flat = list(numbers)
        for j in range(n):
            for k in range(j):
                if x.commute(j, k):
                    to, of = (j * n + k, k * n + j)[:: 1 if upper else -1]
                    flat[to :: n * n] = flat[of :: n * n]
        halves.append(flat)
    return min(halves, key=lambda flat: len(live(flat)))


def _checked(alg: Any, what: str) -> Algorithm:
    if isinstance(alg, Algorithm):
        return alg
    if hasattr(alg, "bodies"):
        raise TypeError(
            f"{what}: expected an algorithm, got a Model; the Jacobian of a body or "
            "frame is kn.frame_jacobian(model, q, frame)"
        )
    if callable(alg):
        return Algorithm(alg)
    raise TypeError(f"{what}: expected an algorithm, got {type(alg).__name__}")


def _names(wrt: Names, what: str) -> tuple[str, ...]:
    names = (wrt,) if isinstance(wrt, str) else tuple(wrt)
    if not names or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{what}: wrt names arguments such as 'q', got {wrt!r}")
    if len(set(names)) != len(names) and what != "hessian":
        raise ValueError(f"{what}: wrt names an argument twice: {', '.join(names)}")
    return names
