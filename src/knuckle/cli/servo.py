"""A PD servo on every actuated joint, as springs and dampers of the joints.

What a spring pulls towards its rest and a damper holds back, the steps of a simulation
solve with the accelerations. So gains that suit the shoulder do not blow up the finger.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from knuckle.cli.errors import UserError

if TYPE_CHECKING:
    from knuckle.joints import Joint
    from knuckle.model import Model
    from knuckle.sim import Trajectory

Array = np.ndarray


@dataclasses.dataclass(frozen=True)
class Servo:
    """tau = kp difference(q, target) - kd v on what is actuated [N m, N]."""

    model: Model
    stiffness: float
    damping: float
    target: Array

    def driven(self) -> Model:
        """The model with the servo in its joints."""
        bodies = []
        independent = self.model.independent
        for placed in self.model.joints:
            if placed not in independent:
                bodies.append(placed.body)
                continue
            on = self.model.actuated[placed.v].astype(float)
            joint = self._joint(placed.name, placed.joint, on, self.target[placed.q])
            bodies.append(dataclasses.replace(placed.body, joint=joint))
        return self.model.replace(bodies=bodies)

    def forces(self, q: Array, v: Array) -> Array:
        """tau (..., nv) at states (..., nq), (..., nv)."""
        pull = self.stiffness * self.model.difference(q, self.target)
        return (pull - self.damping * v) * self.model.actuated  # type: ignore[no-any-return]

    def told(self, trajectory: Trajectory) -> Trajectory:
        """A trajectory of the driven model as one of the model: forces, energies."""
        import knuckle as kn

        q, v, settings = trajectory.q, trajectory.v, trajectory.settings
        kinetic = trajectory.energies.kinetic
        potential = kn.potential_energy(self.model, q)
        energies = type(trajectory.energies)(kinetic, potential, kinetic + potential)
        words = f"servo, kp {self.stiffness:g}, kd {self.damping:g}"
        return dataclasses.replace(
            trajectory,
            model=self.model,
            tau=self.forces(q, v),
            energies=energies,
            settings=dataclasses.replace(settings, control=words),
        )

    def _joint(self, name: str, joint: Joint, on: Array, goal: Array) -> Joint:
        """The springs of the joint and of the servo as one, k (q - r)."""
        if not on.any() or not joint.nv:
            return joint
        own, kp = np.array(joint.stiffness), self.stiffness * on
        rest = np.array(joint.rest)
        if joint.nq == joint.nv and not joint.custom:
            k = np.where(own + kp > 0.0, own + kp, 1.0)
            rest = np.where(kp > 0.0, (own * rest + kp * goal) / k, rest)
        elif own.any() and kp.any():
            raise UserError(
                f"--pd: joint {name!r} has a spring of its own; write the servo as a "
                "--controller"
            )
        elif kp.any():
            rest = goal
        damping = np.array(joint.damping) + self.damping * on
        values = {"damping": damping, "stiffness": own + kp, "rest": rest}
        return joint.replace(**{key: x.tolist() for key, x in values.items()})
