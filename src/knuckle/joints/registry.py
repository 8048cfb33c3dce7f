"""Every joint by name: a random one of its kind for tests, and its row in the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from knuckle.joints import builtin as b
from knuckle.joints.combining import Composite, Reversed
from knuckle.joints.joint import Joint
from knuckle.spatial import Rx, Ry, Rz, Tx

Random: TypeAlias = "np.random.Generator"
Make = Callable[["Random"], Joint]


def _axis(rng: Random) -> tuple[float, ...]:
    """Now a coordinate axis, now any direction."""
    if rng.random() < 0.4:
        axis = np.zeros(3)
        axis[rng.integers(3)] = rng.choice([-1.0, 1.0])
    else:
        axis = rng.normal(size=3)
    return tuple((axis / np.linalg.norm(axis)).tolist())


def _order(rng: Random) -> str:
    first, second = rng.choice(list("xyz"), 2, replace=False)
    return first + second + rng.choice([a for a in "xyz" if a != second])


def _composite(rng: Random) -> Joint:
    return Composite(b.Prismatic(_axis(rng)), b.Spherical(), b.Prismatic(_axis(rng)))


def _custom(rng: Random) -> Joint:
    """A joint as a user writes one: a bead on a helix that twists as it goes."""
    radius, rise, twist = rng.uniform(0.2, 1.0, 3).tolist()

    def pose(q: Any) -> Any:
        s, a = q[0], twist * q[0] * q[0]
        R = [
            [np.cos(a), -np.sin(a), 0.0],
            [np.sin(a), np.cos(a), 0.0],
            [0.0, 0.0, 1.0],
        ]
        return np.array(R), (radius * np.cos(s), radius * np.sin(s), rise * s)

    return Joint(pose, 1, name="bead on a helix")


def _gimbal(rng: Random) -> Joint:
    """A product with constant pieces between the moving ones."""
    tilt, arm = rng.uniform(-1.0, 1.0, 2).tolist()
    return Joint(
        lambda q: Ry(0.3) * Rz(q[0]) * Rx(tilt) * Tx(arm) * Rz(q[1] - q[0]) * Tx(0.2),
        2,
        name="gimbal",
    )


REGISTRY: dict[str, Make] = {
    "Fixed": lambda rng: b.Fixed(),
    "Revolute": lambda rng: b.Revolute(_axis(rng)),
    "Prismatic": lambda rng: b.Prismatic(_axis(rng)),
    "Helical": lambda rng: b.Helical(_axis(rng), float(rng.uniform(-0.5, 0.5))),
    "Cylindrical": lambda rng: b.Cylindrical(_axis(rng)),
    "Planar": lambda rng: b.Planar(),
    "PlanarTranslation": lambda rng: b.PlanarTranslation(),
    "Translational": lambda rng: b.Translational(),
    "Universal": lambda rng: b.Universal(),
    "Spherical": lambda rng: b.Spherical(),
    "SphericalEuler": lambda rng: b.SphericalEuler(_order(rng)),
    "SphericalExp": lambda rng: b.SphericalExp(),
    "Free": lambda rng: b.Free(),
    "Free2D": lambda rng: b.Free2D(),
    "RackAndPinion": lambda rng: b.RackAndPinion(float(rng.uniform(0.1, 0.5))),
    "Composite": _composite,
    "bead on a helix": _custom,
    "gimbal": _gimbal,
}
"""Functions of a random generator; each gives a joint of its kind."""


def _reversed(make: Make) -> Make:
    return lambda rng: Reversed(make(rng))


REGISTRY.update({f"reversed {name}": _reversed(REGISTRY[name]) for name in [*REGISTRY]})


class Row(NamedTuple):
    """What the table says of a joint beside its numbers."""

    example: Callable[[], Joint]
    call: str
    coordinates: str
    units: str
    velocity: str


TABLE: tuple[Row, ...] = (
    Row(b.Fixed, "Fixed()", "-", "-", "-"),
    Row(b.Revolute, "Revolute(axis)", "angle", "rad", "qdot"),
    Row(b.Prismatic, "Prismatic(axis)", "distance", "m", "qdot"),
    Row(
        lambda: b.Helical(pitch=0.1), "Helical(axis, pitch [m/rad])", "angle", "rad",
        "qdot",
    ),
    Row(b.Cylindrical, "Cylindrical(axis)", "angle, distance", "rad, m", "qdot"),
    Row(
        b.Planar, "Planar()", "x, y in the predecessor, angle about z", "m, m, rad",
        "rate, vx, vy in the successor [rad/s, m/s]",
    ),
    Row(b.PlanarTranslation, "PlanarTranslation()", "x, y", "m", "qdot"),
    Row(b.Translational, "Translational()", "x, y, z", "m", "qdot"),
    Row(b.Universal, "Universal()", "angle about x, then about y", "rad", "qdot"),
    Row(
        b.Spherical, "Spherical()", "unit quaternion w, x, y, z", "-",
        "angular velocity in the successor [rad/s]",
    ),
    Row(
        b.SphericalEuler, "SphericalEuler(order)", "three angles in the order given",
        "rad", "qdot",
    ),
    Row(b.SphericalExp, "SphericalExp()", "rotation vector x, y, z", "rad", "qdot"),
    Row(
        b.Free, "Free()", "x, y, z in the predecessor, unit quaternion w, x, y, z",
        "m, -", "twist in the successor, angular first [rad/s, m/s]",
    ),
    Row(
        b.Free2D, "Free2D()", "x, y in the predecessor, angle about z", "m, m, rad",
        "qdot",
    ),
    Row(
        lambda: b.RackAndPinion(0.1), "RackAndPinion(radius)", "angle about z", "rad",
        "qdot",
    ),
    Row(
        lambda: Composite(b.Prismatic(), b.Spherical()),
        "Composite(Prismatic(), Spherical())",
        "those of the parts in order", "of the parts", "those of the parts in order",
    ),
    Row(
        lambda: Reversed(b.Revolute()), "Reversed(Revolute())", "those of the joint",
        "of the joint", "that of the joint",
    ),
)  # fmt: skip


def table(of: Sequence[Row] = TABLE) -> str:
    """The joints as a Markdown table: name, nq, nv, coordinates, units, v, neutral."""
    head = ("joint", "nq", "nv", "q", "units of q", "v", "neutral")
    rows: list[tuple[str, ...]] = [head, ("---",) * len(head)]
    for row in of:
        joint = row.example()
        neutral = ", ".join(f"{x:g}" for x in joint.neutral) or "-"
        rows.append(
            (f"`{row.call}`", str(joint.nq), str(joint.nv), row.coordinates, row.units,
             row.velocity, neutral)
        )  # fmt: skip
    return "\n".join("| " + " | ".join(cells) + " |" for cells in rows)
