"""Articulated rigid-body dynamics: the textbook, compiled.

A mechanism is a `Model` of `Body`s on `Joint`s; an algorithm is a function of a model
and arrays. Called on arrays, it is compiled for that model once and then runs as a
NumPy ufunc. Names are imported when they are first used.
"""

import time as _time
from importlib import import_module as _import
from typing import TYPE_CHECKING as _CHECKING
from typing import Any as _Any

if _CHECKING:
    from knuckle import convert as convert
    from knuckle import joints as joints
    from knuckle import scalar as scalar
    from knuckle import sim as sim
    from knuckle import spatial as spatial
    from knuckle.algorithms import *  # noqa: F403
    from knuckle.algorithms import references as references
    from knuckle.edge import CompiledAlgorithm as CompiledAlgorithm
    from knuckle.edge import algorithm as algorithm
    from knuckle.edge import compile as compile
    from knuckle.edge import interpret as interpret
    from knuckle.edge.derivatives import hessian as hessian
    from knuckle.edge.derivatives import jacobian as jacobian
    from knuckle.edge.derivatives import jvp as jvp
    from knuckle.edge.derivatives import vjp as vjp
    from knuckle.edge.threads import set_threads as set_threads
    from knuckle.io.errors import LoadError as LoadError
    from knuckle.io.load import load as load
    from knuckle.joints import Joint as Joint
    from knuckle.model import Body as Body
    from knuckle.model import Coupling as Coupling
    from knuckle.model import Frame as Frame
    from knuckle.model import Model as Model
    from knuckle.model import ModelError as ModelError
    from knuckle.model.layout import Array as Array
    from knuckle.model.layout import Position as Position
    from knuckle.model.layout import Velocity as Velocity
    from knuckle.model.layout import Wrenches as Wrenches
    from knuckle.scalar import TraceError as TraceError
    from knuckle.scalar import where as where
    from knuckle.sim import SimulationError as SimulationError
    from knuckle.sim import Trajectory as Trajectory
    from knuckle.sim import simulate as simulate
    from knuckle.spatial import SE3 as SE3
    from knuckle.spatial import FrameError as FrameError
    from knuckle.spatial import Inertia as Inertia
    from knuckle.view import view as view

__version__ = "0.1.0"

_imported = _time.time()
"""A source file that is newer than this is not what runs."""

_HOMES = {
    "knuckle.edge": ("CompiledAlgorithm", "algorithm", "compile", "interpret"),
    "knuckle.edge.threads": ("set_threads",),
    "knuckle.edge.derivatives": ("hessian", "jacobian", "jvp", "vjp"),
    "knuckle.io.errors": ("LoadError",),
    "knuckle.io.load": ("load",),
    "knuckle.joints": ("Joint",),
    "knuckle.model": ("Body", "Coupling", "Frame", "Model", "ModelError"),
    "knuckle.model.layout": ("Array", "Position", "Velocity", "Wrenches"),
    "knuckle.scalar": ("TraceError", "where"),
    "knuckle.sim": ("SimulationError", "Trajectory", "simulate"),
    "knuckle.spatial": ("SE3", "FrameError", "Inertia"),
    "knuckle.algorithms": (
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
    ),
}
_MODULES = {
    name: f"knuckle.{name}"
    for name in ("convert", "joints", "scalar", "sim", "spatial", "view")
} | {"references": "knuckle.algorithms.references"}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted([*_HOME, *_MODULES])  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> _Any:
    if name in _MODULES:
        return _import(_MODULES[name])
    if name not in _HOME:
        raise AttributeError(f"module 'knuckle' has no attribute {name!r}")
    value = getattr(_import(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
