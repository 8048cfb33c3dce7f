"""Worst errors of the vectorised elementary functions, in units of the last place.

    python tools/accuracy.py                              # 10^7 doubles, all functions
    python tools/accuracy.py --function sin --points 1000000
    python tools/accuracy.py --exhaustive-float32          # all 2^32 floats
    python tools/accuracy.py --exhaustive-float32 --every 256    # of them 2^24

Doubles are compared with NumPy's long double where that has 64 bits, the worst of
them again with mpmath; elsewhere with mpmath on fewer points. Floats are compared
with NumPy in double; the Stumpff functions, and sin, cos, tan beyond 10^6 where
NumPy is slow, with our own in double.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator

import mpmath
import numpy as np
from numpy.typing import NDArray

from knuckle.codegen.vecmath.evaluate import functions

Array = NDArray
LANES = {"double": 8, "float": 16}
NUMPY: dict[str, Callable[..., Array]] = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan2": np.arctan2,
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
}
STUMPFF = [f"stumpff{k}" for k in range(1, 9)]
WIDE = np.finfo(np.longdouble).nmant >= 63
CHUNK = 1 << 16


def evaluate(name: str, dtype: str, fma: bool, *arguments: Array) -> Array:
    return functions(LANES[dtype], dtype, fma)[name](*arguments)[0]


def float_errors(got: Array, reference: Array) -> Array:
    """Ulps of float32 results against doubles; overflow is right beyond the largest."""
    reference = np.clip(reference, -(2.0**128), 2.0**128)
    result = np.clip(got.astype(np.float64), -(2.0**128), 2.0**128)
    exponent = (reference.view(np.int64) >> 52) & 2047
    exponent = np.clip(exponent, 1023 - 126, 1023 + 127) - 23
    error = np.abs(result - reference) / (exponent << 52).view(np.float64)
    error[np.isnan(reference) & np.isnan(got)] = 0.0
    error[np.isnan(error)] = math.inf
    return error


def double_errors(got: Array, reference: Array) -> Array:
    """Ulps of float64 results against long doubles."""
    limit = np.ldexp(np.longdouble(1.0), 1024)
    reference = np.clip(reference, -limit, limit)
    result = np.clip(got.astype(np.longdouble), -limit, limit)
    exponent = np.clip(np.frexp(np.abs(reference))[1], -1021, 1024) - 53
    error = np.abs(result - reference) / np.ldexp(np.longdouble(1.0), exponent)
    error[np.isnan(reference) & np.isnan(got)] = 0.0
    error[np.isnan(error)] = math.inf
    return error.astype(np.float64)


def every_float(step: int = 1) -> Iterator[Array]:
    """All floats, or those of each step-th block."""
    for start in range(0, 1 << 32, step * CHUNK):
        yield np.arange(start, start + CHUNK, dtype=np.uint32).view(np.float32)


def doubles(name: str, points: int, rng: np.random.Generator) -> Iterator[Array]:
    """k pi/2 and its neighbours for k to 10^6, then all magnitudes and usual ranges."""
    turns = np.arange(1_000_001) * (math.pi / 2)
    for step in (0, -1, 1):
        yield turns + step * np.spacing(turns)
    for done in range(3_000_003, points, CHUNK):
        n = min(CHUNK, points - done)
        kind = (done // CHUNK) % 4
        if kind == 0:
            yield rng.integers(0, 1 << 64, n, dtype=np.uint64).view(np.float64)
        elif kind == 1:
            yield rng.uniform(-1.0, 1.0, n)
        elif kind == 2:
            yield rng.uniform(-750.0, 750.0, n)
        else:
            yield np.exp(rng.uniform(-40.0, 21.0, n)) * rng.choice([-1.0, 1.0], n)


def pairs(points: int, rng: np.random.Generator) -> Iterator[tuple[Array, Array]]:
    """(y, x) for atan2: any bits, then comparable sizes."""
    for done in range(0, points, CHUNK):
        n = min(CHUNK, points - done)
        bits = rng.integers(0, 1 << 64, (2, n), dtype=np.uint64).view(np.float64)
        if (done // CHUNK) % 2:
            ratio = np.exp(rng.uniform(-30.0, 30.0, n))
            bits = np.array([rng.uniform(-1, 1, n), rng.uniform(-1, 1, n) * ratio])
        yield bits[0], bits[1]


Worst = tuple[float, tuple[float, ...]]


def larger(worst: Worst, error: Array, arguments: tuple[Array, ...]) -> Worst:
    i = int(np.argmax(error))
    if error[i] <= worst[0]:
        return worst
    return float(error[i]), tuple(float(a[i]) for a in arguments)


def stumpff_exact(k: int, t: float) -> mpmath.mpf:
    """c_k(t) by recursion from sin and cos, with digits for all it cancels."""
    with mpmath.workprec(1200 if t < 1.0 else 300):
        x = mpmath.mpf(t)
        if x < mpmath.mpf(2) ** -100:
            return 1 / mpmath.factorial(k) - x / mpmath.factorial(k + 2)
        s = mpmath.sqrt(x)
        j, c = (1, mpmath.sin(s) / s) if k % 2 else (2, (1 - mpmath.cos(s)) / x)
        while j < k:
            j, c = j + 2, (1 / mpmath.factorial(j) - c) / x
        return c


def envelope(k: int, t: Array) -> Array:
    """The size of c_k about t, its zeros left aside."""
    t = np.maximum(t, 1e-9)
    if k == 1:
        return np.minimum(1.0, 1.0 / np.sqrt(t))
    amplitude = (2.0 if k == 2 else 1.0) / (math.factorial(k - 2) * t)
    return np.minimum(1.0 / math.factorial(k), amplitude)


def stumpff_double(k: int, points: int, fma: bool) -> Worst:
    """Against mpmath, 0 <= t <= 10^6, on a five-hundredth of the points."""
    rng = np.random.default_rng(k)
    n = max(points // 1500, 10)
    logs = np.exp(rng.uniform(-40.0, math.log(1e6), n))
    t = np.concatenate([rng.uniform(0, 45, n), logs, rng.uniform(0, 1e6, n)])
    got = evaluate(f"stumpff{k}", "double", fma, t)
    exact = np.array([float(stumpff_exact(k, x)) for x in t])
    rest = np.array(
        [float(stumpff_exact(k, x) - e) for x, e in zip(t, exact, strict=True)]
    )
    scale = np.spacing(np.maximum(np.abs(exact), envelope(k, t)))
    return larger((0.0, ()), np.abs((got - exact) - rest) / scale, (t,))


def stumpff_float(k: int, fma: bool, step: int = 1) -> Worst:
    """All floats of [0, 10^6] against the doubles."""
    worst: Worst = (0.0, ())
    last = int(np.float32(1e6).view(np.uint32))
    for start in range(0, last + 1, step * CHUNK):
        stop = min(start + CHUNK, last + 1)
        t = np.arange(start, stop, dtype=np.uint32).view(np.float32)
        wide = t.astype(np.float64)
        exact = evaluate(f"stumpff{k}", "double", fma, wide)
        scale = np.maximum(np.abs(exact), envelope(k, wide)).astype(np.float32)
        got = evaluate(f"stumpff{k}", "float", fma, t)
        worst = larger(worst, np.abs(got - exact) / np.spacing(scale), (t,))
    return worst


def worst_float(name: str, points: int, fma: bool, step: int = 1) -> Worst:
    """Every float; for atan2 random pairs of floats."""
    worst: Worst = (0.0, ())
    rng = np.random.default_rng(1)
    source: Iterator[tuple[Array, ...]] = ((x,) for x in every_float(step))
    if name == "atan2":
        source = (tuple(a.astype(np.float32) for a in p) for p in pairs(points, rng))
    for arguments in source:
        wide = [a.astype(np.float64) for a in arguments]
        huge = name in ("sin", "cos", "tan") and np.abs(wide[0]).min() > 1e6
        reference = evaluate(name, "double", fma, *wide) if huge else NUMPY[name](*wide)
        got = evaluate(name, "float", fma, *arguments)
        worst = larger(worst, float_errors(got, reference), arguments)
    return worst


def worst_double(name: str, points: int, fma: bool) -> Worst:
    worst: Worst = (0.0, ())
    rng = np.random.default_rng(2)
    source: Iterator[tuple[Array, ...]] = ((x,) for x in doubles(name, points, rng))
    if name == "atan2":
        source = pairs(points, rng)
    for arguments in source:
        if not WIDE:
            arguments = tuple(a[::1000] for a in arguments)
            got = evaluate(name, "double", fma, *arguments)
            rows = zip(got, *arguments, strict=True)
            error = np.array([exact_error(name, *row) for row in rows])
        else:
            reference = NUMPY[name](*(a.astype(np.longdouble) for a in arguments))
            got = evaluate(name, "double", fma, *arguments)
            error = double_errors(got, reference)
        worst = larger(worst, error, arguments)
    if worst[1]:
        got = evaluate(name, "double", fma, *(np.array([a]) for a in worst[1]))
        worst = exact_error(name, got[0], *worst[1]), worst[1]
    return worst


def exact_error(name: str, got: float, *arguments: float) -> float:
    """Ulps by mpmath; 0 where the value is not real and the result NaN."""
    with mpmath.workprec(200):
        exact = getattr(mpmath, name)(*(mpmath.mpf(float(a)) for a in arguments))
        if isinstance(exact, mpmath.mpc) or not mpmath.isfinite(exact):
            return 0.0 if not math.isfinite(got) else math.inf
        if abs(exact) >= 2**1024:
            return 0.0 if math.isinf(got) else math.inf
        exponent = max(mpmath.frexp(exact)[1] - 53, -1074) if exact else -1074
        return float(abs(mpmath.mpf(float(got)) - exact) / mpmath.ldexp(1, exponent))


def measure(
    name: str, exhaustive: bool, points: int, fma: bool, step: int = 1
) -> Worst:
    """The worst error of one function [ulp] and where it is."""
    with np.errstate(all="ignore"):
        if name in STUMPFF and exhaustive:
            return stumpff_float(int(name[-1]), fma, step)
        if name in STUMPFF:
            return stumpff_double(int(name[-1]), points, fma)
        if exhaustive:
            return worst_float(name, points, fma, step)
        return worst_double(name, points, fma)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--function", choices=[*NUMPY, *STUMPFF], action="append")
    parser.add_argument("--exhaustive-float32", action="store_true")
    parser.add_argument("--every", type=int, default=1, help="blocks of floats")
    parser.add_argument("--points", type=int, default=10_000_000)
    parser.add_argument("--no-fma", action="store_true")
    options = parser.parse_args()
    for name in options.function or [*NUMPY, *STUMPFF]:
        start = time.perf_counter()
        error, where = measure(
            name,
            options.exhaustive_float32,
            options.points,
            not options.no_fma,
            options.every,
        )
        dtype = "float32" if options.exhaustive_float32 else "float64"
        place = ", ".join(repr(w) for w in where)
        seconds = time.perf_counter() - start
        print(
            f"{name:8} {dtype} {'no fma' if options.no_fma else 'fma'}: "
            f"{error:.3f} ulp at {place} ({seconds:.0f} s)",
            flush=True,
        )


if __name__ == "__main__":
    main()
