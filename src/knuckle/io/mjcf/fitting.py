"""Primitives that stand for a mesh: of the same inertia as a box, or around it all."""

from __future__ import annotations

import numpy as np

from knuckle.spatial import SE3, Inertia

Array = np.ndarray
Size = tuple[float, ...]


def principal(unit: Inertia) -> tuple[SE3, Size]:
    """The principal axes at the com, the largest moment first, and the half lengths.

    They are those of the box of 1 kg with the same moments, a^2 = 3/2 (B + C - A).
    """
    moments, axes = np.linalg.eigh(np.array(unit.I_com, float))
    moments, axes = moments[::-1], axes[:, ::-1].copy()
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    squares = 1.5 * (moments.sum() - 2.0 * moments)
    box = tuple(np.sqrt(np.maximum(squares, 0.0)).tolist())
    return SE3(axes.tolist(), unit.com), box


def equivalent(kind: str, box: Size) -> Size:
    """The size of a primitive for the box of equal inertia."""
    a, b, c = box
    if kind == "sphere":
        return ((a + b + c) / 3.0,)
    r = 0.5 * (a + b)
    if kind == "capsule":
        return r, max(0.0, c - 0.5 * r)
    return (r, c) if kind == "cylinder" else box


def around(kind: str, vertices: Array, frame: SE3) -> tuple[SE3, Size]:
    """The frame and size of a primitive around the box that bounds the vertices."""
    inside = (vertices - np.array(frame.p)) @ np.array(frame.R, float)
    low, high = inside.min(axis=0), inside.max(axis=0)
    middle = SE3.translation((0.5 * (low + high)).tolist())
    a, b, c = (0.5 * (high - low)).tolist()
    sizes = {"sphere": (max(a, b, c),), "cylinder": (max(a, b), c)}
    sizes["capsule"] = (max(a, b), max(0.0, c - max(a, b)))
    return frame * middle, sizes.get(kind, (a, b, c))
