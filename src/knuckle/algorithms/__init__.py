"""The algorithms: one page of the book each."""

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
from knuckle.algorithms.forward_dynamics_coupled import (
    forward_dynamics_coupled as forward_dynamics_coupled,
)
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
from knuckle.algorithms.jacobians import body_jacobians, frame_jacobian, point_jacobian
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
