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


class Trace:
    """The nodes of one traced function, interned, in order of creation."""

    __slots__ = ("nodes", "parent", "captured", "_known")

    def __init__(self, parent: Trace | None = None) -> None:
        self.nodes: list[Scalar] = []
        self.parent = parent
        self.captured: dict[Scalar, Scalar] = {}
        self._known: dict[tuple[Any, ...], Scalar] = {}

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
        if found is not None:
            return found
        return self._intern(key, op, args, None)

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
        outer = self.parent
        while outer is not None and outer is not x.trace:
            outer = outer.parent
        if outer is None:
            raise TraceError(
                "a traced scalar was used outside the function that traced it; "
                "pass it in as an argument"
            )
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
        return rules.power(self, exponent)

    def __lt__(self, other: Number) -> Number:
        return rules.compare("lt", self, other)

    def __le__(self, other: Number) -> Number:
        return rules.compare("le", self, other)

    def __gt__(self, other: Number) -> Number:
        return rules.compare("lt", other, self)

    def __ge__(self, other: Number) -> Number:
        return rules.compare("le", other, self)

    def __eq__(self, other: object) -> Number:
        return rules.compare("eq", self, other)

    def __ne__(self, other: object) -> Number:
        return rules.compare("ne", self, other)

    def __and__(self, other: Number) -> Number:
        return rules.logic("and", self, other)

    __rand__ = __and__

    def __or__(self, other: Number) -> Number:
        return rules.logic("or", self, other)

    __ror__ = __or__

    def __invert__(self) -> Number:
        return rules.logic_not(self)

    def __bool__(self) -> bool:
        raise TraceError(
            f"{_user_line()}: a traced value has no truth yet, so `if`, `and`, "
            "`or`, `not` and `while` cannot look at it; write "
            "where(condition, a, b), and & | ~ for and, or, not"
        )

    def __float__(self) -> float:
        raise TraceError(
            f"{_user_line()}: a traced value is no float yet; use the functions of "
            "numpy or knuckle.scalar (np.sin(x), where(c, a, b)) instead of math's"
        )

    __int__ = __index__ = __float__  # type: ignore[assignment]

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any
    ) -> Any:
        """NumPy's functions build nodes: np.sin(x) is sin(x)."""
        function = rules.UFUNCS.get(ufunc.__name__)
        if function is None or method != "__call__" or options:
            known = ", ".join(sorted(rules.UFUNCS))
            raise TraceError(
                f"{_user_line()}: np.{ufunc.__name__} has no meaning on a traced "
                "value here; "
                f"there are {known}"
            )
        if any(isinstance(x, np.ndarray) for x in inputs):
            return np.frompyfunc(function, len(inputs), 1)(*[_boxed(x) for x in inputs])
        return function(*inputs)

    def __repr__(self) -> str:
        from knuckle.scalar.program import Program

        text = Program.of([self]).text(most=12)
        return f"<Scalar %{self.index} = {self.op}>\n{text}"


def _is_number(x: object) -> bool:
    return type(x) is Scalar or type(x) is float or isinstance(x, _NUMBERS)


_NUMBERS = (float, int, np.number)


def _boxed(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return x.astype(object)
    box = np.empty((), object)
    box[()] = x
    return box


def _user_line() -> str:
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


from knuckle.scalar import rules  # noqa: E402  (rules build nodes, nodes call rules)
