"""Nanoseconds per evaluation, one core, double: knuckle and the peers in turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import knuckle as kn
from peers.programs import Peers, nanoseconds, sizes
from robots import MODELS, pin_matrix, pin_q, pin_v, pinocchio_model, robot
from timing import interleaved, repeated

BATCH = 4096
AGREEMENT = 1e-11
STORE_SHARE = 0.7
CASADI_TARGET = 5.0
Contestant = Callable[[float], float]


@dataclass(frozen=True)
class Question:
    """One algorithm: its inputs, the peers' functions, the targets per robot."""

    algorithm: str
    inputs: int
    pinocchio: tuple[str, ...]
    casadi: str
    mujoco: str | None
    targets: tuple[float, float, float]
    matrix: bool = False


QUESTIONS = (
    Question(
        "inverse_dynamics", 3, ("rnea",), "rnea", "inverse_dynamics", (30, 16, 14)
    ),
    Question(
        "forward_dynamics",
        3,
        ("aba_local", "aba_world"),
        "aba",
        "forward_dynamics",
        (28, 16, 17),
    ),
    Question(
        "mass_matrix",
        1,
        ("crba_local", "crba_world"),
        "crba",
        "mass_matrix",
        (10, 4, 3),
        matrix=True,
    ),
    Question(
        "inverse_mass_matrix",
        1,
        ("minverse",),
        "minverse",
        None,
        (10, 5, 4),
        matrix=True,
    ),
)


def measure(
    name: str, question: Question, peers: Peers, rounds: int, budget: float
) -> dict[str, Any]:
    """One row of the table: compile, check against Pinocchio, then take turns."""
    model = robot(name)
    kernel = kn.compile(getattr(kn, question.algorithm), model)
    inputs = states(model)[: question.inputs]
    out = np.ones((BATCH, *[model.nv] * (2 if question.matrix else 1)))
    error = disagreement(name, question, kernel, inputs)
    if error is not None and not error <= AGREEMENT:
        raise SystemExit(f"{name} {question.algorithm}: off Pinocchio by {error:.1e}")
    turns = contestants(name, question, peers, kernel, inputs, out)
    best = interleaved(turns, rounds, budget)
    row = {
        "robot": name,
        "algorithm": question.algorithm,
        "error": error,
        "operations": sum(kernel.operations.values()),
        "compile_seconds": kernel.compile_seconds,
        **{key: ns for key, ns in best.items() if not key.startswith("pin:")},
    }
    loops = [ns for key, ns in best.items() if key.startswith("pin:")]
    return row | ({"pinocchio": min(loops)} if loops else {})


def contestants(
    name: str,
    question: Question,
    peers: Peers,
    kernel: Any,
    inputs: tuple[np.ndarray, ...],
    out: np.ndarray,
) -> dict[str, Contestant]:
    """Everyone who answers this question here, knuckle first."""
    turns = {"knuckle": repeated(partial(kernel.ufunc, *inputs, out=out), BATCH)}
    for peer, functions in (
        ("pin:", question.pinocchio),
        ("casadi", (question.casadi,)),
        ("mujoco", (question.mujoco,) if question.mujoco else ()),
    ):
        for function in functions:
            key = peer + function if peer == "pin:" else peer
            program = "pinocchio" if peer == "pin:" else peer
            command = peers.command(program, name, function)
            if command is not None:
                turns[key] = partial(nanoseconds, command)
    if question.matrix:
        turns |= stores(peers, out)
    if not any(key.startswith("pin:") for key in turns):
        turns |= pin_parallel(name, question, inputs)
    return turns


def stores(peers: Peers, out: np.ndarray) -> dict[str, Contestant]:
    """The time to store outputs of this size and nothing else, per row."""
    turns = {"fill": repeated(partial(out.fill, 1.0), BATCH)}
    command = peers.store(out.nbytes)
    if command is not None:
        turns["memset"] = lambda budget: nanoseconds(command, budget) / BATCH
    return turns


def pin_parallel(
    name: str, question: Question, inputs: tuple[np.ndarray, ...]
) -> dict[str, Contestant]:
    """Without a compiler: Pinocchio's own batch call on one thread, if it has one."""
    try:
        import pinocchio as pin
    except ImportError:
        return {}
    call = {
        "inverse_dynamics": pin.rneaInParallel,
        "forward_dynamics": pin.abaInParallel,
    }.get(question.algorithm)
    if call is None:
        return {}
    pool = pin.ModelPool(pinocchio_model(MODELS / f"{name}.txt"), 1)
    columns = to_pinocchio(name, inputs)
    columns = [np.asfortranarray(x.T) for x in columns]
    result = np.empty_like(columns[1], order="F")
    return {
        "pin in parallel": repeated(partial(call, 1, pool, *columns, result), BATCH)
    }


def states(model: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random q, v, a (or tau), contiguous and row-major."""
    rng = np.random.default_rng(7)
    q = np.ascontiguousarray(model.random(rng, (BATCH,)))
    v, a = rng.uniform(-1.0, 1.0, (2, BATCH, model.nv))
    return q, v, a


def to_pinocchio(name: str, inputs: tuple[np.ndarray, ...]) -> list[np.ndarray]:
    """q, v, a in Pinocchio's order.  The trap: dv of a free joint is a body twist in
    both, so no acceleration needs correction."""
    q, *rest = inputs
    free = has_free_root(name)
    return [pin_q(q, free), *(pin_v(x, free) for x in rest)]


def has_free_root(name: str) -> bool:
    nq, nv = sizes(name)
    return nq != nv


def disagreement(
    name: str, question: Question, kernel: Any, inputs: tuple[np.ndarray, ...]
) -> float | None:
    """Largest error of 16 rows relative to Pinocchio's largest entry; None without."""
    try:
        import pinocchio as pin
    except ImportError:
        return None
    model = pinocchio_model(MODELS / f"{name}.txt")
    data = model.createData()
    some = tuple(x[:16] for x in inputs)
    columns = to_pinocchio(name, some)
    theirs = np.array(
        [oracle(pin, question, model, data, *x) for x in zip(*columns, strict=True)]
    )
    reorder = pin_matrix if question.matrix else pin_v
    ours = reorder(kernel.ufunc(*some), has_free_root(name))
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


def oracle(
    pin: Any, question: Question, model: Any, data: Any, *state: np.ndarray
) -> np.ndarray:
    """Pinocchio's answer from Python, both triangles filled."""
    functions = {
        "inverse_dynamics": pin.rnea,
        "forward_dynamics": pin.aba,
        "mass_matrix": pin.crba,
        "inverse_mass_matrix": pin.computeMinverse,
    }
    result = np.array(functions[question.algorithm](model, data, *state))
    upper = np.triu(result) if question.matrix else result
    return upper + np.triu(result, 1).T if question.matrix else upper
