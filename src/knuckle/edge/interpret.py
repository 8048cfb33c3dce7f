"""The text of an algorithm on plain numbers: for print, pdb and fifty digits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from knuckle.edge.algorithm import Algorithm, algorithm_of
from knuckle.edge.extra import extra_arguments
from knuckle.edge.signature import nested
from knuckle.edge.tracing import collect, input_shapes, run
from knuckle.model.view import View
from knuckle.scalar.node import is_fraction


def interpret(alg: Algorithm | Callable[..., Any], model: Any) -> Callable[..., Any]:
    """The algorithm as a function that runs its text on floats, mpmath numbers,
    Fractions.

    One configuration at a time. Floats come back as NumPy arrays, other numbers as
    nested tuples. The trap: the constants of the model stay the float64 values they
    are.
    """
    alg = algorithm_of(alg, model, "interpret")

    def interpreted(*args: Any, **options: Any) -> Any:
        extra = extra_arguments(alg, model, options)
        given = alg.bound(model, args, options, tuple(extra))
        shapes = {name: np.shape(_plain(x)) for name, x in extra.items()}
        shapes = input_shapes(model, alg.parameters, given, shapes)
        values = {
            name: _nested_numbers(x, shapes[name], alg.__name__, name)
            for name, x in {**given.arrays, **extra}.items()
        }
        exact = any(is_fraction(x) for v in values.values() for x in _leaves(v))
        view = View(
            model,
            {k: values[k] for k in extra},
            values.get("t"),
            _exact if exact else float,
            reduced=False,
        )
        result = run(alg.text(model), view, alg.parameters, given, values)
        outputs, record = collect(view, result, alg.__name__)
        arrays = [_array(out.shape, out.numbers) for out in outputs]
        return arrays[0] if record is None else record(*arrays)

    interpreted.__name__ = f"interpreted_{alg.__name__}"
    interpreted.__doc__ = alg.__doc__
    return interpreted


def _plain(x: Any) -> Any:
    return np.asarray(x, dtype=object)


def _nested_numbers(x: Any, shape: tuple[int, ...], name: str, key: str) -> Any:
    array = _plain(x)
    if array.shape != shape:
        raise ValueError(
            f"{name}: interpreted argument {key} has shape {array.shape}, "
            f"expected {shape}"
        )
    return nested(shape, tuple(_number(y) for y in array.reshape(-1)))


def _exact(x: Any) -> Any:
    from knuckle.edge.exact import Exact

    return Exact(x)


def _number(x: Any) -> Any:
    if is_fraction(x):
        return _exact(x)
    if isinstance(x, int | float | np.number):
        return float(x)
    return x


def _leaves(x: Any) -> Any:
    if isinstance(x, tuple):
        for y in x:
            yield from _leaves(y)
    elif isinstance(x, Mapping):
        yield from _leaves(tuple(x.values()))
    else:
        yield x


def _array(shape: tuple[int, ...], numbers: tuple[Any, ...]) -> Any:
    if all(isinstance(x, float) for x in numbers):
        return np.array(numbers).reshape(shape)[()]
    return nested(shape, numbers)
