"""Sums of products made ready: flattened, their signs settled, their numbers placed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from knuckle.scalar.dstar import guards
from knuckle.scalar.dstar.chains import Symbols, Term, Word
from knuckle.scalar.node import live


@dataclass
class Sums:
    """The results wanted, and the sums that they use, each after those it uses."""

    symbols: Symbols
    results: list[Term]
    inner: dict[int, tuple[Term, ...]]

    @staticmethod
    def of(symbols: Symbols, results: Sequence[Term]) -> Sums:
        found: set[int] = set()
        stack = [k for t in results for k in t.word]
        while stack:
            k = stack.pop()
            if k in symbols.sums and k not in found:
                found.add(k)
                stack.extend(j for t in symbols.sums[k] for j in t.word)
        inner = {k: symbols.sums[k] for k in sorted(found)}
        return Sums(symbols, list(results), inner)

    def terms(self) -> Iterable[Term]:
        """Every term, of the results and of the sums."""
        yield from self.results
        for terms in self.inner.values():
            yield from terms

    def ready(self) -> Sums:
        """With every number as a factor, a sign at most before each term."""
        return _numbered(_oriented(_flattened(self)))


def _flattened(sums: Sums) -> Sums:
    """What only one other sum uses becomes part of it; equal sums become one."""
    symbols = sums.symbols
    uses: dict[int, int] = {}
    for t in sums.terms():
        for k in t.word:
            uses[k] = uses.get(k, 0) + 1
    now: dict[int, int] = {}
    for k, terms in sums.inner.items():
        found: list[Term] = []
        for t in terms:
            if len(t.word) == 1 and uses[t.word[0]] == 1 and abs(t.number) == 1.0:
                found += _opened(symbols, t, now)
            else:
                found.append(_renamed(t, now))
        now[k] = symbols.sum(symbols.collected(found))
    return Sums.of(symbols, [_renamed(t, now) for t in sums.results])


def _opened(symbols: Symbols, term: Term, now: dict[int, int]) -> list[Term]:
    """The terms of the sum that a term stands for, if it does."""
    if term.word[0] not in now:
        return [term]
    found = symbols.sums[now[term.word[0]]]
    joint = [(t, guards.both(term.guard, t.guard)) for t in found]
    return [
        Term(term.number * t.number, guard, t.word)
        for t, guard in joint
        if guard is not None
    ]


def _renamed(term: Term, now: dict[int, int]) -> Term:
    return term._replace(word=tuple(sorted(now.get(k, k) for k in term.word)))


def _oriented(sums: Sums) -> Sums:
    """Some sums with the opposite sign, so that fewer results need a negation."""
    turned = _Signs(sums).turned()
    results = [_turned(t, turned) for t in sums.results]
    inner = {
        k: tuple(_turned(t, turned).times(-1.0 if k in turned else 1.0) for t in terms)
        for k, terms in sums.inner.items()
    }
    return Sums(sums.symbols, results, inner)


def _turned(term: Term, turned: set[int]) -> Term:
    return term.times(-1.0) if sum(k in turned for k in term.word) & 1 else term


class _Signs:
    """A search for the sums to turn, one after the other.

    Turning a sum turns the results that it is a factor of. A sum that is left with
    minus signs alone is turned as well, for it costs a negation itself; a number among
    its factors can take the sign.
    """

    def __init__(self, sums: Sums) -> None:
        self.sums = sums
        self.now: set[int] = set()
        self.signs: dict[Word, set[float]] = {}
        for t in sums.results:
            if abs(t.number) == 1.0:
                self.signs.setdefault(t.word, set()).add(t.number)
        self.homes: dict[int, list[Word]] = {k: [] for k in sums.inner}
        self.users: dict[int, list[int]] = {k: [] for k in sums.inner}
        for word in self.signs:
            for k in dict.fromkeys(word):
                if k in self.homes and word.count(k) & 1:
                    self.homes[k].append(word)
        for j, terms in sums.inner.items():
            for k in dict.fromkeys(k for t in terms for k in t.word):
                if k in self.users:
                    self.users[k].append(j)

    def turned(self) -> set[int]:
        for k in [*reversed(self.sums.inner)] * 2:
            if any(self._negative(word) for word in self.homes[k]):
                self._try(k)
        return self.now

    def _try(self, k: int) -> None:
        before = set(self.now)
        changed = self._turn(k)
        words = dict.fromkeys(word for j in changed for word in self.homes[j])
        after = sum(map(self._negative, words))
        lone = any(map(self._bare, changed))
        turned, self.now = self.now, before
        if not lone and after < sum(map(self._negative, words)):
            self.now = turned

    def _turn(self, k: int) -> dict[int, None]:
        changed: dict[int, None] = {}
        stack = [k]
        while stack:
            j = stack.pop()
            if j not in changed:
                changed[j] = None
                self.now ^= {j}
                stack.extend(user for user in self.users[j] if self._bare(user))
        return changed

    def _negative(self, word: Word) -> bool:
        """Does a result need a negation that could be spared?"""
        if len(self.signs[word]) > 1:
            return False
        odd = sum(k in self.now for k in word) & 1
        return bool((-1.0 in self.signs[word]) != odd)

    def _bare(self, k: int) -> bool:
        """Has the sum minus signs alone?"""
        sign = -1.0 if k in self.now else 1.0
        return all(
            sign * _turned(t, self.now).number < 0.0 and abs(t.number) == 1.0
            for t in self.sums.inner[k]
        )


def _numbered(sums: Sums) -> Sums:
    """Numbers become factors, with the sign that a product in the trace already has."""
    symbols, known = sums.symbols, _products_with_numbers(sums)

    def placed(term: Term) -> Term:
        size = abs(term.number)
        if size in (0.0, 1.0):
            return term
        number = next((known[size, k] for k in term.word if (size, k) in known), size)
        word = (symbols.number(number), *term.word)
        return Term(term.number / number, term.guard, word)

    inner = {k: tuple(map(placed, terms)) for k, terms in sums.inner.items()}
    return Sums(symbols, list(map(placed, sums.results)), inner)


def _products_with_numbers(sums: Sums) -> dict[tuple[float, int], float]:
    """(size, symbol): the number whose product with the symbol is there already."""
    symbols = sums.symbols
    used = dict.fromkeys(k for t in sums.terms() for k in t.word)
    found = {}
    for node in live(symbols.scalars[k] for k in used if k in symbols.scalars):
        if node.op == "mul" and node.args[0].op == "const":
            place = symbols.known.get(node.args[1].index)
            if place is not None:
                number = node.args[0].value
                found[abs(number), place] = number
    return found
