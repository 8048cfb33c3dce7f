"""Chains of factors along paths, and the symbols that stand for the factors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from knuckle.scalar.dstar.guards import TRUE, Guard
from knuckle.scalar.node import Number, Scalar, Trace

Word: TypeAlias = tuple[int, ...]
"""A product of symbols."""


WORK = 50_000
"""Steps of one order of factoring, after which it is given up: some 0.2 s."""


class Refused(ValueError):
    """D* does not take this on: too much work, or a loop; another method does."""


class Chain(NamedTuple):
    """A number times the factors along a path, from the output to the input.

    A factor is the place of a symbol. A guard can be the first of them: it holds for
    what follows.
    """

    number: float
    factors: tuple[int, ...] = ()

    def then(self, other: Chain) -> Chain:
        return Chain(self.number * other.number, self.factors + other.factors)


class Term(NamedTuple):
    """number * product of symbols, which counts where the guard holds."""

    number: float
    guard: Guard
    word: Word

    def times(self, number: float) -> Term:
        return self._replace(number=number * self.number)


ONE = Chain(1.0)
NOTHING = Term(0.0, TRUE, ())


@dataclass
class Symbols:
    """What a factor may be: a node or a number, a sum of terms, or a guard."""

    trace: Trace
    known: dict[object, int] = field(default_factory=dict)
    scalars: dict[int, Scalar | float] = field(default_factory=dict)
    sums: dict[int, tuple[Term, ...]] = field(default_factory=dict)
    guards: dict[int, Guard] = field(default_factory=dict)
    work: int = 0

    def spend(self, steps: int) -> None:
        """Count steps of work, the same in every run."""
        self.work += steps
        if self.work > WORK:
            raise Refused(f"D*: more than {WORK} steps of work; use another method")

    def chain_of(self, weight: Number) -> Chain:
        """A partial derivative as a chain: numbers and signs are taken out."""
        if not isinstance(weight, Scalar):
            return Chain(float(weight))
        if weight.op == "neg":
            return Chain(-1.0).then(self.chain_of(weight.args[0]))
        if weight.op == "mul" and weight.args[0].op == "const":
            rest = self.chain_of(weight.args[1])
            return Chain(weight.args[0].value).then(rest)
        place = self._place(weight.index)
        self.scalars[place] = weight
        return Chain(1.0, (place,))

    def chain_under(self, literal: int) -> Chain:
        """The factor 1 where a literal holds."""
        place = self._place(("guard", literal))
        self.guards[place] = (literal,)
        return Chain(1.0, (place,))

    def chain_sum(self, chains: Sequence[Chain]) -> Chain:
        """The sum of chains between the same two nodes as one factor, its guards
        closed inside."""
        terms = self.collected(map(self.term, chains))
        if not terms:
            return Chain(0.0)
        if len(terms) > 1:
            return Chain(1.0, (self.sum(terms),))
        number, guard, word = terms[0]
        inside = word if guard == TRUE else (self.sum([Term(1.0, guard, word)]),)
        return Chain(number, inside)

    def term(self, chain: Chain) -> Term:
        """The chain with its guard around the product."""
        if not chain.number:
            return NOTHING
        first = chain.factors[:1]
        guard = self.guards.get(first[0], TRUE) if first else TRUE
        word = chain.factors if guard == TRUE else chain.factors[1:]
        return Term(chain.number, guard, tuple(sorted(word)))

    def collected(self, terms: Iterable[Term]) -> list[Term]:
        """Equal products added; what is 0 left out."""
        numbers: dict[tuple[Word, Guard], float] = {}
        for number, guard, word in terms:
            numbers[word, guard] = numbers.get((word, guard), 0.0) + number
        return [Term(c, guard, word) for (word, guard), c in numbers.items() if c]

    def sum(self, terms: Iterable[Term]) -> int:
        """The symbol of a sum."""
        found = tuple(sorted(terms, key=lambda t: (t.word, t.guard)))
        place = self._place(found)
        self.sums[place] = found
        return place

    def number(self, value: float) -> int:
        """The symbol of a number."""
        place = self._place(("number", value))
        self.scalars[place] = value
        return place

    def _place(self, key: object) -> int:
        return self.known.setdefault(key, len(self.known))
