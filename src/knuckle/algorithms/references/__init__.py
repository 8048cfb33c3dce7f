"""Slow dynamics by other derivations, to check the recursive algorithms against.

Nothing of the spatial algebra is used: rotations, 3-vectors, and derivatives of poses
and energies that are taken on the trace. So neither S nor the spatial products are
shared with what is checked.
"""

from knuckle.algorithms.references.closed_form import (
    closed_form,
    closed_form_mass_matrix,
)
from knuckle.algorithms.references.lagrange import lagrange
from knuckle.algorithms.references.newton_euler import newton_euler
from knuckle.algorithms.references.square_numeric import forward_dynamics_method_two

__all__ = [
    "closed_form",
    "closed_form_mass_matrix",
    "forward_dynamics_method_two",
    "lagrange",
    "newton_euler",
]
