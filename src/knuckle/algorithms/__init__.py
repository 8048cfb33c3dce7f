"""The algorithms: one page of the book each."""

from knuckle.algorithms.forward_dynamics import forward_dynamics
from knuckle.algorithms.inverse_dynamics import inverse_dynamics
from knuckle.algorithms.mass_matrix import mass_matrix

__all__ = ["forward_dynamics", "inverse_dynamics", "mass_matrix"]
