"""`knuckle bench`: compile times and nanoseconds per evaluation on this machine."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from knuckle.cli.errors import UserError
from knuckle.cli.options import add_file, count, load, positive
from knuckle.cli.text import seconds

if TYPE_CHECKING:
    from knuckle.edge import CompiledAlgorithm
    from knuckle.model import Model

HELP = """Compile the main algorithms for a mechanism and time them.

One core, random states, the best of several rounds. `batch` is the time of one
evaluation among --rows of them into given arrays, `call` that of one call from Python
on one state."""
ALGORITHMS = (
    "inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_mass_matrix",
    "bias_forces", "gravity_forces", "forward_kinematics", "center_of_mass",
    "kinetic_energy", "momentum",
)  # fmt: skip
MAIN = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "forward_kinematics")
DTYPES = ("float64", "float32")
WIDTHS = (20, 9, 12, 12, 14, 12)


@dataclass(frozen=True)
class Result:
    """What one kernel costs; times in seconds."""

    algorithm: str
    dtype: str
    operations: int
    compile: float
    batch: float
    call: float


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `bench`."""
    add_file(parser)
    parser.add_argument(
        "--algorithm", action="append", metavar="NAME",
        help=f"one of {', '.join(ALGORITHMS)}; may be repeated (default: four of them)",
    )  # fmt: skip
    parser.add_argument(
        "--dtype", choices=(*DTYPES, "both"), default="both", help="default: both"
    )
    parser.add_argument(
        "--rows", type=count, default=4096, help="states in a batch (default 4096)"
    )
    parser.add_argument(
        "--seconds", type=positive, default=0.2,
        help="time spent on each figure (default 0.2)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Prints a row for every algorithm and element type as it is known."""
    names = options.algorithm or MAIN
    for name in names:
        if name not in ALGORITHMS:
            known = ", ".join(ALGORITHMS)
            raise UserError(f"--algorithm {name}: expected one of {known}")
    model = load(options)
    if not model.nv:
        raise UserError(f"{options.file}: nothing moves, so there is nothing to time")
    dtypes = DTYPES if options.dtype == "both" else (options.dtype,)
    rows = results(model, names, dtypes, options.rows, options.seconds)
    if options.json:
        found = [asdict(row) for row in rows]
        print(json.dumps({"file": options.file, "results": found}, indent=1))
        return 0
    head = ("algorithm", "dtype", "operations", "compile", "batch", "call")
    print(f"{model}; {options.rows} rows, one core")
    print(_line(head))
    for row in rows:
        times = map(seconds, (row.compile, row.batch, row.call))
        cells = (row.algorithm, row.dtype, str(row.operations), *times)
        print(_line(cells), flush=True)
    return 0


def results(
    model: Model, names: Any, dtypes: Any, rows: int, budget: float
) -> Iterator[Result]:
    """The figures of every algorithm in every element type."""
    import knuckle as kn
    from knuckle.codegen.store import switched_off

    for name in names:
        for dtype in dtypes:
            with switched_off():
                kernel = kn.compile(getattr(kn, name), model, dtype)
            total = sum(kernel.kernel.operations.values())
            spent = kernel.compile_seconds
            outputs = kernel.kernel.outputs
            out = tuple(np.empty((rows, *x.core), dtype) for x in outputs)
            given, one = (arrays(kernel, model, n, dtype) for n in ((rows,), ()))
            batch = best(partial(kernel.ufunc, *given, out=out), budget) / rows
            call = best(partial(kernel.ufunc, *one), budget)
            yield Result(name, dtype, total, spent, batch, call)


def arrays(
    kernel: CompiledAlgorithm, model: Model, shape: tuple[int, ...], dtype: str
) -> list[np.ndarray]:
    """Random arguments of a kernel: positions on their manifold, other numbers."""
    rng = np.random.default_rng(0)
    found = []
    for x in kernel.kernel.inputs:
        if x.name == "q":
            found.append(model.random(rng, shape).astype(dtype))
        else:
            found.append(rng.normal(size=(*shape, *x.core)).astype(dtype))
    return found


def best(call: Callable[[], object], budget: float) -> float:
    """Seconds of a call: the best block of at least 1 ms, over the budget."""
    repeats, least, spent = 1, float("inf"), 0.0
    call()
    while spent < budget:
        started = time.perf_counter()
        for _ in range(repeats):
            call()
        took = time.perf_counter() - started
        spent += took
        if took < 1e-3:
            repeats *= 2
        else:
            least = min(least, took / repeats)
    return min(least, took / repeats)


def _line(cells: tuple[str, ...]) -> str:
    pairs = list(zip(cells, WIDTHS, strict=True))
    left = "".join(cell.ljust(width) for cell, width in pairs[:2])
    return left + "".join(cell.rjust(width) for cell, width in pairs[2:])
