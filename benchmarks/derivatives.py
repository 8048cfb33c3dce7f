"""The speed of derivatives against Pinocchio's C++ and CasADi's C: one run, one table.

    python benchmarks/derivatives.py [--build] [--quick]

As core.py: nanoseconds per evaluation, one core, double, batch 4096, row-major arrays;
fewer rows where their results would not fit into LARGEST bytes.
"""

from __future__ import annotations

import argparse
import math
import time
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import knuckle as kn
from core import DEFAULT_PEERS, number, yes
from knuckle.model.layout import Position, Velocity
from peers.programs import Peers, build, nanoseconds
from robots import ROBOTS, robot
from throughput import BATCH, states
from timing import interleaved, machine, repeated, save, table, versions

PAIRS = [("q", "q"), ("v", "v"), ("q", "v")]


class SecondOrder(NamedTuple):
    """d2(tau) by two of q, v and a, or d2(a) by two of q, v and tau, each
    (nv, nv, nv)."""

    qq: Any
    vv: Any
    qv: Any
    last: Any


@kn.algorithm
def second_order(model: Any, q: Position, v: Velocity, a: Velocity) -> Any:
    """What ComputeRNEASecondOrderDerivatives gives."""
    pairs = [kn.hessian(kn.inverse_dynamics, pair) for pair in (*PAIRS, ("a", "q"))]
    return SecondOrder(*(hessian(model, q, v, a) for hessian in pairs))


@kn.algorithm
def second_forward(model: Any, q: Position, v: Velocity, tau: Velocity) -> Any:
    """The same of forward dynamics; no peer has it."""
    pairs = [kn.hessian(kn.forward_dynamics, pair) for pair in (*PAIRS, ("tau", "q"))]
    return SecondOrder(*(hessian(model, q, v, tau) for hessian in pairs))


FIRST = kn.jacobian(kn.inverse_dynamics, ("q", "v"))
FORWARD = kn.jacobian(kn.forward_dynamics, ("q", "v", "tau"))
QUESTIONS = {
    "dID": (FIRST, "drnea", {"arm7": 15, "quad18": 12, "hum38": 10}),
    "dFD": (FORWARD, "daba", {"arm7": 8, "quad18": 8, "hum38": 8}),
    "d2ID": (second_order, "d2rnea", {"arm7": 10, "quad18": 10, "hum38": 10}),
    "d2FD": (second_forward, "d2aba", {"arm7": None, "quad18": None}),
}
"""The algorithm, the peers' name of it, and how many times as fast it is to be: None
where there is no peer."""
LARGEST = 1 << 28
CASADI_TARGET = 5.0
STORE_SHARE = 0.7
HEADER = "robot question knuckle pinocchio casadi pin/kn target met casadi/kn met"


def main() -> None:
    """Measure, print, save."""
    options = arguments()
    if options.build:
        build(options.peers, ROBOTS)
    peers = Peers(options.peers)
    rounds, budget = (1, 0.02) if options.quick else (7, 0.1)
    rows = []
    for name in options.robots:
        for question in questions(name, options.questions):
            rows.append(measure(name, question, peers, rounds, budget))
            print(" ".join(cells(rows[-1])), flush=True)
    record = {
        "machine": machine(), "date": time.strftime("%Y-%m-%d"),
        "versions": versions(), "rows": rows,
    }  # fmt: skip
    text = report(record)
    print("\n" + text)
    if not options.quick:
        save(f"derivatives-{record['machine']}", record, text)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", action="store_true", help="build the peers first")
    parser.add_argument("--quick", action="store_true", help="one short round, unsaved")
    parser.add_argument("--peers", type=Path, default=DEFAULT_PEERS)
    parser.add_argument("--robots", nargs="+", default=ROBOTS, choices=ROBOTS)
    parser.add_argument(
        "--questions", nargs="+", default=[*QUESTIONS], choices=QUESTIONS
    )
    return parser.parse_args()


def questions(name: str, asked: list[str]) -> list[str]:
    """Those with a target for this robot."""
    return [question for question in asked if name in QUESTIONS[question][2]]


def measure(
    name: str, question: str, peers: Peers, rounds: int, budget: float
) -> dict[str, Any]:
    """One row: compile, then take turns with the peers and with plain stores."""
    alg, function, targets = QUESTIONS[question]
    model = robot(name)
    kernel = kn.compile(alg, model)
    shapes = [x.core for x in kernel.kernel.outputs]
    size = sum(math.prod(shape) for shape in shapes)
    batch = min(BATCH, LARGEST // (8 * size))
    inputs = [x[:batch] for x in states(model)]
    out = tuple(np.ones((batch, *shape)) for shape in shapes)
    turns = {"knuckle": repeated(partial(kernel.ufunc, *inputs, out=out), batch)}
    for peer in ("pinocchio", "casadi"):
        command = targets[name] and peers.command(peer, name, function)
        if command is not None:
            turns[peer] = partial(nanoseconds, command)
    block = np.ones((batch, size))
    turns["fill"] = repeated(partial(block.fill, 1.0), batch)
    row: dict[str, Any] = interleaved(turns, rounds, budget)
    row |= {
        "robot": name, "question": question, "target": targets[name],
        "operations": sum(kernel.operations.values()),
        "compile_seconds": kernel.compile_seconds,
        "store_share": row["fill"] / row["knuckle"],
    }  # fmt: skip
    if "pinocchio" in row:
        row["ratio"] = row["pinocchio"] / row["knuckle"]
        fast = row["ratio"] >= row["target"]
        row["met"] = fast or row["store_share"] >= STORE_SHARE
    if "casadi" in row:
        row["casadi_ratio"] = row["casadi"] / row["knuckle"]
        row["casadi_met"] = row["casadi_ratio"] >= CASADI_TARGET
    return row


def cells(row: dict[str, Any]) -> list[str]:
    """One row of the table as text."""
    return [
        row["robot"],
        row["question"],
        number(row["knuckle"], ".0f"),
        number(row.get("pinocchio"), ".0f"),
        number(row.get("casadi"), ".0f"),
        number(row.get("ratio"), ".1f"),
        number(row["target"], "d"),
        yes(row.get("met")),
        number(row.get("casadi_ratio"), ".1f"),
        yes(row.get("casadi_met")),
        number(row["store_share"], ".2f"),
        number(row["operations"], "d"),
        number(row["compile_seconds"], ".2f"),
    ]


def report(record: dict[str, Any]) -> str:
    """Everything as Markdown."""
    words = ", ".join(f"{k} {v}" for k, v in record["versions"].items())
    header = [*HEADER.split(), "store share", "operations", "compile s"]
    return "\n\n".join(
        [
            f"# Derivatives, {record['machine']}, {record['date']}",
            words,
            "dID: d(tau)/d(q, v). dFD: d(a)/d(q, v, tau). d2ID: d2(tau) by (q, q), "
            "(v, v), (q, v) and (a, q). d2FD: d2(a), with tau in the place of a; "
            "no peer has it. Nanoseconds per evaluation: "
            "minima of interleaved rounds, one core, double, row-major arrays in and "
            "out, batch 4096 or as many rows as 256 MB of results hold. `store share`: "
            "NumPy's fill of outputs of that size "
            f"over knuckle's time; {STORE_SHARE:.0%} of it meets a target.",
            table(header, [cells(row) for row in record["rows"]]),
        ]
    )


if __name__ == "__main__":
    main()
