"""D*: the worked example, agreement with the sweeps, operations, the work budget."""

import functools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knuckle.joints import REGISTRY
from knuckle.scalar import (
    Program,
    Scalar,
    Trace,
    cos,
    exp,
    scan,
    sin,
    sqrt,
    tangents,
    verify,
)
from knuckle.scalar.dstar import NODES, SWEEPS, Refused, dstar, factored, fits
from knuckle.scalar.dstar.chains import Symbols
from knuckle.scalar.dstar.factoring import _Factoring, paths
from knuckle.scalar.dstar.graph import DOWN, UP, Graph
from knuckle.scalar.passes import finished
from knuckle.scalar.reverse import gradient
from programs import random_program


def forward(outputs, inputs):
    columns = [tangents(outputs, {x: 1.0}) for x in inputs]
    return [tuple(column[i] for column in columns) for i in range(len(outputs))]


def reverse(outputs, inputs):
    return [
        gradient([y], [1.0], inputs) if isinstance(y, Scalar) else (0.0,) * len(inputs)
        for y in outputs
    ]


def program(rows, inputs):
    return verify(Program.of([z for r in rows for z in r], [x.value for x in inputs]))


def operations(method, build):
    outputs, inputs = build()
    return sum(finished(program(method(outputs, inputs), inputs)).operations().values())


# The example, worked by hand in the manner of the paper: the edges a ... g are named
# after the partial derivatives, the nodes 5 (output) to 0 (input).


def weighted_graph(edges, outputs, inputs):
    """A derivative graph with a named leaf for the weight of every edge."""
    trace = Trace()
    symbols = Symbols(trace)
    links = [[] for _ in range(1 + max(upper for upper, _ in edges.values()))]
    for name, (upper, lower) in edges.items():
        links[upper].append((lower, symbols.chain_of(trace.input(name))))
    return Graph(links, outputs, inputs), symbols


def factors(graph, symbols, sides=(UP, DOWN)):
    """(pairs, upper, lower) of the factors in the order in which they are replaced."""
    factoring = _Factoring(graph, symbols, sides)
    factoring.find()
    return [(-c, upper, lower) for c, _, upper, lower in sorted(factoring.heap)]


DIAMONDS = dict(a=(5, 4), b=(5, 3), c=(4, 2), d=(3, 2), e=(2, 1), f=(2, 0), g=(1, 0))


def test_one_output_and_one_input_collapse_to_one_edge():
    """5 dominates 2 and 0 post-dominates it: (a c + b d) (e g + f)."""
    graph, symbols = weighted_graph(DIAMONDS, [5], [0])
    assert set(factors(graph, symbols)) == {(1, 5, 2), (1, 2, 0)}
    factoring = _Factoring(graph, symbols, (UP, DOWN))
    factoring.find()
    factoring.run()
    (path,) = paths(graph, symbols)
    texts = [
        {"".join(symbols.scalars[k].value for k in t.word) for t in symbols.sums[k]}
        for k in path.factors
    ]
    assert texts == [{"ac", "bd"}, {"eg", "f"}]


def test_the_factor_that_most_pairs_have_is_first():
    """Two outputs 6, 7 over the lower diamond: it belongs to both pairs, and so to
    each of them once it is one edge."""
    edges = DIAMONDS | dict(h=(6, 5), k=(6, 2), m=(7, 2))
    graph, symbols = weighted_graph(edges, [6, 7], [0])
    assert factors(graph, symbols)[0] == (2, 2, 0)
    factoring = _Factoring(graph, symbols, (UP, DOWN))
    factoring.find()
    factoring.run()
    first, second = paths(graph, symbols)
    assert first.factors[-1] == second.factors[-1] and len(second.factors) == 2


def test_a_path_that_leaves_a_factor_keeps_its_edges():
    """The bridge s a, s b, a b, a t, b t: [s, b] becomes one edge, s a t stays."""
    edges = dict(sa=(3, 2), sb=(3, 1), ab=(2, 1), at=(2, 0), bt=(1, 0))
    for sides in ((UP, DOWN), (UP,), (DOWN,)):
        graph, symbols = weighted_graph(edges, [3], [0])
        factoring = _Factoring(graph, symbols, sides)
        factoring.find()
        factoring.run()
        (path,) = paths(graph, symbols)
        total = symbols.term(path)
        values = dict(zip(edges, (2.0, 3.0, 5.0, 7.0, 11.0), strict=True))

        def value(word, symbols=symbols, values=values):
            return math.prod(
                sum(value(t.word) for t in symbols.sums[k])
                if k in symbols.sums
                else values[symbols.scalars[k].value]
                for k in word
            )

        assert value(total.word) == 2 * 7 + 2 * 5 * 11 + 3 * 11


