"""Products with derivatives, which make no matrix: along directions, or weighted."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from knuckle.codegen import Operand
from knuckle.edge.algorithm import Algorithm
from knuckle.edge.derived import Call, Derived, Results, applied
from knuckle.edge.signature import Given, Parameter, Shape
from knuckle.edge.tracing import Traced
from knuckle.edge.variables import Leaves, variable
from knuckle.scalar import Number, Scalar
from knuckle.scalar.derive import tangents
from knuckle.scalar.reverse import gradient

_EMPTY = inspect.Parameter.empty


class Push(Derived):
    """d(base) / d(wrt) times directions."""

    what = "jvp"

    def added(self) -> list[Parameter]:
        return [
            Parameter(f"d{name}", _Variation(self.base, name), _EMPTY, False)
            for name in self.wrt
        ]

    def results(self, source: Traced, leaves: Leaves, call: Call) -> Results:
        rates: dict[Scalar, Number] = {}
        for name in self.wrt:
            directions = call.variable(self.base, name).directions(leaves)
            for speed, seeds in zip(leaves[f"d{name}"], directions, strict=True):
                for leaf, rate in seeds.items():
                    rates[leaf] = rates.get(leaf, 0.0) + rate * speed
        numbers = iter(tangents(applied(source, leaves), rates))
        return {
            out.name: (out.core, [next(numbers) for _ in range(out.size)])
            for out in source.outputs
        }


class Pull(Derived):
    """Weights times d(base) / d(wrt)."""

    what = "vjp"

    def added(self) -> list[Parameter]:
        return [Parameter("weights", Weights(self.base), _EMPTY, False)]

    def resolved(self, model: Any, given: Given, extra: tuple[str, ...]) -> Given:
        """With an array of weights for each result."""
        names = [out.name for out in Weights(self.base).outputs(model, given, extra)]
        if len(names) == 1 and not given.mapped.get("weights"):
            return given
        found = self.by_result(given, names)
        keys = given.keys("weights")
        arrays: dict[str, Any] = {}
        for key, x in given.arrays.items():
            if key == keys[0]:
                arrays |= {f"weights[{k!r}]": found[k] for k in names}
            elif key not in keys:
                arrays[key] = x
        mapped = {**given.mapped, "weights": tuple(names)}
        return Given(arrays, given.options, mapped)

    def by_result(self, given: Given, names: Sequence[str]) -> dict[str, Any]:
        """The weights of each result by its name."""
        parts = [given.arrays[key] for key in given.keys("weights")]
        found: dict[str, Any] = {}
        if "weights" in given.mapped:
            found = dict(zip(given.mapped["weights"], parts, strict=True))
        elif isinstance(parts[0], float):  # as kn.compile declares it
            found = dict.fromkeys(names, parts[0])
        elif isinstance(parts[0], tuple | list) and len(parts[0]) == len(names):
            found = dict(zip(names, parts[0], strict=True))
        if set(found) != set(names):
            raise ValueError(
                f"vjp: {self.base.__name__} returns {', '.join(names)}; give weights "
                "as a tuple of arrays in this order"
            )
        return found

    def results(self, source: Traced, leaves: Leaves, call: Call) -> Results:
        variables = [call.variable(self.base, name) for name in self.wrt]
        directions = [d for x in variables for d in x.directions(leaves)]
        inputs = list({leaf.index: leaf for d in directions for leaf in d}.values())
        outputs = applied(source, leaves)
        weights = [
            x
            for name, flat in leaves.items()
            if name.partition("[")[0] == "weights"
            for x in flat
        ]
        slopes = dict(zip(inputs, gradient(outputs, weights, inputs), strict=True))
        sums = iter(
            sum((slopes[leaf] * rate for leaf, rate in d.items()), 0.0)
            for d in directions
        )
        return {
            x.name.replace(".", "_"): (x.shape, [next(sums) for _ in range(x.size)])
            for x in variables
        }


class _Variation:
    """The shape of a direction of an argument."""

    def __init__(self, base: Algorithm, name: str) -> None:
        self.base, self.name = base, name

    def in_call(self, model: Any, given: Given) -> Shape:
        return variable(self.name, self.base.parameters, model, given).shape


class Weights:
    """The shapes of the results of an algorithm."""

    def __init__(self, base: Algorithm) -> None:
        self.base = base

    def outputs(
        self, model: Any, given: Given, extra: tuple[str, ...]
    ) -> tuple[Operand, ...]:
        """What the algorithm returns in the call without the weights."""
        inner = Call(model, given, extra).without(["weights"])
        return inner.traced(self.base).outputs

    def parts(self, model: Any, given: Given) -> list[Shape]:
        """One shape for each result."""
        extra = tuple(model.parameters)
        extra += ("t",) * any(j.joint.timed for j in model.joints)
        return [out.core for out in self.outputs(model, given, extra)]

    def in_call(self, model: Any, given: Given) -> Shape:
        return self.parts(model, given)[0]
