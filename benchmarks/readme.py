"""The README's table of measured numbers, from a committed result of core.py.

python benchmarks/readme.py RESULT.json    write it into the README
python benchmarks/readme.py --check        fail if the README says anything else
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from timing import RESULTS, table

README = RESULTS.parent.parent / "README.md"
BLOCK = re.compile(
    r"(?<=<!-- benchmarks )(\S*)( -->\n).*?(?=<!-- end benchmarks -->)", re.S
)
WORDS = {
    "inverse_dynamics": "inverse dynamics",
    "forward_dynamics": "forward dynamics",
    "mass_matrix": "mass matrix",
    "inverse_mass_matrix": "its inverse",
}
ROBOTS = {
    "arm7": "arm, 7 dof",
    "quad18": "quadruped, 18 dof",
    "hum38": "humanoid, 38 dof",
}


def main(arguments: list[str]) -> int:
    """Rewrite the block, or compare it with the result that it names."""
    text = README.read_text()
    found = BLOCK.search(text)
    assert found is not None, "README.md has lost its benchmarks block"
    name = found[1] if arguments == ["--check"] else Path(arguments[0]).name
    new = BLOCK.sub(lambda _: f"{name} -->\n{block(name)}", text)
    if arguments == ["--check"]:
        print("README: the numbers are those of", name)
        return int(new != text)
    README.write_text(new)
    return 0


def block(name: str) -> str:
    """The table and where it comes from."""
    record = json.loads((RESULTS / name).read_text())
    versions = record["versions"]
    head = ["", *ROBOTS.values()]
    rows = [[word, *(cell(record, r, a) for r in ROBOTS)] for a, word in WORDS.items()]
    return "\n".join(
        [
            "Nanoseconds per evaluation: one core, double, batches of 4096 rows from "
            "and to NumPy arrays; in",
            "brackets how many times as long Pinocchio's C++ loop and the C code that "
            "CasADi generates from",
            "Pinocchio take in the same run "
            f"(`python benchmarks/core.py --build`, {record['machine']},",
            f"pin {versions['pin']}, casadi {versions['casadi']}; "
            f"all of it: [results](benchmarks/results/{Path(name).stem}.md)).",
            "",
            table(head, rows),
            "",
            calls(record),
            "",
        ]
    )


def cell(record: dict[str, Any], robot: str, algorithm: str) -> str:
    """12.3 (45x, 6x)."""
    for row in record["rows"]:
        if (row["robot"], row["algorithm"]) == (robot, algorithm):
            ratios = f"{row['ratio']:.0f}x, {row['casadi_ratio']:.0f}x"
            return f"**{row['knuckle']:.0f}** ({ratios})"
    raise KeyError(f"no row {robot} {algorithm}")


def calls(record: dict[str, Any]) -> str:
    """One call from Python, and the waiting at the start."""
    arm = record["calls"]["arm7"]
    cold = {key: seconds[0] for key, seconds in record["cold_seconds"].items()}
    first = ", ".join(f"{key} {1000 * s:.0f} ms" for key, s in cold.items())
    return (
        "One call of the arm's inverse dynamics from Python: "
        f"{arm['kernel.ufunc']:.0f} ns, `pin.rnea` {arm['pin.rnea']:.0f} ns.\n"
        f"First call in a fresh process, tracing and compiling: {first}."
    )


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:] or ["--check"]))
