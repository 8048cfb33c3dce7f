"""One run of an algorithm's text over scalars gives its program."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from knuckle.codegen import Operand
from knuckle.edge.coupled import lifted, reduced
from knuckle.edge.signature import Given, Parameter, Shape, nested
from knuckle.model.layout import (
    JointBlocks,
    JointMatrix,
    Layout,
    PerBody,
    Position,
    Velocity,
    Wrenches,
)
from knuckle.model.view import View
from knuckle.scalar import Number, Program, Scalar, Trace
from knuckle.spatial.vectors import SpatialVector


class Output(NamedTuple):
    """One array that an algorithm returns: its name, core shape and numbers in C
    order."""

    name: str
    shape: Shape
    numbers: tuple[Number, ...]


class Traced(NamedTuple):
    """A program with the shapes of what goes in and comes out."""

    program: Any
    """A `Program`, or a `RolledProgram` where loops are kept."""
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    record: Any


def input_shapes(
    model: Any, expected: Sequence[Parameter], given: Given, extra: dict[str, Shape]
) -> dict[str, Shape]:
    """The core shape of every array of a call."""
    shapes: dict[str, Shape] = {}
    for p in expected:
        shapes |= p.shapes(model, given)
    return shapes | extra


def trace(
    function: Callable[..., Any],
    model: Any,
    expected: Sequence[Parameter],
    given: Given,
    extra: dict[str, Shape],
    name: str = "",
) -> Traced:
    """Runs the function on fresh scalars; `extra` are the time and declared
    parameters."""
    shapes = input_shapes(model, expected, given, extra)
    recorder = Trace()
    leaves = {
        name: recorder.inputs(name, prod(shape)) for name, shape in shapes.items()
    }
    values = {name: nested(shape, leaves[name]) for name, shape in shapes.items()}
    view = View(model, {k: values[k] for k in extra}, values.get("t"))
    result = run(function, view, expected, given, values)
    outputs, record = collect(view, result, name or function.__name__)
    names = [leaf.value for name in shapes for leaf in leaves[name]]
    program = Program.of([x for out in outputs for x in out.numbers], names)
    return Traced(
        program,
        tuple(Operand(name, shape) for name, shape in shapes.items()),
        tuple(Operand(out.name, out.shape) for out in outputs),
        record,
    )


def run(
    function: Callable[..., Any],
    view: View,
    expected: Sequence[Parameter],
    given: Given,
    values: dict[str, Any],
) -> Any:
    """The function on a view, its arguments in the types that its text expects."""
    arguments: dict[str, Any] = {}
    for p in expected:
        if p.static:
            arguments[p.name] = given.options[p.name]
        elif p.name in given.mapped:
            parts = (values[key] for key in given.keys(p.name))
            by_name = dict(zip(given.mapped[p.name], parts, strict=True))
            wrenches = p.kind is Wrenches
            arguments[p.name] = view.wrenches(by_name) if wrenches else by_name
        elif p.name in values:
            arguments[p.name] = typed(view, p.kind, values[p.name])
        else:
            arguments[p.name] = Wrenches() if p.kind is Wrenches else None
    lift = lifted(view, expected, arguments) if view.coupled else None
    keywords = {p.name: arguments.pop(p.name) for p in expected if p.keyword}
    result = function(view, *arguments.values(), **keywords)
    return result if lift is None else reduced(view, result, lift)


def typed(view: View, kind: Any, value: Any) -> Any:
    """A plain nest of numbers as the type of the annotation."""
    if isinstance(value, Layout | Wrenches):
        return value
    if kind is Wrenches:
        bodies = view.model.bodies
        return view.wrenches({b.name: f for b, f in zip(bodies, value, strict=True)})
    if kind in (Position, Velocity):
        return kind(value)
    return value


def collect(view: View, result: Any, name: str) -> tuple[list[Output], Any]:
    """The arrays in what an algorithm returned, and the named tuple they go back
    into."""
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        outputs = [
            _output(view, x, field)
            for field, x in zip(result._fields, result, strict=True)
        ]
        return outputs, type(result)
    return [_output(view, result, name)], None


def _output(view: View, x: Any, name: str) -> Output:
    x = finished(view, x)
    if isinstance(x, JointMatrix | JointBlocks):
        x = x.rows(view.nv)
        return Output(name, (view.nv, view.nv), tuple(e for row in x for e in row))
    if isinstance(x, Layout):
        return Output(name, (len(x),), x.values)
    if isinstance(x, SpatialVector):
        return Output(name, (x.size,), x.entries)
    shape: list[int] = []
    numbers = [x]
    while numbers and isinstance(numbers[0], tuple | list | np.ndarray | SpatialVector):
        lengths = {len(y) for y in numbers}
        if len(lengths) != 1:
            raise TypeError(
                f"{name}: the result is ragged: rows of {sorted(lengths)} numbers"
            )
        shape.append(lengths.pop())
        numbers = [z for y in numbers for z in y]
    for y in numbers:
        if not isinstance(y, Scalar | Real):
            raise TypeError(
                f"{name}: an algorithm returns numbers, tuples, vectors or tables "
                f"over bodies; got {type(y).__name__}"
            )
    return Output(name, tuple(shape), tuple(numbers))


def finished(view: View, x: Any) -> Any:
    """Tables over bodies as vectors; everything else as it is."""
    if isinstance(x, PerBody):
        return view.velocity(x)
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*(finished(view, y) for y in x))
    return x


@lru_cache(maxsize=1024)
def record_of(name: str, fields: tuple[str, ...]) -> Any:
    """The named tuple of these fields."""
    return namedtuple(name, fields)  # type: ignore[misc]
