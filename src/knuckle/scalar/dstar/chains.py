"""Chains of factors along paths, and the symbols that stand for the factors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from knuckle.scalar.dstar import guards
from knuckle.scalar.dstar.guards import FALSE, TRUE, Guard
from knuckle.scalar.node import Number, Scalar, Trace

Word: TypeAlias = tuple[int, ...]
"""A product of symbols."""


WORK = 50_000
"""Steps of one order of factoring, after which it is given up: some 0.2 s."""


class Refused(ValueError):
    """D* does not take this on: too much work, or a loop; another method does."""


class Chain(NamedTuple):
    """A number times the factors along a path, from the output to the input.

    A factor is the place of a symbol; a guard among them holds for what follows it.
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

    def chain_under(self, guard: Guard) -> Chain:
        """The factor 1 under a guard."""
        if guard == TRUE:
            return ONE
        place = self._place(("guard", guard))
        self.guards[place] = guard
        return Chain(1.0, (place,))

    def chain_sum(self, chains: Sequence[Chain], complete: bool) -> Chain:
        """The sum of chains between the same two nodes as one factor.

        `complete` says that they end at an input: then no factor follows that a guard
        in the sum must hold for. Otherwise the sum counts where any of its chains does.
        """
        terms = self.collected(self.term(chain, complete) for chain in chains)
        if not terms:
            return Chain(0.0)
        guard = terms[0].guard
        if any(t.guard != guard for t in terms):
            self.spend(0 if complete else sum(len(t.guard) for t in terms) ** 2)
            guard = TRUE if complete else guards.either([t.guard for t in terms])
        else:
            terms = [t._replace(guard=TRUE) for t in terms]
        under = self.chain_under(guard)
        if len(terms) == 1:
            return under.then(Chain(terms[0].number, terms[0].word))
        return under.then(Chain(1.0, (self.sum(terms),)))

    def closed(self, chain: Chain) -> Chain:
        """A complete chain with its guards around it: nothing is left to hold for."""
        term = self.term(chain, complete=True)
        if term.guard == TRUE:
            return Chain(term.number, term.word)
        return Chain(term.number, (self.sum([term._replace(number=1.0)]),))

    def term(self, chain: Chain, complete: bool) -> Term:
        """The chain with its guards around the product.

        Of a complete chain each guard closes over the factors behind it, for all chains
        that share them; with nothing before it, it is the guard of the term.
        """
        guard, word = TRUE, Word()
        for k in reversed(chain.factors):
            if k in self.guards:
                self.spend((len(guard) * len(self.guards[k])) ** 2)
                guard = guards.both(self.guards[k], guard)
                continue
            if complete and word and guard not in (TRUE, FALSE):
                guard, word = TRUE, (self.sum([Term(1.0, guard, word)]),)
            word = tuple(sorted((k, *word)))
        if chain.number == 0.0 or guard == FALSE:
            return NOTHING
        return Term(chain.number, guard, word)

    def collected(self, terms: Iterable[Term]) -> list[Term]:
        """Equal products added; what is 0, or can never count, left out."""
        numbers: dict[tuple[Word, Guard], float] = {}
        for number, guard, word in terms:
            if guard != FALSE:
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
