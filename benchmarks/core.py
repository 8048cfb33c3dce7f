"""The speed of the core against Pinocchio, CasADi's C and MuJoCo: one run, one table.

    python benchmarks/core.py --build        build the peers (minutes), then measure
    python benchmarks/core.py                measure; peers that are built take part
    python benchmarks/core.py --quick        under a minute, saves nothing

Ratios are within one run, double precision, one core, batch 4096, row-major arrays in
and out.  A loop over states in cache is what the peers' programs time.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from peers.programs import Peers, build
from robots import ROBOTS
from startup import (
    COLD_TARGETS,
    IMPORT_TARGET,
    cold_seconds,
    import_seconds,
    single_calls,
)
from throughput import CASADI_TARGET, QUESTIONS, STORE_SHARE, Question, measure
from timing import machine, save, table, versions

DEFAULT_PEERS = Path(__file__).resolve().parent / "build"
CALL_TARGETS = {"kernel.ufunc": 1.0, "kn.inverse_dynamics": 1.2}
HEADER = (
    "robot algorithm knuckle pinocchio casadi mujoco pin/kn target met casadi/kn met"
).split() + ["store share", "operations", "compile s", "error"]


def main() -> None:
    """Measure, print, save."""
    options = arguments()
    if options.build:
        build(options.peers, ROBOTS)
    peers = Peers(options.peers)
    rounds, budget = (1, 0.02) if options.quick else (options.rounds, options.budget)
    record: dict[str, Any] = {
        "machine": machine(),
        "date": time.strftime("%Y-%m-%d"),
        "versions": versions(),
        "rounds": rounds,
        "rows": throughput(peers, options, rounds, budget),
        "calls": single_calls(rounds, budget),
        "import_seconds": import_seconds(2 if options.quick else 15),
        "cold_seconds": cold_seconds(1 if options.quick else 12),
    }
    text = report(record)
    print("\n" + text)
    if not options.quick:
        save(f"core-{record['machine']}", record, text)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="one short round")
    parser.add_argument("--build", action="store_true", help="build the peers first")
    parser.add_argument(
        "--peers", type=Path, default=DEFAULT_PEERS, help="folder of built peers"
    )
    parser.add_argument("--rounds", type=int, default=7, help="interleaved rounds")
    parser.add_argument("--budget", type=float, default=0.1, help="seconds per turn")
    parser.add_argument("--robots", nargs="+", default=ROBOTS, choices=ROBOTS)
    known = [question.algorithm for question in QUESTIONS]
    parser.add_argument("--algorithms", nargs="+", default=known, choices=known)
    return parser.parse_args()


def throughput(
    peers: Peers, options: argparse.Namespace, rounds: int, budget: float
) -> list[dict[str, Any]]:
    rows = []
    questions = [q for q in QUESTIONS if q.algorithm in options.algorithms]
    for name in options.robots:
        for question in questions:
            row = measure(name, question, peers, rounds, budget)
            rows.append(row | verdict(row, question))
            print(" ".join(cells(rows[-1])), flush=True)
    return rows


def verdict(row: dict[str, Any], question: Question) -> dict[str, Any]:
    """Ratios and whether the targets are met; without a peer nothing is claimed."""
    found: dict[str, Any] = {"target": question.targets[ROBOTS.index(row["robot"])]}
    if question.matrix:
        store = min(row["fill"], row.get("memset", row["fill"]))
        found["store_share"] = store / row["knuckle"]
    peer = row.get("pinocchio", row.get("pin in parallel"))
    if peer is not None:
        found["ratio"] = peer / row["knuckle"]
        stores = found.get("store_share", 0.0) >= STORE_SHARE
        found["met"] = found["ratio"] >= found["target"] or stores
    if "casadi" in row:
        found["casadi_ratio"] = row["casadi"] / row["knuckle"]
        if not question.matrix:
            found["casadi_met"] = found["casadi_ratio"] >= CASADI_TARGET
    return found


def report(record: dict[str, Any]) -> str:
    """Everything as Markdown."""
    parallel = any("pin in parallel" in row for row in record["rows"])
    versions = ", ".join(f"{k} {v}" for k, v in record["versions"].items())
    parts = [
        f"# Core benchmark, {record['machine']}, {record['date']}",
        versions,
        "Nanoseconds per evaluation: minima of interleaved rounds, one core, double, "
        "batch 4096, row-major arrays in and out. `store share`: time to store outputs "
        "of that size (the faster of NumPy's fill and memset) over knuckle's time; "
        f"{STORE_SHARE:.0%} of it meets a matrix target. `error`: largest difference "
        "from Pinocchio over its largest entry. `pinocchio`: "
        + ("rnea/abaInParallel, one thread." if parallel else "its C++ loop."),
        table(HEADER, [cells(row) for row in record["rows"]]),
        "## One call of inverse dynamics with (n,) arrays, ns",
        calls_table(record["calls"]),
        "## Waiting",
        waiting_table(record),
    ]
    return "\n\n".join(parts)


def cells(row: dict[str, Any]) -> list[str]:
    """One row of the main table as text."""
    return [
        row["robot"],
        row["algorithm"],
        number(row["knuckle"], ".1f"),
        number(row.get("pinocchio", row.get("pin in parallel")), ".0f"),
        number(row.get("casadi"), ".0f"),
        number(row.get("mujoco"), ".0f"),
        number(row.get("ratio"), ".1f"),
        number(row["target"], "d"),
        yes(row.get("met")),
        number(row.get("casadi_ratio"), ".1f"),
        yes(row.get("casadi_met")),
        number(row.get("store_share"), ".2f"),
        number(row["operations"], "d"),
        number(row["compile_seconds"], ".2f"),
        number(row["error"], ".0e"),
    ]


def calls_table(calls: dict[str, dict[str, float]]) -> str:
    """The targets are the arm's; the other robots are printed beside it."""
    names = list(next(iter(calls.values())))
    rows = []
    for name in names:
        target, met = CALL_TARGETS.get(name), None
        if target is not None and "pin.rnea" in names:
            met = calls["arm7"][name] <= target * calls["arm7"]["pin.rnea"]
        times = [number(calls[robot].get(name), ".0f") for robot in calls]
        limit = "-" if target is None else f"{target} x pin.rnea"
        rows.append([name, *times, limit, yes(met)])
    return table(["call", *calls, "target (arm7)", "met"], rows)


def waiting_table(record: dict[str, Any]) -> str:
    """Targets are elapsed seconds; processor seconds tell how busy the machine was."""
    targets = {" ".join(key): seconds for key, seconds in COLD_TARGETS.items()}
    rows = [(key, s, IMPORT_TARGET) for key, s in record["import_seconds"].items()]
    for key, seconds in record["cold_seconds"].items():
        rows.append((f"first call, {key}", seconds, targets[key]))
    text = [
        [what, f"{elapsed:.4f}", f"{cpu:.4f}", f"{limit:.3f}", yes(elapsed <= limit)]
        for what, (elapsed, cpu), limit in rows
    ]
    return table(["what", "seconds", "processor", "target", "met"], text)


def number(value: float | None, spec: str) -> str:
    return "-" if value is None else format(value, spec)


def yes(met: bool | None) -> str:
    return "-" if met is None else "yes" if met else "NO"


if __name__ == "__main__":
    main()
