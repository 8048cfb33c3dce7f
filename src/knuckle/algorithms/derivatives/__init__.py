"""Derivatives written by hand, registered with the algorithms they belong to."""

from knuckle.algorithms.derivatives.forward_dynamics import forward_dynamics_derivatives
from knuckle.algorithms.derivatives.inverse_dynamics import inverse_dynamics_derivatives
from knuckle.algorithms.derivatives.second_forward_dynamics import (
    forward_dynamics_second_derivatives,
)
from knuckle.algorithms.derivatives.second_inverse_dynamics import (
    inverse_dynamics_second_derivatives,
)

__all__ = [
    "forward_dynamics_derivatives",
    "forward_dynamics_second_derivatives",
    "inverse_dynamics_derivatives",
    "inverse_dynamics_second_derivatives",
]
