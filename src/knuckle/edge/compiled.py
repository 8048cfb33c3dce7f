"""What compiling an algorithm for a model gives."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from knuckle.codegen import Target
from knuckle.edge import arrays as edge_arrays
from knuckle.edge import threads
from knuckle.edge.kept import made
from knuckle.edge.keys import Request
from knuckle.edge.signature import Given

SMALL = 1 << 16
"""Up to so many elements an argument goes to NumPy as it is; a cast may copy it
whole."""


class CompiledAlgorithm:
    """Machine code of an algorithm for one model: what `kn.compile` returns."""

    def __init__(
        self,
        algorithm: Any,
        model: Any,
        given: Given,
        extra: dict[str, Any],
        dtype: str,
        target: Target,
        rolled: bool | None = None,
    ) -> None:
        started = time.perf_counter()
        request = Request(algorithm, model, given, tuple(extra), dtype, target, rolled)
        self.kernel, self.record, self.trace_seconds = made(request)
        self.small = min(SMALL, 2 * threads.ENOUGH // (1 + self.kernel.work))
        self.compile_seconds = time.perf_counter() - started

    @property
    def ufunc(self) -> np.ufunc:
        """The NumPy generalized ufunc."""
        return self.kernel.ufunc

    @property
    def operations(self) -> dict[str, int]:
        """How many operations of each kind one evaluation takes."""
        return self.kernel.operations

    def show(self, stage: str) -> str:
        """The code at a stage: "trace", "llvm" or "asm"."""
        return self.kernel.show(stage)

    def bind(self, *arrays: Any, out: Any = None) -> Callable[[], Any]:
        """A call on fixed arrays without NumPy's dispatch; returns `out` each time."""
        return self.kernel.bind(*arrays, out=out)

    def evaluate(self, arrays: list[Any], out: Any = None) -> Any:
        """The results for arrays that may need casting; large ones go in blocks of
        rows."""
        result = edge_arrays.evaluate(self.kernel, arrays, out)
        return result if self.record is None else self.record(*result)

    def __call__(self, *arrays: Any, out: Any = None) -> Any:
        small = self.small
        if out is None and all(getattr(a, "size", small) < small for a in arrays):
            result = self.kernel.ufunc(*arrays)
            return result if self.record is None else self.record(*result)
        names = [x.name for x in self.kernel.inputs]
        if len(arrays) != len(names):
            raise TypeError(
                f"{self.kernel.name}: expected {len(names)} arrays "
                f"({', '.join(names)}), got {len(arrays)}"
            )
        prepared = edge_arrays.prepared(
            dict(zip(names, arrays, strict=True)), self.kernel.name
        )
        return self.evaluate(list(prepared.values()), out)

    def __repr__(self) -> str:
        return repr(self.kernel)
