"""A piece of the picture, and the layers that it can lie in."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from knuckle.model import Model
from knuckle.view.palette import Color
from knuckle.view.surfaces import Surface

Array = np.ndarray
WORLD = -1


@dataclass(frozen=True, eq=False)
class Part:
    """A surface on body number `body` (-1: the world), at the pose R, p there.

    `endless` parts, such as floors, do not count for the size of the picture.
    """

    layer: str
    body: int
    surface: Surface
    color: Color
    R: Array = field(default_factory=lambda: np.eye(3))
    p: Array = field(default_factory=lambda: np.zeros(3))
    endless: bool = False

    @property
    def extent(self) -> float:
        """The diagonal of the bounding box [m]."""
        return float(np.linalg.norm(np.ptp(self.surface.vertices, axis=0)))

    @property
    def corners(self) -> Array:
        """The bounding box in the body's frame, (8, 3) [m]."""
        v = self.surface.vertices
        low, high = v.min(axis=0), v.max(axis=0)
        choice = np.indices((2, 2, 2)).reshape(3, -1).T
        return np.where(choice, high, low) @ self.R.T + self.p


def depth(model: Model, i: int) -> int:
    """How many bodies lie between this one and the world."""
    count = 0
    while i >= 0 and model.parents[i] >= 0:
        i, count = model.parents[i], count + 1
    return count
