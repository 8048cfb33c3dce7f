"""Every URDF and SDF file of example-robot-data, compared with Pinocchio.

    python tools/collections_urdf.py docs/collections-urdf.md

writes the table. Needs: pip install example-robot-data pin
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]
import agreement  # noqa: E402
import knuckle as kn  # noqa: E402

TOLERANCE = 1e-9
REFUSED = {
    "ur_description/urdf/ur3.urdf": "holds no link at all",
}
"""The closed list of files that are refused, and why."""
HEAD = """# URDF and SDF files of example-robot-data {version}

Written by `python tools/collections_urdf.py docs/collections-urdf.md`.

{loaded} of {count} URDF files load ({percent:.0f}%), and every SDF file. `deviation` is
the largest difference from Pinocchio of link poses, M, bias, inverse and forward
dynamics at two random states, over the largest entry and at least 1, with the root
fixed and (where it is no link 'world') floating. M is singular where a joint moves no
mass; forward dynamics is left out there, and the report has an entry of level error.
`written` is the same difference between the Model and what `to_urdf` made of it, read
again. `remarks` counts errors / warnings / notes of the report. Times are the least of
three, in ms of processor time, without meshes, in one run: ours with the SRDF file
beside, Pinocchio's by `buildModelFromUrdf`. The SDF files hold loops and gears, which
are data so far, and Pinocchio's wheel reads no SDF; `tests/test_io_sdf.py` compares
SDF with Drake.

| file | nq | nv | remarks | deviation | written | load | Pinocchio |
|---|---|---|---|---|---|---|---|
"""


class Row(NamedTuple):
    """What became of one file."""

    file: str
    loads: bool
    cells: tuple[str, ...]

    def __str__(self) -> str:
        return "| " + " | ".join((f"`{self.file}`", *self.cells)) + " |"


def files() -> Iterator[tuple[str, Path]]:
    """(name, path) of every file."""
    wheel = metadata.distribution("example-robot-data")
    top = Path(str(wheel.locate_file("cmeel.prefix/share/example-robot-data/robots")))
    for ending in ("urdf", "sdf"):
        for path in sorted(top.rglob(f"*.{ending}")):
            yield str(path.relative_to(top)), path


def row(name: str, path: Path) -> Row:
    """Load one file and compare it."""
    try:
        model = kn.load(path)
    except (kn.LoadError, kn.ModelError) as error:
        told = f"refused: it {REFUSED.get(name, f'**{error}**')}"
        return Row(name, False, ("", "", "", told, "", "", ""))
    marks = [r.severity for r in model.report]
    remarks = "/".join(str(marks.count(s)) for s in ("error", "warning", "note"))
    found = written(model)
    cells = [str(model.nq), str(model.nv), remarks, "-", shown(found)]
    ours, peer = least(lambda: kn.load(path)), "-"
    if path.suffix == ".urdf":
        cells[3] = shown(deviation(model, path))
        peer = f"{least(lambda: agreement.pinocchio_file(path)):.1f}"
    return Row(name, True, (*cells, f"{ours:.0f}", peer))


def deviation(model: kn.Model, path: Path) -> float:
    """The largest difference from Pinocchio, with both kinds of root."""
    peer = agreement.pinocchio_file(path)
    pairs = [(model, peer)]
    if peer.frames[1].name != "world":  # the root link
        floating = agreement.pinocchio_file(path, floating=True)
        pairs.append((kn.load(path, root="floating"), floating))
    return max(
        max(agreement.deviations(*pair, np.random.default_rng(0)).values(), default=0.0)
        for pair in pairs
    )


def written(model: kn.Model) -> float | None:
    """The difference of M and ID after `to_urdf`; None where it would lose some."""
    text = model.to_urdf(allow_loss=True)
    if text.losses:
        return None
    back, rng = kn.load(text), np.random.default_rng(0)
    q, v, a = model.random(rng), *rng.normal(size=(2, model.nv))
    return max(
        _apart(*(kn.interpret(kn.inverse_dynamics, m)(q, v, a) for m in (model, back))),
        _apart(*(kn.interpret(kn.mass_matrix, m)(q) for m in (model, back))),
    )


def _apart(x: Any, y: Any) -> float:
    x, y = np.asarray(x, float), np.asarray(y, float)
    size = max(1.0, np.abs(x).max(initial=0.0))
    return float(np.abs(x - y).max(initial=0.0) / size)


def shown(found: float | None) -> str:
    """A deviation, marked where it is too large."""
    if found is None:
        return "-"
    return f"{found:.0e}" if found < TOLERANCE else f"**{found:.0e}**"


def least(load: Callable[[], object]) -> float:
    """The least processor time of three [ms]."""
    times = []
    for _ in range(3):
        start = time.process_time()
        load()
        times.append(time.process_time() - start)
    return 1e3 * min(times)


def page(rows: list[Row]) -> str:
    """The table with its head."""
    urdf = [row for row in rows if row.file.endswith(".urdf")]
    loaded = sum(row.loads for row in urdf)
    head = HEAD.format(
        version=metadata.version("example-robot-data"), loaded=loaded, count=len(urdf),
        percent=100.0 * loaded / len(urdf),
    )  # fmt: skip
    return head + "".join(f"{row}\n" for row in rows)


def main() -> None:
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
