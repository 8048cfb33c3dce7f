"""The vectorised elementary functions: ulps against mpmath, special values, bits."""

import math
import re

import llvmlite.binding as llvm
import mpmath
import numpy as np
import pytest

from knuckle.codegen.vecmath import FORMULAS, library
from knuckle.codegen.vecmath.evaluate import functions, source, target_machine

mp = mpmath.mp.clone()
mp.prec = 160

REFERENCE = {
    "sin": mp.sin,
    "cos": mp.cos,
    "tan": mp.tan,
    "asin": mp.asin,
    "acos": mp.acos,
    "atan2": mp.atan2,
    "exp": mp.exp,
    "log": mp.log,
    "tanh": mp.tanh,
}
DTYPES = {"double": np.float64, "float": np.float32}
WIDEST = {"double": 8, "float": 16}
LANES = [("double", n) for n in (1, 2, 4, 8)] + [("float", n) for n in (1, 4, 8, 16)]

NEAR_HALF_PI = [
    91.106186954104,  # two-part reduction: 451 ulp
    6381956970095103 * 2.0**797,  # Kahan: the double nearest to a multiple of pi/2
    5319372648326541 * 2.0**-49,  # Muller: worst in [8, 2^63)
    0.785398163397448279,
    2.3561944901923448,
    3.141592653589793,
    1.5707963267948966,
    1.57079632679489655,
    4.71238898038469,
    1e22,
    2.0**30,
    np.nextafter(2.0**30, 0),
    np.nextafter(2.0**30, np.inf),
    2.0**20,
    2.0**20 + 1,
    2.0**1023,
    1.797e308,
]
TRICKY = {
    "exp": [709.782712893384, 709.7827128933841, -708.3964185322641, -745.1332191019411,
            -745.13321910194, -744.4400719213812, 0.34657359027997264, 1.03972077084,
            88.722839, 88.72283905206835, -103.278929903, -87.33654475055, -103.972077],
    "log": [1.0, np.nextafter(1, 0), np.nextafter(1, 2), math.sqrt(0.5), math.sqrt(2.0),
            5e-324, 2.2250738585072014e-308, 1e-310, 1e-45, 1.1754944e-38, 1.5e-40],
    "tanh": [0.55, np.nextafter(0.55, 0), 1e-300, 19.06, 22.0, 9.01, 20.0, 710.0],
    "asin": [0.5, np.nextafter(0.5, 0), 1.0, np.nextafter(1, 0), 1e-300, 0.975, 5e-324],
    "acos": [0.5, np.nextafter(0.5, 0), 1.0, np.nextafter(1, 0), 1e-300, 0.975, 5e-324],
}  # fmt: skip


def spread(name, dtype, n=400):
    """Arguments of every magnitude, dense where the function has structure."""
    rng = np.random.default_rng(list(name.encode()))
    kind = DTYPES[dtype]
    word = np.uint64 if dtype == "double" else np.uint32
    high = np.iinfo(word).max
    patterns = rng.integers(0, high, n, dtype=word, endpoint=True).view(kind)
    turns = (rng.integers(0, 10**6, n) * (math.pi / 2)).astype(kind)
    turns = turns + rng.integers(-2, 3, n).astype(kind) * np.spacing(turns)
    signs = rng.choice([-1.0, 1.0], n)
    sets = [patterns, turns, rng.uniform(-1, 1, n), rng.uniform(-9, 9, n)]
    sets += [np.exp(rng.uniform(-30, 25, n)) * signs, rng.uniform(-740, 709, n)]
    chosen = NEAR_HALF_PI if name in ("sin", "cos", "tan") else TRICKY.get(name, [])
    with np.errstate(over="ignore", invalid="ignore"):
        x = np.concatenate([*sets, chosen, np.negative(chosen)]).astype(kind)
    return x[np.isfinite(x)]


