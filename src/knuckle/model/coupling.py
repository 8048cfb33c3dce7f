"""Couplings: joints whose coordinates are functions of those of other joints.

A Model with couplings has the coordinates y of its independent joints alone; those of
all joints are q = gamma(y) (Featherstone 8.11, 9.6; Sueda 2.6).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np

from knuckle.model.content import digest
from knuckle.model.errors import ModelError
from knuckle.scalar import Number, Program, Scalar, Trace

Numbers = tuple[float, ...]
COORDINATE = re.compile(r"(.*)\[(\d+)\]")


@dataclass(frozen=True, eq=False, init=False)
class Coupling:
    """A joint that follows others: q = sum of ratio x source + offset, or a function.

    `sources` names coordinates as `model.q_names` does ('elbow', or 'ball[2]'), and may
    be one name; they may follow others in turn. A `function` takes one number for each
    source and returns one for each coordinate of the joint; it is traced, so it may use
    NumPy's functions and `kn.where`. Without sources the joint is held at the offset.
    The trap: joint forces and accelerations of the Model are then those of the sources.
    """

    joint: str
    sources: tuple[str, ...]
    ratio: Numbers | None
    offset: float
    function: Program | None

    def __init__(
        self,
        joint: str,
        sources: str | Iterable[str],
        ratio: float | Iterable[float] | None = None,
        offset: float = 0.0,
        function: Callable[..., Any] | Program | None = None,
    ) -> None:
        names = (sources,) if isinstance(sources, str) else tuple(sources)
        where = f"coupling of joint {joint!r}"
        for name in (joint, *names):
            if not isinstance(name, str):
                raise ModelError(f"{where}: expected names of joints, got {name!r}")
        if function is not None and (ratio is not None or offset != 0.0):
            raise ModelError(
                f"{where}: expected ratio and offset, or a function, got both; put "
                "them into the function"
            )
        ratios = None if function is not None else _ratios(ratio, names, where)
        program = None if function is None else _traced(function, names, where)
        values = (joint, names, ratios, _finite(offset, where, "offset"), program)
        for field, value in zip(self.__dataclass_fields__, values, strict=True):
            object.__setattr__(self, field, value)

    @cached_property
    def digest(self) -> str:
        """The content as a SHA-256 in hexadecimal; a function counts by its trace."""
        made = None if self.function is None else self.function.digest()
        law = self.ratio, self.offset, made
        return digest("Coupling", self.joint, self.sources, law)

    @property
    def name(self) -> str:
        """The joint that follows."""
        return self.joint

    @property
    def source_joints(self) -> tuple[str, ...]:
        """The joints of the sources, as far as their names tell."""
        matches = ((name, COORDINATE.fullmatch(name)) for name in self.sources)
        return tuple(m[1] if m else name for name, m in matches)

    @property
    def line(self) -> tuple[float, float] | None:
        """(ratio, offset) where the joint follows one other of one coordinate."""
        if self.ratio is None or self.source_joints != self.sources[:1]:
            return None
        return self.ratio[0], self.offset

    def renamed(self, called: Callable[[str], str]) -> Coupling:
        """The same between joints of other names."""
        sources = [called(name) for name in self.sources]
        joint, function = called(self.joint), self.function
        return Coupling(joint, sources, self.ratio, self.offset, function)

    @property
    def constants(self) -> Numbers:
        """ratio and offset of a linear law."""
        return () if self.ratio is None else (*self.ratio, self.offset)

    def value(self, constants: Sequence[Number], x: Sequence[Number]) -> Sequence[Any]:
        """The coordinates of the joint, from those of the sources."""
        if self.function is not None:
            return self.function(*x)
        *ratio, total = constants
        for k, y in zip(ratio, x, strict=True):
            total = k * y + total
        return (total,)

    def __repr__(self) -> str:
        law = f"ratio={self.ratio}, offset={self.offset:g}"
        if self.function is not None:
            law = f"function of {len(self.function.ops)} steps"
        return f"<Coupling of {self.joint!r} to {self.sources}, {law}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Coupling) and self.digest == other.digest

    def __hash__(self) -> int:
        return int(self.digest[:15], 16)


def _ratios(given: Any, names: Sequence[str], where: str) -> Numbers:
    """One ratio for each source, 1 where none is given."""
    if given is None:
        return (1.0,) * len(names)
    values = np.atleast_1d(np.asarray(given)).tolist()
    if len(values) != len(names):
        raise ModelError(
            f"{where}: expected {len(names)} ratios, one for each of its sources "
            f"{list(names)}, got {given!r}"
        )
    return tuple(_finite(x, where, "ratio") for x in values)


def _finite(x: Any, where: str, what: str) -> float:
    if isinstance(x, bool) or not isinstance(x, int | float) or not isfinite(x):
        raise ModelError(f"{where}: {what}: expected a finite number, got {x!r}")
    return float(x)


def _traced(function: Any, names: Sequence[str], where: str) -> Program:
    """The function as a program of one number for each source."""
    if isinstance(function, Program):
        return function
    if not callable(function):
        raise ModelError(
            f"{where}: function: expected a function of {len(names)} numbers, got "
            f"{function!r}; write function=lambda x: 0.1 * np.cos(x)"
        )
    trace = Trace()
    inputs = [trace.input(f"x[{k}]") for k in range(len(names))]
    try:
        found = function(*inputs)
    except TypeError as error:
        error.add_note(f"while tracing the {where}, sources {list(names)}")
        raise
    flat = np.atleast_1d(np.asarray(found, object)).tolist()
    for x in flat:
        if not isinstance(x, Scalar | int | float):
            raise ModelError(
                f"{where}: function returned {x!r}, expected numbers, one for each "
                "coordinate of the joint"
            )
    numbers = [x if isinstance(x, Scalar) else float(x) for x in flat]
    return Program.of(numbers, [x.value for x in inputs])