# Agreement


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 10**6),
    size=st.integers(5, 40),
    inputs=st.integers(1, 6),
    outputs=st.integers(1, 7),
)
def test_random_graphs_agree_with_the_forward_sweep(seed, size, inputs, outputs):
    source = random_program(seed, size, inputs, outputs)
    x = Trace().inputs("x", inputs)
    y = source(*x)
    at = np.random.default_rng(seed).uniform(-1, 1, inputs)
    with mpmath.workdps(50):
        point = [mpmath.mpf(float(a)) for a in at]
        expected = program(forward(y, x), x)(*point)
        size = 1 + max(abs(z) for z in expected)
        for rows in (*factored(y, x), *(sweep(y, x) for sweep in SWEEPS)):
            found = program(rows, x)(*point)
            assert all(abs(a - b) < 1e-13 * size for a, b in zip(found, expected))


def pose(name):
    joint = REGISTRY[name](np.random.default_rng(1))
    q = Trace().inputs("q", joint.nq)
    X = joint.pose(list(q))
    return [*np.array(X.R, object).ravel(), *np.array(X.p, object).ravel()], q


def rotation():
    """Rz Ry Rx, and its columns turned once more by each angle."""
    a = Trace().inputs("a", 3)
    (sx, sy, sz), (cx, cy, cz) = map(sin, a), map(cos, a)
    Rx = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]], object)
    Ry = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]], object)
    Rz = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]], object)
    R = Rz @ Ry @ Rx
    return [*R.ravel(), *(R @ R).ravel()], a


def harmonics(order):
    """The real spherical harmonics of degree up to `order`, without their constants:
    P_lm(z) times the real and imaginary part of (x + i y)^m."""
    x, y, z = Trace().inputs("x", 3)
    P, C, S = {(0, 0): 1.0}, [1.0], [0.0]
    for m in range(order):
        C, S = [*C, x * C[m] - y * S[m]], [*S, x * S[m] + y * C[m]]
    for m in range(order + 1):
        P[m, m] = (1.0 - 2.0 * m) * P[m - 1, m - 1] if m else 1.0
        P[m + 1, m] = (2.0 * m + 1.0) * z * P[m, m]
        for n in range(m + 2, order + 1):
            ahead, behind = (2.0 * n - 1.0) / (n - m), (n + m - 1.0) / (n - m)
            P[n, m] = ahead * z * P[n - 1, m] - behind * P[n - 2, m]
    parts = [(n, m, T) for n in range(order + 1) for m in range(n + 1) for T in (C, S)]
    return [P[n, m] * T[m] for n, m, T in parts], (x, y, z)


def distance():
    """A scalar function of many inputs: reverse is the cheap sweep."""
    x = Trace().inputs("x", 12)
    r = [
        sqrt(sum((a - b) ** 2 for a, b in zip(x[k::3], x[1 + k :: 3]))) for k in (0, 1)
    ]
    return [exp(-r[0]) * r[1] + r[0] / r[1]], x


def curve():
    """Many outputs of one input: forward is the cheap sweep."""
    (t,) = Trace().inputs("t", 1)
    return [sin(k * t) * exp(-t) / (1.0 + t * t) ** k for k in range(1, 9)], (t,)


REAL = {
    **{f"pose of {name}": functools.partial(pose, name) for name in REGISTRY},
    "rotation": rotation,
    "distance": distance,
    "curve": curve,
    **{f"harmonics {n}": functools.partial(harmonics, n) for n in range(2, 11)},
}


@pytest.mark.parametrize("name", REAL)
def test_real_functions_agree_in_50_digits(name):
    """With mpmath's difference quotients of the function itself."""
    outputs, inputs = REAL[name]()
    if not inputs:
        return
    of = Program.of(outputs, [x.value for x in inputs])
    rng = np.random.default_rng(5)
    with mpmath.workdps(50):
        at = [mpmath.mpf(a) for a in rng.uniform(0.2, 0.9, len(inputs))]
        found = [program(r, inputs)(*at) for r in factored(outputs, inputs)]
        for j in {0, len(inputs) - 1}:
            h = mpmath.mpf(10) ** -15
            ends = [of(*at[:j], at[j] + s * h, *at[j + 1 :]) for s in (-2, -1, 1, 2)]
            for i, (a, b, c, d) in enumerate(zip(*ends, strict=True)):
                expected = (a - 8 * b + 8 * c - d) / (12 * h)
                error = max(abs(r[i * len(inputs) + j] - expected) for r in found)
                assert error <= 1e-14 * (1 + abs(expected)), (i, j)


