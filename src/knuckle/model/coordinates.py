"""Positions on the joints' manifolds, on NumPy arrays with any leading dimensions.

Joints that are equal are evaluated together, all rows at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from knuckle.joints import Joint
from knuckle.joints.sampling import ranges
from knuckle.model import parameters as named
from knuckle.model.arrays import traced
from knuckle.model.errors import ModelError
from knuckle.model.gamma import all_positions
from knuckle.spatial import Transform

if TYPE_CHECKING:
    from knuckle.model.model import Model

Array = np.ndarray
Run = Callable[..., tuple[Array, ...]]
Limits = tuple[Sequence[float], Sequence[float]]
TRIES = 100
"""How often `random` draws anew what is outside the limits of a nonlinear law."""


def neutral(model: Model) -> Array:
    """The neutral positions of all joints, (nq,)."""
    return np.array([x for p in model.independent for x in p.joint.neutral], float)


def random(model: Model, rng: np.random.Generator, shape: Any = ()) -> Array:
    """Random positions (*shape, nq), within the limits where they are finite."""
    if not isinstance(rng, np.random.Generator):
        raise ModelError(
            f"random: rng is expected to be a numpy.random.Generator, got {rng!r}; "
            "write np.random.default_rng(0)"
        )
    shape = (int(shape),) if np.ndim(shape) == 0 else tuple(shape)
    if model.ties:
        return within_limits(model, rng, shape)
    return _drawn(model, rng, shape)


def within_limits(
    model: Model, rng: np.random.Generator, shape: tuple[int, ...]
) -> Array:
    """Random positions at which joints that follow others are within their limits too.

    Those of linear laws are in the model's limits; others are found by trying.
    """
    flat = _drawn(model, rng, (int(np.prod(shape, dtype=int)),))
    nonlinear = [t.follower for t in model.ties if t.coupling.ratio is None]
    for _ in range(TRIES):
        q = all_positions(model, flat)
        bad = np.zeros(len(flat), bool)
        for joint in (model.tree_joints[k] for k in nonlinear):
            x = q[:, joint.q]
            bad |= ((x < joint.joint.lower) | (x > joint.joint.upper)).any(-1)
        if not bad.any():
            break
        flat[bad] = _drawn(model, rng, (int(bad.sum()),))
    else:
        names = ", ".join(repr(model.joints[k].name) for k in nonlinear)
        raise ModelError(
            f"random: found no position within the limits of joint {names} in {TRIES} "
            "tries; widen them, or narrow those of the joints that it follows"
        )
    return flat.reshape(*shape, model.nq)


def _drawn(model: Model, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    q = np.empty((*shape, model.nq))
    for placed in model.independent:
        v = placed.v
        limits = tuple(model.lower[v].tolist()), tuple(model.upper[v].tolist())
        q[..., placed.q] = random_of(placed.joint, rng, shape, limits)
    return q


def random_of(
    joint: Joint,
    rng: np.random.Generator,
    shape: tuple[int, ...],
    limits: Limits | None = None,
) -> Array:
    """Random positions of one joint, (*shape, nq), within these limits or its own."""
    if joint.nq == joint.nv:
        limits = limits or (joint.lower, joint.upper)
        return rng.uniform(*ranges(*limits, joint.neutral), (*shape, joint.nq))
    step = rng.uniform(-np.pi, np.pi, (*shape, joint.nv))
    columns = _integrate(joint)(np.array(joint.neutral), step, np.float64(1.0))
    return _rows(columns, shape)


def integrate(model: Model, q: Any, v: Any, dt: Any) -> Array:
    """q exp(v dt) on every joint, (..., nq)."""
    q, v = given("q", q, model.nq), given("v", v, model.nv)
    dt = _floats("dt", dt)
    out = _result(
        (q, v, dt), np.broadcast_shapes(q.shape[:-1], v.shape[:-1], dt.shape), model.nq
    )
    for joint, iq, iv in groups(model):
        if joint.nq:
            columns = _integrate(joint)(q[..., iq], v[..., iv], dt[..., None])
            out[..., iq] = _rows(columns, (*out.shape[:-1], len(iq)))
    return out


def difference(model: Model, q0: Any, q1: Any) -> Array:
    """The v of every joint with integrate(q0, v, 1) = q1, (..., nv)."""
    q0, q1 = given("q0", q0, model.nq), given("q1", q1, model.nq)
    out = _result((q0, q1), np.broadcast_shapes(q0.shape[:-1], q1.shape[:-1]), model.nv)
    for joint, iq, iv in groups(model):
        if joint.nv:
            columns = _difference(joint)(q0[..., iq], q1[..., iq])
            out[..., iv] = _rows(columns, (*out.shape[:-1], len(iq)))
    return out


def normalize(model: Model, q: Any) -> Array:
    """The positions on the joints' manifolds nearest to q, (..., nq)."""
    q = given("q", q, model.nq)
    out = q.copy()
    for joint, iq, _ in groups(model):
        if joint.nq != joint.nv:
            columns = _normalize(joint)(q[..., iq])
            out[..., iq] = _rows(columns, (*q.shape[:-1], len(iq)))
    return out


def reparameterize(model: Model, q: Any, v: Any) -> tuple[Array, Array]:
    """(q, v) of the same poses and twists, away from singular coordinates."""
    q, v = given("q", q, model.nq), given("v", v, model.nv)
    shape = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
    q, v = (np.array(np.broadcast_to(x, (*shape, x.shape[-1]))) for x in (q, v))
    for joint, iq, iv in groups(model):
        if joint.changes_chart:
            columns = _reparameterize(joint)(q[..., iq], v[..., iv])
            q[..., iq] = _rows(columns[: joint.nq], (*shape, len(iq)))
            v[..., iv] = _rows(columns[joint.nq :], (*shape, len(iq)))
    return q, v


