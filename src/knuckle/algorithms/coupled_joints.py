"""All joints of a mechanism in which some follow others."""

from __future__ import annotations

from typing import Any

from knuckle.edge import algorithm
from knuckle.model.layout import Position, Velocity


@algorithm
def joint_positions(model: Any, q: Position) -> Any:
    """gamma(q), the coordinates of all joints [rad, m].  Featherstone (8.56).

    In the order of declaration, those that follow others by a coupling included: the q
    of `model.uncoupled`.  Its derivative by q is G.
    """
    return tuple(model.lift(q).q) if model.coupled else q


@algorithm
def joint_velocities(model: Any, q: Position, v: Velocity) -> Any:
    """G v, the velocities of all joints [rad/s, m/s].  Featherstone (8.57)."""
    return tuple(model.lift(q).velocity(tuple(v))) if model.coupled else v


@algorithm
def joint_accelerations(model: Any, q: Position, v: Velocity, a: Velocity) -> Any:
    """G a + g, the accelerations of all joints [rad/s^2, m/s^2].  (8.59)."""
    if not model.coupled:
        return a
    return tuple(model.lift(q).acceleration(tuple(v), tuple(a)))
