"""Moving bodies and their joints as an algorithm sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from knuckle.scalar import Number, where
from knuckle.spatial import SE3, Force, Inertia, Motion, Subspace, Transform
from knuckle.spatial.linear import is_zero

if TYPE_CHECKING:
    from knuckle.model.view import View


class World:
    """The one body that does not move."""

    name = "world"
    ancestors: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        return "world"


class JointView:
    """A joint between two moving bodies, with its placement folded in."""

    def __init__(
        self, view: View, body: Any, lead: SE3, target: str, source: str
    ) -> None:
        self._view, self.lead, self.offset = view, lead, 0.0
        self._target, self._source = target, source
        self.model = body.joint
        constant = view.values
        name = body.joint_name or body.name
        for kind in ("armature", "damping", "friction", "stiffness", "rest"):
            value = constant(f"{name}.{kind}", getattr(self.model, kind))
            setattr(self, kind, value)

    armature: tuple[Number, ...]
    damping: tuple[Number, ...]
    friction: tuple[Number, ...]
    stiffness: tuple[Number, ...]
    rest: tuple[Number, ...]

    def motion(self, q: Any, v: Any) -> tuple[Any, Any, Any, Any]:
        """X from the parent, S, v_J and c_J (Featherstone 3.31 - 3.42), at q and v."""
        R, p, S, vJ, cJ = self.model.motion(self._turned(q), v, self._view.t)
        named = (self._vector(vJ), self._vector(cJ))
        return self._transform(R, p), self._subspace(S), *named

    def motion_rates(self, q: Any, v: Any, a: Any) -> tuple[Any, Any, Any, Any]:
        """dS, dv_J, d(S a + c_J) by each direction of q, and dc_J by each of v."""
        dS, *rates = self.model.motion_rates(self._turned(q), v, a, self._view.t)
        spans = tuple(map(self._subspace, rates))
        return tuple(map(self._subspace, dS)), *spans

    def transform(self, q: Any) -> Any:
        """X from the parent at q."""
        return self._transform(*self.model.core_pose(self._turned(q), self._view.t))

    def subspace(self, q: Any) -> Any:
        """S at q, in the frame of the body."""
        return self._subspace(self.model.subspace(self._turned(q), self._view.t))

    def rotor_force(self, a: Any) -> tuple[Number, ...]:
        """armature a [N m or N], what it takes to turn the joint's rotors."""
        return tuple(m * x for m, x in zip(self.armature, a, strict=True))

    def with_rotor(self, D: Any) -> Any:
        """D + diag(armature)."""
        return tuple(
            tuple(x + self.armature[r] if r == c else x for c, x in enumerate(row))
            for r, row in enumerate(D)
        )

    def passive_force(self, q: Any, v: Any) -> tuple[Number, ...]:
        """-damping v - friction sign(v) - stiffness difference(rest, q) [N m or N]."""
        total = tuple(
            0.0 - d * x - (f * _sign(x) if not is_zero(f) else 0.0)
            for d, f, x in zip(self.damping, self.friction, v, strict=True)
        )
        if all(is_zero(k) for k in self.stiffness):
            return total
        stretch = self.model.difference(self.rest, q)
        return tuple(
            x - k * d for x, k, d in zip(total, self.stiffness, stretch, strict=True)
        )

    def passive_rates(self, q: Any, v: Any) -> tuple[Any, Any]:
        """d(passive force) by q and by v [N m/rad ..., N m s/rad ...]."""
        rows = range(len(v))
        by_v = tuple(
            tuple(0.0 - self.damping[r] if r == c else 0.0 for c in rows) for r in rows
        )
        if all(is_zero(k) for k in self.stiffness):
            return tuple((0.0,) * len(v) for _ in rows), by_v
        slope = self.model.difference_rate(self.rest, q)
        by_q = tuple(
            tuple(0.0 - k * x for x in row)
            for k, row in zip(self.stiffness, slope, strict=True)
        )
        return by_q, by_v

    def second_rates(self, q: Any, v: Any, a: Any) -> Any:
        """How `motion_rates` change in turn: see `joints.second.SecondRates`."""
        from knuckle.joints.second import SecondRates, second_motion_rates

        S, *moves = second_motion_rates(self.model, q, v, a, self._view.t)
        spans = [[self._subspace(x) for x in row] for row in S]
        vectors = ([[self._vector(x) for x in row] for row in rows] for rows in moves)
        return SecondRates(spans, *vectors)

    def passive_second_rates(self, q: Any) -> Any:
        """D_s D_r of the passive forces: [force][r][s]."""
        n = len(self.stiffness)
        if all(is_zero(k) for k in self.stiffness):
            return [[[0.0] * n for _ in range(n)] for _ in range(n)]
        from knuckle.joints.second import second_difference_rates

        slopes = second_difference_rates(self.model, self.rest, q)
        return [
            [[0.0 - k * slopes[s][i][r] for s in range(n)] for r in range(n)]
            for i, k in enumerate(self.stiffness)
        ]

    def spring_energy(self, q: Any) -> Number:
        """1/2 stiffness difference(rest, q)^2 [J]."""
        if all(is_zero(k) for k in self.stiffness):
            return 0.0
        stretch = self.model.difference(self.rest, q)
        terms = (0.5 * k * d * d for k, d in zip(self.stiffness, stretch, strict=True))
        return sum(terms, 0.0)

    def _turned(self, q: Any) -> Any:
        """q from the common normal with the parent's axis."""
        return q if is_zero(self.offset) else (q[0] + self.offset,)

    def _transform(self, R: Any, p: Any) -> Any:
        pose = self.lead * SE3(R, p)
        X = Transform.from_pose(pose, self._source, self._target)
        return self._view.project(X)

    def _subspace(self, S: Any) -> Any:
        columns = tuple(Motion.of(c.entries, self._target) for c in S)
        return self._view.project(Subspace(columns, self._target))

    def _vector(self, m: Any) -> Any:
        return self._view.project(Motion.of(tuple(m), self._target))


def _sign(x: Number) -> Number:
    return where(x > 0.0, 1.0, where(x < 0.0, -1.0, 0.0))


class BodyView:
    """A moving body and all that is fixed to it."""

    def __init__(
        self, view: View, index: int, body: Any, parent: Any, lead: SE3
    ) -> None:
        self.view, self.index, self.name = view, index, body.name
        self.parent = parent
        self.joint = JointView(view, body, lead, body.name, parent.name)
        place = view.model.tree_joints[view.model.index(body.name)]
        self.q, self.v = place.q, place.v
        self.coupled = bool(view.model.ties)
        self.no_force = view.project(Force.zero(self.name))
        self.children: list[BodyView] = []
        self.ancestors: tuple[BodyView, ...] = (
            () if isinstance(parent, World) else (parent, *parent.ancestors)
        )
        self.inertia: Any = Inertia.zero(self.name)
        self.felt: Any = self.inertia

    @property
    def dof(self) -> int:
        """How many velocities the joint has."""
        return self.v.stop - self.v.start  # type: ignore[no-any-return]

    def support(self) -> tuple[BodyView, ...]:
        """The joints that move this body: itself, its parent, ... (kappa)."""
        return (self, *self.ancestors)

    def __repr__(self) -> str:
        return f"<body {self.name}>"
