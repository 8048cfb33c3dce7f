"""Forward dynamics where joints follow others: articulated bodies do not close."""

from __future__ import annotations

from typing import Any

from knuckle.algorithms.forward_dynamics import forward_dynamics
from knuckle.algorithms.forward_dynamics_crba import forward_dynamics_crba
from knuckle.algorithms.forward_dynamics_square import forward_dynamics_square
from knuckle.algorithms.inverse_dynamics import inverse_dynamics
from knuckle.algorithms.mass_matrix import mass_matrix
from knuckle.algorithms.sparse_factorization import ltdl, solve_ltdl, variable_parents
from knuckle.model.layout import Position, Velocity, Wrenches
from knuckle.spatial.linear import sub


@forward_dynamics.coupled
@forward_dynamics_crba.coupled
@forward_dynamics_square.coupled
def forward_dynamics_coupled(
    model: Any,
    q: Position,
    v: Velocity,
    tau: Velocity,
    f_ext: Wrenches | None = None,
    *,
    passive: bool = True,
) -> Any:
    """G^T H G a = tau - G^T (C + H g) [rad/s^2, m/s^2].  Featherstone (9.26).

    The factors of G^T H G along its elimination tree, as a coupling may tie bodies of
    different branches.
    """
    parent = variable_parents(model)
    still = Velocity((0.0,) * model.nv)
    C = inverse_dynamics(model, q, v, still, f_ext, passive=passive)
    L, D = ltdl(mass_matrix(model, q).rows(model.nv), parent)
    return Velocity(solve_ltdl(L, D, parent, sub(tuple(tau), tuple(C))))
