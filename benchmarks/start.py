"""The second start: from a new process to the first result of the humanoid's ABA.

    python benchmarks/start.py              measure, save results/start-<machine>.*
    python benchmarks/start.py --quick      three rounds, saves nothing

Every round starts a process without the cache, and one with what an earlier process
left in it. Seconds count from the moment when numpy and llvmlite.binding are imported,
and everything after that counts: importing knuckle, reading and building the model,
the key, loading the code, one evaluation. The minimum of the rounds stands, because
neighbours only ever slow a process down; the median is printed beside it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from timing import machine, save, table, versions

TARGET = 0.040
ROBOT = "hum38"
STEPS = ("import knuckle", "build the model", "first result")
PROGRAM = """
import sys, time
started = time.perf_counter()
import numpy as np
import llvmlite.binding
marks = [time.perf_counter()]
import knuckle as kn
kn.Model, kn.Body, kn.SE3, kn.Inertia, kn.joints, kn.forward_dynamics
marks.append(time.perf_counter())
sys.path.insert(0, sys.argv[1])
from robots import robot
model = robot(sys.argv[2])
marks.append(time.perf_counter())
q, v = model.neutral(), np.zeros(model.nv)
a = kn.forward_dynamics(model, q, v, v)
marks.append(time.perf_counter())
print(marks[0] - started, *(b - a for a, b in zip(marks, marks[1:])))
print(float(a.sum()).hex(), "knuckle.codegen.native" in sys.modules)
"""


def main() -> None:
    """Measure, print, save."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="three rounds")
    parser.add_argument("--rounds", type=int, default=60, help="pairs of processes")
    options = parser.parse_args()
    record = {
        "machine": machine(),
        "date": time.strftime("%Y-%m-%d"),
        "versions": versions(),
        **measure(3 if options.quick else options.rounds),
    }
    text = report(record)
    print(text)
    if not options.quick:
        save(f"start-{record['machine']}", record, text)


def measure(rounds: int) -> dict[str, Any]:
    """Seconds of (numpy and llvmlite, each step) in every round."""
    with tempfile.TemporaryDirectory() as folder:
        expected, _, needed = start(folder)
        assert needed, "the first start has to compile"
        found: dict[str, Any] = {"rounds": rounds, "cold": [], "warm": []}
        for _ in range(rounds):
            for name, cache in (("cold", "off"), ("warm", folder)):
                result, seconds, needed = start(cache)
                assert result == expected and needed == (name == "cold")
                found[name].append(seconds)
        (file,) = Path(folder).iterdir()
        return found | {"bytes": file.stat().st_size}


def start(cache: str) -> tuple[str, list[float], bool]:
    """The result of one process, its seconds, and whether it had to compile."""
    environment = {
        k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"
    }
    environment["KNUCKLE_CACHE"] = cache
    command = [sys.executable, "-c", PROGRAM, str(Path(__file__).parent), ROBOT]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise RuntimeError(f"fresh process failed:\n{done.stderr}")
    *seconds, result, needed = done.stdout.split()
    return result, [float(x) for x in seconds], needed == "True"


def report(record: dict[str, Any]) -> str:
    """Everything as Markdown."""
    about = ", ".join(f"{k} {v}" for k, v in record["versions"].items())
    sums = {name: totals(record[name]) for name in ("cold", "warm")}
    rows = [["numpy, llvmlite.binding", *cells(record, lambda row: row[0])]]
    for k, step in enumerate(STEPS):
        rows.append([step, *cells(record, lambda row, k=k: row[k + 1])])
    rows.append(["knuckle and first result", *cells(record, lambda r: r[1] + r[3])])
    rows.append(["all three", *cells(record, lambda row: sum(row[1:]))])
    best = min(sums["warm"])
    met = "met" if best <= TARGET else "NOT met"
    header = ["ms", "no cache", "median", "second start", "median"]
    return "\n\n".join(
        [
            f"# Second start, {record['machine']}, {record['date']}",
            about,
            f"First result of forward dynamics (ABA) of {ROBOT} in a new process: "
            f"minimum and median of {record['rounds']} rounds, in which starts without "
            "a cache and second starts take turns. Each line has its own minimum. "
            f"The kernel on disk has {record['bytes']} bytes.",
            table(header, rows),
            f"Target: {1e3 * TARGET:.0f} ms beyond the import of numpy and llvmlite, "
            f"the model included; {1e3 * best:.1f} ms in the best round: {met}.",
        ]
    )


def totals(rows: list[list[float]]) -> list[float]:
    """Seconds beyond the import of numpy and llvmlite."""
    return [sum(row[1:]) for row in rows]


def cells(record: dict[str, Any], what: Any) -> list[str]:
    """Minimum and median in milliseconds, without a cache and with one."""
    found = []
    for name in ("cold", "warm"):
        values = [1e3 * what(row) for row in record[name]]
        found += [f"{min(values):.1f}", f"{statistics.median(values):.1f}"]
    return found


if __name__ == "__main__":
    main()
