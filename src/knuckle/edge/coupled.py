"""Where couplings are seen through: arguments are lifted, results are reduced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from knuckle.edge.signature import Parameter
from knuckle.model.coupled import Lift, congruence
from knuckle.model.layout import JointBlocks, JointMatrix, PerBody, Position, Velocity
from knuckle.model.view import View

ACCELERATIONS = ("a", "acceleration", "accelerations", "qdd", "vdot")
FORCES = ("tau", "a_or_tau", "force", "forces", "torque", "torques")
"""What bodies cannot read: forces on joints that follow others have no values."""


def lifted(
    view: View, expected: Sequence[Parameter], arguments: dict[str, Any]
) -> Lift | None:
    """Positions and velocities as bodies read them, where joints follow others.

    By name: `a` and its like are accelerations, `tau` and its like forces, all others
    velocities.
    """
    kinds = {p.name: p.kind for p in expected if arguments[p.name] is not None}
    place = next((name for name, kind in kinds.items() if kind is Position), None)
    if place is None:
        return None
    lift = view.lift(arguments[place])
    rates = [name for name, kind in kinds.items() if kind is Velocity]
    v = next((name for name in rates if name not in (*ACCELERATIONS, *FORCES)), None)
    for name, kind in kinds.items():
        x = tuple(arguments[name]) if kind in (Position, Velocity) else ()
        if kind is Position:
            here = lift if name == place else view.lift(Position(x))
            arguments[name] = Position(x, here)
        elif kind is Velocity and name in ACCELERATIONS and v is not None:
            full = lift.acceleration(tuple(arguments[v]), x)
            arguments[name] = Velocity(x, full)
        elif kind is Velocity and name not in FORCES:
            arguments[name] = Velocity(x, lift.velocity(x))
    return lift


def reduced(view: View, result: Any, lift: Lift) -> Any:
    """Tables over all joints as forces on, and matrices over, the independent ones."""
    if isinstance(result, PerBody):
        return Velocity(lift.forces(view.velocity(result).values))
    if isinstance(result, JointMatrix | JointBlocks):
        symmetric = isinstance(result, JointMatrix)
        full = result.rows(view.freedoms)
        return congruence(lift.rows(), full, view.nv, symmetric)
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        return type(result)(*(reduced(view, x, lift) for x in result))
    return result
