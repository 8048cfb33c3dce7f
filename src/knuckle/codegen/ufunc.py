"""A real NumPy generalized ufunc from the address of a compiled loop."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from knuckle.codegen.operand import Operand

_MAKE = 31
"""Entry of NumPy's ufunc API: PyUFunc_FromFuncAndDataAndSignature."""
_TYPE_CODES = {"float64": 12, "float32": 11}


@functools.cache
def _maker() -> Any:
    import numpy._core._multiarray_umath as umath

    capsule = umath._UFUNC_API
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(get(capsule, None), ctypes.POINTER(ctypes.c_void_p))
    p, i, s = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
    kind = ctypes.PYFUNCTYPE(ctypes.py_object, p, p, p, i, i, i, i, s, s, i, s)
    return kind(table[_MAKE])


def signature(inputs: Sequence[Operand], outputs: Sequence[Operand]) -> str:
    """(7),(7,3)->() and the like; a dimension of size 0 needs a name."""

    def side(operands: Sequence[Operand]) -> str:
        return ",".join(
            "(" + ",".join(str(n) if n else "zero" for n in x.core) + ")"
            for x in operands
        )

    return f"{side(inputs)}->{side(outputs)}"


def gufunc(
    name: str,
    doc: str,
    address: int,
    inputs: Sequence[Operand],
    outputs: Sequence[Operand],
    dtype: str,
    code: Any,
    table: int | None = None,
) -> np.ufunc:
    """The ufunc that runs the loop at `address` on the table at another, and keeps its
    `code` loaded."""
    operands = len(inputs) + len(outputs)
    functions = (ctypes.c_void_p * 1)(address)
    data = (ctypes.c_void_p * 1)(table)
    types = ctypes.create_string_buffer(bytes([_TYPE_CODES[dtype]] * operands))
    texts = [t.encode() for t in (name, doc, signature(inputs, outputs))]
    made = _maker()(
        ctypes.addressof(functions), ctypes.addressof(data), ctypes.addressof(types),
        1, len(inputs), len(outputs), -1, texts[0], texts[1], 0, texts[2],
    )  # fmt: skip
    _keep(made, (functions, data, types, texts, code))
    return made  # type: ignore[no-any-return]


def _keep(made: Any, parts: Any) -> None:
    """NumPy has raw pointers into the parts: they live as long as the ufunc, or as the
    process where a ufunc holds no attributes."""
    try:
        made.knuckle_parts = parts
    except AttributeError:
        _alive.append(parts)


_alive: list[Any] = []
