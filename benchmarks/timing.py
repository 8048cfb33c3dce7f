"""Honest timing on a machine with neighbours: short rounds, interleaved, minima."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "results"
os.environ["KNUCKLE_CACHE"] = "off"  # compile times are those of compiling


def interleaved(
    contestants: Mapping[str, Callable[[float], float]], rounds: int, budget: float
) -> dict[str, float]:
    """The minimum of each contestant over rounds in which all of them take turns.

    A contestant runs for about `budget` seconds and returns nanoseconds per evaluation.
    """
    best = dict.fromkeys(contestants, float("inf"))
    for _ in range(rounds):
        for name, contestant in contestants.items():
            best[name] = min(best[name], contestant(budget))
    return best


def repeated(
    call: Callable[[], object], evaluations: int = 1
) -> Callable[[float], float]:
    """A contestant from a Python callable that does `evaluations` evaluations a call.

    Calls are timed in blocks of at least 1 ms, so that the clock costs nothing.
    """

    def block(count: int) -> float:
        start = time.perf_counter_ns()
        for _ in range(count):
            call()
        return float(time.perf_counter_ns() - start)

    def contestant(budget: float) -> float:
        count, best, spent = 1, float("inf"), 0.0
        while (took := block(count)) < 1e6:
            count *= 2
        while spent < 1e9 * budget:
            best = min(best, took / count)
            spent += took
            took = block(count)
        return best / evaluations

    return contestant


def fresh(code: str, rounds: int, *arguments: str) -> list[float]:
    """The numbers that `code` prints in fresh processes: the minimum of each line."""
    lines = []
    command = [sys.executable, "-c", code, *arguments]
    bytecode = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    for _ in range(rounds):
        done = subprocess.run(command, capture_output=True, text=True, env=bytecode)
        if done.returncode:
            raise RuntimeError(f"fresh process failed:\n{done.stderr}")
        lines.append([float(word) for word in done.stdout.split()])
    return [min(column) for column in zip(*lines, strict=True)]


def machine() -> str:
    """The processor's name as one lower-case word, for file names."""
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        found = re.search(r"model name\s*:\s*(.*)", info.read_text())
        name = found.group(1) if found else name
    wide = "-avx512" if info.exists() and "avx512f" in info.read_text() else ""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") + wide


def versions() -> dict[str, str]:
    """Versions of Python, of the libraries in play, and the commit."""
    from importlib import metadata

    found = {"python": platform.python_version()}
    for name in ("numpy", "llvmlite", "pin", "mujoco", "casadi"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return {**found, "commit": commit()}


def commit() -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    here = str(RESULTS.parent)
    try:
        done = subprocess.run(command, cwd=here, capture_output=True, text=True)
    except FileNotFoundError:
        return "unknown"
    return done.stdout.strip() or "none yet"


def table(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table with padded columns, readable as it stands."""
    lines = [header, *rows]
    widths = [max(len(line[k]) for line in lines) for k in range(len(header))]
    rule = ["-" * width for width in widths]
    return "\n".join(
        "| " + " | ".join(w.ljust(n) for w, n in zip(line, widths, strict=True)) + " |"
        for line in [header, rule, *rows]
    )


def save(name: str, record: dict, text: str) -> None:
    """results/NAME.json and results/NAME.md."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n")
    (RESULTS / f"{name}.md").write_text(text + "\n")
