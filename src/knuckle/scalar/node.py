"""The symbolic scalar: one interned node type, built and simplified by operators.

A `Trace` owns its nodes; equal nodes are one object. A node never changes. Numbers that
are known while tracing stay plain Python numbers, so a structural zero costs nothing at
all.
"""

from __future__ import annotations

import linecache
import struct
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

__all__ = ["Scalar", "Trace", "TraceError", "Number"]

Number: TypeAlias = Any
"""A float, a `Scalar`, an mpmath number or a Fraction."""

_PACKAGE = str(Path(__file__).resolve().parent.parent)


class TraceError(TypeError):
    """An operation that has no meaning on a value that is not known yet."""


CONDITIONS = ("lt", "le", "eq", "ne", "and", "or", "not")
"""The primitives whose value is a truth."""

LOOPS = ("scan", "while")
"""The primitives that carry a program as their body."""

SEVERAL = (*LOOPS, "lookup")
"""The primitives with several results, which items pick from."""


class Trace:
    """The nodes of one traced function, interned, in order of creation.

    The trace of a loop's body lies inside the trace around it, its parent. A floating
    one, of a loop that starts from plain numbers, finds its parent when it first meets
    a value from outside. Once the body is traced it is closed.
    """

    __slots__ = ("nodes", "parent", "floating", "closed", "captured", "_known")

    def __init__(self, parent: Trace | None = None, floating: bool = False) -> None:
        self.nodes: list[Scalar] = []
        self.parent = parent
        self.floating = floating
        self.closed = False
        self.captured: dict[Scalar, Scalar] = {}
        self._known: dict[tuple[Any, ...], Scalar] = {}

    def sees(self, other: Trace) -> bool:
        """May nodes of the other be used here as they are?"""
        return self is other

    def inside(self, other: Trace) -> bool:
        """Is this the other trace, or of a loop in it at any depth?"""
        trace = self
        while not trace.sees(other):
            if trace.parent is None:
                if not trace.floating or other.root() is trace:
                    return False
                trace.parent = other
            trace = trace.parent
        return True

    def root(self) -> Trace:
        """The outermost trace around this one."""
        trace = self
        while trace.parent is not None:
            trace = trace.parent
        return trace

    def input(self, name: str) -> Scalar:
        """A new leaf of this name."""
        return self._intern(("input", name), "input", (), name)

    def inputs(self, name: str, count: int) -> tuple[Scalar, ...]:
        """The leaves name[0] ... name[count - 1]."""
        return tuple(self.input(f"{name}[{k}]") for k in range(count))

    def constant(self, value: float) -> Scalar:
        """A constant leaf, interned by bit pattern."""
        value = float(value)
        return self._intern(("const", struct.pack("d", value)), "const", (), value)

    def apply(self, op: str, *args: Scalar) -> Scalar:
        """The node op(args); the one place where interior nodes are made."""
        key = (op, *[a.index for a in args])
        found = self._known.get(key)
        if found is None:
            found = Scalar(self, len(self.nodes), op, args, None)
            self.nodes.append(found)
            self._known[key] = found
        return found

    def apply_with(self, op: str, args: tuple[Scalar, ...], value: Any) -> Scalar:
        """As `apply`, for the rows that carry a static value beside their arguments."""
        return self._intern((op, value, *[a.index for a in args]), op, args, value)

    def _intern(
        self, key: tuple[Any, ...], op: str, args: tuple[Scalar, ...], value: Any
    ) -> Scalar:
        found = self._known.get(key)
        if found is None:
            found = Scalar(self, len(self.nodes), op, args, value)
            self.nodes.append(found)
            self._known[key] = found
        return found

    def lift(self, x: Number) -> Scalar:
        """x as a node of this trace: a number becomes a constant, an outer node a
        capture."""
        if not isinstance(x, Scalar):
            return self.constant(x)
        if x.trace is self:
            return x
        if self.closed or not self.inside(x.trace):
            raise TraceError(
                f"{user_line()}: a traced scalar was used outside the function that "
                "traced it; pass it in as an argument"
            )
        if x.op in CONDITIONS:  # what crosses into a loop is a number
            return choice.compare("ne", self.lift(choice.select(x, 1.0, 0.0)), 0.0)
        if x not in self.captured:
            self.captured[x] = self.input(f"captured[{len(self.captured)}]")
        return self.captured[x]


