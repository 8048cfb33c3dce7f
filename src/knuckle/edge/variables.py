"""What an algorithm can be differentiated by, and how each of it varies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from knuckle.edge.signature import Given, Parameter, Shape
from knuckle.joints import Free
from knuckle.model.layout import Position, Wrenches
from knuckle.model.parameters import available
from knuckle.scalar import Number, Scalar
from knuckle.scalar.jacobian import Direction

Leaves = Mapping[str, Sequence[Scalar]]
"""The leaves of a trace by the name of their array, each flat in C order."""


@dataclass(frozen=True)
class Variable:
    """An argument or a parameter: the shape of its variation and the arrays it is.

    `joints` are (joint, coordinates, velocities) where those arrays are positions.
    """

    name: str
    shape: Shape
    arrays: tuple[str, ...]
    joints: tuple[tuple[Any, slice, slice], ...] | None = None

    @property
    def size(self) -> int:
        """How many directions there are."""
        return prod(self.shape)

    def commute(self, j: int, k: int) -> bool:
        """Do moves along two entries of the variation lead to the same place?"""
        if self.joints is None:
            return True
        return not any(
            v.start <= j < v.stop and v.start <= k < v.stop and joint.custom
            for joint, _, v in self.joints
        )

    def directions(self, leaves: Leaves) -> list[Direction]:
        """How the leaves move with each entry of the variation."""
        flat = [x for name in self.arrays for x in leaves[name]]
        if self.joints is None:
            return [{x: 1.0} for x in flat]
        return [seeds for j in self.joints for seeds in _with_velocities(flat, *j)]


def variable(
    name: str, parameters: Sequence[Parameter], model: Any, given: Given
) -> Variable:
    """The variable of this name in a call; an error lists what there is."""
    for p in parameters:
        if p.name == name and name in given.mapped:
            shapes = p.shapes(model, given)
            if p.kind is Wrenches:
                return Variable(name, (len(shapes), 6), tuple(shapes))
            return Variable(name, (sum(map(prod, shapes.values())),), tuple(shapes))
        if p.name == name and name in given.arrays:
            joints = tuple((j.joint, j.q, j.v) for j in model.independent)
            if p.kind is Position:
                return Variable(name, (model.nv,), (name,), joints)
            return Variable(name, p.core(model, given), (name,))
    if name in model.parameters:
        return _constant(name, model.parameters[name].shape)
    if name == "t" and any(j.joint.timed for j in model.joints):
        return _constant(name, ())
    raise ValueError(_unknown(name, parameters, model, given))


def _constant(name: str, shape: Shape) -> Variable:
    """A declared parameter; a placement varies by the twist of what is placed."""
    if name.endswith(".placement"):
        return Variable(name, (6,), (name,), ((Free(), slice(0, 7), slice(0, 6)),))
    return Variable(name, shape, (name,))


def _with_velocities(
    flat: Sequence[Scalar], joint: Any, q: slice, v: slice
) -> list[Direction]:
    """How the coordinates of a joint move with each of its velocities."""
    here = flat[q]
    columns: list[Direction] = []
    for k in range(v.stop - v.start):
        unit = [1.0 if i == k else 0.0 for i in range(v.stop - v.start)]
        rates: Sequence[Number] = joint.qdot(here, unit)
        moving = zip(here, rates, strict=True)
        columns.append({x: dx for x, dx in moving if _moves(dx)})
    return columns


def _moves(rate: Number) -> bool:
    return isinstance(rate, Scalar) or rate != 0.0


def _unknown(
    name: str, parameters: Sequence[Parameter], model: Any, given: Given
) -> str:
    arrays = [p.name for p in parameters if not p.static]
    known = [n for n in arrays if n in given.arrays or n in given.mapped]
    there = ", ".join([*known, *model.parameters])
    text = f"wrt={name!r}: there is no such argument or parameter; there are {there}"
    if name in arrays:
        return f"wrt={name!r}: not given in this call; given are {there}"
    if name in available(model):
        return f"{text}; declare it by model.with_parameters({name!r})"
    return f"{text}; model.with_parameters('gravity', '*.mass') declares more"
