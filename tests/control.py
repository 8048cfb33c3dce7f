"""Programs with loops and tables, for the tests of both."""

import numpy as np
import pytest

from knuckle.codegen import host
from knuckle.scalar import (
    Program,
    Trace,
    absolute,
    floor,
    lookup,
    repeat,
    scan,
    verify,
    where,
    while_loop,
)

TARGETS = [("float64", None), ("float32", None)] + [
    (dtype, isa)
    for isa in {"avx512": ("avx2", "sse2"), "avx2": ("sse2",)}.get(host().isa, ())
    for dtype in ("float64", "float32")
]
targets = pytest.mark.parametrize("dtype, isa", TARGETS)
NUMBERS = (0.3, -1.7, 2.9, 11.1, 0.05)
ROWS = ((1.0, 0.25, -3.0), (0.1, 1e-3, 7.0), (2.0, -0.5, 1 / 3), (9.0, 8.0, 7.5))


def program_of(make, count):
    trace = Trace()
    leaves = trace.inputs("x", count)
    return verify(Program.of(make(*leaves), [s.value for s in leaves]))


def heron(x, y):
    """sqrt x by Newton's rule from y, with the number of steps."""
    return while_loop(
        lambda s, n: absolute(s * s - x) > 1e-5 * x,
        lambda s, n: (0.5 * (s + x / s), n + 1.0),
        (y, 0.0),
        12,
    )


def collatz(x, y):
    """A loop in a loop, each of its own length in every row."""

    def outer(n, steps):
        (half,) = while_loop(
            lambda m: floor(0.5 * m) * 2.0 == m, lambda m: (0.5 * m,), (n,), 20
        )
        return where(half > 1.0, 3.0 * half + 1.0, half), steps + y

    return while_loop(lambda n, s: n > 1.0, outer, (floor(10.0 * x), 0.0), 30)


def stepped(x, y):
    """lookup inside scan and while, with the loop's own values as the table."""
    (a,) = scan(lambda k, s: (s + x * lookup(NUMBERS, k + y),), (0.5,), 4)
    (b,) = while_loop(
        lambda s: s < 8.0,
        lambda s: (s + absolute(lookup([x, y, s], s)) + 0.5,),
        (a,),
        9,
    )
    return a, b


PROGRAMS = {
    "repeat": lambda x, y: repeat(lambda s, t: (s * y + t, t - s), (x, y), 5),
    "heron": heron,
    "nested while": collatz,
    "numbers": lambda x, y: (lookup(NUMBERS, 5.0 * x), lookup(NUMBERS, -y)),
    "rows": lambda x, y: (*lookup(ROWS, 4.0 * x), *lookup(ROWS, y)),
    "one row": lambda x, y: lookup(ROWS[:1], x),
    "scalars": lambda x, y: (lookup([x, y, x * y, x - y], 4.0 * x),),
    "rows of scalars": lambda x, y: lookup([(x, 1.0), (y, x * y)], x + y),
    "loops and tables": stepped,
}


def points(count, dtype, seed=0):
    rng = np.random.default_rng(seed)
    return rng.uniform(0.05, 1.3, (count, 2)).astype(dtype)