def test_second_derivatives_are_symmetric_and_right():
    outputs, inputs = distance()
    (first,) = dstar(outputs, inputs)
    curved, expected = dstar(first, inputs), forward(first, inputs)
    at = np.random.default_rng(2).uniform(0.1, 2.0, len(inputs))
    H, G = (np.array(program(rows, inputs)(*at)) for rows in (curved, expected))
    assert pytest.approx(G, abs=1e-12) == H
    H = H.reshape(12, 12)
    assert pytest.approx(H.T, abs=1e-12) == H


def test_zeros_ones_and_repeated_outputs():
    x, y = Trace().inputs("x", 2)
    rows = dstar([x * y, 3.0, x, x * y, sin(y)], (x, y))
    assert rows[0] == rows[3] and rows[0][0] is y and rows[0][1] is x
    assert rows[1] == (0.0, 0.0) and rows[2] == (1.0, 0.0) and rows[4][0] == 0.0
    assert all(type(z) is float for z in (*rows[1], *rows[2], rows[4][0]))
    assert dstar([], (x,)) == [] and dstar([x], ()) == [()]


def test_an_input_may_be_any_node_and_rests_while_another_moves():
    x, y = Trace().inputs("x", 2)
    inner = sin(x)
    assert dstar([inner * x * y], (inner,))[0][0].op == "mul"
    ((along, rest),) = dstar([inner * y + x], (inner, x))
    assert along is y and rest == 1.0


def test_the_same_nodes_every_time():
    digests = set()
    for _ in range(2):
        outputs, inputs = pose("gimbal")
        digests.add(program(dstar(outputs, inputs), inputs).digest())
    assert len(digests) == 1


# Operations


@pytest.mark.parametrize("name", REAL)
def test_no_more_operations_than_the_better_sweep(name):
    ours, ahead, back = (operations(m, REAL[name]) for m in (dstar, forward, reverse))
    print(f"{name:32} forward {ahead:5} reverse {back:5} D* {ours:5}")
    assert ours <= min(ahead, back)


def test_spherical_harmonics_grow_like_the_square_of_the_order():
    """And reverse sweeps like its cube: (n + 1)^2 outputs of up to n factors each."""
    orders = (4, 6, 8, 12, 16)
    counts = [
        [operations(m, functools.partial(harmonics, n)) for n in orders]
        for m in (forward, reverse, dstar)
    ]
    for n, *row in zip(orders, *counts, strict=True):
        print(f"order {n:3}: forward {row[0]:6} reverse {row[1]:6} D* {row[2]:6}")
    growth = [math.log(c[-1] / c[2]) / math.log(orders[-1] / orders[2]) for c in counts]
    print("growth from order 8: n to the power", np.round(growth, 2))
    assert growth[2] < 2.2 < 2.8 < growth[1]
    assert growth[2] <= growth[0] + 0.05
    assert all(ours < ahead < back for ahead, back, ours in zip(*counts, strict=True))


# Refusals


def test_refuses_loops_between_and_not_beside():
    x, y = Trace().inputs("x", 2)
    (looped,) = scan(lambda k, a: (a * x + k,), (1.0,), 3)
    assert not fits([looped], (x,))
    with pytest.raises(Refused, match=r"D\*: a loop lies between inputs and outputs"):
        dstar([looped], (x,))
    assert dstar([looped * y], (y,))[0][0] is looped


def test_refuses_what_is_too_large():
    (x,) = Trace().inputs("x", 1)
    long = x
    for _ in range(NODES):
        long = sin(long)
    assert fits([x * x], (x,)) and not fits([long], (x,))
    with pytest.raises(Refused, match=f"3001 nodes; it is tried up to {NODES}"):
        dstar([long], (x,))


def test_refuses_too_much_work_in_the_same_way_every_time():
    x = Trace().inputs("x", 20)
    layer = list(x)
    for _ in range(3):
        layer = [sin(sum((z * (1.0 + k) for z in layer), 0.5)) for k in range(20)]
    with pytest.raises(Refused, match="steps of work; use another method"):
        dstar(layer, x)


def test_no_recursion_over_a_deep_graph():
    x, y = Trace().inputs("x", 2)
    deep = x
    for _ in range(600):
        deep = sin(deep) * y + 0.25
    ((ours, other),) = dstar([deep], (x, y))
    ((theirs, another),) = forward([deep], (x, y))
    found = program([(ours, other), (theirs, another)], (x, y))(0.4, 0.9)
    assert found[:2] == pytest.approx(found[2:], rel=1e-12)
