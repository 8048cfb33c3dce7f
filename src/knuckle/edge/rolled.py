"""One run of an algorithm's text over a mechanism whose loops stay loops."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any

from knuckle.codegen import Operand
from knuckle.edge.signature import Given, Parameter, Shape, nested
from knuckle.model.layout import Position, Velocity

ALIKE, UNLIKE = 64, 150
"""Bodies from which loops are kept: where placements have few patterns of zeros, and
where they have many, which straight code turns to account."""
HEAVY = 2000
"""Operations of all joints' own motions from which loops are kept in any case, if
every joint is met several times."""
SEVERAL = 3


def is_large(model: Any) -> bool:
    """Are the loops over this model's bodies better kept?

    Straight code sees every zero and outgrows the caches; a loop sees those that all
    bodies of a kind share.
    """
    joints = [place.joint for place in model.joints]
    unlike = {joint.motion_digest for joint in joints}
    heavy = sum(joint.weight for joint in joints) > HEAVY
    if heavy and len(unlike) * SEVERAL <= len(joints):
        return True
    patterns = {_pattern(body.placement) for body in model.bodies}
    return len(joints) >= (ALIKE if len(patterns) <= SEVERAL else UNLIKE)


def _pattern(pose: Any) -> tuple[bool, ...]:
    entries = (*pose.p, *(x for row in pose.R for x in row))
    return tuple(x in (0.0, 1.0, -1.0) for x in entries)


def trace_rolled(
    function: Callable[..., Any],
    model: Any,
    expected: Sequence[Parameter],
    given: Given,
    extra: dict[str, Shape],
) -> Any:
    """The steps of the function; every one is traced where some cannot be repeated."""
    from knuckle.scalar.segments import NotRolled

    with _no_collection():
        try:
            return _traced(function, model, expected, given, extra, replaying=True)
        except NotRolled:
            return _traced(function, model, expected, given, extra, replaying=False)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Without the collector of cycles, which walks millions of tuples to find none: it
    took three quarters of the time of 10,000 bodies."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _traced(
    function: Callable[..., Any],
    model: Any,
    expected: Sequence[Parameter],
    given: Given,
    extra: dict[str, Shape],
    replaying: bool,
) -> Any:
    from knuckle.edge.tracing import Traced, collect, input_shapes, run
    from knuckle.model.rolled import RolledView, Tracer
    from knuckle.scalar.rolling import rolled
    from knuckle.scalar.segments import INPUT

    shapes = input_shapes(model, expected, given, extra)
    tracer, first = Tracer(replaying), {}
    names: list[str] = []
    for name, shape in shapes.items():
        first[name] = len(names)
        names += [f"{name}[{k}]" for k in range(prod(shape))]
    kinds = {p.name: p.kind for p in expected if p.name in given.arrays}
    values: dict[str, Any] = {}
    for name, shape in shapes.items():
        if kinds.get(name) not in (Position, Velocity):
            places = range(first[name], first[name] + prod(shape))
            leaves = tuple(tracer.outer(4 * k + INPUT) for k in places)
            values[name] = nested(shape, leaves)
    view = RolledView(model, tracer, {k: values[k] for k in extra}, values.get("t"))
    for name, kind in kinds.items():
        if kind in (Position, Velocity):
            values[name] = view.argument(kind, first[name])
    result = run(function, view, expected, given, values)
    outputs, record = collect(view, result, function.__name__)
    numbers = (x for out in outputs for x in out.numbers)
    return Traced(
        rolled(tracer.recorder, numbers, names),
        tuple(Operand(name, shape) for name, shape in shapes.items()),
        tuple(Operand(out.name, out.shape) for out in outputs),
        record,
    )