def plane(dtype, n=400):
    """(y, x) pairs: whole plane, comparable sizes, subnormal and huge ratios."""
    rng = np.random.default_rng(11)
    kind = DTYPES[dtype]
    wide = 700.0 if dtype == "double" else 80.0
    y, x = rng.uniform(-1, 1, (2, 3 * n))
    y[n : 2 * n] = np.exp(rng.uniform(-wide, wide, n))
    x[n : 2 * n] = y[n : 2 * n] * np.exp(rng.uniform(-3, 3, n)) * np.sign(x[:n])
    y[2 * n :] = np.exp(rng.uniform(-wide, wide, n))
    x[2 * n :] = np.exp(rng.uniform(-wide, wide, n)) * np.sign(x[:n])
    tiny = np.finfo(kind).smallest_subnormal * rng.integers(1, 99, (2, n))
    below = np.exp(rng.uniform(-0.9 * wide, 0.0, n))
    faint = tiny[0] * np.exp(rng.uniform(0.0, 0.05 * wide, n)).astype(kind)
    y = np.concatenate([y, tiny[0], x[:n], faint]).astype(kind)
    x = np.concatenate([x, tiny[1], x[:n], below]).astype(kind)
    return y, x


def unit(value, dtype):
    """The distance between neighbours of the format at a real value."""
    digits, lowest = (53, -1074) if dtype == "double" else (24, -149)
    exponent = mp.frexp(value)[1] - digits if value else lowest
    return mp.ldexp(1, max(exponent, lowest))


def ulps(got, exact, dtype):
    """|got - exact| in units of the last place of the exact value."""
    largest = np.finfo(DTYPES[dtype]).max
    if math.isinf(got):
        limit = mp.mpf(float(largest)) * (1 + mp.mpf(2) ** -60)
        return 0.0 if mp.sign(exact) * got > 0 and abs(exact) > limit else math.inf
    if math.isnan(got):
        return math.inf
    return float(abs(mp.mpf(float(got)) - exact) / unit(exact, dtype))


def worst(name, got, arguments, dtype):
    """(ulps, arguments, got) of the worst point inside the domain."""
    rows = []
    for g, row in zip(got, zip(*arguments, strict=True), strict=True):
        exact = REFERENCE[name](*(mp.mpf(float(v)) for v in row))
        if isinstance(exact, mp.mpc):
            assert math.isnan(g), (name, row, g)
        else:
            rows.append((ulps(float(g), exact, dtype), row, g))
    return max(rows, key=lambda r: r[0])


def arguments_of(name, dtype):
    if name == "atan2":
        return plane(dtype)
    x = spread(name, dtype)
    return (x[x > 0],) if name == "log" else (x,)


BUILDS = [("double", True), ("double", False), ("float", True), ("float", False)]


def build(dtype, fma, lanes=None):
    """Without FMA: the oldest processor of the kind, where it can be named."""
    plain = target_machine(None).triple.startswith("x86_64") and not fma
    return functions(lanes or WIDEST[dtype], dtype, fma, "x86-64" if plain else None)


@pytest.mark.parametrize("dtype, fma", BUILDS)
@pytest.mark.parametrize("name", REFERENCE)
def test_within_two_ulp(name, dtype, fma):
    arguments = arguments_of(name, dtype)
    (got,) = build(dtype, fma)[name](*arguments)
    error, where, value = worst(name, got, arguments, dtype)
    assert error <= 2.0, f"{name}{where} = {value!r}: {error:.3f} ulp"


def same_bits(a, b):
    """Equal bit for bit, any NaN being equal to any other."""
    word = f"u{a.dtype.itemsize}"
    return np.array_equal(np.isnan(a), np.isnan(b)) and np.array_equal(
        np.where(np.isnan(a), 0, a).view(word), np.where(np.isnan(b), 0, b).view(word)
    )


@pytest.mark.parametrize("dtype, fma", BUILDS)
def test_sincos_is_sin_and_cos(dtype, fma):
    compiled, x = build(dtype, fma), spread("sin", dtype)
    s, c = compiled["sincos"](x)
    assert same_bits(s, compiled["sin"](x)[0])
    assert same_bits(c, compiled["cos"](x)[0])


@pytest.mark.parametrize("dtype, lanes", LANES)
def test_bits_do_not_depend_on_lanes_or_neighbours(dtype, lanes):
    """The widest vectors of neighbours in another order give the same bits."""
    wide, narrow = build(dtype, True), build(dtype, True, lanes)
    for name, (arity, _) in FORMULAS.items():
        x = spread("sin", dtype, 60)
        x = np.abs(x) if name.startswith("stumpff") else x
        order = np.random.default_rng(5).permutation(len(x))
        arguments = [x, x[::-1].copy()][:arity]
        direct = narrow[name](*arguments)
        shuffled = wide[name](*(a[order] for a in arguments))
        for a, b in zip(direct, shuffled, strict=True):
            assert same_bits(a[order], b), (name, dtype, lanes)


