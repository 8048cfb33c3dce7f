"""A Model from Denavit-Hartenberg rows (Sec. 4.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from knuckle import joints
from knuckle.model.body import Body, Frame
from knuckle.model.errors import ModelError, near
from knuckle.model.model import Model
from knuckle.spatial import SE3, Inertia, Rx, Rz, Tx, Tz

Z = (0.0, 0.0, 1.0)


class Row(NamedTuple):
    """One link: a [m] and alpha [rad] along and about x, d [m] and theta [rad] for z.

    The joint's variable adds to theta (revolute), d (prismatic), both (cylindrical), or
    to both as d + pitch * angle (helical). `joint` may also be any Joint about z.
    """

    a: float
    alpha: float
    d: float = 0.0
    theta: float = 0.0
    joint: Any = "revolute"
    pitch: float = 0.0


KINDS: dict[str, Callable[[Row], Any]] = {
    "revolute": lambda row: joints.Revolute(Z),
    "prismatic": lambda row: joints.Prismatic(Z),
    "cylindrical": lambda row: joints.Cylindrical(Z),
    "helical": lambda row: joints.Helical(Z, row.pitch),
}


def from_denavit_hartenberg(
    rows: Sequence[Row | Sequence[Any]],
    inertias: Sequence[Inertia] | None = None,
    names: Sequence[str] | None = None,
    convention: str = "modified",
    base: SE3 | None = None,
    tool: Sequence[float] | None = None,
    gravity: Sequence[float] = (0.0, 0.0, -9.81),
) -> Model:
    """An unbranched chain; the pose of link i in link i - 1 by one of two conventions.

    'modified' (the book's, Springer Handbook; a_i and alpha_i at x_{i-1}):
    Rx(alpha_i) Tx(a_i) Rz(theta_i) Tz(d_i). 'classic' (a_i and alpha_i at x_i, joint i
    about z_{i-1}): Rz(theta_i) Tz(d_i) Tx(a_i) Rx(alpha_i). `base` places the first
    row, Rz(theta_0) Tz(d_0) in the book; `tool` = (a, alpha, d, theta) adds the frame
    'tool': 4 n + 6 numbers in all. Without inertias every link is a 1 kg sphere of
    radius 0.1 m about its origin. The trap: the same table means another robot in the
    other convention.
    """
    table = [Row(*row) for row in rows]
    labels = _one_per_row("names", names, [f"link{i + 1}" for i in range(len(table))])
    masses = _one_per_row("inertias", inertias, [SPHERE] * len(table))
    bodies: list[Body] = []
    for i, (row, name, inertia) in enumerate(zip(table, labels, masses, strict=True)):
        placement, offset = link_poses(row, convention)
        if i == 0 and base is not None:
            placement = base * placement
        parent = labels[i - 1] if i else None
        joint = _joint(row, f"rows[{i}]")
        bodies.append(Body(name, parent, joint, placement, inertia, offset=offset))
    frames = []
    if tool is not None:
        placement, offset = link_poses(Row(*tool), convention)
        frames.append(Frame("tool", labels[-1], placement * offset.inverse()))
    return Model(bodies, frames, gravity)


SPHERE = Inertia(1.0, (0.0, 0.0, 0.0), (0.004, 0.004, 0.004))


def link_poses(row: Row, convention: str) -> tuple[SE3, SE3]:
    """placement and offset of a row: the link at zero is placement * offset^-1."""
    if convention not in ("modified", "classic"):
        raise ModelError(
            f"convention {convention!r}: expected 'modified' (a, alpha before the "
            "joint) or 'classic' (after it)"
        )
    screw_x = Rx(row.alpha) * Tx(row.a)
    screw_z = Rz(row.theta) * Tz(row.d)
    if convention == "modified":
        return screw_x * screw_z, SE3()
    return screw_z, screw_x.inverse()


def _one_per_row(what: str, given: Any, default: list[Any]) -> list[Any]:
    items = default if given is None else list(given)
    if len(items) != len(default):
        raise ModelError(
            f"{what}: expected one per row, {len(default)}, got {len(items)}"
        )
    return items


def _joint(row: Row, where: str) -> Any:
    if isinstance(row.joint, joints.Joint):
        return row.joint
    if row.joint not in KINDS:
        raise ModelError(
            f"{where}: joint: expected a Joint or one of {', '.join(KINDS)}, got "
            f"{row.joint!r}; " + near(row.joint, KINDS, "kinds")
        )
    return KINDS[row.joint](row)
