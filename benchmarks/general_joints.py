"""Si & Guenter's Table 1 with our columns beside theirs, and the cost of a torus.

    python benchmarks/general_joints.py [--quick]

Forward dynamics of chains of rods and tori and of a windmill: by articulated bodies and
by their Method I, compiled, in batches of 4096 and one at a time; by their Method II,
recursions 4 to 6 in NumPy, one at a time. One core, double.
"""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import knuckle as kn
from knuckle.algorithms.references import forward_dynamics_method_two
from timing import interleaved, machine, repeated, save, table, versions

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
from scenes import SCENES, Scene, scene  # noqa: E402

BATCH = 4096
THEIRS: dict[str, tuple[float, float | None, float | None, float]] = {
    "rc20": (0.020, 0.025, 0.016, 1.0),
    "rc50": (0.050, 0.064, 0.136, 2.4),
    "rc100": (0.112, 0.127, None, 4.9),
    "tc10": (0.055, None, None, 1.05),
    "tc20": (0.115, None, None, 2.2),
    "windmill": (0.108, None, None, 2.4),
}
"""Milliseconds on a Core 2 Quad of 2.67 GHz, 2010: Method I, Featherstone, SD/FAST,
Method II."""
METHODS = {"ABA": kn.forward_dynamics, "Method I": kn.forward_dynamics_square}
TARGETS = {
    ("tc20", "ABA"): 4000.0, ("rc100", "ABA"): 2000.0, ("tc20", "ABA, one call"): 15e3,
}  # fmt: skip
"""Nanoseconds."""
PREPARED = 20.0
"""Seconds in which every scene is to be traced and compiled."""
LENGTHS = (10, 20, 40, 80)
SPREAD = 0.2
"""By how much the cost of a torus may vary with their number."""


