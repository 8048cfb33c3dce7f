"""Algorithms made of algorithms: traced on leaves of their own, then applied.

The base is traced apart from where the derivative is called, so that it runs on
whatever it is given: arrays, scalars of another trace, plain numbers of any kind.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from knuckle.codegen import Operand
from knuckle.edge.algorithm import Algorithm
from knuckle.edge.extra import extra_shape
from knuckle.edge.signature import Given, Parameter, Shape, nested
from knuckle.edge.tracing import Traced, input_shapes, record_of
from knuckle.edge.variables import Leaves, Variable, variable
from knuckle.model.layout import Layout, Wrenches
from knuckle.model.view import View
from knuckle.scalar import Number, Program, Trace

Results = dict[str, tuple[Shape, Sequence[Number]]]
"""By name: the shape of an array and its numbers, flat in C order."""


@dataclass(frozen=True)
class Call:
    """What decides which program is needed: the model, and what is given to it."""

    model: Any
    given: Given
    extra: tuple[str, ...]

    def without(self, names: Sequence[str]) -> Call:
        """The call of the base, which does not know these arguments."""
        given = self.given
        gone = {key for name in names for key in given.keys(name)}
        arrays = {k: x for k, x in given.arrays.items() if k not in gone}
        mapped = {k: x for k, x in given.mapped.items() if k not in names}
        given = Given(arrays, given.options, mapped)
        return Call(self.model, given, self.extra)

    def operands(self, parameters: Sequence[Parameter]) -> list[Operand]:
        """Every array of the call with its core shape, in order."""
        extra = {name: extra_shape(self.model, name) for name in self.extra}
        shapes = input_shapes(self.model, parameters, self.given, extra)
        return [Operand(name, shape) for name, shape in shapes.items()]

    def traced(self, alg: Algorithm) -> Traced:
        """The program of an algorithm for this call, kept with the model."""
        key = (alg, self.given.key, self.extra, "program")
        if key not in self.model._kernels:
            made = alg.traced(self.model, self.given, self.extra)
            self.model._kernels[key] = made
        return self.model._kernels[key]  # type: ignore[no-any-return]

    def variable(self, alg: Algorithm, name: str) -> Variable:
        """An argument or parameter of an algorithm in this call."""
        return variable(name, alg.parameters, self.model, self.given)


class Derived(Algorithm):
    """An algorithm that differentiates another."""

    what = "derivative"

    def __init__(self, base: Algorithm, wrt: tuple[str, ...]) -> None:
        self.base, self.wrt = base, wrt
        super().__init__(self.apply, with_added(base.parameters, self.added()))
        by = "_".join(wrt).replace(".", "_")
        self.__name__ = self.__qualname__ = f"{base.__name__}_{self.what}_{by}"
        self.__doc__ = f"The {self.what} of {base.__name__} by {', '.join(wrt)}."
        self._hash = hash(self.__reduce__())

    def added(self) -> list[Parameter]:
        """Arguments beyond those of the base."""
        return []

    def resolved(self, model: Any, given: Given, extra: tuple[str, ...]) -> Given:
        return self.base.resolved(model, given, extra)

    def results(self, source: Traced, leaves: Leaves, call: Call) -> Results:
        """The derivative on the leaves of a trace; `source` is the traced base."""
        raise NotImplementedError

    def apply(self, view: View, *args: Any, **options: Any) -> Any:
        """The derivative at the given numbers."""
        given = self.bound(view, tuple(map(_named, args)), options, ())
        made = self.traced(view.model, given, tuple(view.inputs))
        values = [*given.arrays.values(), *view.inputs.values()]
        numbers = iter(made.program(*(x for value in values for x in _flat(value))))
        arrays = [
            nested(out.core, [next(numbers) for _ in range(out.size)])
            for out in made.outputs
        ]
        return arrays[0] if made.record is None else made.record(*arrays)

    def rolls(self, model: Any) -> bool:
        """Derivatives are taken of straight code, unless there is a text for them."""
        return False

    def traced(self, model: Any, given: Given, extra: tuple[str, ...]) -> Traced:
        """The program of one kind of call, kept with the model."""
        key = (self, given.key, extra, "program")
        if key not in model._kernels:
            model._kernels[key] = self.build(Call(model, given, extra))
        return model._kernels[key]  # type: ignore[no-any-return]

    def rolled(self, model: Any, given: Given, extra: tuple[str, ...]) -> Traced:
        raise TypeError(
            f"{self.__name__}: without a rule the code of a derivative is straight; "
            "leave out rolled"
        )

    def build(self, call: Call) -> Traced:
        """The derivative on new leaves."""
        inner = call.without([p.name for p in self.added()])
        inputs, recorder = call.operands(self.parameters), Trace()
        leaves = {x.name: recorder.inputs(x.name, x.size) for x in inputs}
        found = self.results(inner.traced(self.base), leaves, inner)
        names = [leaf.value for flat in leaves.values() for leaf in flat]
        flat = [x for _, numbers in found.values() for x in numbers]
        outputs = tuple(Operand(name, shape) for name, (shape, _) in found.items())
        record = record_of(self.__name__, tuple(found)) if len(found) > 1 else None
        return Traced(Program.of(flat, names), tuple(inputs), outputs, record)

    def __reduce__(self) -> Any:
        return type(self), (self.base, self.wrt)

    def __eq__(self, other: object) -> bool:
        same = type(self) is type(other) and isinstance(other, Derived)
        return same and self.__reduce__() == other.__reduce__()  # type: ignore[union-attr]

    def __hash__(self) -> int:
        return self._hash


def applied(source: Traced, leaves: Leaves) -> tuple[Number, ...]:
    """The numbers of a traced base on the leaves of a derivative."""
    return source.program(
        *(x for operand in source.inputs for x in leaves[operand.name])
    )


def with_added(
    parameters: Sequence[Parameter], added: Sequence[Parameter]
) -> tuple[Parameter, ...]:
    """Further arguments stand after those without a default."""
    first = [p for p in parameters if p.default is inspect.Parameter.empty]
    rest = [p for p in parameters if p.default is not inspect.Parameter.empty]
    return (*first, *added, *rest)


def _named(x: Any) -> Any:
    """Wrenches as the mapping they came from."""
    if isinstance(x, Wrenches):
        return x.by_name or None
    return x


def _flat(x: Any) -> Iterator[Number]:
    if isinstance(x, Layout | tuple | list | np.ndarray):
        for y in x:
            yield from _flat(y)
    else:
        yield x
