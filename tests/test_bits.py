"""A configuration has the same bits wherever and however it is evaluated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import knuckle as kn
import mechanisms
from engines import DOUBLE, SINGLE, Engine, narrower
from knuckle.codegen import host

ROWS = 1000
Arrays = tuple[np.ndarray, ...]
engines = pytest.mark.parametrize("engine", [DOUBLE, SINGLE], ids=lambda e: e.name)


def kernel(engine: Engine) -> Any:
    """Forward dynamics with external wrenches of a tree of all kinds of joints."""
    seed = {"float64": 0, "float32": 1}[engine.dtype]
    model = mechanisms.hand(seed)
    target = engine.target
    return kn.compile(kn.forward_dynamics, model, engine.dtype, target, f_ext=True)


def inputs(engine: Engine) -> Arrays:
    model = mechanisms.hand({"float64": 0, "float32": 1}[engine.dtype])
    arrays = (
        *mechanisms.state(model, 3, (ROWS,)),
        mechanisms.wrenches(model, 3, (ROWS,)),
    )
    return tuple(np.ascontiguousarray(x, engine.dtype) for x in arrays)


def same(got: np.ndarray, expected: np.ndarray) -> bool:
    """Equal as bits: -0.0 is not 0.0."""
    kind = got.dtype == expected.dtype and got.shape == expected.shape
    bits = [np.ascontiguousarray(x).tobytes() for x in (got, expected)]
    return bool(kind and bits[0] == bits[1])


@engines
def test_one_by_one_or_all_together(engine: Engine) -> None:
    run, arrays = kernel(engine), inputs(engine)
    whole = run(*arrays)
    assert np.isfinite(whole).all()
    alone = np.stack([run(*(x[k] for x in arrays)) for k in range(ROWS)])
    assert same(alone, whole)


@pytest.mark.parametrize("engine", [DOUBLE, SINGLE, *narrower()], ids=lambda e: e.name)
@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 100])
def test_every_size_and_place(engine: Engine, size: int) -> None:
    run, arrays = kernel(engine), inputs(engine)
    whole = run(*arrays)
    for start in (0, 1, 5, 500):
        part = slice(start, start + size)
        assert same(run(*(x[part] for x in arrays)), whole[part]), (size, start)


def wider(x: np.ndarray) -> np.ndarray:
    """Every third entry of something larger, in every dimension."""
    room = np.full([3 * n for n in x.shape], np.nan, x.dtype)
    view = room[tuple(slice(1, None, 3) for _ in x.shape)]
    view[...] = x
    return view


def misaligned(x: np.ndarray) -> np.ndarray:
    """One byte past an aligned address."""
    room = np.zeros(x.nbytes + 1, np.uint8)
    view = room[1:].view(x.dtype).reshape(x.shape)
    view[...] = x
    assert not view.flags.aligned
    return view


def backwards(x: np.ndarray) -> np.ndarray:
    turn = tuple(slice(None, None, -1) for _ in x.shape)
    return np.ascontiguousarray(x[turn])[turn]


def lanes_last(x: np.ndarray) -> np.ndarray:
    """Rows interleaved, as structure-of-arrays code has them."""
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 0, -1)), -1, 0)


VIEWS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "Fortran": np.asfortranarray,
    "lanes last": lanes_last,
    "backwards": backwards,
    "every third": wider,
    "misaligned": misaligned,
    "other byte order": lambda x: x.astype(x.dtype.newbyteorder()),
    "read only": lambda x: np.broadcast_to(x, x.shape),
}


@engines
@pytest.mark.parametrize("view", VIEWS)
def test_every_layout(engine: Engine, view: str) -> None:
    run, arrays = kernel(engine), inputs(engine)
    whole = run(*arrays)
    for size in (1, 9, ROWS):
        views = [VIEWS[view](x[:size]) for x in arrays]
        before = [x.tobytes() for x in views]
        assert same(run(*views), whole[:size]), (view, size)
        assert [x.tobytes() for x in views] == before


@engines
@pytest.mark.parametrize("view", ["Fortran", "lanes last", "every third", "misaligned"])
def test_every_layout_of_out(engine: Engine, view: str) -> None:
    run, arrays = kernel(engine), inputs(engine)
    whole = run(*arrays)
    out = VIEWS[view](np.zeros_like(whole))
    assert run(*arrays, out=out) is out
    assert same(out, whole)


@engines
@pytest.mark.parametrize("place", [1, 2])
def test_in_place(engine: Engine, place: int) -> None:
    run, arrays = kernel(engine), inputs(engine)
    whole = run(*arrays)
    copies = [x.copy() for x in arrays]
    run(*copies, out=copies[place])
    assert same(copies[place], whole)
    shifted = np.concatenate([arrays[place][:1], arrays[place]])
    copies[place] = shifted[1:]
    run(*copies, out=shifted[:-1])
    assert same(shifted[:-1], whole)


@engines
def test_broadcasting(engine: Engine) -> None:
    run = kernel(engine)
    q, v, tau, f = (x[:12] for x in inputs(engine))
    grid = run(q[:4, None], v[None, 4:9], tau[0], f[1])
    assert grid.shape[:2] == (4, 5)
    for i, j in np.ndindex(4, 5):
        assert same(grid[i, j], run(q[i], v[4 + j], tau[0], f[1]))
    assert same(run(q.reshape(2, 6, -1), v.reshape(2, 6, -1), tau[0], f[0])[1, 2],
                run(q[8], v[8], tau[0], f[0]))  # fmt: skip


@pytest.mark.skipif(host().isa != "avx512", reason="needs two sets with FMA")
def test_the_number_of_lanes_does_not_show() -> None:
    arrays = inputs(DOUBLE)
    assert same(kernel(narrower()[0])(*arrays), kernel(DOUBLE)(*arrays))
    arrays = inputs(SINGLE)
    half = Engine("float32", "float32", "avx2")
    assert same(kernel(half)(*arrays), kernel(SINGLE)(*arrays))


@pytest.mark.parametrize("kind", ["misaligned", "float32", "int", "lanes last"])
def test_large_batches_in_blocks(kind: str) -> None:
    """Casts and misaligned inputs are copied block by block; no row is lost."""
    model = mechanisms.chain(0, 3)
    arrays = mechanisms.state(model, 0, (3, 70_001))
    cast = {
        "misaligned": misaligned,
        "float32": lambda x: x.astype(np.float32),
        "int": lambda x: np.round(3 * x).astype(np.int16),
        "lanes last": lanes_last,
    }[kind]
    odd = [cast(arrays[0]), arrays[1], arrays[2]]
    plain = [np.array(odd[0], float), *arrays[1:]]
    expected = kn.inverse_dynamics(model, *plain)
    assert same(kn.inverse_dynamics(model, *odd), expected)
    out = np.zeros_like(expected)
    assert kn.inverse_dynamics(model, *odd, out=out) is out
    assert same(out, expected)
    few = kn.inverse_dynamics(model, *(x[2, 70_000:] for x in plain))
    assert same(few[0], expected[2, 70_000])


def test_bound_calls_have_the_same_bits() -> None:
    model = mechanisms.chain(0, 5)
    compiled = kn.compile(kn.inverse_dynamics, model)
    arrays = [np.ascontiguousarray(x) for x in mechanisms.state(model, 0, (9,))]
    call = compiled.bind(*arrays)
    assert same(call(), kn.inverse_dynamics(model, *arrays))
    arrays[1] += 1.0
    out = call()
    assert call() is out
    assert same(out, kn.inverse_dynamics(model, *arrays))
    single = [x[4].copy() for x in arrays]
    given = np.empty(model.nv)
    assert compiled.bind(*single, out=given)() is given
    assert same(given, kn.inverse_dynamics(model, *single))
