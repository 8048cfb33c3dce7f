"""Operation counts per algorithm and robot, held in a golden file that may only fall.

    python benchmarks/operations.py              print; GU(n) beside Table 10.1
    python benchmarks/operations.py --check      fail if any count goes up
    python benchmarks/operations.py --update     rewrite operations.json

A count that goes up is rewritten with --update and a note in the changelog.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import mean
from typing import Any

import knuckle as kn
from knuckle.edge.signature import bind
from knuckle.edge.tracing import trace
from knuckle.scalar import fuse
from robots import ROBOTS, gu, robot
from timing import table

GOLDEN = Path(__file__).resolve().parent / "operations.json"
ALGORITHMS = (
    "inverse_dynamics",
    "forward_dynamics",
    "forward_dynamics_crba",
    "mass_matrix",
    "inverse_mass_matrix",
    "solve_mass_matrix",
    "joint_wrenches",
    "bias_forces",
    "gravity_forces",
    "forward_kinematics",
    "kinetic_energy",
    "potential_energy",
    "center_of_mass",
    "momentum",
    "centroidal_momentum_matrix",
)
CHAINS = (3, 6, 8, 12)
SEEDS = range(10)
Counts = dict[str, int]


def book(algorithm: str, n: int) -> tuple[float, float]:
    """(multiplications, additions) of GU(n) in Featherstone Table 10.1, best rows."""
    if algorithm == "inverse_dynamics":
        return 93 * n - 108, 81 * n - 100
    if algorithm == "forward_dynamics":
        return 224 * n - 259, 205 * n - 248
    return 11 * n * n + 11 * n - 42, 5.5 * n * n + 32.5 * n - 54


SOURCES = {
    "inverse_dynamics": "RNEA, Balafoutis & Patel 91",
    "forward_dynamics": "ABA, McMillan et al. 95",
    "mass_matrix": "CRBA, Balafoutis & Patel 89",
}


def main() -> int:
    """Print the counts; compare with or rewrite the golden file."""
    options = arguments()
    counts = {name: robot_counts(name) for name in ROBOTS}
    if options.update:
        GOLDEN.write_text(json.dumps(counts, indent=1) + "\n")
        return 0
    if options.check:
        return check(counts, json.loads(GOLDEN.read_text()))
    print(counts_table(counts))
    print("\nGU(n), mean of 10 seeds; a fused multiply-add is 1 m + 1 a\n")
    print(chain_table())
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="fail if a count rose")
    parser.add_argument("--update", action="store_true", help="rewrite the golden file")
    return parser.parse_args()


def robot_counts(name: str) -> dict[str, Counts]:
    """Counts by kind of every algorithm on one robot, sorted by kind."""
    model = robot(name)
    return {algorithm: traced(algorithm, model) for algorithm in ALGORITHMS}


def traced(name: str, model: Any) -> Counts:
    """Counts by kind from the trace alone, with fused multiply-adds on any machine."""
    algorithm = getattr(kn, name)
    arrays = [p for p in algorithm.parameters if not p.static and p.default is not None]
    given = bind(name, algorithm.parameters, (), {p.name: 0.0 for p in arrays})
    program = trace(algorithm.function, model, algorithm.parameters, given, {}).program
    return dict(sorted(fuse(program).operations().items()))


def check(counts: dict[str, dict[str, Counts]], golden: dict[str, Any]) -> int:
    """1 and a line for every total that rose, else 0; falls are told, not refused."""
    status = 0
    for name, algorithms in counts.items():
        for algorithm, count in algorithms.items():
            was = sum(golden.get(name, {}).get(algorithm, {}).values())
            now = sum(count.values())
            if now != was:
                print(f"{name} {algorithm}: {was} -> {now} operations ({now - was:+d})")
            if now > was:
                status = 1
    print("operations rose: see above" if status else "no operation count rose")
    return status


def counts_table(counts: dict[str, dict[str, Counts]]) -> str:
    kinds = sorted({k for c in counts.values() for count in c.values() for k in count})
    rows = []
    for name, algorithms in counts.items():
        for algorithm, count in algorithms.items():
            cells = [str(count.get(kind, 0)) for kind in kinds]
            rows.append([name, algorithm, str(sum(count.values())), *cells])
    return table(["robot", "algorithm", "total", *kinds], rows)


def book_counts(count: Counts) -> tuple[int, int, int]:
    """(m, a, divisions) as the book counts; signs and trigonometry are free there."""
    fused = sum(count.get(kind, 0) for kind in ("fma", "fms", "fnma", "fnms"))
    m = count.get("mul", 0) + fused
    a = count.get("add", 0) + count.get("sub", 0) + fused
    return m, a, count.get("div", 0) + count.get("rcp", 0)


def chain_table() -> str:
    rows = []
    for algorithm, source in SOURCES.items():
        for n in CHAINS:
            found = [book_counts(traced(algorithm, gu(n, seed))) for seed in SEEDS]
            m, a, d = (mean(column) for column in zip(*found, strict=True))
            book_m, book_a = book(algorithm, n)
            ours, theirs = m + a + d, book_m + book_a
            cells = [f"{x:.1f}" for x in (m, a, d, ours)]
            theirs_text = f"{book_m:.0f}m + {book_a:.0f}a = {theirs:.0f}"
            rows.append(
                [algorithm, str(n), *cells, theirs_text, f"{ours / theirs:.2f}", source]
            )
    header = ["algorithm", "n", "m", "a", "div", "sum", "Table 10.1", "ratio", "source"]
    return table(header, rows)


if __name__ == "__main__":
    raise SystemExit(main())
