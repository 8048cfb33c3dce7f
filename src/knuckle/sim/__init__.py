"""Motion in time: integrators, compiled steps, controllers, trajectories."""

from knuckle.sim.control import callback
from knuckle.sim.errors import SimulationError
from knuckle.sim.integrators import (
    INTEGRATORS,
    RK4,
    Adaptive,
    FixedStep,
    ImplicitMidpoint,
    Integrator,
    SemiImplicitEuler,
)
from knuckle.sim.simulation import simulate
from knuckle.sim.stepping import rates, steps
from knuckle.sim.trajectory import Energies, Settings, Trajectory

__all__ = [
    "INTEGRATORS",
    "RK4",
    "Adaptive",
    "Energies",
    "FixedStep",
    "ImplicitMidpoint",
    "Integrator",
    "SemiImplicitEuler",
    "Settings",
    "SimulationError",
    "Trajectory",
    "callback",
    "rates",
    "simulate",
    "steps",
]
