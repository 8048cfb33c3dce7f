"""A compiled program: callable on arrays, and open to look into."""

from __future__ import annotations

import ctypes
import functools
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from knuckle.codegen import link
from knuckle.codegen.entry import Entry
from knuckle.codegen.operand import Operand
from knuckle.codegen.target import Target, host
from knuckle.codegen.ufunc import gufunc
from knuckle.scalar.program import Program
from knuckle.scalar.verify import verify

if TYPE_CHECKING:
    from knuckle.scalar.rolled import RolledProgram


class Kernel:
    """Machine code for one program, element type and target.

    `ufunc` is a NumPy generalized ufunc: leading dimensions broadcast, `out=` works,
    any strides are legal and the interpreter lock is released while it runs.
    """

    def __init__(
        self,
        name: str,
        program: Program | RolledProgram,
        inputs: Sequence[Operand],
        outputs: Sequence[Operand],
        dtype: str = "float64",
        target: Target | None = None,
        doc: str = "",
    ) -> None:
        self.name, self.program, self.dtype, self.doc = name, program, dtype, doc
        self.inputs, self.outputs = tuple(inputs), tuple(outputs)
        self.target = target or host()
        _check_sizes(self)
        started = time.perf_counter()
        final = self.program.finished(self.target.fma)
        self.operations, self.work = final.operations(), program.weight
        text, table = self._module(final)
        code = _native().assemble(text, self.target)
        self._load(code, table, started)

    @classmethod
    def restored(
        cls,
        entry: Entry,
        source: Callable[[], Program | RolledProgram],
        target: Target,
        doc: str,
    ) -> Kernel:
        """The kernel of an entry of the store; `source` gives its program when asked.

        An object that does not link raises a RuntimeError.
        """
        started = time.perf_counter()
        kernel, facts = cls.__new__(cls), entry.facts
        kernel.name, kernel.dtype, kernel.doc = facts["name"], facts["dtype"], doc
        kernel.inputs, kernel.outputs = (
            tuple(Operand(name, tuple(core)) for name, core in facts[side])
            for side in ("inputs", "outputs")
        )
        kernel.operations, kernel.work = facts["operations"], facts["work"]
        kernel.target, kernel._source = target, source
        length = facts["object"]
        kernel._load(entry.code[:length], entry.code[length:], started)
        return kernel

    operations: dict[str, int]
    """How many operations of each kind one evaluation takes."""
    work: int
    """How many values the program has, by which batches are split over threads."""
    _source: Callable[[], Program | RolledProgram]

    def _load(self, code: bytes, table: bytes, started: float) -> None:
        self._code, self._table_bytes = code, table
        self.address, keeper = link.load(code, self.name, self.target)
        self._table = _aligned(table) if table else None
        self.table = None if self._table is None else self._table.ctypes.data
        self.ufunc: np.ufunc = gufunc(
            self.name, self.doc, self.address, self.inputs, self.outputs, self.dtype,
            (keeper, self._table), self.table,
        )  # fmt: skip
        self.compile_seconds = time.perf_counter() - started

    @functools.cached_property
    def program(self) -> Program | RolledProgram:
        """What was traced; of a kernel from the store, when first asked for."""
        return self._source()

    @property
    def entry(self) -> Entry:
        """What the store keeps of it."""
        facts = {"name": self.name, "dtype": self.dtype, "work": self.work}
        facts |= {"operations": self.operations}
        for side in ("inputs", "outputs"):
            facts[side] = [(x.name, x.core) for x in getattr(self, side)]
        facts["object"] = len(self._code)
        return Entry(facts, self._code + self._table_bytes)

    @property
    def nbytes(self) -> int:
        """Bytes of machine code and of the table that it reads."""
        return len(self._code) + len(self._table_bytes)

    def _module(self, final: Program | RolledProgram) -> tuple[str, bytes]:
        return _native().module(
            self.name, final, self.inputs, self.outputs, self.dtype, self.target
        )

    def show(self, stage: str) -> str:
        """The code at a stage: "trace", "llvm" or "asm"."""
        if stage not in ("trace", "llvm", "asm"):
            raise ValueError(f"show({stage!r}): there are 'trace', 'llvm' and 'asm'")
        final = self.program.finished(self.target.fma)
        if stage == "trace":
            return final.text()
        text, _ = self._module(final)
        return text if stage == "llvm" else _native().assembly(text, self.target)

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        return self.ufunc(*arrays, **options)

    def bind(self, *arrays: np.ndarray, out: Any = None) -> Callable[[], Any]:
        """A call on fixed arrays without NumPy's dispatch; returns `out` each time.

        The arrays keep their element type and one leading shape, () or (n,); write into
        them between calls. An output may be an input itself, but must not overlap one
        otherwise.
        """
        return Bound(self, arrays, out)

    def __repr__(self) -> str:
        total = sum(self.operations.values())
        return (
            f"<Kernel {self.name} {self.dtype} {self.target.isa}: {total} operations>"
        )


