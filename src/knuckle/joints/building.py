"""From a user's functions to the checked core of a joint."""

from __future__ import annotations

from functools import lru_cache

from knuckle.joints.deriving import Core
from knuckle.joints.identities import Point
from knuckle.joints.sampling import check_integrate, sample_points
from knuckle.joints.solving import rate_at_zero
from knuckle.joints.tracing import (
    Function,
    flat,
    names,
    split,
    trace_function,
    trace_pose,
    wants_time,
)
from knuckle.scalar import Program
from knuckle.spatial import SE3


def core_of(
    pose: Function, integrate: Function | None, nq: int, nv: int, name: str
) -> tuple[SE3, Core, SE3, Program | None]:
    """(before, core, after, integrate), traced; pose = before * core * after."""
    timed = wants_time(pose, name)
    before, factors, after = split(trace_pose(pose, nq, timed, name))
    moves = qdot = None
    if integrate is not None:
        arguments = (("q", nq), ("v", nv), ("dt", None))
        moves = trace_function(integrate, arguments, nq, name, "integrate")
        qdot = rate_at_zero(moves, nq, nv)
    numbers = [x for factor in factors for x in flat(factor)]
    program = Program.of(numbers, names("q", nq) + (("t",) if timed else ()))
    kinds = tuple(kind for kind, _ in factors)
    return before, Core(kinds, program, nq, nv, timed, qdot), after, moves


@lru_cache(maxsize=4096)
def examined(
    core: Core,
    integrate: Program | None,
    neutral: tuple[float, ...],
    bounds: tuple[tuple[float, float], ...],
    name: str,
) -> tuple[Point, ...]:
    """Samples (q, t, v) of a core whose pose is rigid and whose integrate is one."""
    points = sample_points(core, integrate, neutral, bounds, name)
    if integrate is not None and core.qdot is not None:
        check_integrate(integrate, core.qdot, core, points, name)
    return points
