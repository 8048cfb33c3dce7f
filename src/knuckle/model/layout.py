"""What an algorithm computes with and returns: values laid out by body or by joint.

Positions, velocities and wrenches are flat tuples of numbers in the order of the
model's declaration; `q[i]` is the part of body i. `PerBody` and `JointMatrix` hold the
state of a recursion, so that how its loop is run - unrolled or rolled - stays out of
its text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from knuckle.model.errors import ModelError
from knuckle.scalar import Number
from knuckle.spatial import Force

Block = tuple[tuple[Number, ...], ...]


class Layout:
    """A flat vector of numbers over the joints of a model.

    Where couplings make joints follow others, `values` are those of the independent
    ones and `full` those of all, which bodies read; `lift` leads from a position to all
    joints.
    """

    __slots__ = ("full", "lift", "values")
    slices: ClassVar[str]

    def __init__(
        self, values: Sequence[Number], full: Sequence[Number] | None = None
    ) -> None:
        self.values, self.full, self.lift = tuple(values), full, None

    def __getitem__(self, i: Any) -> Any:
        """The coordinates of body i, or entry i when it is a number or a slice."""
        if isinstance(i, int | slice):
            return self.values[i]
        if self.full is not None:
            return self.full[getattr(i, self.slices)]
        if i.coupled:
            raise ModelError(
                f"{i!r}: expected values of every joint, got those of the independent "
                "ones alone, of a model with couplings; forces on joints that follow "
                "others have no values, take kn.forward_dynamics, and what is computed "
                "inside an algorithm goes through model.lifted(q, v)"
            )
        return self.values[getattr(i, self.slices)]

    def __iter__(self) -> Iterator[Number]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.values!r})"


class Position(Layout):
    """Joint positions q, (nq,): metres and radians, quaternions w, x, y, z."""

    __slots__ = ()
    slices = "q"

    def __init__(self, values: Sequence[Number], lift: Any = None) -> None:
        super().__init__(values, None if lift is None else lift.q)
        self.lift = lift

    @staticmethod
    def shape(model: Any) -> tuple[int, ...]:
        return (model.nq,)


class Velocity(Layout):
    """Anything laid out as v, (nv,): velocities, accelerations, joint forces."""

    __slots__ = ()
    slices = "v"

    @staticmethod
    def shape(model: Any) -> tuple[int, ...]:
        return (model.nv,)


class Wrenches:
    """External wrenches, (n_bodies, 6) in the order of `model.bodies`, or by name.

    Each acts from the environment on its body, at the origin of the body's frame, in
    its axes (moment [N m], force [N]). Bodies that are not named cost nothing.
    """

    __slots__ = ("by_name", "forces", "view")

    def __init__(
        self,
        forces: dict[Any, Force] | None = None,
        by_name: Any = None,
        view: Any = None,
    ) -> None:
        self.forces, self.by_name, self.view = forces or {}, by_name or {}, view

    def __getitem__(self, i: Any) -> Force:
        """What acts on a body; it may be one of another view of the model."""
        if self.by_name and i.view is not self.view:
            self.forces, self.view = i.view.wrenches(self.by_name).forces, i.view
        found = self.forces.get(i)
        return i.no_force if found is None else found

    @staticmethod
    def shape(model: Any) -> tuple[int, ...]:
        return (len(model.bodies), 6)


class Array:
    """Annotation of an argument of a fixed shape: `Array[3]`, `Array[2, 3]`,
    `Array[()]`."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._shape = shape

    def __class_getitem__(cls, shape: int | tuple[int, ...]) -> Array:
        return cls(shape if isinstance(shape, tuple) else (shape,))

    def shape(self, model: Any) -> tuple[int, ...]:
        return self._shape

    def __call__(self, *_: Any) -> Any:
        raise TypeError("Array[...] only annotates an argument")


class _Nothing:
    """The sum of no terms: what `+=` starts from."""

    def __add__(self, other: Any) -> Any:
        return other

    __radd__ = __add__


NOTHING = _Nothing()


class PerBody:
    """One value for each body: the state of a recursion over the tree."""

    __slots__ = ("_values",)

    def __init__(self) -> None:
        self._values: dict[Any, Any] = {}

    def __getitem__(self, i: Any) -> Any:
        return self._values.get(i, NOTHING)

    def __setitem__(self, i: Any, value: Any) -> None:
        self._values[i] = value

    def __contains__(self, i: Any) -> bool:
        return i in self._values


class Blocks:
    """An (nv, nv) matrix in blocks H[i, j] by bodies; H[k] is row k, and NumPy's
    functions take it."""

    __slots__ = ("_blocks",)

    def __init__(self) -> None:
        self._blocks: dict[tuple[Any, Any], Block] = {}

    def __setitem__(self, ij: tuple[Any, Any], block: Block) -> None:
        self._blocks[ij] = block

    def __contains__(self, ij: tuple[Any, Any]) -> bool:
        return ij in self._blocks

    def __getitem__(self, ij: Any) -> Any:
        return self.rows(len(self))[ij] if isinstance(ij, int) else self.block(*ij)

    def __len__(self) -> int:
        return max((i.v.stop for i, _ in self._blocks), default=0)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(self.rows(len(self)), dtype)

    def block(self, i: Any, j: Any) -> Block:
        """The rows of body i over the columns of body j."""
        return self._blocks[i, j]

    def rows(self, nv: int) -> Block:
        """The whole matrix; blocks that were never set are zero."""
        full: list[list[Number]] = [[0.0] * nv for _ in range(nv)]
        for (i, j), block in self._blocks.items():
            for r, row in zip(range(i.v.start, i.v.stop), block, strict=True):
                full[r][j.v] = row
        return tuple(map(tuple, full))


class JointMatrix(Blocks):
    """A symmetric (nv, nv) matrix in blocks H[i, j]; the other triangle follows."""

    __slots__ = ()

    def block(self, i: Any, j: Any) -> Block:
        """The rows of body i over the columns of body j, from either triangle."""
        return self._blocks[i, j] if (i, j) in self else _flipped(self._blocks[j, i])

    def rows(self, nv: int) -> Block:
        """The whole matrix, entries above the diagonal taken from those below."""
        full: list[list[Number]] = [[0.0] * nv for _ in range(nv)]
        for (i, j), block in self._blocks.items():
            for r, row in zip(range(i.v.start, i.v.stop), block, strict=True):
                for c, x in zip(range(j.v.start, j.v.stop), row, strict=True):
                    if i is not j or r >= c:
                        full[r][c] = full[c][r] = x
        return tuple(map(tuple, full))


class JointBlocks(Blocks):
    """An (nv, nv) matrix in blocks H[i, j] that need not be symmetric."""

    __slots__ = ()


def _flipped(block: Block) -> Block:
    return tuple(zip(*block, strict=True))