def validate(
    model: Model, q: Any, v: Any, parameters: Mapping[str, Any] | None
) -> None:
    """Refuse shapes, non-finite entries and positions off the manifold, by name."""
    for name, x, size in (("q", q, model.nq), ("v", v, model.nv)):
        if x is not None:
            x = given(name, x, size)
            names = model.q_names if name == "q" else model.v_names
            _refuse_non_finite(name, x, names)
    if q is not None:
        _refuse_off_manifold(model, given("q", q, model.nq))
    if parameters is not None:
        named.validate(model, parameters)


def quantity(joint: Joint, name: str) -> tuple[float, ...]:
    """A physical quantity, one number per velocity; `rest` as the step from neutral.

    Where nq = nv, `rest` is the position itself.
    """
    values: tuple[float, ...] = getattr(joint, name)
    if name != "rest" or joint.nq == joint.nv:
        return values
    step = _difference(joint)(np.array(joint.neutral), np.array(values))
    return tuple(float(x) for x in step)


def motion(joint: Joint, q: Array) -> tuple[Array, Array, Array]:
    """R (rows, 3, 3), p (rows, 3) and S (rows, 6, nv) of the whole joint, at time 0.

    S is in the successor frame, the constant end of the pose included.
    """
    rows = q.shape[:-1]
    values = _rows(_motion(joint)(q), rows)
    S = np.swapaxes(values[..., 12:].reshape(*rows, joint.nv, 6), -1, -2)
    return values[..., :9].reshape(*rows, 3, 3), values[..., 9:12], S


def groups(model: Model) -> Iterator[tuple[Joint, Array, Array]]:
    """Equal joints together: the joint, and its q and v indices, (joints, nq or nv)."""
    places: dict[Joint, list[tuple[int, int]]] = {}
    for placed in model.independent:
        places.setdefault(placed.joint, []).append((placed.q.start, placed.v.start))
    for joint, starts in places.items():
        q, v = np.array(starts).T[:, :, None]
        yield joint, q + np.arange(joint.nq), v + np.arange(joint.nv)


def given(name: str, x: Any, size: int) -> Array:
    """The argument as a float array (..., size)."""
    array = _floats(name, x)
    if array.ndim == 0 or array.shape[-1] != size:
        raise ModelError(f"{name}: expected shape (..., {size}), got {array.shape}")
    return array


def _floats(name: str, x: Any) -> Array:
    array = np.asarray(x)
    if array.dtype.kind not in "fiub":
        raise ModelError(f"{name}: expected real numbers, got dtype {array.dtype}")
    return array if array.dtype == np.float32 else array.astype(float, copy=False)


def _result(arrays: tuple[Array, ...], shape: tuple[int, ...], size: int) -> Array:
    small = all(x.dtype == np.float32 for x in arrays if x.ndim)
    return np.empty((*shape, size), np.float32 if small else float)


def _rows(columns: tuple[Array, ...], shape: tuple[int, ...]) -> Array:
    out = np.empty((*shape, len(columns)))
    for k, column in enumerate(columns):
        out[..., k] = column
    return out


def _refuse_non_finite(name: str, x: Array, names: tuple[str, ...]) -> None:
    bad = np.argwhere(~np.isfinite(x))
    if len(bad):
        *row, k = map(int, bad[0])
        raise ModelError(
            f"{_place(name, row)}, {names[k]!r}: expected a finite number, got "
            f"{x[(*row, k)]}"
        )


def _refuse_off_manifold(model: Model, q: Array) -> None:
    near = normalize(model, q)
    # NaN where a quaternion is zero: written so that it counts as off
    off = np.argwhere(~(np.abs(q - near) <= named.UNIT))
    if not len(off):
        return
    *row, k = map(int, off[0])
    placed = next(p for p in model.joints if p.q.start <= k < p.q.stop)
    x, y = q[tuple(row)][placed.q], near[tuple(row)][placed.q]
    moved = ~(x == y)
    norm = float(np.sqrt(np.sum(x[moved] ** 2)))
    what = f"expected a unit quaternion, got norm {norm:.9g} in {x.tolist()}"
    if placed.joint.changes_chart:
        what = f"expected {y.tolist()}, or another chart of it, got {x.tolist()}"
    raise ModelError(
        f"{_place('q', row)}, joint {placed.name!r}: {what}; take model.normalize(q), "
        "or model.integrate(q, v, dt) to move"
    )


def _place(name: str, row: list[int]) -> str:
    return f"{name}, row ({', '.join(map(str, row))})" if row else name


@lru_cache(maxsize=1024)
def _integrate(joint: Joint) -> Run:
    return traced(joint.integrate, q=joint.nq, v=joint.nv, dt=None)


@lru_cache(maxsize=1024)
def _difference(joint: Joint) -> Run:
    return traced(joint.difference, q0=joint.nq, q1=joint.nq)


@lru_cache(maxsize=1024)
def _normalize(joint: Joint) -> Run:
    return traced(joint.normalize, q=joint.nq)


@lru_cache(maxsize=1024)
def _reparameterize(joint: Joint) -> Run:
    both = lambda q, v: sum(joint.reparameterize(q, v), ())  # noqa: E731
    return traced(both, q=joint.nq, v=joint.nv)


@lru_cache(maxsize=1024)
def _motion(joint: Joint) -> Run:
    def parts(q: Any) -> list[Any]:
        t = 0.0 if joint.timed else None
        pose = joint.pose(q, t)
        S = Transform.from_pose(joint.after) @ joint.subspace(q, t)
        twists = [x for column in S.columns for x in column.entries]
        return [*(x for row in pose.R for x in row), *pose.p, *twists]

    return traced(parts, q=joint.nq)
