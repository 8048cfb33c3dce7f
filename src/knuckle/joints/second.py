"""How the rates of a joint change in turn: what second derivatives of dynamics need."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from knuckle.joints.deriving import (
    Core,
    Motions,
    difference_rates,
    directions,
    rates,
)
from knuckle.joints.joint import Joint
from knuckle.joints.tracing import names
from knuckle.scalar import Number, Program, Trace, tangents
from knuckle.spatial import Motion, Subspace
from knuckle.spatial.linear import Matrix, transpose


class SecondRates(NamedTuple):
    """By directions r, then s: D_s D_r of S, of v_J and of S a + c_J at fixed v and a;
    D_r of dc_J/dv_s; d2 c_J / dv_r dv_s."""

    S: Any
    vJ: Any
    aJ: Any
    qv: Any
    vv: Any


@lru_cache(maxsize=4096)
def second_rates(core: Core, motions: Motions) -> Program:
    """(q, t, v) to the changes of all that `rates` gives with each velocity's motion,
    then of the changes of c_J with v by each velocity once more."""
    trace = Trace()
    q, v = trace.inputs("q", core.nq), trace.inputs("v", core.nv)
    t = (trace.input("t"),) if core.timed else ()
    values = rates(core, motions)(*q, *t, *v)
    columns = [tangents(values, d) for d in directions(core, q, t)[:-1]]
    last = values[len(values) - 6 * core.nv :]
    columns += [tangents(last, {speed: 1.0}) for speed in v]
    flat = [x for column in columns for x in column]
    return Program.of(flat, core.inputs + names("v", core.nv))


def second_motion_rates(
    joint: Joint, q: Any, v: Any, a: Any, t: Number | None = None
) -> SecondRates:
    """How `joint.motion_rates` change."""
    n, every = joint.nv, range(joint.nv)
    place = (*q, t) if joint.timed else q
    flat = second_rates(joint.core, joint.motions)(*place, *v)
    vectors = [Motion.of(flat[k : k + 6]) for k in range(0, len(flat), 6)]
    size = n * (n + 3)
    by_q = [vectors[s * size : (s + 1) * size] for s in every]
    by_v = vectors[n * size :]
    steps = [[by_q[s][r * (n + 2) : (r + 1) * (n + 2)] for s in every] for r in every]
    spans = [[Subspace(step[:n]) for step in row] for row in steps]
    pairs = [list(zip(*both, strict=True)) for both in zip(steps, spans, strict=True)]
    return SecondRates(
        S=spans,
        vJ=[[step[n] + S @ v for step, S in row] for row in pairs],
        aJ=[[step[n + 1] + S @ a for step, S in row] for row in pairs],
        qv=[by_q[r][n * (n + 2) :] for r in every],
        vv=[by_v[s * n : (s + 1) * n] for s in every],
    )


@lru_cache(maxsize=4096)
def second_differences(core: Core, difference: Program) -> Program:
    """(q0, q1) to the changes of `difference_rates` with each direction of q1."""
    trace = Trace()
    q0, q1 = trace.inputs("q0", core.nq), trace.inputs("q1", core.nq)
    values = difference_rates(core, difference)(*q0, *q1)
    moves = directions(core, q1, ())[: core.nv]
    flat = [x for direction in moves for x in tangents(values, direction)]
    return Program.of(flat, names("q0", core.nq) + names("q1", core.nq))


def second_difference_rates(
    joint: Joint, q0: Sequence[Number], q1: Sequence[Number]
) -> list[Matrix]:
    """D_s of `joint.difference_rate(q0, q1)`, for each direction s of q1."""
    n = joint.nv
    if joint._difference is None:
        return [((0.0,) * n,) * n] * n
    flat = second_differences(joint.core, joint._difference)(*q0, *q1)
    rows = [flat[k : k + n] for k in range(0, len(flat), n)]
    return [transpose(tuple(rows[s * n : (s + 1) * n])) for s in range(n)]