@pytest.mark.parametrize("dtype", DTYPES)
def test_bits_do_not_depend_on_the_processor(dtype):
    """Code for AVX2 gives the bits of the host's code."""
    if not llvm.get_host_cpu_features().get("fma", False):
        pytest.skip("needs an x86 host with FMA")
    host, old = build(dtype, True), functions(4, dtype, True, "haswell")
    x = spread("sin", dtype, 60)
    for name in FORMULAS:
        arguments = [np.abs(x) if name.startswith("stumpff") else x, x[::-1].copy()]
        assert same_bits(host[name](*arguments)[0], old[name](*arguments)[0]), name


@pytest.mark.parametrize("dtype, fma", BUILDS)
def test_huge_lane_leaves_its_neighbours_alone(dtype, fma):
    compiled, kind = build(dtype, fma), DTYPES[dtype]
    small = np.linspace(-3, 3, WIDEST[dtype]).astype(kind)
    for intruder in (kind(1e38), kind(np.inf), kind(np.nan)):
        for name in ("sin", "cos", "tan", "exp", "log", "stumpff1", "stumpff12"):
            (alone,) = compiled[name](small)
            for lane in range(len(small)):
                mixed = small.copy()
                mixed[lane] = intruder
                (got,) = compiled[name](mixed)
                assert same_bits(np.delete(got, lane), np.delete(alone, lane))


INF, NAN = math.inf, math.nan
SPECIAL = {
    "sin": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN), (NAN, NAN)],
    "cos": [(0.0, 1.0), (-0.0, 1.0), (INF, NAN), (-INF, NAN), (NAN, NAN)],
    "tan": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN), (NAN, NAN)],
    "asin": [(0.0, 0.0), (-0.0, -0.0), (1.5, NAN), (-INF, NAN), (NAN, NAN)],
    "acos": [(1.0, 0.0), (-1.5, NAN), (INF, NAN), (NAN, NAN)],
    "exp": [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (NAN, NAN), (1e30, INF)],
    "log": [(1.0, 0.0), (0.0, -INF), (-0.0, -INF), (-1.0, NAN), (INF, INF), (NAN, NAN)],
    "tanh": [(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (NAN, NAN)],
}


@pytest.mark.parametrize("dtype, fma", BUILDS)
@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name, dtype, fma):
    x, expected = np.array(SPECIAL[name], DTYPES[dtype]).T.copy()
    (got,) = build(dtype, fma)[name](x)
    assert same_bits(got, expected), (x, got)


@pytest.mark.parametrize("dtype, fma", BUILDS)
def test_atan2_axes_and_infinities(dtype, fma):
    """C99 Annex F.9.1.4, all pairs."""
    kind = DTYPES[dtype]
    some = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, np.finfo(kind).max, 1e-45]
    y, x = np.array([(a, b) for a in some for b in some], kind).T.copy()
    (got,) = build(dtype, fma)["atan2"](y, x)
    expected = np.arctan2(y.astype(np.float64), x.astype(np.float64)).astype(kind)
    assert np.array_equal(np.isnan(got), np.isnan(expected))
    assert np.array_equal(np.signbit(got), np.signbit(expected) & ~np.isnan(got))
    known = ~np.isnan(got)
    assert np.all(abs(got - expected)[known] <= 2 * np.spacing(abs(expected[known])))
    exact = known & (expected == 0.0)
    assert np.all(got[exact] == 0.0)


@pytest.mark.parametrize("dtype, fma", BUILDS)
def test_min_and_max(dtype, fma):
    kind = DTYPES[dtype]
    some = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN]
    a, b = np.array([(p, q) for p in some for q in some], kind).T.copy()
    zeros = (a == 0.0) & (b == 0.0)
    either, both = np.signbit(a) | np.signbit(b), np.signbit(a) & np.signbit(b)
    least = np.where(zeros, np.where(either, kind(-0.0), kind(0.0)), np.minimum(a, b))
    most = np.where(zeros, np.where(both, kind(-0.0), kind(0.0)), np.maximum(a, b))
    assert same_bits(build(dtype, fma)["min"](a, b)[0], least)
    assert same_bits(build(dtype, fma)["max"](a, b)[0], most)


