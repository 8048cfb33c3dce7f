"""Every way to run an algorithm, behind one call: the laws run on all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import knuckle as kn
import mechanisms
from knuckle.codegen import host

SHAPES = [(), (1,), (7,), (8,), (9,), (2, 3), (1000,)]


@dataclass(frozen=True)
class Engine:
    """engine(alg, model, *arrays, **options) with the arrays in its precision."""

    name: str
    dtype: str = "float64"
    target: str = "cpu"

    @property
    def eps(self) -> float:
        return float(np.finfo(self.dtype).eps)

    def __call__(self, alg: Any, model: kn.Model, *arrays: Any, **options: Any) -> Any:
        kept = [np.asarray(x, self.dtype) for x in arrays]
        if self.name == "interpreter":
            return interpreted(alg, model, kept, options)
        given = {p.name for p, _ in zip(alg.parameters, kept, strict=False)}
        wanted = {name: True for name in given if name == "f_ext"}
        made = kn.compile(alg, model, self.dtype, self.target, **wanted, **options)
        return made(*kept)


def interpreted(alg: Any, model: kn.Model, arrays: list[Any], options: Any) -> Any:
    """The interpreter, row by row."""
    run = kn.interpret(alg, model)
    cores = core_shapes(alg, model)
    leads = [x.shape[: x.ndim - len(c)] for x, c in zip(arrays, cores, strict=False)]
    shape = np.broadcast_shapes(*leads)
    arrays = [
        np.broadcast_to(x, shape + c) for x, c in zip(arrays, cores, strict=False)
    ]
    rows = [run(*(x[i] for x in arrays), **options) for i in np.ndindex(shape)]
    if isinstance(rows[0], tuple):
        columns = zip(*rows, strict=True)
        return type(rows[0])(*(stacked(column, shape) for column in columns))
    return stacked(rows, shape)


def stacked(rows: Any, shape: tuple[int, ...]) -> np.ndarray:
    rows = np.array(rows)
    return rows.reshape(shape + rows.shape[1:])


def core_shapes(alg: Any, model: kn.Model) -> list[tuple[int, ...]]:
    """The shape of one configuration of every array argument."""
    return [p.kind.shape(model) for p in alg.parameters if not p.static]


INTERPRETER = Engine("interpreter")
DOUBLE = Engine("float64")
SINGLE = Engine("float32", "float32")


def narrower() -> list[Engine]:
    """The instruction sets below the host's, forced."""
    order = {"avx512": ("avx2", "sse2"), "avx2": ("sse2",)}
    return [Engine(isa, target=isa) for isa in order.get(host().isa, ())]


def cases() -> Iterator[Any]:
    """(engine, model, seed, shape): laws take them as one parameter, `case`.

    The interpreter plays every hand and the big tree; each compiled engine one hand,
    and the others in the long tests.
    """
    compiled = [DOUBLE, SINGLE, *narrower()]
    hands = range(mechanisms.HANDS)
    for seed in hands:
        yield case(INTERPRETER, "hand", seed, ())
    yield case(INTERPRETER, "hand", 0, (2, 2))
    yield case(INTERPRETER, "big", 0, ())
    for seed in range(3):
        yield case(INTERPRETER, "general", seed, ())
        yield case(DOUBLE, "general", seed, (9,), () if seed == 1 else pytest.mark.long)
    for seed in hands:
        yield case(INTERPRETER, "coupled", seed, ())
        yield case(DOUBLE, "coupled", seed, (9,), () if seed == 1 else pytest.mark.long)
    for k, engine in enumerate(compiled):
        for seed in hands:
            for shape in SHAPES:
                marks = () if seed == k else pytest.mark.long
                yield case(engine, "hand", seed, shape, marks)


@dataclass(frozen=True)
class Case:
    """One engine on one random tree with one batch shape."""

    engine: Engine
    kind: str
    seed: int
    shape: tuple[int, ...]

    @property
    def model(self) -> kn.Model:
        return getattr(mechanisms, self.kind)(self.seed)

    def state(self) -> tuple[np.ndarray, ...]:
        """q, v, a in the engine's precision, q still on its manifold."""
        arrays = mechanisms.state(self.model, self.seed, self.shape)
        return tuple(x.astype(self.engine.dtype) for x in arrays)

    def wrenches(self) -> np.ndarray:
        f = mechanisms.wrenches(self.model, self.seed, self.shape)
        return f.astype(self.engine.dtype)

    def run(self, alg: Any, *arrays: Any, **options: Any) -> Any:
        return self.engine(alg, self.model, *arrays, **options)

    def agree(self, got: Any, expected: Any, units: float, size: Any = None) -> None:
        """Equal to `units` roundings of the largest entry of `size`.

        A sum is rounded relative to the sum of its absolute terms, however much of it
        cancels: that is its size. Without one it is what is expected.
        """
        got, expected = np.asarray(got, float), np.asarray(expected, float)
        assert got.shape == expected.shape
        found = mechanisms.error(got, expected, size) / self.engine.eps
        assert found < units, f"{self}: off by {found:.3g} eps, expected < {units:g}"


def case(
    engine: Engine, kind: str, seed: int, shape: tuple[int, ...], marks: Any = ()
) -> Any:
    size = "x".join(map(str, shape)) or "scalar"
    name = f"{engine.name}-{kind}-seed{seed}-{size}"
    return pytest.param(Case(engine, kind, seed, shape), id=name, marks=marks)


def seldom(cases: list[Any], dtypes: tuple[str, ...] = ("float64",)) -> list[Any]:
    """The interpreter's and one compiled case; the other compiled ones are long.

    For laws that need many kernels. Rates are differences over time and need doubles.
    """
    usual = Case(DOUBLE, "hand", 0, (7,))
    found = []
    for x in cases:
        (case,) = x.values
        if case.engine.dtype in dtypes:
            often = case.engine is INTERPRETER or case == usual
            marks = () if often else pytest.mark.long
            found.append(pytest.param(case, id=x.id, marks=marks))
    return found


LAWS = list(cases())
BOTH = ("float64", "float32")
