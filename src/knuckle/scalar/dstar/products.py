"""The order of multiplication: the pair of factors that most products share is first.

What remains is turned into nodes.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

from knuckle.scalar.dstar import guards
from knuckle.scalar.dstar.chains import Symbols, Term, Word
from knuckle.scalar.dstar.sums import Sums
from knuckle.scalar.node import Number, Scalar, live
from knuckle.scalar.rules import mul

Pair = tuple[int, int]

LONG = 12
"""Factors up to which all pairs in a product are counted, not only neighbours."""


def numbers(symbols: Symbols, results: Sequence[Term]) -> list[Number]:
    """The values of the terms as nodes."""
    sums = Sums.of(symbols, results).ready()
    products = _Products(sums)
    products.order()
    return _Values(sums, products).results()


class _Products:
    """Words over symbols; a pair of factors that several share becomes a new symbol."""

    def __init__(self, sums: Sums) -> None:
        self.symbols = sums.symbols
        self.words = {t.word: list(t.word) for t in sums.terms()}
        self.first = len(sums.symbols.known)
        self.pairs: list[Pair] = []
        self.at_hand = _products_at_hand(sums.symbols, self.words)
        self.homes: dict[Pair, dict[Word, None]] = {}
        self.heap: list[tuple[int, int, Pair]] = []
        self.pushed = 0

    def order(self) -> None:
        """Join pairs, the commonest first, as long as that saves a product."""
        for word in self.words:
            self._enter(word)
        while self.heap:
            count, _, pair = heapq.heappop(self.heap)
            if -count == self._count(pair):
                self._join(pair)
            else:
                self._push(pair)

    def _join(self, pair: Pair) -> None:
        symbol = self.first + len(self.pairs)
        self.pairs.append(pair)
        for word in list(self.homes[pair]):
            for other in _pairs(self.words[word]):
                self.homes[other].pop(word, None)
            factors = self.words[word]
            while _contains(factors, pair):
                factors.remove(pair[0])
                factors[factors.index(pair[1])] = symbol
            self._enter(word)

    def _enter(self, word: Word) -> None:
        pairs = _pairs(self.words[word])
        self.symbols.spend(len(pairs))
        for pair in pairs:
            self.homes.setdefault(pair, {})[word] = None
            self._push(pair)

    def _push(self, pair: Pair) -> None:
        if self.homes[pair] and self._count(pair) > 1:
            self.pushed += 1
            heapq.heappush(self.heap, (-self._count(pair), self.pushed, pair))

    def _count(self, pair: Pair) -> int:
        return len(self.homes[pair]) + (pair in self.at_hand)


def _pairs(word: Sequence[int]) -> list[Pair]:
    """The pairs of factors, neighbours first, from the end."""
    reach = len(word) if len(word) <= LONG else 2
    return [
        _pair(word[k - step], word[k])
        for step in range(1, reach)
        for k in range(len(word) - 1, step - 1, -1)
    ]


def _pair(x: int, y: int) -> Pair:
    return (x, y) if x <= y else (y, x)


def _contains(factors: Sequence[int], pair: Pair) -> bool:
    x, y = pair
    return factors.count(x) > 1 if x == y else x in factors and y in factors


def _products_at_hand(symbols: Symbols, words: Iterable[Word]) -> dict[Pair, None]:
    """The pairs whose product the partial derivatives contain."""
    used = dict.fromkeys(k for word in words for k in word)
    numbers = {x: k for k, x in symbols.scalars.items() if not isinstance(x, Scalar)}
    found: dict[Pair, None] = {}
    for node in live(symbols.scalars[k] for k in used if k in symbols.scalars):
        if node.op == "mul":
            x, y = (
                numbers.get(a.value) if a.op == "const" else symbols.known.get(a.index)
                for a in node.args
            )
            if x is not None and y is not None:
                found[_pair(x, y)] = None
    return found


class _Values:
    """Symbols and products turned into nodes, each after what it is made of."""

    def __init__(self, sums: Sums, products: _Products) -> None:
        self.sums, self.products = sums, products
        self.trace = sums.symbols.trace
        self.value: dict[int, Number] = dict(sums.symbols.scalars)

    def results(self) -> list[Number]:
        for t in self.sums.results:
            self._make(self.products.words[t.word])
        return [self._sum([t]) for t in self.sums.results]

    def _parts(self, k: int) -> Sequence[int]:
        if k >= self.products.first:
            return self.products.pairs[k - self.products.first]
        terms = self.sums.inner.get(k, ())
        return [j for t in terms for j in self.products.words[t.word]]

    def _make(self, wanted: Sequence[int]) -> None:
        stack = list(reversed(wanted))
        while stack:
            k = stack[-1]
            missing = [j for j in self._parts(k) if j not in self.value]
            if k not in self.value and missing:
                stack.extend(reversed(missing))
                continue
            stack.pop()
            if k not in self.value:
                self.value[k] = self._value(k)

    def _value(self, k: int) -> Number:
        if k >= self.products.first:
            x, y = self.products.pairs[k - self.products.first]
            return mul(self.value[x], self.value[y])
        return self._sum(self.sums.inner[k])

    def _sum(self, terms: Sequence[Term]) -> Number:
        sums: dict[guards.Guard, Number] = {}
        for t in terms:
            value: Number = abs(t.number)
            for k in reversed(self.products.words[t.word]):
                value = mul(self.value[k], value)
            before = sums.get(t.guard, 0.0)
            sums[t.guard] = before + value if t.number > 0.0 else before - value
        return guards.guarded_sum(self.trace, sums)
