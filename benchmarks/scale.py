"""From ten bodies to ten thousand: speed, compile time and memory, beside Pinocchio.

    python benchmarks/scale.py [--build] [--quick] [--peers FOLDER]

Nanoseconds per body and row, one core, double, batch 64, row-major arrays. Pinocchio's
C++ loop runs up to PINOCCHIO bodies: its Data holds four tensors of nv^3 numbers, 32 GB
for a thousand. Beyond, its nanoseconds per body are those of its largest run; from 100
bodies to 300 they rise by a few per cent.
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import knuckle as kn
from core import DEFAULT_PEERS, yes
from knuckle.scalar.rolled import RolledProgram
from peers.programs import Peers, build, nanoseconds
from robots import ROBOTS, random_inertia
from timing import RESULTS, interleaved, machine, repeated, save, table, versions

BATCH = 64
PINOCCHIO = 300
SIZES = (10, 30, 100, 300, 1000, 3000, 10000)
QUESTIONS = {"rnea": kn.inverse_dynamics, "aba": kn.forward_dynamics}
THEIRS = {"rnea": ("rnea",), "aba": ("aba_local", "aba_world")}
TARGETS = {100: 20.0, 1000: 18.0, 10000: 14.0}
"""How many times as fast as Pinocchio's C++ at this many bodies."""
COMPILE = {1000: 1.0, 10000: 4.0}
"""Seconds from a model to machine code, at most."""
MEGABYTES, GROWTH, UNLIKE, SINGLE = 100.0, 1.3, 1.3, 1.5
THREADS = {10e6: 1.8, 300e3: 1.4}
"""Nanoseconds of one thread, and how many times as fast two are to be."""
PARENTS = {
    "chain": lambda k, rng: k - 1,
    "binary": lambda k, rng: (k - 1) // 2,
    "unlike": lambda k, rng: int(rng.integers(max(0, k - 6), k)),
}
Row = dict[str, Any]


def body(k: int, shape: str, rng: np.random.Generator) -> tuple[Any, ...]:
    """(parent, R, p, mass, com, I_com) of body k of a mechanism."""
    parent = PARENTS[shape](k, rng) if k else -1
    R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    R[:, 0] *= np.linalg.det(R)
    p, solid = rng.uniform(-0.5, 0.5, 3), random_inertia(rng)
    com = np.array(solid.com)
    if shape == "unlike" and rng.random() < 0.9:
        R = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], 3)
        R[:, 0] *= np.linalg.det(R)
        p = p * (rng.random(3) < 0.5)
        com = com * (rng.random(3) < 0.5)
    return parent, R, p, solid.mass, com, solid.I_com


def mechanism(shape: str, n: int) -> tuple[kn.Model, str]:
    """A model of hinges about z, and the same as Pinocchio's programs read it."""
    rng, bodies, lines = np.random.default_rng(n), [], [str(n)]
    for k in range(n):
        parent, R, p, mass, com, I = body(k, shape, rng)
        numbers = [*R.ravel(), *p, 0.0, 0.0, 1.0, mass, *com, *np.ravel(I)]
        lines.append(f"{parent} 1 " + " ".join(repr(float(x)) for x in numbers))
        name = None if parent < 0 else f"body{parent}"
        solid, joint = kn.Inertia(mass, com, I), kn.joints.Revolute("z")
        bodies.append(kn.Body(f"body{k}", name, joint, kn.SE3(R, p), solid))
    return kn.Model(bodies), "\n".join(lines) + "\n"


def measured(shape: str, n: int, peers: Peers, rounds: int, budget: float) -> list[Row]:
    """Both questions on one mechanism."""
    model, text = mechanism(shape, n)
    rng, rows = np.random.default_rng(n), []
    q, v, x = (rng.normal(size=(BATCH, n)) for _ in range(3))
    for question, alg in QUESTIONS.items():
        code, out = kn.compile(alg, model), np.empty((BATCH, n))
        call = partial(code.kernel.ufunc, q, v, x, out)
        one = partial(code.kernel.ufunc, q[0], v[0], x[0], out[0])
        contestants: dict[str, Callable[[float], float]] = {
            "knuckle": repeated(call, BATCH * n), "single": repeated(one, n),
        }  # fmt: skip
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(text)
            file.flush()
            program = peers.folder / "pinocchio_loop"
            if shape != "unlike" and n <= PINOCCHIO and program.exists():
                for name in THEIRS[question]:
                    command = [str(program), file.name, name]
                    contestants[name] = lambda s, c=command: nanoseconds(c, s) / n
            best = interleaved(contestants, rounds, budget)
            theirs = [best[name] for name in THEIRS[question] if name in best]
        rows.append({
            "shape": shape, "n": n, "question": question, **best,
            **({"pinocchio": min(theirs)} if theirs else {}),
            "kinds": kinds(code), "operations": sum(code.operations.values()) / n,
            "compile": code.compile_seconds, "megabytes": code.kernel.nbytes / 1e6,
        })  # fmt: skip
        print(" ".join(cells(rows[-1])), flush=True)
    return rows


