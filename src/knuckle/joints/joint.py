"""A joint is one expression: its pose as a function of its coordinates."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from knuckle.joints.building import core_of, examined
from knuckle.joints.constraints import constraint_subspaces
from knuckle.joints.deriving import Core, Motions, derive, difference_rates, rates
from knuckle.joints.physics import KEYWORDS, Values, neutral_configuration, physics
from knuckle.joints.sampling import ranges
from knuckle.joints.solving import newton_difference
from knuckle.joints.tracing import (
    Function,
    flattened,
    guarded,
    number,
    pair,
    traced,
)
from knuckle.scalar import Number, Program
from knuckle.spatial import SE3, ForceSubspace, Motion, Subspace
from knuckle.spatial.linear import Matrix, Vector, identity, transpose

Parts = tuple[Matrix, Vector, Subspace, Motion, Motion]


class Joint:
    """pose(q): the successor frame in the predecessor frame; all else is derived of it.

    ``pose`` takes q, or (q, t) for a motion prescribed in time, and returns an SE3, a
    pair (R, p) or a 4x4 matrix.  v is qdot, unless ``integrate(q, v, dt)`` says how a
    velocity moves the coordinates: then qdot = d/d(dt) integrate at dt = 0, linear in
    v.  Constant factors at the ends of the pose become ``before`` and ``after``; R, p,
    S, v_J and c_J are those of the core between them, S in the core's successor frame
    (Featherstone Sec. 3.5, 4.4).  ``subspace(q)`` may offer simpler columns of S, which
    are compared with the derived ones.  The trap: the functions run once, on scalars,
    and are not kept; equality, hash and pickling go by what they computed.
    """

    __slots__ = (
        "after", "armature", "before", "core", "damping", "effort_limit", "friction",
        "lower", "motions", "name", "neutral", "nq", "nv", "rest", "stiffness", "timed",
        "upper", "velocity_limit", "_digest", "_difference", "_integrate", "_normalize",
        "_reparameterize",
    )  # fmt: skip

    name: str
    nq: int
    nv: int
    timed: bool
    neutral: tuple[float, ...]
    before: SE3
    after: SE3
    core: Core
    motions: Motions
    armature: tuple[float, ...]
    damping: tuple[float, ...]
    friction: tuple[float, ...]
    stiffness: tuple[float, ...]
    rest: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    velocity_limit: tuple[float, ...]
    effort_limit: tuple[float, ...]
    _digest: str
    _integrate: Program | None
    _difference: Program | None
    _normalize: Program | None
    _reparameterize: Program | None

    def __init__(
        self,
        pose: Function,
        nq: int,
        nv: int | None = None,
        integrate: Function | None = None,
        *,
        difference: Function | None = None,
        subspace: Function | None = None,
        neutral: Sequence[float] | None = None,
        normalize: Function | None = None,
        reparameterize: Function | None = None,
        armature: Values = 0.0,
        damping: Values = 0.0,
        friction: Values = 0.0,
        stiffness: Values = 0.0,
        rest: Values = None,
        lower: Values = None,
        upper: Values = None,
        velocity_limit: Values = None,
        effort_limit: Values = None,
        name: str | None = None,
    ) -> None:
        given = {key: value for key, value in locals().items() if key in KEYWORDS}
        name = name or "Joint"
        nv = nq if nv is None else nv
        start = neutral_configuration(name, nq, nv, integrate, neutral)
        data = physics(name, nq, nv, start, given)
        before, core, after, moves = core_of(pose, integrate, nq, nv, name)
        bounds = tuple(zip(data.lower, data.upper, strict=True))
        points = examined(core, moves, start, bounds, name)
        place: list[tuple[str, int | None]] = [("q", nq)]
        place += [("t", None)] if core.timed else []
        columns = traced(flattened(subspace), "subspace", 6 * nv, place, name)
        motions = guarded(
            lambda: derive(core, points, columns), name, "S", f"nv = {nv}"
        )
        leads = traced(difference, "difference", nv, (("q0", nq), ("q1", nq)), name)
        if leads is None and moves is not None:
            leads = newton_difference(moves, nq, nv)
        values = {
            "name": name, "nq": nq, "nv": nv, "timed": core.timed, "neutral": start,
            "before": before, "after": after, "core": core, "motions": motions,
            "_integrate": moves, "_difference": leads,
            "_normalize": traced(normalize, "normalize", nq, (("q", nq),), name),
            "_reparameterize": traced(
                flattened(reparameterize), "reparameterize", nq + nv,
                (("q", nq), ("v", nv)), name,
            ),
            **data.keywords(),
        }  # fmt: skip
        self._fill(values)

    def _fill(self, values: dict[str, Any]) -> None:
        for key, value in values.items():
            object.__setattr__(self, key, value)
        object.__setattr__(self, "_digest", _digest(values))

    def __setattr__(self, key: str, value: Any) -> None:
        raise AttributeError(f"{self!r} is frozen; build another to change {key!r}")

    def __delattr__(self, key: str) -> None:
        raise AttributeError(f"{self!r} is frozen")

    def __reduce__(self) -> Any:
        values = {key: getattr(self, key) for key in self.__slots__ if key != "_digest"}
        for key in ("before", "after"):
            values[key] = values[key].factors
        return _restored, (values,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Joint) and self._digest == other._digest

    def __hash__(self) -> int:
        return hash(self._digest)

    def __repr__(self) -> str:
        return f"<{self.name} joint, nq={self.nq}, nv={self.nv}>"

    @property
    def digest(self) -> str:
        """The hash of everything the joint computes, the same in every process."""
        return self._digest

    @property
    def motion_digest(self) -> str:
        """The hash of how the joint moves between its ends, whatever else it has."""
        parts = [self.motions.pose, self.motions.subspace, self.motions.bias,
                 self.core.qdot, self._difference]  # fmt: skip
        return "".join("" if p is None else p.digest() for p in parts)

    @property
    def weight(self) -> int:
        """How many values the joint's own motion takes: pose, S and bias."""
        motions = (self.motions.pose, self.motions.subspace, self.motions.bias)
        return sum(program.weight for program in motions)

    @property
    def custom(self) -> bool:
        """Whether the joint has its own ``integrate``, so that v need not be qdot."""
        return self._integrate is not None

    @property
    def changes_chart(self) -> bool:
        """Whether ``reparameterize`` does anything."""
        return self._reparameterize is not None

    @property
    def physical(self) -> dict[str, tuple[float, ...]]:
        """The physical keywords, to hand on to another joint."""
        return {key: getattr(self, key) for key in KEYWORDS}

    def replace(self, **physical: Values) -> Joint:
        """The same motion with other physical keywords, such as armature=0.1."""
        unknown = [key for key in physical if key not in KEYWORDS]
        if unknown:
            raise TypeError(
                f"joint {self.name!r}: {unknown[0]!r} is no physical keyword; there "
                f"are {', '.join(KEYWORDS)}"
            )
        given = {**self.physical, **physical}
        data = physics(self.name, self.nq, self.nv, self.neutral, given)
        values = {key: getattr(self, key) for key in self.__slots__ if key != "_digest"}
        joint = Joint.__new__(Joint)
        joint._fill({**values, **data.keywords()})
        return joint

    def pose(self, q: Sequence[Number], t: Number | None = None) -> SE3:
        """The pose of the successor in the predecessor frame: before * core * after."""
        return self.before * self.core.pose(*self._place(q, t)) * self.after

    def core_pose(
        self, q: Sequence[Number], t: Number | None = None
    ) -> tuple[Matrix, Vector]:
        """(R, p) of the core, without the constant ends."""
        return pair(self.motions.pose(*self._place(q, t)))

    def subspace(self, q: Sequence[Number], t: Number | None = None) -> Subspace:
        """S of the core, 6 x nv, in its successor frame: v_J = S v + sigma."""
        return self._subspace(self._place(q, t))[0]

    def motion(
        self, q: Sequence[Number], v: Sequence[Number], t: Number | None = None
    ) -> Parts:
        """(R, p, S, v_J, c_J) of the core; c_J = dS/dt v + dsigma/dt (3.32, 3.41)."""
        place, speed = self._place(q, t), self._numbers(v, self.nv, "v")
        R, p = pair(self.motions.pose(*place))
        S, velocity = self._subspace(place)
        for column, rate in zip(S, speed, strict=True):
            velocity = column * rate + velocity
        return R, p, S, velocity, Motion.of(self.motions.bias(*place, *speed))

    def motion_rates(
        self,
        q: Sequence[Number],
        v: Sequence[Number],
        a: Sequence[Number],
        t: Number | None = None,
    ) -> tuple[tuple[Subspace, ...], Subspace, Subspace, Subspace]:
        """dS, dv_J, d(S a + c_J) by each direction of q, and dc_J by each of v."""
        n = self.nv
        flat = rates(self.core, self.motions)(*self._place(q, t), *v)
        vectors = [Motion.of(flat[k : k + 6]) for k in range(0, len(flat), 6)]
        steps = [vectors[k * (n + 2) : (k + 1) * (n + 2)] for k in range(n)]
        dS = tuple(Subspace(step[:n]) for step in steps)
        dvJ = [step[n] + S @ v for step, S in zip(steps, dS, strict=True)]
        daJ = [step[n + 1] + S @ a for step, S in zip(steps, dS, strict=True)]
        return dS, Subspace(dvJ), Subspace(daJ), Subspace(vectors[n * (n + 2) :])

    def _subspace(self, place: tuple[Number, ...]) -> tuple[Subspace, Motion]:
        flat = self.motions.subspace(*place)
        columns = [Motion.of(flat[6 * k : 6 * k + 6]) for k in range(self.nv + 1)]
        return Subspace(columns[:-1]), columns[-1]

    def constraint_subspaces(
        self, q: Sequence[Number], t: Number | None = None
    ) -> tuple[ForceSubspace, ForceSubspace]:
        """(T, T_a) of the core: T^T S = 0 and T_a^T S = 1 (3.35, 3.36)."""
        return constraint_subspaces(self.subspace(q, t), self.name)

    def qdot(self, q: Sequence[Number], v: Sequence[Number]) -> tuple[Number, ...]:
        """d/dt q = G(q) v; v itself where the joint has no ``integrate``."""
        q, v = self._numbers(q, self.nq, "q"), self._numbers(v, self.nv, "v")
        return tuple(v) if self.core.qdot is None else self.core.qdot(*q, *v)

    def integrate(
        self, q: Sequence[Number], v: Sequence[Number], dt: Number
    ) -> tuple[Number, ...]:
        """The configuration that v, held for the time dt [s], leads to from q."""
        q, v = self._numbers(q, self.nq, "q"), self._numbers(v, self.nv, "v")
        if self._integrate is None:
            return tuple(x + dt * rate for x, rate in zip(q, v, strict=True))
        return self._integrate(*q, *v, dt)

    def difference(
        self, q0: Sequence[Number], q1: Sequence[Number]
    ) -> tuple[Number, ...]:
        """v with integrate(q0, v, 1) = q1."""
        q0 = self._numbers(q0, self.nq, "q0")
        q1 = self._numbers(q1, self.nq, "q1")
        if self._difference is None:
            return tuple(b - a for a, b in zip(q0, q1, strict=True))
        return self._difference(*q0, *q1)

    def difference_rate(
        self, q0: Sequence[Number], q1: Sequence[Number]
    ) -> tuple[tuple[Number, ...], ...]:
        """d difference(q0, q1) by each direction of q1, (nv, nv) by rows."""
        if self._difference is None:
            return identity(self.nv)
        flat = difference_rates(self.core, self._difference)(*q0, *q1)
        starts = range(0, len(flat), self.nv)
        return transpose(tuple(flat[k : k + self.nv] for k in starts))

    def normalize(self, q: Sequence[Number]) -> tuple[Number, ...]:
        """The configuration on the joint's manifold near q; q itself where nq = nv."""
        q = self._numbers(q, self.nq, "q")
        return tuple(q) if self._normalize is None else self._normalize(*q)

    def reparameterize(
        self, q: Sequence[Number], v: Sequence[Number]
    ) -> tuple[tuple[Number, ...], tuple[Number, ...]]:
        """(q, v) of the same pose and twist, away from singular coordinates.

        For integrators, between steps; most joints give back what they get.
        """
        q, v = self._numbers(q, self.nq, "q"), self._numbers(v, self.nv, "v")
        if self._reparameterize is None:
            return q, v
        both = self._reparameterize(*q, *v)
        return both[: self.nq], both[self.nq :]

    def random(
        self, rng: np.random.Generator, shape: int | tuple[int, ...] = ()
    ) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Random configurations (*shape, nq), within the limits that are finite."""
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        if self.nq == self.nv:
            low, high = ranges(self.lower, self.upper, self.neutral)
            return rng.uniform(low, high, (*shape, self.nq))
        steps = rng.uniform(-math.pi, math.pi, (*shape, self.nv)).reshape(-1, self.nv)
        rows = [self.integrate(self.neutral, step, 1.0) for step in steps.tolist()]
        return np.array(rows, float).reshape(*shape, self.nq)

    def _place(self, q: Sequence[Number], t: Number | None) -> tuple[Number, ...]:
        place = self._numbers(q, self.nq, "q")
        if not self.timed:
            return place
        if t is None:
            raise TypeError(f"joint {self.name!r} depends on time: pass t")
        return (*place, number(t))

    def _numbers(self, x: Any, count: int, what: str) -> tuple[Number, ...]:
        values = x.tolist() if isinstance(x, np.ndarray) else x
        if len(values) != count:
            raise ValueError(
                f"joint {self.name!r}: {what} has {len(values)} entries, "
                f"expected {count}"
            )
        return tuple(values)


FUNCTIONS = ("_integrate", "_difference", "_normalize", "_reparameterize")


def _digest(values: dict[str, Any]) -> str:
    """A hash of all values but the name; programs count by what they compute."""
    core, motions = values["core"], values["motions"]
    programs = [core.numbers, core.qdot, motions.pose, motions.subspace, motions.bias]
    programs += [values[key] for key in FUNCTIONS]
    plain = [values[key] for key in ("nq", "nv", "timed", "neutral", *KEYWORDS)]
    plain += [core.kinds, values["before"].factors, values["after"].factors]
    parts = [p.digest() if p is not None else "" for p in programs]
    return hashlib.sha256(repr((parts, plain)).encode()).hexdigest()


def _restored(values: dict[str, Any]) -> Joint:
    """The joint of these values, as pickling needs it."""
    joint = Joint.__new__(Joint)
    ends = {key: SE3.of_factors(values[key]) for key in ("before", "after")}
    joint._fill({**values, **ends})
    return joint
