"""Derivatives written by hand, registered with the algorithms they belong to."""

from knuckle.algorithms.derivatives.inverse_dynamics import inverse_dynamics_derivatives

__all__ = ["inverse_dynamics_derivatives"]
