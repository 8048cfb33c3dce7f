"""Integrators as data: each says its order, and one step of it is its page.

They move on the joints' manifolds by `Joint.integrate` alone, the exponential on the
right, so a declared order holds on every joint whose `integrate` is one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from knuckle.model.errors import near
from knuckle.model.layout import Velocity
from knuckle.scalar import Number, maximum, scan

Step = tuple[Any, Any, Number]
"""q, v, and how far an iteration was from its end [rad/s, m/s]."""


@dataclass(frozen=True)
class Integrator(ABC):
    """One way from (q, v) at t to (q, v) at t + h."""

    name: ClassVar[str]

    def __str__(self) -> str:
        return self.name


class FixedStep(Integrator):
    """An integrator whose steps run as compiled code.

    A class of your own, frozen and hashable, is as good as those below.
    """

    order: ClassVar[int]
    """The error at a fixed time falls as h^order, where forces are smooth."""

    @abstractmethod
    def step(self, system: Any, q: Any, v: Any, t: Number, h: Number) -> Step:
        """The state after a step of the `System` of length h [s]."""


@dataclass(frozen=True)
class SemiImplicitEuler(FixedStep):
    """v' = v + h a(q, v, t);  q' = q exp(h v').

    Where the mass matrix is constant this is the symplectic Euler method, whose energy
    does not drift. Dampers, dry friction and limits act at v', springs at q: any
    damping is stable, and a spring of frequency w while w h < 2.
    """

    name: ClassVar[str] = "semi_implicit_euler"
    order: ClassVar[int] = 1

    def step(self, system: Any, q: Any, v: Any, t: Number, h: Number) -> Step:
        v = along(v, h, system.acceleration(q, v, t, ahead=h))
        return system.moved(q, v, h), v, 0.0


@dataclass(frozen=True)
class RK4(FixedStep):
    """Runge-Kutta of order 4, commutator-free on the joints' groups.

    Celledoni, Marthinsen and Owren, Commutator-free Lie group methods, 2003. On vector
    spaces it is the classical method. The trap: everything is explicit; a damper d on
    an inertia m needs h d / m < 2.8.
    """

    name: ClassVar[str] = "rk4"
    order: ClassVar[int] = 4

    def step(self, system: Any, q: Any, v: Any, t: Number, h: Number) -> Step:
        half = 0.5 * h
        a = system.acceleration(q, v, t)
        q2, v2 = system.moved(q, v, half), along(v, half, a)
        a2 = system.acceleration(q2, v2, t + half)
        q3, v3 = system.moved(q, v2, half), along(v, half, a2)
        a3 = system.acceleration(q3, v3, t + half)
        q4, v4 = system.moved(q2, along(v3, -0.5, v), h), along(v, h, a3)
        a4 = system.acceleration(q4, v4, t + h)
        first = combined((3.0, v), (2.0, v2), (2.0, v3), (-1.0, v4))
        second = combined((-1.0, v), (2.0, v2), (2.0, v3), (3.0, v4))
        q = system.moved(system.moved(q, first, h / 12.0), second, h / 12.0)
        slope = combined((1.0, a), (2.0, a2), (2.0, a3), (1.0, a4))
        return q, along(v, h / 6.0, slope), 0.0


@dataclass(frozen=True)
class ImplicitMidpoint(FixedStep):
    """v' = v + h a(m, u, t + h/2);  q' = q exp(h u);  u = (v + v')/2, m = q exp(h u/2).

    Symmetric: a step of -h undoes it, so the energy of a passive mechanism does not
    drift. Solved by a fixed number of iterations in which dampers, limits and springs
    are implicit; what the last iteration still changed, at most, is the trajectory's
    `settings.residual`. An iteration gains some |v| h digits: 8 reach rounding for
    velocities up to some 20 / s at 1 ms.
    """

    iterations: int = 8

    name: ClassVar[str] = "implicit_midpoint"
    order: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if not isinstance(self.iterations, int) or self.iterations < 1:
            raise ValueError(
                f"ImplicitMidpoint: iterations is {self.iterations!r}, expected a "
                "whole number from 1"
            )

    def __str__(self) -> str:
        return f"{self.name}, {self.iterations} iterations"

    def step(self, system: Any, q: Any, v: Any, t: Number, h: Number) -> Step:
        half = 0.5 * h

        def improved(k: Number, *guess: Number) -> tuple[Number, ...]:
            u = middle(v, guess[:-1])
            m = system.moved(q, u, half)
            a = system.acceleration(
                m, u, t + half, start=(q, v), ahead=half, springs_ahead=half
            )
            after = along(v, h, a)
            return (*after, largest_change(guess[:-1], after))

        *after, change = scan(improved, (*v, 0.0), self.iterations)
        return system.moved(q, middle(v, after), h), Velocity(after), change


METHODS = ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA")
"""The methods of SciPy's solver."""


@dataclass(frozen=True)
class Adaptive(Integrator):
    """SciPy's `solve_ivp`, each row with steps of its own.

    It works in the coordinates q, redundant where they are quaternions: these are
    normalised where the dynamics reads them, and in the result. `dt` is the grid on
    which states are kept, and the time scale of limits. The trap: limits and dry
    friction have corners, at which the solver has to search.
    """

    method: str = "DOP853"
    rtol: float = 1e-9
    atol: float = 1e-9

    name: ClassVar[str] = "adaptive"

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            hint = near(self.method, METHODS, "methods")
            raise ValueError(f"Adaptive: method is {self.method!r}; {hint}")

    def __str__(self) -> str:
        return f"{self.name}, {self.method}, rtol {self.rtol:g}, atol {self.atol:g}"


INTEGRATORS: dict[str, type[Integrator]] = {
    kind.name: kind for kind in (SemiImplicitEuler, RK4, ImplicitMidpoint, Adaptive)
}


def along(x: Iterable[Number], h: Number, rate: Iterable[Number]) -> Velocity:
    """x + h rate."""
    return Velocity([a + h * b for a, b in zip(x, rate, strict=True)])


def middle(x: Iterable[Number], y: Iterable[Number]) -> Velocity:
    """(x + y) / 2."""
    return Velocity([0.5 * (a + b) for a, b in zip(x, y, strict=True)])


def combined(*terms: tuple[float, Iterable[Number]]) -> Velocity:
    """The sum of the vectors, each times its number."""
    weights, vectors = zip(*terms, strict=True)
    return Velocity(
        [
            sum((w * x for w, x in zip(weights, column, strict=True)), 0.0)
            for column in zip(*vectors, strict=True)
        ]
    )


def largest_change(x: Iterable[Number], y: Iterable[Number]) -> Number:
    """max |y - x|."""
    largest: Number = 0.0
    for a, b in zip(x, y, strict=True):
        largest = maximum(largest, abs(b - a))
    return largest
