"""The algorithms: one page of the book each, read when it is first asked for."""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from knuckle.algorithms import derivatives as derivatives
    from knuckle.algorithms.articulated_inertia import (
        articulated_inertia,
        handle_equations,
        inverse_articulated_inertia,
    )
    from knuckle.algorithms.coupled_joints import (
        joint_accelerations,
        joint_positions,
        joint_velocities,
    )
    from knuckle.algorithms.energies import kinetic_energy, potential_energy
    from knuckle.algorithms.forces import bias_forces, gravity_forces, passive_forces
    from knuckle.algorithms.forward_dynamics import forward_dynamics
    from knuckle.algorithms.forward_dynamics_crba import forward_dynamics_crba
    from knuckle.algorithms.forward_dynamics_divide_and_conquer import (
        forward_dynamics_divide_and_conquer,
    )
    from knuckle.algorithms.forward_dynamics_maximal import forward_dynamics_maximal
    from knuckle.algorithms.forward_dynamics_square import forward_dynamics_square
    from knuckle.algorithms.forward_dynamics_variant import forward_dynamics_variant
    from knuckle.algorithms.hybrid_dynamics import hybrid_dynamics
    from knuckle.algorithms.inverse_dynamics import inverse_dynamics
    from knuckle.algorithms.inverse_mass_matrix import (
        inverse_mass_matrix,
        solve_mass_matrix,
    )
    from knuckle.algorithms.jacobian_products import (
        jacobian_rate_times,
        jacobian_times,
        jacobian_transpose_times,
    )
    from knuckle.algorithms.jacobians import (
        body_jacobians,
        frame_jacobian,
        point_jacobian,
    )
    from knuckle.algorithms.joint_wrenches import joint_wrenches
    from knuckle.algorithms.kinematics import forward_kinematics
    from knuckle.algorithms.mass_matrix import mass_matrix
    from knuckle.algorithms.momentum import (
        center_of_mass,
        centroidal_momentum_matrix,
        momentum,
    )
    from knuckle.algorithms.regressor import regressor
    from knuckle.algorithms.velocities import (
        frame_acceleration,
        frame_bias_acceleration,
        frame_velocity,
    )
    from knuckle.algorithms.wrench import wrench

PAGES = {
    "bias_forces": "forces",
    "body_jacobians": "jacobians",
    "center_of_mass": "momentum",
    "centroidal_momentum_matrix": "momentum",
    "forward_kinematics": "kinematics",
    "frame_acceleration": "velocities",
    "frame_bias_acceleration": "velocities",
    "frame_jacobian": "jacobians",
    "frame_velocity": "velocities",
    "gravity_forces": "forces",
    "handle_equations": "articulated_inertia",
    "inverse_articulated_inertia": "articulated_inertia",
    "jacobian_rate_times": "jacobian_products",
    "jacobian_times": "jacobian_products",
    "jacobian_transpose_times": "jacobian_products",
    "joint_accelerations": "coupled_joints",
    "joint_positions": "coupled_joints",
    "joint_velocities": "coupled_joints",
    "kinetic_energy": "energies",
    "passive_forces": "forces",
    "point_jacobian": "jacobians",
    "potential_energy": "energies",
    "solve_mass_matrix": "inverse_mass_matrix",
}
"""Where the algorithms are that share a page; each other one has its own."""

__all__ = [
    "articulated_inertia",
    "bias_forces",
    "body_jacobians",
    "center_of_mass",
    "centroidal_momentum_matrix",
    "forward_dynamics",
    "forward_dynamics_crba",
    "forward_dynamics_divide_and_conquer",
    "forward_dynamics_maximal",
    "forward_dynamics_square",
    "forward_dynamics_variant",
    "forward_kinematics",
    "frame_acceleration",
    "frame_bias_acceleration",
    "frame_jacobian",
    "frame_velocity",
    "gravity_forces",
    "handle_equations",
    "hybrid_dynamics",
    "inverse_articulated_inertia",
    "inverse_dynamics",
    "inverse_mass_matrix",
    "jacobian_rate_times",
    "jacobian_times",
    "jacobian_transpose_times",
    "joint_accelerations",
    "joint_positions",
    "joint_velocities",
    "joint_wrenches",
    "kinetic_energy",
    "mass_matrix",
    "momentum",
    "passive_forces",
    "point_jacobian",
    "potential_energy",
    "regressor",
    "solve_mass_matrix",
    "wrench",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    page = import_module(f"{__name__}.{PAGES.get(name, name)}")
    return globals().setdefault(name, getattr(page, name))


class _Pages(ModuleType):
    """An import sets a page as an attribute: its name shall mean the algorithm."""

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType):
            value = getattr(value, name, value)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Pages
