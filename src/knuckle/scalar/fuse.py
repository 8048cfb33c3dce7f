"""One pass that decides every fused multiply-add, once, for all targets that have it.

Sums of several terms are first flattened: a chain acc + a b + c d + ... needs one
operation a product, where a balanced tree would leave bare products behind. The
rounding of a result then depends on this pass alone, not on how code is cut, scheduled
or vectorised later.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, NamedTuple

from knuckle.scalar.node import LOOPS
from knuckle.scalar.program import Program


class _Builder:
    """Rows of the new program, each with the place in the old one where it becomes
    due."""

    def __init__(self) -> None:
        self.ops: list[str] = []
        self.args: list[tuple[int, ...]] = []
        self.values: list[Any] = []
        self.due: list[int] = []

    def row(self, op: str, args: tuple[int, ...], value: Any, due: int) -> int:
        self.ops.append(op)
        self.args.append(args)
        self.values.append(value)
        self.due.append(due)
        return len(self.ops) - 1


class _Term(NamedTuple):
    """One signed term of a sum: a product that is fused, or a finished value."""

    sign: int
    node: int
    product: bool


def fuse(program: Program) -> Program:
    """The same program with every a b + c, a b - c and c - a b decided."""
    uses = _uses(program)
    inner = _inner_sums(program, uses)
    absorbed = _absorbed(program, uses, inner)
    built, place = _Builder(), [-1] * len(program.ops)
    for k, (op, args) in enumerate(zip(program.ops, program.args, strict=True)):
        if inner[k] or absorbed[k]:
            continue
        if op in ("add", "sub"):
            terms = _terms(program, k, inner, absorbed)
            place[k] = _emit_sum(built, program, place, terms, k)
        else:
            operands, value = tuple(place[a] for a in args), program.values[k]
            if op in LOOPS:
                value = replace(value, body=fuse(value.body))
            place[k] = built.row(op, operands, value, k)
    return _ordered(built, tuple(place[k] for k in program.outputs), program.inputs)


def _uses(program: Program) -> list[list[int]]:
    uses: list[list[int]] = [[] for _ in program.ops]
    for k, args in enumerate(program.args):
        for a in args:
            uses[a].append(k)
    for k in program.outputs:
        uses[k].append(-1)
    return uses


def _inner_sums(program: Program, uses: list[list[int]]) -> list[bool]:
    """Sums that live only inside one other sum, and negations on the way."""
    inner = [False] * len(program.ops)
    for k, op in enumerate(program.ops):
        if op in ("add", "sub") and len(uses[k]) == 1 and uses[k][0] >= 0:
            inner[k] = program.ops[uses[k][0]] in ("add", "sub")
    return inner


def _absorbed(program: Program, uses: list[list[int]], inner: list[bool]) -> list[bool]:
    """Products that vanish into the sums that use them.

    One that a single sum uses always does. One that several use saves an operation if
    it vanishes from all of them, and loses one wherever it could have been the first
    term.
    """
    absorbed = [False] * len(program.ops)
    shared = []
    for k, op in enumerate(program.ops):
        in_sums = all(u >= 0 and program.ops[u] in ("add", "sub") for u in uses[k])
        if op == "mul" and uses[k] and in_sums:
            absorbed[k] = len(uses[k]) == 1
            if 1 < len(uses[k]) <= _SHARED:
                shared.append(k)
    roots = _roots(program, uses, inner)
    kept: dict[int, int] = {}
    for k, op in enumerate(program.ops):
        if op in ("add", "sub"):
            kept[roots[k]] = kept.get(roots[k], 0) + sum(
                not (inner[a] or absorbed[a]) for a in program.args[k]
            )
    for k in shared:
        homes = [roots[u] for u in uses[k]]
        if len(set(homes)) == len(homes) and all(kept[root] > 1 for root in homes):
            absorbed[k] = True
            for root in homes:
                kept[root] -= 1
    return absorbed


_SHARED = 3
"""Sums that may share a product which is multiplied anew in each."""


def _roots(
    program: Program, uses: list[list[int]], inner: list[bool]
) -> dict[int, int]:
    """The outermost sum of every sum."""
    roots: dict[int, int] = {}
    for k in range(len(program.ops) - 1, -1, -1):
        if program.ops[k] in ("add", "sub"):
            roots[k] = roots[uses[k][0]] if inner[k] else k
    return roots


def _terms(
    program: Program, root: int, inner: list[bool], absorbed: list[bool]
) -> list[_Term]:
    terms, stack = [], [(root, 1)]
    while stack:
        k, sign = stack.pop()
        if k == root or inner[k]:
            x, y = program.args[k]
            stack.append((x, sign))
            stack.append((y, sign if program.ops[k] == "add" else -sign))
        else:
            terms.append(_Term(sign, k, absorbed[k]))
    return sorted(terms, key=lambda t: (t.node, t.sign))


def _emit_sum(
    built: _Builder, program: Program, place: list[int], terms: list[_Term], due: int
) -> int:
    """acc (+-) each term in turn; the first value is a term that is no product, if any.

    The leftmost term of a sum is positive, so there is one to start from.
    """
    plain = [t for t in terms if not t.product]
    products = [t for t in terms if t.product]
    acc, when, rest = _start(built, program, place, plain, products, due)
    for term in sorted(rest, key=lambda t: t.node):
        when = max(when, term.node)
        if term.product:
            a, b = (place[x] for x in program.args[term.node])
            op = "fma" if term.sign > 0 else "fnma"
            acc = built.row(op, (a, b, acc), None, when)
        else:
            op = "add" if term.sign > 0 else "sub"
            acc = built.row(op, (acc, place[term.node]), None, when)
    return acc


def _start(
    built: _Builder,
    program: Program,
    place: list[int],
    plain: list[_Term],
    products: list[_Term],
    due: int,
) -> tuple[int, int, list[_Term]]:
    """The first accumulator: a plain positive term, else a b - x, else a product."""
    positive = [t for t in plain if t.sign > 0]
    if positive:
        first = positive[0]
        rest = [t for t in plain + products if t is not first]
        return place[first.node], first.node, rest
    first = next(t for t in products if t.sign > 0)
    a, b = (place[x] for x in program.args[first.node])
    others = [t for t in products if t is not first]
    if plain:
        x = plain[0]
        when = max(x.node, first.node)
        acc = built.row("fms", (a, b, place[x.node]), None, when)
        return acc, when, plain[1:] + others
    return built.row("mul", (a, b), None, first.node), first.node, others


def _ordered(
    built: _Builder, outputs: tuple[int, ...], inputs: tuple[str, ...]
) -> Program:
    """Rows in the order in which they become due: partial sums as early as possible."""
    order = sorted(range(len(built.ops)), key=lambda k: (built.due[k], k))
    place = {k: n for n, k in enumerate(order)}
    return Program(
        tuple(built.ops[k] for k in order),
        tuple(tuple(place[a] for a in built.args[k]) for k in order),
        tuple(built.values[k] for k in order),
        tuple(place[k] for k in outputs),
        inputs,
    )


def multiply_adds(operations: dict[str, int]) -> Counter[str]:
    """Multiplications and additions as the book counts them: a fused pair counts as
    both."""
    book: Counter[str] = Counter()
    for op, count in operations.items():
        if op in ("fma", "fms", "fnma"):
            book["m"] += count
            book["a"] += count
        else:
            book[
                {"mul": "m", "add": "a", "sub": "a", "div": "d", "rcp": "d"}.get(op, op)
            ] += count
    return book