def stumpff(k, t):
    """c_k(t) by its series, with as many digits as it cancels, or by recursion."""
    t = mp.mpf(float(t))
    with mp.workprec(400):
        if t > 400:
            s = mp.sqrt(t)
            j, c = (1, mp.sin(s) / s) if k % 2 else (2, (1 - mp.cos(s)) / t)
            while j < k:
                j, c = j + 2, (1 / mp.factorial(j) - c) / t
            return c
        total, term, i = mp.mpf(0), 1 / mp.factorial(k), k
        while abs(term) > mp.mpf(2) ** -200 or i == k:
            total += term
            term *= -t / ((i + 1) * (i + 2))
            i += 2
        return total


def envelope(k, t):
    """The size of c_k about t, its zeros left aside."""
    if k == 1:
        return min(1.0, 1.0 / math.sqrt(max(t, 1e-9)))
    amplitude = (2.0 if k == 2 else 1.0) / (math.factorial(k - 2) * max(t, 1e-9))
    return min(1.0 / math.factorial(k), amplitude)


@pytest.mark.parametrize("dtype, fma", BUILDS)
@pytest.mark.parametrize("k", range(1, 13))
def test_stumpff(k, dtype, fma):
    rng, kind = np.random.default_rng(k), DTYPES[dtype]
    t = np.concatenate(
        [
            rng.uniform(0, 12, 120),
            rng.uniform(0, 60, 120),
            np.exp(rng.uniform(-60, math.log(1e6), 120)),
            [1e6, math.pi**2, 12.0, -1e-17, -1e-3, 1e-310, -0.05],
        ]
    ).astype(kind)
    (got,) = build(dtype, fma)[f"stumpff{k}"](t)
    for argument, value in zip(t, got, strict=True):
        exact = stumpff(k, argument)
        scale = max(abs(exact), mp.mpf(envelope(k, float(argument))))
        error = abs(mp.mpf(float(value)) - exact) / unit(scale, dtype)
        assert error <= 4.0, (k, argument, value, float(error))


@pytest.mark.parametrize("dtype, fma", BUILDS)
@pytest.mark.parametrize("k", range(1, 13))
def test_stumpff_at_zero(k, dtype, fma):
    kind = DTYPES[dtype]
    (got,) = build(dtype, fma)[f"stumpff{k}"](np.array([0.0, -0.0, NAN, -1e-300], kind))
    exact = kind(1.0 / math.factorial(k))
    assert same_bits(got, np.array([exact, exact, NAN, exact], kind))


TARGETS = [
    ("x86_64-unknown-linux-gnu", "x86-64", False),
    ("x86_64-unknown-linux-gnu", "haswell", True),
    ("x86_64-unknown-linux-gnu", "skylake-avx512", True),
    ("x86_64-pc-windows-msvc", "haswell", True),
    ("x86_64-apple-darwin", "x86-64", False),
    ("aarch64-unknown-linux-gnu", "generic", True),
    ("aarch64-apple-darwin", "apple-m1", True),
]
JUMP = re.compile(r"^\s*(?:callq?|jmpq?|bl?)\s+\"?([^\s\"]+)", re.MULTILINE)


@pytest.mark.parametrize("triple, cpu, fma", TARGETS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_needs_no_library(triple, cpu, fma, dtype):
    """The machine code of each target calls nothing but these functions."""
    machine = target_machine(cpu, triple)
    module = llvm.parse_assembly(source(list(FORMULAS), 4, dtype, fma))
    module.triple = triple
    called = set(JUMP.findall(machine.emit_assembly(module)))
    local = re.compile(r"\.?L|_?kn\.")
    assert {name for name in called if not local.match(name)} == set()
    assert any("kn.sincos" in name for name in called)


def test_each_function_is_defined_once():
    text = library(["stumpff1", "sin", "sincos", "tan", "stumpff2", "sin"], 4, "double",
                   True)  # fmt: skip
    defined = re.findall(r"^define internal .*?@(kn\.\S+?)\(", text, re.MULTILINE)
    assert len(defined) == len(set(defined))
    assert {"kn.stumpff1", "kn.sin", "kn.sincos", "kn.tan"} <= set(defined)


def test_no_fused_operation_without_fma():
    text = library(list(FORMULAS), 2, "double", False)
    assert "llvm.fma" not in text and "fmuladd" not in text and " fast " not in text


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="'sinh' is unknown; there are sin, cos"):
        library(["sinh"], 4, "double", True)
    with pytest.raises(ValueError, match="expected 'double' or 'float', got 'half'"):
        library(["sin"], 4, "half", True)