class Scalar:
    """A value that is known only when the compiled code runs."""

    __slots__ = ("trace", "index", "op", "args", "value")

    def __init__(
        self, trace: Trace, index: int, op: str, args: tuple[Scalar, ...], value: Any
    ) -> None:
        self.trace = trace
        self.index = index
        self.op = op
        self.args = args
        self.value = value

    __hash__ = object.__hash__

    def __add__(self, other: Number) -> Number:
        return rules.add(self, other) if _is_number(other) else NotImplemented

    def __radd__(self, other: Number) -> Number:
        return rules.add(other, self) if _is_number(other) else NotImplemented

    def __sub__(self, other: Number) -> Number:
        return rules.sub(self, other) if _is_number(other) else NotImplemented

    def __rsub__(self, other: Number) -> Number:
        return rules.sub(other, self) if _is_number(other) else NotImplemented

    def __mul__(self, other: Number) -> Number:
        return rules.mul(self, other) if _is_number(other) else NotImplemented

    def __rmul__(self, other: Number) -> Number:
        return rules.mul(other, self) if _is_number(other) else NotImplemented

    def __truediv__(self, other: Number) -> Number:
        return rules.div(self, other) if _is_number(other) else NotImplemented

    def __rtruediv__(self, other: Number) -> Number:
        return rules.div(other, self) if _is_number(other) else NotImplemented

    def __neg__(self) -> Number:
        return rules.neg(self)

    def __pos__(self) -> Number:
        return self

    def __abs__(self) -> Number:
        return rules.absolute(self)

    def __pow__(self, exponent: Number) -> Number:
        return rules.power(self, exponent) if _is_number(exponent) else NotImplemented

    def __rpow__(self, base: Number) -> Number:
        return rules.power(base, self) if _is_number(base) else NotImplemented

    def __lt__(self, other: Number) -> Number:
        return (
            choice.compare("lt", self, other) if _is_number(other) else NotImplemented
        )

    def __le__(self, other: Number) -> Number:
        return (
            choice.compare("le", self, other) if _is_number(other) else NotImplemented
        )

    def __gt__(self, other: Number) -> Number:
        return (
            choice.compare("lt", other, self) if _is_number(other) else NotImplemented
        )

    def __ge__(self, other: Number) -> Number:
        return (
            choice.compare("le", other, self) if _is_number(other) else NotImplemented
        )

    def __eq__(self, other: object) -> Number:
        return (
            choice.compare("eq", self, other) if _is_number(other) else NotImplemented
        )

    def __ne__(self, other: object) -> Number:
        return (
            choice.compare("ne", self, other) if _is_number(other) else NotImplemented
        )

    def __and__(self, other: Number) -> Number:
        return choice.logic("and", self, other) if _is_truth(other) else NotImplemented

    __rand__ = __and__

    def __or__(self, other: Number) -> Number:
        return choice.logic("or", self, other) if _is_truth(other) else NotImplemented

    __ror__ = __or__

    def __invert__(self) -> Number:
        return choice.logic_not(self)

    def __bool__(self) -> bool:
        raise TraceError(
            f"{user_line()}: a traced value has no truth yet, so `if`, `and`, "
            "`or`, `not` and `while` cannot look at it; write "
            "where(condition, a, b), and & | ~ for and, or, not"
        )

    def __float__(self) -> float:
        raise TraceError(
            f"{user_line()}: a traced value is no float yet; use the functions of "
            "numpy or knuckle.scalar (np.sin(x), where(c, a, b)) instead of math's"
        )

    __int__ = __index__ = __float__  # type: ignore[assignment]

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any
    ) -> Any:
        """NumPy's functions build nodes: np.sin(x) is sin(x)."""
        function = rules.UFUNCS.get(ufunc.__name__)
        out = options.pop("out", (None,))[0]
        if function is None or method != "__call__" or options:
            known = ", ".join(sorted(rules.UFUNCS))
            raise TraceError(
                f"{user_line()}: np.{ufunc.__name__} has no meaning on a traced "
                f"value here; there are {known}"
            )
        if out is not None and out.dtype != object:
            raise TraceError(
                f"{user_line()}: an array of {out.dtype} cannot hold a traced value; "
                "make it of dtype=object"
            )
        if out is None and not any(isinstance(x, np.ndarray) for x in inputs):
            return function(*inputs)
        result = np.frompyfunc(function, len(inputs), 1)(*[_boxed(x) for x in inputs])
        if out is None:
            return result
        out[...] = result
        return out

    def __repr__(self) -> str:
        from knuckle.scalar.program import Program

        text = Program.of([self]).text(most=12)
        return f"<Scalar %{self.index} = {self.op}>\n{text}"


def _is_number(x: object) -> bool:
    return type(x) is Scalar or type(x) is float or isinstance(x, _NUMBERS)


_NUMBERS = (float, int, np.number)


def is_fraction(x: object) -> bool:
    """Is x a Fraction? None can be before their module is imported, which takes a
    while."""
    known = sys.modules.get("fractions")
    return known is not None and isinstance(x, known.Fraction)


def _is_truth(x: object) -> bool:
    return type(x) is Scalar or isinstance(x, bool | np.bool_)


def _boxed(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return x.astype(object)
    box = np.empty((), object)
    box[()] = x
    return box


def user_line() -> str:
    """file:line `source` of the nearest caller that is not knuckle itself."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    name, line = frame.f_code.co_filename, frame.f_lineno
    source = linecache.getline(name, line).strip()
    return f"{name}:{line} `{source}`"


def live(outputs: Iterable[Number]) -> list[Scalar]:
    """The nodes that the outputs need, in order of creation."""
    needed: dict[int, Scalar] = {}
    stack = [x for x in outputs if isinstance(x, Scalar)]
    while stack:
        node = stack.pop()
        if node.index not in needed:
            needed[node.index] = node
            stack.extend(node.args)
    return [needed[k] for k in sorted(needed)]


from knuckle.scalar import choice, rules  # noqa: E402  (rules build nodes, nodes call)
