"""One call, import and first compilation: what a user waits for."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import knuckle as kn
from robots import MODELS, ROBOTS, pin_q, pin_v, pinocchio_model, robot
from timing import fresh, interleaved, repeated

COLD_TARGETS = {
    ("arm7", "inverse_dynamics"): 0.15,
    ("arm7", "forward_dynamics"): 0.2,
    ("hum38", "forward_dynamics"): 1.5,
}
IMPORT_TARGET = 0.050

IMPORT = """
import time
import numpy
start, cpu = time.perf_counter(), time.process_time()
import knuckle
print(time.perf_counter() - start, time.process_time() - cpu)
knuckle.Model, knuckle.joints, knuckle.inverse_dynamics
print(time.perf_counter() - start, time.process_time() - cpu)
"""

COLD = """
import sys, time
sys.path.insert(0, sys.argv[1])
import numpy as np
import knuckle as kn
from robots import robot
model = robot(sys.argv[2])
q, v = model.neutral(), np.zeros(model.nv)
algorithm = getattr(kn, sys.argv[3])
start, cpu = time.perf_counter(), time.process_time()
kernel = kn.compile(algorithm, model)
kernel.ufunc(q, v, v)
print(time.perf_counter() - start, time.process_time() - cpu)
"""


def import_seconds(rounds: int) -> dict[str, list[float]]:
    """(elapsed, processor) seconds beyond `import numpy` in a fresh process: the bare
    import, which is lazy, and the import with the names that every user needs."""
    bare, bare_cpu, used, used_cpu = fresh(IMPORT, rounds)
    return {
        "import knuckle": [bare, bare_cpu],
        "import knuckle, Model, joints, inverse_dynamics": [used, used_cpu],
    }


def cold_seconds(rounds: int) -> dict[str, list[float]]:
    """(elapsed, processor) seconds in a fresh process from a Model to the first result,
    llvmlite's import included."""
    here = str(MODELS.parent)
    return {" ".join(key): fresh(COLD, rounds, here, *key) for key in COLD_TARGETS}


def single_calls(rounds: int, budget: float) -> dict[str, dict[str, float]]:
    """Nanoseconds of one call of inverse dynamics with (n,) arrays, per robot."""
    return {name: single_call(name, rounds, budget) for name in ROBOTS}


def single_call(name: str, rounds: int, budget: float) -> dict[str, float]:
    model = robot(name)
    rng = np.random.default_rng(3)
    q = model.random(rng)
    v, a = rng.uniform(-1.0, 1.0, (2, model.nv))
    kernel = kn.compile(kn.inverse_dynamics, model)
    out = np.empty(model.nv)
    turns = {
        "kernel.ufunc": repeated(partial(kernel.ufunc, q, v, a)),
        "kernel.ufunc out=": repeated(partial(kernel.ufunc, q, v, a, out=out)),
        "kernel": repeated(partial(kernel, q, v, a)),
        "kn.inverse_dynamics": repeated(partial(kn.inverse_dynamics, model, q, v, a)),
        "kernel.bind": repeated(kernel.bind(q, v, a, out=out)),
    }
    return interleaved(turns | pin_call(name, q, v, a), rounds, budget)


def pin_call(name: str, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> dict[str, Any]:
    """`pin.rnea(model, data, q, v, a)` from Python, if Pinocchio is here."""
    try:
        import pinocchio as pin
    except ImportError:
        return {}
    model = pinocchio_model(MODELS / f"{name}.txt")
    free = model.nq != model.nv
    state = pin_q(q, free).copy(), pin_v(v, free).copy(), pin_v(a, free).copy()
    return {"pin.rnea": repeated(partial(pin.rnea, model, model.createData(), *state))}