def kinds(code: Any) -> int:
    """How many kinds of steps rolled code has; 0 for straight code."""
    program = code.kernel.program
    return len(program.kinds) if isinstance(program, RolledProgram) else 0


def factored(rounds: int, budget: float, sizes: tuple[int, ...]) -> list[Row]:
    """CRBA with its factors on binary trees: nanoseconds over n d^2."""
    rows = []
    for n in sizes:
        model, _ = mechanism("binary", n)
        rng, depth = np.random.default_rng(n), math.log2(n + 1)
        q, v, tau = (rng.normal(size=(BATCH, n)) for _ in range(3))
        code = kn.compile(kn.forward_dynamics_crba, model, rolled=True)
        call = repeated(partial(code.kernel.ufunc, q, v, tau), BATCH)
        best = interleaved({"call": call}, rounds, budget)["call"]
        rows.append({"n": n, "d": depth, "call": best, "over": best / n / depth**2})
        print("crba", n, f"{best:.0f}", f"{rows[-1]['over']:.3f}", flush=True)
    return rows


def threaded(rounds: int, budget: float) -> list[Row]:
    """Two threads against one, where one needs so long."""
    if (os.cpu_count() or 1) < 2:
        return []
    model, _ = mechanism("chain", 100)
    code, rows = kn.compile(kn.forward_dynamics, model), []
    for wanted, target in THREADS.items():
        trial = np.zeros((BATCH, 100))
        once = repeated(partial(code.kernel.ufunc, trial, trial, trial), BATCH)(0.05)
        count = max(16, int(wanted / once) // 16 * 16)
        rng = np.random.default_rng(count)
        q, v, tau = (rng.normal(size=(count, 100)) for _ in range(3))
        out = np.empty_like(q)

        def run(threads: int, args: Any = (q, v, tau, out)) -> Any:
            def call(seconds: float) -> float:
                kn.set_threads(threads)
                return repeated(lambda: code(*args[:3], out=args[3]))(seconds)

            return call

        best = interleaved({"one": run(1), "two": run(2)}, rounds, budget)
        rows.append({**best, "ratio": best["one"] / best["two"], "target": target})
        print("threads", f"{best['one']:.0f}", f"{rows[-1]['ratio']:.2f}", flush=True)
    kn.set_threads(None)
    return rows


def extrapolated(rows: list[Row]) -> None:
    """Pinocchio's nanoseconds beyond what it runs: those of its largest size."""
    for row in rows:
        same = [r for r in rows if r["question"] == row["question"] and r["shape"] ==
                row["shape"] and "pinocchio" in r]  # fmt: skip
        if "pinocchio" not in row and same:
            row["peer"] = max(same, key=lambda r: r["n"])["pinocchio"]
        elif same:
            row["peer"] = row["pinocchio"]


HEADER = "shape n question ns/body pin ratio target met single kinds ops compile/s MB"


def cells(row: Row) -> list[str]:
    ratio = row["peer"] / row["knuckle"] if "peer" in row else math.nan
    target = TARGETS.get(row["n"]) if "peer" in row else None
    mark = "" if "pinocchio" in row or "peer" not in row else "*"
    return [
        row["shape"], str(row["n"]), row["question"], f"{row['knuckle']:.2f}",
        f"{row['peer']:.0f}" + mark if "peer" in row else "-",
        f"{ratio:.1f}" if "peer" in row else "-",
        f"{target:g}" if target else "-",
        yes(ratio >= target) if target else "-",
        f"{row['single']:.0f}", str(row["kinds"]), f"{row['operations']:.0f}",
        f"{row['compile']:.2f}", f"{row['megabytes']:.2f}",
    ]  # fmt: skip


def verdicts(record: Row) -> list[str]:
    """The other targets, met or not."""
    rows = {(r["shape"], r["n"], r["question"]): r for r in record["rows"]}
    lines = []

    def said(text: str, figure: float, bound: float) -> None:
        met = "met" if figure <= bound else "NOT met"
        lines.append(f"- {text}: {figure:.2f}, at most {bound:g}: {met}")

    for (shape, n, question), row in rows.items():
        if n in COMPILE:
            text = f"{shape} {n} {question}: seconds to compile"
            said(text, row["compile"], COMPILE[n])
        if n == 1000 and shape != "unlike":
            small = rows[shape, 100, question]["knuckle"]
            text = f"{shape} {question}: a body at 1,000 over one at 100"
            said(text, row["knuckle"] / small, GROWTH)
        if n == 1000 and shape == "unlike":
            chain = rows["chain", n, question]["knuckle"]
            said(f"unlike {question} over the chain", row["knuckle"] / chain, UNLIKE)
        if n == 1000 and "peer" in row:
            ratio = row["single"] / row["peer"]
            said(f"{shape} {question}: one row over Pinocchio", ratio, SINGLE)
        if n == 10000:
            said(f"{shape} {question}: MB", row["megabytes"], MEGABYTES)
    for row in record["threads"]:
        text = f"two threads at {row['one'] / 1e3:.0f} us: one over two"
        met = "met" if row["ratio"] >= row["target"] else "NOT met"
        lines.append(f"- {text}: {row['ratio']:.2f}, at least {row['target']}: {met}")
    return lines


def report(record: Row) -> str:
    head = f"# Scale: {record['machine']}, {record['date']}\n\n{record['versions']}\n"
    speed = table(HEADER.split(), [cells(row) for row in record["rows"]])
    crba = table(
        ["n", "d", "ns", "ns/(n d^2)"],
        [[str(r["n"]), f"{r['d']:.1f}", f"{r['call']:.0f}", f"{r['over']:.3f}"]
         for r in record["crba"]],
    )  # fmt: skip
    parts = [
        head, speed, "`*` of Pinocchio: its largest run's, not measured.",
        "## CRBA and its factors on binary trees", crba, "## Targets",
        "\n".join(verdicts(record)),
    ]  # fmt: skip
    return "\n\n".join(parts)


def plotted(record: Row, path: Path) -> None:
    """Nanoseconds per body and seconds to compile over the number of bodies."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for shape in PARENTS:
        for question, style in (("aba", "-"), ("rnea", "--")):
            mine = [r for r in record["rows"]
                    if (r["shape"], r["question"]) == (shape, question)]  # fmt: skip
            n = [r["n"] for r in mine]
            label = f"{question}, {shape}"
            (line,) = left.plot(n, [r["knuckle"] for r in mine], style, label=label)
            seconds = [r["compile"] for r in mine]
            right.plot(n, seconds, style, color=line.get_color(), label=label)
            theirs = [r for r in mine if "pinocchio" in r]
            if shape == "chain" and theirs:
                peer = [r["pinocchio"] for r in theirs]
                label = f"{question}, Pinocchio C++"
                n = [r["n"] for r in theirs]
                left.plot(n, peer, style, color="0.5", label=label)
    for axes, text in ((left, "ns per body and row"), (right, "seconds to compile")):
        axes.set(xscale="log", yscale="log", xlabel="bodies", ylabel=text)
        axes.grid(True, which="major", alpha=0.4)
    left.legend(fontsize=7, loc="center")
    figure.savefig(path, dpi=110)


def main() -> None:
    """Measure, print, save."""
    options = arguments()
    if options.build:
        build(options.peers, ROBOTS)
    rounds, budget = (1, 0.02) if options.quick else (5, 0.2)
    sizes = SIZES[:3] if options.quick else SIZES
    kn.compile(kn.inverse_dynamics, mechanism("chain", 2)[0])
    rows = []
    for shape in PARENTS:
        for n in sizes:
            rows += measured(shape, n, Peers(options.peers), rounds, budget)
    extrapolated(rows)
    few = (15, 31, 63) if options.quick else (15, 63, 255, 1023)
    record = {
        "machine": machine(), "date": time.strftime("%Y-%m-%d"),
        "versions": versions(), "rows": rows,
        "crba": factored(rounds, budget, few), "threads": threaded(rounds, budget),
    }  # fmt: skip
    text = report(record)
    print("\n" + text)
    if not options.quick:
        name = f"scale-{record['machine']}"
        save(name, record, text)
        plotted(record, RESULTS / f"{name}.png")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", action="store_true", help="build the peers first")
    parser.add_argument("--quick", action="store_true", help="one short round, unsaved")
    parser.add_argument("--peers", type=Path, default=DEFAULT_PEERS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
