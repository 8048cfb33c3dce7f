"""Every MJCF file of the wheels mujoco, mujoco-mjx and brax, compared with MuJoCo.

    python tools/collections_mjcf.py docs/collections-mjcf.md

writes the table. Needs: pip install mujoco mujoco-mjx brax trimesh scipy
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from importlib import metadata, util
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]
import agreement_mujoco as agreement  # noqa: E402
import knuckle as kn  # noqa: E402
from knuckle.io.load import load  # noqa: E402

WHEELS = {"mujoco": ("mujoco", "mujoco-mjx"), "brax": ("brax",)}
"""Packages with files, and the wheels that install them."""
TOLERANCE = 1e-9
HEAD = """# MJCF files of the wheels {wheels}

Written by `python tools/collections_mjcf.py docs/collections-mjcf.md`.

{loaded} of {count} files load ({percent:.0f}%). `deviation` is the largest difference
from MuJoCo of body poses, M, qfrc_bias, qfrc_passive and (where M has an inverse)
qacc_smooth at two random states, over the largest entry and at least 1, with MuJoCo's
constraints and actuation disabled. What the Model does not have is switched off in
MuJoCo for the comparison and named under `approximated`; the report has an entry of
level error for each. `remarks` counts errors / warnings / notes of the report.

Two settings of MuJoCo are undone for the comparison: it rounds a centre of mass within
1e-6 m of a body's origin to the origin (`body_sameframe`), and leaves out what then is
zero in M (`simple`).

| file | nq | nv | remarks | deviation | approximated |
|---|---|---|---|---|---|
"""


class Row(NamedTuple):
    """What became of one file."""

    file: str
    loads: bool
    cells: tuple[str, ...]

    def __str__(self) -> str:
        return "| " + " | ".join((f"`{self.file}`", *self.cells)) + " |"


def files() -> Iterator[tuple[str, Path]]:
    """(name, path) of every file with a root element <mujoco>."""
    for package in WHEELS:
        spec = util.find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            raise SystemExit(f"no {package}: pip install {' '.join(WHEELS[package])}")
        top = Path(spec.submodule_search_locations[0])
        for path in sorted(top.rglob("*.xml")):
            if "<mujoco" in path.read_text(errors="replace"):
                yield str(path.relative_to(top.parent)), path


def row(name: str, path: Path) -> Row:
    """Load one file and compare it."""
    try:
        model = load(path)
    except (kn.LoadError, kn.ModelError) as error:
        told = f"refused: {str(error).partition(': ')[2]}"
        return Row(name, False, ("", "", "", "", f"{told}; {_peer_refuses(path)}"))
    marks = [r.severity for r in model.report]
    remarks = "/".join(str(marks.count(s)) for s in ("error", "warning", "note"))
    head = (str(model.nq), str(model.nv), remarks)
    return Row(name, True, (*head, *compared(model, path)))


def compared(model: kn.Model, path: Path) -> tuple[str, str]:
    """The deviation, and what had to be switched off."""
    told = []
    try:
        peer = agreement.mujoco_file(path)
    except ValueError as error:
        told.append(f"MuJoCo refuses the file ({_line(error)}); compared without")
        told.append("actuators and tendons")
        try:
            peer = agreement.mujoco_file(path, bare=True)
        except ValueError:
            return "-", told[0].removesuffix("; compared without")
    told = [" ".join(told)] * bool(told) + agreement.smooth(peer)
    found = agreement.deviations(model, peer, np.random.default_rng(0), rows=2)
    worst = max(found.values(), default=0.0)
    shown = f"{worst:.0e}" if worst < TOLERANCE else f"**{worst:.0e}**"
    return shown, ", ".join(told)


def _peer_refuses(path: Path) -> str:
    try:
        agreement.mujoco_file(path)
    except ValueError as error:
        return f"MuJoCo refuses it too: {_line(error)}"
    return "MuJoCo loads it"


def _line(error: Exception) -> str:
    return str(error).splitlines()[0].removeprefix("Error: ").rstrip(": ")


def page(rows: list[Row]) -> str:
    """The table with its head."""
    loaded = sum(row.loads for row in rows)
    wheels = ", ".join(
        f"{name} {metadata.version(name)}"
        for names in WHEELS.values()
        for name in names
    )
    percent = 100.0 * loaded / len(rows)
    head = HEAD.format(wheels=wheels, loaded=loaded, count=len(rows), percent=percent)
    return head + "".join(f"{row}\n" for row in rows)


def main() -> None:
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    rows = []
    for name, path in files():
        rows.append(row(name, path))
        print(rows[-1], file=sys.stderr, flush=True)
    text = page(rows)
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
