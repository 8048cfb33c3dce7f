"""Peak memory of one large call: inputs + outputs + 10 MB, whatever the inputs.

    python benchmarks/memory.py                     a million rows
    python benchmarks/memory.py --rows 10000000     the promised size (2.3 GB)

Every case runs in a fresh process: allocate and touch the inputs, warm the kernel with
a small batch, then take the growth of the peak resident memory over the call.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys

import numpy as np

from timing import machine, save, table, versions

LIMIT = 10e6
CASES = ("float64", "float32", "misaligned", "fortran", "strided", "mixed")
CALLS = ("kn.inverse_dynamics", "kernel", "kernel.ufunc")
BLOCK = 65536
NUMPY = "kernel.ufunc is NumPy's own path: cast or misaligned inputs are copied whole"


def main() -> int:
    """Run every case in its own process; 1 if one of them is over the limit."""
    options = arguments()
    if options.case:
        print(extra_bytes(options.case, options.call, options.rows))
        return 0
    rows, record = [], []
    for call in options.calls:
        for case in CASES:
            extra = in_fresh_process(case, call, options.rows)
            met = extra <= LIMIT
            record.append({"call": call, "case": case, "extra": extra, "met": met})
            rows.append([call, case, f"{extra / 1e6:.1f}", "yes" if met else "NO"])
            print(*rows[-1], flush=True)
    header = ["call", "case", "beyond inputs and outputs, MB", f"<= {LIMIT / 1e6:.0f}"]
    about = f"{options.rows} rows, arm7 inverse dynamics; {NUMPY}\n\n"
    text = about + table(header, rows)
    print("\n" + text)
    if options.save:
        facts = {"rows": options.rows, "versions": versions(), "cases": record}
        save(f"memory-{machine()}", facts, text)
    promised = [r["met"] for r in record if r["call"] != "kernel.ufunc"]
    return 0 if all(promised) else 1


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--save", action="store_true", help="write results/")
    parser.add_argument("--calls", nargs="+", default=CALLS, choices=CALLS)
    parser.add_argument("--case", choices=CASES, help="one case, in this process")
    parser.add_argument("--call", choices=CALLS, default=CALLS[0])
    return parser.parse_args()


def in_fresh_process(case: str, call: str, rows: int) -> float:
    command = [sys.executable, __file__, "--rows", str(rows)]
    command += ["--case", case, "--call", call]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{case}, {call} failed:\n{done.stderr}")
    return float(done.stdout)


def extra_bytes(case: str, call: str, rows: int) -> float:
    """Growth of the peak over one call, less the outputs."""
    import knuckle as kn
    from robots import robot

    model = robot("arm7")
    kernel = kn.compile(kn.inverse_dynamics, model, dtype=kernel_dtype(case))
    evaluate = {
        "kn.inverse_dynamics": lambda *x: kn.inverse_dynamics(model, *x),
        "kernel": kernel,
        "kernel.ufunc": kernel.ufunc,
    }[call]
    inputs = [array(case, k, rows, model.nv) for k in range(3)]
    evaluate(*(x[:100] for x in inputs))
    before = peak()
    result = evaluate(*inputs)
    return peak() - before - result.nbytes


def kernel_dtype(case: str) -> str:
    return "float32" if case == "float32" else "float64"


def array(case: str, which: int, rows: int, n: int) -> np.ndarray:
    """A touched input array of the wanted kind, filled without temporaries."""
    single = case == "float32" or (case == "mixed" and which != 1)
    dtype = np.dtype(np.float32 if single else np.float64)
    if case == "misaligned":
        buffer = np.empty(rows * n * dtype.itemsize + 1, dtype=np.uint8)
        x = buffer[1:].view(dtype).reshape(rows, n)
    elif case == "fortran":
        x = np.empty((rows, n), dtype, order="F")
    elif case == "strided":
        x = np.empty((rows, 2 * n), dtype)[:, ::2]
    else:
        x = np.empty((rows, n), dtype)
    rng = np.random.default_rng(which)
    for start in range(0, rows, BLOCK):
        block = x[start : start + BLOCK]
        block[:] = rng.uniform(-1.0, 1.0, block.shape)
    return x


def peak() -> float:
    """Peak resident bytes; since inputs are touched last, the present ones too."""
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    raise SystemExit(main())
