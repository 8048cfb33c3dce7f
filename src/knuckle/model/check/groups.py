"""Bodies welded to one another, which move and weigh as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from knuckle.model.rigid import principal_moments

if TYPE_CHECKING:
    from knuckle.model.model import Model

Array = np.ndarray
LITTLE = 0.01


@dataclass(frozen=True)
class Groups:
    """The group of every body, by the number of its first body; -1 is the world's.

    `mass` and `moment` are those of each body [kg, kg m^2], the largest principal
    moment about its com; `masses` and `moments` their sums over the body's group.
    """

    of: tuple[int, ...]
    mass: Array
    moment: Array
    masses: Array
    moments: Array

    def severity(self, i: int) -> str:
        """'warning'; 'note' for a body that hardly counts in its group's motion."""
        if self.of[i] < 0:
            return "note"
        light = self.mass[i] < LITTLE * self.masses[i]
        small = self.moment[i] < LITTLE * self.moments[i]
        return "note" if light and small else "warning"


def groups(model: Model) -> Groups:
    """Which bodies are welded together, and what they weigh."""
    of = [-1] * len(model.bodies)
    for i in model.order:
        joint, parent = model.joints[i].joint, model.parents[i]
        welded = joint.nv == 0 and not joint.timed
        of[i] = i if not welded else of[parent] if parent >= 0 else -1
    mass = np.array([b.rigid.mass for b in model.bodies])
    moment = np.zeros(len(of))
    if of:
        moment = np.abs(principal_moments([b.rigid for b in model.bodies])[0][:, 2])
    index = np.array(of, int)
    sums = [np.bincount(index + 1, x, len(of) + 1) for x in (mass, moment)]
    return Groups(tuple(of), mass, moment, *(x[index + 1] for x in sums))
