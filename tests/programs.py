"""Programs for the tests of the scalar layer and of the code generator."""

import numpy as np

from knuckle.scalar import (
    Program,
    Trace,
    absolute,
    acos,
    asin,
    atan2,
    cos,
    exp,
    floor,
    log,
    lookup,
    maximum,
    minimum,
    reciprocal,
    scan,
    sin,
    sqrt,
    stumpff,
    tan,
    tanh,
    where,
    while_loop,
)

SMOOTH = {
    "sin": sin,
    "cos": cos,
    "tanh": tanh,
    "exp": lambda x: exp(tanh(x)),
    "log": lambda x: log(1.5 + x * x),
    "sqrt": lambda x: sqrt(1.0 + x * x),
    "asin": lambda x: asin(0.9 * tanh(x)),
    "acos": lambda x: acos(0.9 * tanh(x)),
    "tan": lambda x: tan(tanh(x)),
    "rcp": lambda x: reciprocal(2.0 + x * x),
    "stumpff": lambda x: stumpff(3, x * x),
    "abs": absolute,
    "neg": lambda x: -x,
}
BINARY = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / (2.5 + sin(y)),
    "atan2": lambda x, y: atan2(x, 2.0 + y * y),
    "min": minimum,
    "max": maximum,
    "where": lambda x, y: where(x < y, 0.5 * x, 2.0 * y),
}


def every_primitive():
    """A program of six inputs with one output, at least, for each primitive."""
    trace = Trace()
    x, y, z, u, v, w = inputs = trace.inputs("x", 6)
    small, positive = tanh(y), 0.5 + z * z
    found = [x + y, x - y, x * y, x / positive, reciprocal(positive), -x]
    found += [sqrt(positive), sin(u), cos(u), sin(v), cos(w + x), tan(u), asin(small)]
    found += [acos(small), atan2(x, y), exp(small), log(positive), tanh(v)]
    found += [absolute(x), minimum(x, y), maximum(x, y), floor(4.0 * w), floor(-x)]
    found += [stumpff(k, u * v) for k in range(13)]
    conditions = [x < y, x <= u, floor(x) == floor(y), floor(u) != floor(v)]
    conditions += [(x < y) & (u < v), (x < y) | (u < v), ~((x < y) | (x < u))]
    found += [where(c, z, w) for c in conditions]
    found += [x * y + z, x * y - z, z - x * y, x * y + z * u - v * w]
    found += scan(lambda k, a, b: (a + 0.1 * b * k, cos(b) - x * a), (y, 0.25), 3)
    found += while_loop(lambda a: a < 3.0, lambda a: (a + 0.5 + z * z,), (y,), 30)
    found += [lookup([1.5, 2.5, x], 4.0 * u), *lookup([(0.5, 1.0), (2.0, -3.0)], v)]
    found += [1.0, 0.0, x]
    return Program.of(found, [i.value for i in inputs])


def random_program(seed, size=60, inputs=5, outputs=7, scalars=None):
    """Well-conditioned straight-line code over every kind of operation."""
    rng = np.random.default_rng(seed)
    leaves = Trace().inputs("x", inputs)
    values = list(scalars or leaves)
    unary, binary = list(SMOOTH), list(BINARY)
    for _ in range(size):
        a, b = (values[-1 - int(k)] for k in rng.integers(0, min(len(values), 12), 2))
        if rng.random() < 0.4:
            new = SMOOTH[unary[rng.integers(len(unary))]](a)
        else:
            new = BINARY[binary[rng.integers(len(binary))]](a, b)
        if rng.random() < 0.25:
            new = round(float(rng.uniform(-2, 2)), 2) * new + 0.5
        if rng.random() < 0.35:
            new = sin(new)
        values.append(new)
    return Program.of(values[-outputs:], [x.value for x in leaves])