def main() -> None:
    """Measure, print, save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one short round, unsaved")
    options = parser.parse_args()
    rounds, budget = (1, 0.01) if options.quick else (9, 0.05)
    rows = {name: prepared(name) for name in SCENES}
    chains = {n: rows.get(f"tc{n}") or prepared(f"tc{n}", only="ABA") for n in LENGTHS}
    turns = {}
    for name, row in rows.items():
        turns |= {(name, what): call for what, call in row["turns"].items()}
    turns |= {("chain", n): row["turns"]["ABA"] for n, row in chains.items()}
    best = interleaved(turns, rounds, budget)
    record = {
        "machine": machine(), "date": time.strftime("%Y-%m-%d"),
        "versions": versions(),
        "rows": [finished(name, row, best) for name, row in rows.items()],
        "chains": [finished("chain", row, best, n) for n, row in chains.items()],
    }  # fmt: skip
    text = report(record)
    print(text)
    if not options.quick:
        save(f"general-joints-{record['machine']}", record, text)


def prepared(name: str, only: str | None = None) -> dict[str, Any]:
    """What is known before turns are taken, and who takes them."""
    start = time.perf_counter()
    made = scene(name)
    built, model = time.perf_counter() - start, made.model
    rng = np.random.default_rng(0)
    q = made.q + rng.uniform(-0.1, 0.1, (BATCH, model.nv))
    v, tau = rng.normal(size=(2, BATCH, model.nv))
    row: dict[str, Any] = {"freedoms": model.nv, "turns": {}}
    for what, alg in METHODS.items():
        if only in (None, what):
            start = time.perf_counter()
            code = kn.compile(alg, model)
            row[f"{what}, seconds"] = built + time.perf_counter() - start
            row[f"{what}, operations"] = sum(code.operations.values())
            many = partial(code.ufunc, q, v, tau, out=np.empty_like(q))
            row["turns"][what] = repeated(many, BATCH)
            row["turns"][f"{what}, one call"] = repeated(
                partial(alg, model, q[0], v[0], tau[0])
            )
    if only is None:
        second = partial(forward_dynamics_method_two, model, q[0], v[0], tau[0])
        agreement(made, q[0], v[0], tau[0])
        row["turns"]["Method II, one call"] = repeated(second)
    return row


def agreement(made: Scene, *state: np.ndarray) -> None:
    """The three give the same accelerations."""
    a, b = (alg(made.model, *state) for alg in METHODS.values())
    c = forward_dynamics_method_two(made.model, *state)
    assert max(np.abs(a - b).max(), np.abs(a - c).max()) < 1e-7 * np.abs(a).max()


def finished(name: str, row: dict[str, Any], best: Any, n: int = 0) -> dict[str, Any]:
    """The row with its nanoseconds."""
    times = {what: ns for (of, what), ns in best.items() if of == name}
    if n:
        times = {"ABA": times[n], "of each torus": times[n] / n}
    plain = {key: value for key, value in row.items() if key != "turns"}
    return {"name": f"tc{n}" if n else name, **plain, "ns": times}


def report(record: dict[str, Any]) -> str:
    """Everything as Markdown."""
    words = ", ".join(f"{k} {v}" for k, v in record["versions"].items())
    return "\n\n".join(
        [
            f"# General joints, {record['machine']}, {record['date']}",
            words,
            "Milliseconds per forward dynamics, one at a time: theirs on a Core 2 Quad "
            "of 2.67 GHz, as printed; ours from Python, with NumPy's arrays.",
            table(*theirs(record["rows"])),
            "Nanoseconds per forward dynamics in batches of 4096, minima of interleaved"
            " rounds, one core, double; operations of one evaluation; seconds to build "
            "the model, trace and compile. The ratio is of machines fifteen years apart"
            ", and one of them has eight lanes: it says what a scene costs today.",
            table(*ours(record["rows"])),
            "The cost of a torus in chains of n.",
            table(*lengths(record["chains"])),
            *verdicts(record),
        ]
    )


Table = tuple[list[str], list[list[str]]]


def theirs(rows: list[dict[str, Any]]) -> Table:
    """Their Table 1, and our single calls."""
    header = ["scene", "DOFs", "their Method I", "Featherstone", "SD/FAST", "Method II"]
    header += ["our Method I", "ABA", "Method II"]
    lines = []
    for row in rows:
        printed = THEIRS.get(row["name"], (None,) * 4)
        calls = [
            row["ns"][f"{what}, one call"] * 1e-6
            for what in ("Method I", "ABA", "Method II")
        ]
        cells = ["-" if x is None else f"{x:g}" for x in printed]
        cells += [f"{x:.2g}" for x in calls]
        lines.append([row["name"], str(row["freedoms"]), *cells])
    return header, lines


def ours(rows: list[dict[str, Any]]) -> Table:
    """Batches, operations and preparation."""
    header = ["scene", *METHODS, "their Method I / ours"]
    header += [f"{name}, {what}" for what in ("operations", "s") for name in METHODS]
    lines = []
    for row in rows:
        printed = THEIRS.get(row["name"])
        ratio = f"{1e6 * printed[0] / row['ns']['Method I']:.0f}" if printed else "-"
        lines.append(
            [
                row["name"],
                *(f"{row['ns'][name]:.0f}" for name in METHODS),
                ratio,
                *(str(row[f"{name}, operations"]) for name in METHODS),
                *(f"{row[f'{name}, seconds']:.2f}" for name in METHODS),
            ]
        )
    return header, lines


def lengths(rows: list[dict[str, Any]]) -> Table:
    """TC(n): per torus."""
    lines = [
        [
            row["name"],
            f"{row['ns']['of each torus']:.1f}",
            f"{row['ABA, operations'] / int(row['name'][2:]):.0f}",
            f"{row['ABA, seconds']:.2f}",
        ]
        for row in rows
    ]
    return ["chain", "ns a torus", "operations a torus", "s"], lines


def verdicts(record: dict[str, Any]) -> list[str]:
    """Every target, and whether it is met."""
    rows = {row["name"]: row for row in record["rows"]}
    lines = [
        f"- {name}, {what}: {rows[name]['ns'][what]:.0f} ns, target {most:.0f}: "
        f"{met(rows[name]['ns'][what] < most)}"
        for (name, what), most in TARGETS.items()
    ]
    slowest = max(row[f"{m}, seconds"] for row in record["rows"] for m in METHODS)
    lines.append(
        f"- longest trace and compilation: {slowest:.1f} s, target {PREPARED:.0f}: "
        f"{met(slowest < PREPARED)}"
    )
    each = [row["ns"]["of each torus"] for row in record["chains"]]
    spread = max(each) / min(each) - 1.0
    lines.append(
        f"- cost of a torus from n = {LENGTHS[0]} to {LENGTHS[-1]}: within "
        f"{spread:.0%}, target {SPREAD:.0%}: {met(spread <= SPREAD)}"
    )
    return ["\n".join(lines)]


def met(fine: bool) -> str:
    return "met" if fine else "missed"


if __name__ == "__main__":
    main()
