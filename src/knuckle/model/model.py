"""The Model: a frozen, validated mechanism, equal and hashed by content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from knuckle.model import coordinates, limits, parameters, tree, validate
from knuckle.model.body import WORLD, Body, Frame, PlacedJoint, placements
from knuckle.model.content import digest
from knuckle.model.coupling import Coupling
from knuckle.model.data import Actuator, Constraint, Remark
from knuckle.model.errors import ModelError, Problems, near
from knuckle.model.parameters import Parameter
from knuckle.model.planar import check_planar
from knuckle.model.ties import Tie, clean_couplings, ties

if TYPE_CHECKING:
    from knuckle.io.written import Written
    from knuckle.model.check import Finding

Array = np.ndarray
QUANTITIES = (
    *("armature", "damping", "friction", "stiffness", "rest"),
    *("lower", "upper", "velocity_limit", "effort_limit"),
)

CONTENT = (
    *("bodies", "frames", "gravity", "loops", "couplings", "planar"),
    *("configurations", "actuators", "constraints"),
)
"""The arguments that make a Model what it is."""


class Model:
    """A tree of bodies; q and v are laid out in the order of declaration.

    Everything is checked and copied to plain floats when the Model is built, and
    nothing changes afterwards: equality, hash and pickle go by content, in every
    process alike. Joints that follow others by a coupling have no coordinates in q and
    v. `configurations` are named positions, `actuators` and `constraints` what files
    tell and no dynamics uses yet, `report` what a loader left out.
    """

    bodies: tuple[Body, ...]
    frames: tuple[Frame, ...]
    gravity: tuple[float, float, float]
    loops: tuple[Any, ...]
    couplings: tuple[Coupling, ...]
    planar: bool
    configurations: Mapping[str, Array]
    actuators: tuple[Actuator, ...]
    constraints: tuple[Constraint, ...]
    report: tuple[Remark, ...]
    joints: tuple[PlacedJoint, ...]
    tree_joints: tuple[PlacedJoint, ...]
    independent: tuple[PlacedJoint, ...]
    ties: tuple[Tie, ...]
    parents: tuple[int, ...]
    order: tuple[int, ...]
    nq: int
    nv: int
    parameters: Mapping[str, Parameter]
    digest: str
    armature: Array
    damping: Array
    friction: Array
    stiffness: Array
    rest: Array
    lower: Array
    upper: Array
    velocity_limit: Array
    effort_limit: Array
    _hash: int
    _index: dict[str, int]
    _joints: dict[str, PlacedJoint]
    _frames: dict[str, Frame]
    _below: tuple[tuple[int, ...], ...]
    _kernels: dict[Any, Any]

    world = WORLD

    __slots__ = (
        *(*CONTENT, "joints", "tree_joints", "independent", "ties", "report"),
        *("parents", "order", "nq", "nv", "parameters", "digest", *QUANTITIES),
        *("_hash", "_index", "_joints", "_frames", "_below", "_kernels", "__weakref__"),
    )

    def __init__(
        self,
        bodies: Iterable[Body],
        frames: Iterable[Frame] = (),
        gravity: Sequence[float] = (0.0, 0.0, -9.81),
        loops: Sequence[Any] = (),
        couplings: Iterable[Coupling] = (),
        planar: bool = False,
        configurations: Mapping[str, Any] = MappingProxyType({}),
        actuators: Iterable[Actuator] = (),
        constraints: Iterable[Constraint] = (),
        report: Iterable[Remark] = (),
    ) -> None:
        problems = Problems()
        clean = validate.clean_bodies(bodies, problems, planar)
        fixed = validate.clean_frames(frames, clean, problems)
        g = validate.clean_gravity(gravity, problems)
        validate.check_no_loops(loops, problems)
        parents = validate.parents_of(clean, problems)
        problems.report()
        if planar:
            check_planar(clean, fixed, problems)
        laws = clean_couplings(couplings, clean, problems)
        validate.check_moving_leaves(clean, parents, laws, problems)
        known = validate.clean_configurations(configurations, clean, laws, problems)
        motors = validate.clean_items(actuators, Actuator, "actuators", problems)
        ties = validate.clean_items(constraints, Constraint, "constraints", problems)
        remarks = validate.clean_items(report, Remark, "report", problems)
        problems.report()
        self._fill(
            bodies=clean, frames=fixed, gravity=g, loops=tuple(loops),
            couplings=laws, planar=bool(planar), configurations=known,
            actuators=tuple(motors), constraints=tuple(ties),
            report=tuple(remarks), parents=parents, order=tree.depth_first(parents),
            parameters=MappingProxyType({}),
        )  # fmt: skip
        self._derive()

    def _fill(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _derive(self) -> None:
        """Everything that follows from the content."""
        ordered = ties(self.bodies, self.couplings, Problems())
        following = {tie.follower for tie in ordered}
        every, placed = placements(self.bodies, following)
        last = placed[-1] if placed else None
        self._fill(
            joints=placed, tree_joints=every, ties=ordered, _kernels={},
            independent=tuple(p for p in placed if p.index not in following),
            nq=last.q.stop if last else 0, nv=last.v.stop if last else 0,
            _index={b.name: i for i, b in enumerate(self.bodies)},
            _joints={p.name: p for p in placed},
            _frames={f.name: f for f in self.frames},
            _below=tree.children(self.parents),
        )  # fmt: skip
        for quantity in QUANTITIES:
            array = limits.quantities(self, quantity)
            array.flags.writeable = False
            object.__setattr__(self, quantity, array)
        content = digest(
            *("Model", tuple(self.parameters), dict(self.configurations)),
            *(getattr(self, name) for name in CONTENT if name != "configurations"),
        )
        self._fill(digest=content, _hash=int(content[:15], 16))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(
            f"Model.{name}: a Model never changes; build a new one, or take "
            f"model.replace({name}=...)"
        )

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Model.{name}: a Model never changes; build a new one")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Model):
            return NotImplemented
        return self.digest == other.digest

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        content = {name: getattr(self, name) for name in (*CONTENT, "report")}
        content["configurations"] = dict(self.configurations)
        return _rebuild, (content, tuple(self.parameters))

    def __repr__(self) -> str:
        return (
            f"<Model of {len(self.bodies)} bodies, nq {self.nq}, nv {self.nv}, "
            f"{self.digest[:8]}>"
        )

    def replace(self, part: str | None = None, /, **changes: Any) -> Model:
        """The Model with some arguments changed, or those of one body or frame.

        `replace(gravity=...)`; `replace("link3", inertia=..., damping=0.1)`.
        """
        from knuckle.model.replacing import replace

        return replace(self, part, changes)

    def lock(self, positions: Mapping[str, Any]) -> Model:
        """The Model with joints held at {name: position}, as if they were Fixed."""
        from knuckle.model.surgery import lock

        return lock(self, positions)

    def attach(
        self, other: Model, frame: str, placement: Any = None, prefix: str = ""
    ) -> Model:
        """The Model with another's roots hung on a body or frame, at `placement`."""
        from knuckle.model.surgery import attach

        return attach(self, other, frame, placement, prefix)

    def subtree(self, body: str) -> Model:
        """The Model of a body and all it carries, on the world by the body's joint."""
        from knuckle.model.surgery import subtree

        return subtree(self, body)

    @property
    def actuated(self) -> Array:
        """Which velocities actuators drive, (nv,) of bool.

        Without actuators all but those of joints that let a root go everywhere.
        """
        from knuckle.model.actuation import actuated

        return actuated(self)

    def with_parameters(self, *patterns: str) -> Model:
        """The Model with more constants as inputs: 'arm.mass', '*.com', 'gravity'."""
        chosen = parameters.select(self, patterns)
        new = object.__new__(Model)
        kept = (*CONTENT, "report", "parents", "order")
        new._fill(**{name: getattr(self, name) for name in kept})
        new._fill(parameters=MappingProxyType(chosen))
        new._derive()
        return new

    @property
    def mass(self) -> float:
        """The mass of all bodies [kg]."""
        return float(sum(body.rigid.mass for body in self.bodies))

    def inertial_parameters(self) -> Array:
        """pi, (10 n_bodies,): m, m c, I_xx, I_xy, I_xz, I_yy, I_yz, I_zz of each body.

        I about the origin of the body's frame, in its axes [kg, kg m, kg m^2]:
        `kn.regressor` times pi is M a + bias without rotors.
        """
        return np.array([x for body in self.bodies for x in body.rigid.entries], float)

    def parameter_defaults(self) -> dict[str, Array]:
        """The default of every parameter, as new arrays."""
        return {name: p.array() for name, p in self.parameters.items()}

    @property
    def q_names(self) -> tuple[str, ...]:
        """'elbow', or 'elbow[0]' ... where a joint has several coordinates."""
        return tuple(n for p in self.independent for n in _numbered(p.name, p.joint.nq))

    @property
    def v_names(self) -> tuple[str, ...]:
        """As `q_names`, for the velocities."""
        return tuple(n for p in self.independent for n in _numbered(p.name, p.joint.nv))

    @property
    def uncoupled(self) -> Model:
        """The same tree with every joint on its own; its q is `kn.joint_positions`."""
        from knuckle.model.replacing import uncoupled

        return uncoupled(self)

    def index(self, body: str) -> int:
        """The place of a body in `bodies`; -1 for the world."""
        if body == WORLD or body is None:
            return -1
        place: int = self._find(self._index, body, "body", "bodies")
        return place

    def body(self, name: str) -> Body:
        """The body of this name."""
        i = self._find(self._index, name, "body", "bodies")
        return self.bodies[i]

    def joint(self, name: str) -> PlacedJoint:
        """The joint of this name, with its slices `.q` and `.v`."""
        placed: PlacedJoint = self._find(self._joints, name, "joint", "joints")
        return placed

    def frame(self, name: str) -> Frame:
        """The frame of this name; a body's own frame, or the world's, by its name."""
        if name == WORLD:
            return Frame(WORLD, None)
        if isinstance(name, str) and name in self._index:
            return Frame(name, name)
        known = {**dict.fromkeys(self._index), **self._frames}
        found: Frame = self._find(known, name, "frame", "frames and bodies")
        return found

    def _find(self, table: Mapping[str, Any], name: Any, what: str, all_: str) -> Any:
        if not isinstance(name, str):
            hint = near("", table, all_)
            raise ModelError(f"{what}: expected one name, got {name!r}; {hint}")
        if name not in table:
            hint = near(name, table, all_)
            raise ModelError(f"{what} {name!r}: no such {what}; {hint}")
        return table[name]

    def support(self, body: str) -> tuple[str, ...]:
        """kappa: the bodies from the root to this one, itself last (Sec. 4.1.4)."""
        return self._named(tree.support(self.parents, self.index(body)))

    def children(self, body: str) -> tuple[str, ...]:
        """mu: the bodies whose parent this is; the roots for 'world'."""
        i = self.index(body)
        if i < 0:
            return self._named([k for k, p in enumerate(self.parents) if p < 0])
        return self._named(self._below[i])

    def subtree_bodies(self, body: str) -> tuple[str, ...]:
        """nu: this body and all that it carries, in order of declaration."""
        i = self.index(body)
        if i < 0:
            return self._named(range(len(self.bodies)))
        return self._named(tree.subtree(self.parents, i))

    def _named(self, numbers: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.bodies[k].name for k in numbers)

    def neutral(self) -> Array:
        """The neutral position (nq,): zeros, and unit quaternions."""
        return coordinates.neutral(self)

    def random(self, rng: np.random.Generator, shape: Any = ()) -> Array:
        """Random positions (*shape, nq), within finite limits."""
        return coordinates.random(self, rng, shape)

    def integrate(self, q: Any, v: Any, dt: Any = 1.0) -> Array:
        """q exp(v dt): the position after moving at constant v [(..., nq)]."""
        return coordinates.integrate(self, q, v, dt)

    def difference(self, q0: Any, q1: Any) -> Array:
        """The v with integrate(q0, v, 1) = q1 [(..., nv)]."""
        return coordinates.difference(self, q0, q1)

    def normalize(self, q: Any) -> Array:
        """q with its quaternions scaled to norm 1."""
        return coordinates.normalize(self, q)

    def reparameterize(self, q: Any, v: Any) -> tuple[Array, Array]:
        """(q, v) of the same poses and twists, away from singular coordinates."""
        return coordinates.reparameterize(self, q, v)

    def validate(
        self, q: Any = None, v: Any = None, parameters: Mapping[str, Any] | None = None
    ) -> None:
        """Refuse positions off the manifold and parameters that no mechanism has."""
        coordinates.validate(self, q, v, parameters)

    def to_urdf(self, name: str = "robot", allow_loss: bool = False) -> Written:
        """The model as URDF text; what URDF cannot say is refused, or in `.losses`."""
        from knuckle.io.urdf.write import to_urdf

        return to_urdf(self, name, allow_loss)

    def to_mjcf(self, allow_loss: bool = False) -> Written:
        """The model as MJCF text; what MJCF cannot say is refused, or in `.losses`."""
        from knuckle.io.mjcf.write import to_mjcf

        return to_mjcf(self, allow_loss)

    def check(self) -> list[Finding]:
        """Everything doubtful about the model, worst first; empty if nothing is."""
        from knuckle.model.check import check

        return check(self)


def _numbered(name: str, count: int) -> tuple[str, ...]:
    return (name,) if count == 1 else tuple(f"{name}[{k}]" for k in range(count))


def _rebuild(content: Mapping[str, Any], names: Sequence[str]) -> Model:
    return Model(**content).with_parameters(*names)
