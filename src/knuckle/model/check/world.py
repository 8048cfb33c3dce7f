"""Rules on the Model as a whole: gravity, the plane, what its loader reported."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from knuckle.model.check.finding import Finding

if TYPE_CHECKING:
    from knuckle.model.data import Remark
    from knuckle.model.model import Model


def report(model: Model) -> Iterator[Finding]:
    """Where a loader's Model moves differently, or has other axes and limits."""
    for remark in model.report:
        where = f"{remark.file}:{remark.line}" if remark.line else remark.file
        place = f"{where}: {remark.element}"
        if remark.severity == "error":
            yield Finding("error", place, remark.reason,
                          "model.report lists all that the loader changed")  # fmt: skip
        elif remark.severity == "warning" and _corrected(remark):
            yield Finding("warning", place, remark.reason,
                          "write it so in the file")  # fmt: skip


def _corrected(remark: Remark) -> bool:
    """Whether a loader took a number of a joint for another than the file has."""
    tag = remark.element.rpartition("/")[2].split(" ")[0]
    return tag in ("axis", "xyz", "limit") and "ignored" not in remark.reason


def gravity(model: Model) -> Iterator[Finding]:
    """Gravity that is far from the Earth's, or has no effect in the plane."""
    g = float(np.linalg.norm(model.gravity))
    if model.planar and g > 0.0 and not any(model.gravity[:2]):
        yield Finding("note", "gravity", "it is normal to the plane and has no effect",
                      "write gravity=(0, -9.81, 0) for gravity along -y")  # fmt: skip
    elif g > 100.0:
        yield Finding("warning", "gravity", f"its size is {g:g} m/s^2",
                      "check the unit (mm or m)")  # fmt: skip


def planar_offsets(model: Model) -> Iterator[Finding]:
    """Offsets normal to the plane, which planar results leave out."""
    if not model.planar:
        return
    for body in model.bodies:
        out = (body.placement.p[2], body.offset.p[2], body.rigid.h[2])
        if any(out):
            yield Finding("note", f"body {body.name!r}",
                          "its placement, offset or com has a part along z, which a "
                          "planar model leaves out",
                          "set it to 0, or take planar=False")  # fmt: skip