def _aligned(data: bytes) -> np.ndarray:
    """The bytes at an address that is a multiple of 64."""
    room = np.empty(len(data) + 64, np.uint8)
    start = -room.ctypes.data % 64
    table = room[start : start + len(data)]
    table[:] = np.frombuffer(data, np.uint8)
    return table


def _native() -> Any:
    """The code generator, imported when there is something to generate."""
    from knuckle.codegen import native

    return native


def _check_sizes(kernel: Kernel) -> None:
    program = kernel.program
    for part in program.parts:
        verify(part)
    numbers = len(program.inputs), len(program.outputs)
    operands = [sum(x.size for x in xs) for xs in (kernel.inputs, kernel.outputs)]
    if numbers != tuple(operands):
        raise ValueError(
            f"{kernel.name}: the program has {numbers[0]} inputs and "
            f"{numbers[1]} outputs, the arrays hold {operands[0]} and {operands[1]} "
            "numbers"
        )


_LOOP = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)


class Bound:
    """The kernel's loop on fixed arrays."""

    def __init__(self, kernel: Kernel, arrays: Sequence[np.ndarray], out: Any) -> None:
        operands = [*kernel.inputs, *kernel.outputs]
        lead = _common_lead(kernel, arrays)
        if out is None:
            made = [np.empty(lead + x.core, kernel.dtype) for x in kernel.outputs]
            out = made[0] if len(made) == 1 else tuple(made)
        outputs = out if isinstance(out, tuple) else (out,)
        if len(outputs) != len(kernel.outputs):
            raise TypeError(
                f"{kernel.name}.bind: expected out= of {len(kernel.outputs)} arrays, "
                f"got {len(outputs)}"
            )
        self._arrays = [*arrays, *outputs]
        for x, array in zip(operands, self._arrays, strict=True):
            _check_bound(kernel, x, array, lead)
        _check_written(kernel, arrays, outputs)
        pointers = [a.ctypes.data for a in self._arrays]
        steps = [a.strides[0] if len(a.shape) > len(x.core) else 0
                 for x, a in zip(operands, self._arrays, strict=True)]  # fmt: skip
        for x, a in zip(operands, self._arrays, strict=True):
            steps += a.strides[a.ndim - len(x.core) :]
        self._args = (ctypes.c_void_p * len(pointers))(*pointers)
        self._dims = (ctypes.c_ssize_t * 1)(lead[0] if lead else 1)
        self._steps = (ctypes.c_ssize_t * len(steps))(*steps)
        self._call = functools.partial(
            _LOOP(kernel.address),
            *(ctypes.addressof(x) for x in (self._args, self._dims, self._steps)),
            kernel.table,
        )  # fmt: skip
        self._kernel, self.out = kernel, out

    def __call__(self) -> Any:
        self._call()
        return self.out


def _common_lead(kernel: Kernel, arrays: Sequence[np.ndarray]) -> tuple[int, ...]:
    if len(arrays) != len(kernel.inputs):
        names = ", ".join(x.name for x in kernel.inputs)
        raise TypeError(
            f"{kernel.name}.bind: expected {len(kernel.inputs)} arrays ({names}), "
            f"got {len(arrays)}"
        )
    for x, a in zip(kernel.inputs, arrays, strict=True):
        if not isinstance(a, np.ndarray):
            raise TypeError(
                f"{kernel.name}.bind: argument {x.name} is expected to be an array, "
                f"got a {type(a).__name__}; calls follow what is written into it"
            )
    leads = {a.shape[: a.ndim - len(x.core)]
             for x, a in zip(kernel.inputs, arrays, strict=True)} - {()}  # fmt: skip
    if len(leads) > 1 or any(len(lead) > 1 for lead in leads):
        raise ValueError(
            f"{kernel.name}.bind: expected one leading shape, () or (n,); "
            f"got {sorted(leads)}"
        )
    return leads.pop() if leads else ()


def _check_bound(
    kernel: Kernel, x: Operand, a: np.ndarray, lead: tuple[int, ...]
) -> None:
    broadcast = a.shape == x.core and x in kernel.inputs
    legal = broadcast or a.shape == lead + x.core
    if a.dtype != kernel.dtype or not a.flags.aligned or not legal:
        raise ValueError(
            f"{kernel.name}.bind: argument {x.name} is expected to be aligned "
            f"{kernel.dtype} of shape {lead + x.core}, got {a.dtype} of shape {a.shape}"
        )


def _check_written(
    kernel: Kernel, arrays: Sequence[np.ndarray], outputs: Sequence[np.ndarray]
) -> None:
    for k, (x, a) in enumerate(zip(kernel.outputs, outputs, strict=True)):
        if not a.flags.writeable:
            raise ValueError(f"{kernel.name}.bind: output {x.name} is read-only")
        for b in (*arrays, *outputs[:k]):
            same = any(b is y for y in arrays) and (
                (a.ctypes.data, a.shape, a.strides)
                == (b.ctypes.data, b.shape, b.strides)
            )
            if not same and np.shares_memory(a, b):
                raise ValueError(
                    f"{kernel.name}.bind: output {x.name} overlaps another array; an "
                    "output is an input itself or memory of its own"
                )
