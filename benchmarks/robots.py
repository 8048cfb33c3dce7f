"""The robots that are measured: the plain-text models and the chains GU(n).

A row of a text model: parent, kind (0 free joint, 1 revolute), R (9), p (3), axis (3),
mass, com (3), I_com (9).  The same rows make a Model here and one in Pinocchio.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import knuckle as kn

MODELS = Path(__file__).resolve().parent / "models"
ROBOTS = ("arm7", "quad18", "hum38")


@dataclass(frozen=True)
class Row:
    """One body of a text model, in the order of the file."""

    parent: int
    free: bool
    R: np.ndarray
    p: np.ndarray
    axis: np.ndarray
    mass: float
    com: np.ndarray
    I_com: np.ndarray


def rows(path: Path | str) -> list[Row]:
    """The bodies of a text model."""
    count, *lines = Path(path).read_text().strip().split("\n")
    table = [row(line.split()) for line in lines]
    if len(table) != int(count):
        raise ValueError(f"{path}: expected {count} bodies, got {len(table)}")
    return table


def row(words: list[str]) -> Row:
    x = np.array([float(word) for word in words])
    R, p, axis = x[2:11].reshape(3, 3), x[11:14], x[14:17]
    inertia = float(x[17]), x[18:21], x[21:30].reshape(3, 3)
    return Row(int(x[0]), x[1] == 0, R, p, axis, *inertia)


def load(path: Path | str) -> kn.Model:
    """The Model of a text model; body i is called body<i>."""
    bodies = []
    for i, r in enumerate(rows(path)):
        bodies.append(
            kn.Body(
                f"body{i}",
                None if r.parent < 0 else f"body{r.parent}",
                kn.joints.Free() if r.free else kn.joints.Revolute(tuple(r.axis)),
                kn.SE3(r.R, r.p),
                kn.Inertia(r.mass, r.com, r.I_com),
            )
        )
    return kn.Model(bodies)


def robot(name: str) -> kn.Model:
    """One of ROBOTS."""
    return load(MODELS / f"{name}.txt")


def gu(n: int, seed: int) -> kn.Model:
    """GU(n): revolute chain, random twist, length, offset, inertia and centre of mass.

    Featherstone section 10.3, Craig's Denavit-Hartenberg frames: Rx(twist) Tx(length)
    Tz(offset), then Rz(q).  No twist is within 9 degrees of a multiple of 90, so no
    structural zero of a special geometry helps; gravity is along the base's z.
    """
    rng = np.random.default_rng([n, seed])
    bodies = []
    for i in range(n):
        twist = rng.uniform(0.1, 0.9) * np.pi / 2 + rng.integers(4) * np.pi / 2
        c, s = np.cos(twist), np.sin(twist)
        R = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
        length, offset = rng.uniform(0.1, 1.0, 2)
        bodies.append(
            kn.Body(
                f"body{i}",
                None if i == 0 else f"body{i - 1}",
                kn.joints.Revolute((0.0, 0.0, 1.0)),
                kn.SE3(R, (length, -s * offset, c * offset)),
                random_inertia(rng),
            )
        )
    return kn.Model(bodies)


def random_inertia(rng: np.random.Generator) -> kn.Inertia:
    """A cloud of eight points: full, and the triangle inequality holds."""
    points = rng.normal(0.0, 0.2, (8, 3)) + rng.uniform(0.1, 0.5, 3)
    com = points.mean(axis=0)
    x = points - com
    I_com = np.einsum("ij,ij->", x, x) * np.eye(3) - x.T @ x
    mass = rng.uniform(1.0, 5.0)
    return kn.Inertia(mass, com, mass / 8.0 * I_com)


def pinocchio_model(path: Path | str) -> Any:
    """The same mechanism as a `pinocchio.Model`, for oracles and for timing."""
    import pinocchio as pin

    model = pin.Model()
    joints: list[int] = []
    for i, r in enumerate(rows(path)):
        joint = pin.JointModelFreeFlyer() if r.free else pin_revolute(pin, r.axis)
        parent = 0 if r.parent < 0 else joints[r.parent]
        joints.append(model.addJoint(parent, joint, pin.SE3(r.R, r.p), f"joint{i}"))
        inertia = pin.Inertia(r.mass, r.com, r.I_com)
        model.appendBodyToJoint(joints[i], inertia, pin.SE3.Identity())
    return model


def pin_revolute(pin: Any, axis: np.ndarray) -> Any:
    """The specialised joint where there is one."""
    for k, joint in enumerate((pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)):
        if np.allclose(axis, np.eye(3)[k], rtol=0.0, atol=1e-12):
            return joint()
    return pin.JointModelRevoluteUnaligned(axis)


def pin_q(q: np.ndarray, free: bool) -> np.ndarray:
    """Our q in Pinocchio's order: for a free root x, y, z, then x, y, z, w."""
    return q[..., [0, 1, 2, 4, 5, 6, 3, *range(7, q.shape[-1])]] if free else q


def pin_v(v: np.ndarray, free: bool) -> np.ndarray:
    """Our v, a or tau in Pinocchio's order, linear first; its own inverse."""
    return v[..., [3, 4, 5, 0, 1, 2, *range(6, v.shape[-1])]] if free else v


def pin_matrix(m: np.ndarray, free: bool) -> np.ndarray:
    """Our M or M^-1 in Pinocchio's order."""
    return np.swapaxes(pin_v(np.swapaxes(pin_v(m, free), -1, -2), free), -1, -2)
