"""A joint's functions, run once on scalars and kept as programs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from knuckle.scalar import Number, Program, Scalar, Trace
from knuckle.scalar.rules import UFUNCS
from knuckle.spatial import SE3
from knuckle.spatial.linear import Matrix, Vector
from knuckle.spatial.se3 import Factor

Function = Callable[..., Any]


class Coordinates(np.ndarray):
    """What a joint's function gets: an array of numbers on which np.sin(q) works."""

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any
    ) -> Any:
        plain = [np.asarray(x, object) for x in inputs]
        function = UFUNCS.get(ufunc.__name__)
        if function is None or method != "__call__" or options:
            options.pop("out", None)
            return getattr(ufunc, method)(*plain, **options)
        out = np.frompyfunc(function, len(plain), 1)(*plain)
        return out.view(Coordinates) if isinstance(out, np.ndarray) else out


def coordinates(values: Sequence[Number]) -> Coordinates:
    """The numbers as the array that users' functions see."""
    array = np.empty(len(values), object)
    array[:] = values
    return array.view(Coordinates)


def names(letter: str, count: int) -> tuple[str, ...]:
    """The input names letter[0] ... letter[count - 1]."""
    return tuple(f"{letter}[{k}]" for k in range(count))


def wants_time(pose: Function, name: str) -> bool:
    """Whether the pose is a function of (q, t), by its required parameters."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if not callable(pose):
        raise TypeError(
            f"joint {name!r}: pose is {type(pose).__name__}, expected a function of q; "
            "write Joint(lambda q: Rz(q[0]), 1)"
        )
    parameters = inspect.signature(pose).parameters.values()
    required = [p for p in parameters if p.kind in kinds and p.default is p.empty]
    if len(required) not in (1, 2):
        raise TypeError(
            f"joint {name!r}: pose takes {len(required)} required arguments, expected "
            "pose(q) or pose(q, t)"
        )
    return len(required) == 2


def trace_pose(pose: Function, nq: int, timed: bool, name: str) -> tuple[Factor, ...]:
    """The factors of pose(q) or pose(q, t), in scalars of a fresh trace."""
    trace = Trace()
    q = coordinates(trace.inputs("q", nq))
    arguments = (q, trace.input("t")) if timed else (q,)
    value = guarded(lambda: pose(*arguments), name, "pose", f"nq = {nq}")
    try:
        factors = SE3.from_any(value).factors
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"joint {name!r}: pose returned {type(value).__name__}, expected an SE3, a "
            f"pair (R, p) or a 4x4 matrix ({error})"
        ) from None
    for kind, value in factors:
        if kind in ("const", "matrix"):
            shape = [len(row) for row in (*value[0], value[1])]
            if shape != [3, 3, 3, 3]:
                raise ValueError(
                    f"joint {name!r}: pose returned rows of {shape[:-1]} numbers for R "
                    f"and {shape[-1]} for p, expected 3 x 3 and 3"
                )
    return factors


def trace_function(
    function: Function,
    arguments: Sequence[tuple[str, int | None]],
    count: int,
    name: str,
    what: str,
) -> Program:
    """function(...) as a program; arguments are (letter, length), None for a number."""
    trace = Trace()
    values: list[Any] = []
    inputs: list[str] = []
    for letter, length in arguments:
        if length is None:
            values.append(trace.input(letter))
            inputs.append(letter)
        else:
            values.append(coordinates(trace.inputs(letter, length)))
            inputs.extend(names(letter, length))
    sizes = ", ".join(f"{letter}: {n}" for letter, n in arguments if n is not None)
    result = guarded(lambda: tuple(function(*values)), name, what, sizes)
    if len(result) != count:
        raise ValueError(
            f"joint {name!r}: {what} returned {len(result)} numbers, expected {count}"
        )
    return Program.of([number(x) for x in result], inputs)


def guarded(call: Callable[[], Any], name: str, what: str, sizes: str) -> Any:
    """The call's result; an index out of range is told in the terms of the joint."""
    try:
        return call()
    except IndexError as error:
        raise IndexError(
            f"joint {name!r}: {what} reads a coordinate that is not there ({sizes}): "
            f"{error}; give Joint the right nq and nv"
        ) from error
    except Exception as error:
        error.add_note(f"while tracing {what} of joint {name!r} ({sizes})")
        raise


def number(x: Any) -> Number:
    """x itself, or the plain float that a NumPy number holds."""
    if isinstance(x, np.ndarray) and x.ndim == 0:
        x = x.item()
    if isinstance(x, Scalar) or type(x) is float:
        return x
    return float(x) if isinstance(x, int | np.generic) else x


def split(
    factors: Sequence[Factor],
) -> tuple[SE3, tuple[Factor, ...], SE3]:
    """(before, core, after): the constant factors at either end stripped off."""
    first, last = 0, len(factors)
    while first < last and known(factors[first]):
        first += 1
    while last > first and known(factors[last - 1]):
        last -= 1
    before = constant(factors[:first])
    return before, tuple(factors[first:last]), constant(factors[last:])


def known(factor: Factor) -> bool:
    """Whether the factor holds no scalar."""
    return not any(isinstance(x, Scalar) for x in flat(factor))


def constant(factors: Sequence[Factor]) -> SE3:
    """The product of constant factors, multiplied out."""
    pose = SE3.of_factors(tuple(factors))
    return SE3(pose.R, pose.p) if factors else pose


def flat(factor: Factor) -> tuple[Number, ...]:
    """The numbers of one factor: its value, or R by rows and p."""
    kind, value = factor
    if kind not in ("const", "matrix"):
        return (value,)
    R, p = value
    return (*(x for row in R for x in row), *p)


def unflat(kinds: Sequence[str], numbers: Sequence[Number]) -> tuple[Factor, ...]:
    """The factors of these kinds from their numbers, the inverse of `flat`."""
    factors: list[Factor] = []
    rest = list(numbers)
    for kind in kinds:
        if kind in ("const", "matrix"):
            factors.append((kind, pair(rest[:12])))
            del rest[:12]
        else:
            factors.append((kind, rest.pop(0)))
    return tuple(factors)


def pair(numbers: Sequence[Number]) -> tuple[Matrix, Vector]:
    """(R, p) from 12 numbers: R by rows, then p."""
    rows = tuple(tuple(numbers[3 * i : 3 * i + 3]) for i in range(3))
    return rows, tuple(numbers[9:12])


def flattened(subspace: Function | None) -> Function | None:
    if subspace is None:
        return None
    return lambda *place: [x for column in subspace(*place) for x in column]


def traced(
    function: Function | None,
    what: str,
    count: int,
    arguments: Sequence[tuple[str, int | None]],
    name: str,
) -> Program | None:
    if function is None:
        return None
    return trace_function(function, arguments, count, name, what)
