"""Where the bodies are along a motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from knuckle.algorithms import center_of_mass, forward_kinematics
from knuckle.model import Model
from knuckle.view.motion import Motion
from knuckle.view.rotations import continuous, quaternions

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Poses:
    """The frames of all bodies, p (steps, n, 3) [m] and R (steps, n, 3, 3), and the
    centre of mass (steps, 3), in the world."""

    p: Array
    R: Array
    com: Array

    def first(self) -> Poses:
        """The first of them alone."""
        return Poses(self.p[:1], self.R[:1], self.com[:1])

    def points(self, local: Any, bodies: Any = slice(None)) -> Array:
        """Points fixed to these bodies, one each (n, 3), in the world."""
        local = np.reshape(np.array(local, float), (-1, 3))
        return self.p[:, bodies] + np.einsum("tnij,nj->tni", self.R[:, bodies], local)

    def movers(self) -> tuple[Array, Array]:
        """p (steps, n + 1, 3) and quaternions (steps, n + 1, 4), without jumps of sign.

        The centre of mass is the last, with the axes of the world.
        """
        still = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (len(self.p), 1, 4))
        turned = np.concatenate([quaternions(self.R), still], axis=1)
        p = np.concatenate([self.p, self.com[:, None]], axis=1)
        return p, continuous(turned)


def poses(model: Model, motion: Motion) -> Poses:
    """Forward kinematics along the motion."""
    options = motion.options(model)
    steps, n = len(motion.t), len(model.bodies)
    R, p = forward_kinematics(model, motion.q, **options)
    com = np.zeros((steps, 3))
    if model.nv and any(b.rigid.mass > 0.0 for b in model.bodies):
        com = np.nan_to_num(center_of_mass(model, motion.q, **options))
    return Poses(np.reshape(p, (steps, n, 3)), np.reshape(R, (steps, n, 3, 3)), com)
