"""Arrays at the edge: what is accepted, in which precision, and large calls in
blocks."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from knuckle.edge import threads

if TYPE_CHECKING:
    from knuckle.codegen import Kernel


_BLOCK_BYTES = 2 << 20
"""Copies that a cast needs are made for so much of the batch at a time."""
_LANES = 16
"""Rows that the widest vectors hold."""


def prepared(arrays: dict[str, Any], name: str) -> dict[str, np.ndarray]:
    """Every argument as an array of real numbers, or one line that says which is
    none."""
    return {key: _real(value, key, name) for key, value in arrays.items()}


def _real(value: Any, key: str, name: str) -> np.ndarray:
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise TypeError(f"{name}: argument {key} is no array: {error}") from None
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        got = array.dtype if array.dtype != object else type(value).__name__
        repair = (
            "for complex or multiple precision use kn.interpret with mpmath numbers"
            if array.dtype.kind in "cOfg"
            else "pass real numbers"
        )
        raise TypeError(
            f"{name}: argument {key} is expected to be a real array, "
            f"got {got}; {repair}"
        )
    return array


def common_dtype(arrays: dict[str, np.ndarray]) -> str:
    """float32 where every array is float32, else float64."""
    kinds = {a.dtype for a in arrays.values()}
    return "float32" if kinds == {np.dtype(np.float32)} else "float64"


def evaluate(kernel: Kernel, arrays: list[np.ndarray], out: Any = None) -> Any:
    """kernel.ufunc on the arrays: split over threads where there is work for several,
    and in blocks of rows where it would copy a large array whole."""
    _check_shapes(kernel, arrays)
    leads = [
        a.shape[: a.ndim - len(x.core)]
        for a, x in zip(arrays, kernel.inputs, strict=True)
    ]
    lead = _lead(kernel, leads)
    _check_out(kernel, lead, out)
    moved, rows = _moved(kernel, arrays, prod(lead)), prod(lead)
    parts = threads.shares(rows, kernel.work)
    if parts > 1 and out is not None and _overlap(arrays, out):
        parts = 1
    if parts == 1 and moved <= _BLOCK_BYTES:
        return kernel.ufunc(*arrays) if out is None else kernel.ufunc(*arrays, out=out)
    results = _outputs(kernel, lead, out)
    most = max(64, _BLOCK_BYTES * rows // moved) if moved else rows

    def share(part: tuple[int, slice]) -> None:
        inside = _inside(lead, part)
        ours = [_piece(a, s, part) for a, s in zip(arrays, leads, strict=True)]
        theirs = [_piece(r, lead, part) for r in results]
        shapes = [_inside(s, part) for s in leads]
        for block in _blocks(inside, most):
            pieces = [_piece(a, s, block) for a, s in zip(ours, shapes, strict=True)]
            targets = tuple(_piece(r, inside, block) for r in theirs)
            kernel.ufunc(*pieces, out=targets)

    threads.run(share, _shares(lead, parts, kernel.work))
    return results[0] if len(results) == 1 else results


def _moved(kernel: Kernel, arrays: list[np.ndarray], rows: int) -> int:
    """Bytes that NumPy would copy before the call."""
    wanted = np.dtype(kernel.dtype)
    return sum(
        prod(x.core) * rows * wanted.itemsize
        for x, a in zip(kernel.inputs, arrays, strict=True)
        if a.dtype != wanted or not a.flags.aligned
    )


def _overlap(arrays: list[np.ndarray], out: Any) -> bool:
    """Could a thread write what another one reads or writes?"""
    outs = out if isinstance(out, tuple) else (out,)
    pairs = [(x, y) for k, x in enumerate(outs) for y in (*outs[:k], *arrays)]
    return any(np.may_share_memory(x, y) for x, y in pairs)


def _inside(lead: tuple[int, ...], part: tuple[int, slice]) -> tuple[int, ...]:
    """The leading dimensions of a piece."""
    axis, rows = part
    place = len(lead) + axis
    if place < 0 or lead[place] == 1:
        return lead
    length = len(range(*rows.indices(lead[place])))
    return (*lead[:place], length, *lead[place + 1 :])


def _check_shapes(kernel: Kernel, arrays: list[np.ndarray]) -> None:
    for a, x in zip(arrays, kernel.inputs, strict=True):
        n = len(x.core)
        if a.ndim < n or a.shape[a.ndim - n :] != x.core:
            core = ", ".join(["...", *map(str, x.core)])
            raise ValueError(
                f"{kernel.name}: argument {x.name} has shape {a.shape}, "
                f"expected ({core})"
            )


def _check_out(kernel: Kernel, lead: tuple[int, ...], out: Any) -> None:
    """That the results can go where they are wanted."""
    if out is None:
        return
    targets = out if isinstance(out, tuple) else (out,)
    if len(targets) != len(kernel.outputs):
        raise TypeError(
            f"{kernel.name}: out is expected to hold {len(kernel.outputs)} arrays, "
            f"got {len(targets)}"
        )
    for x, target in zip(kernel.outputs, targets, strict=True):
        if not _fits(x.core, lead, target, kernel.dtype):
            got = f"a {type(target).__name__}"
            if isinstance(target, np.ndarray):
                got = f"{target.dtype} of shape {target.shape}"
                got += "" if target.flags.writeable else ", read-only"
            raise ValueError(
                f"{kernel.name}: out is expected to be {kernel.dtype} of shape "
                f"{lead + x.core}, got {got}"
            )


def _fits(core: tuple[int, ...], lead: tuple[int, ...], out: Any, dtype: str) -> bool:
    if not isinstance(out, np.ndarray) or not out.flags.writeable:
        return False
    n = out.ndim - len(core)
    if (
        n < len(lead)
        or out.shape[n:] != core
        or not np.can_cast(dtype, out.dtype, "same_kind")
    ):
        return False
    pairs = zip(reversed(lead), reversed(out.shape[:n]), strict=False)
    return all(a in (1, b) for a, b in pairs)


def _lead(kernel: Kernel, leads: list[tuple[int, ...]]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*leads)
    except ValueError:
        shown = ", ".join(
            f"{x.name}: {s}" for x, s in zip(kernel.inputs, leads, strict=True)
        )
        raise ValueError(
            f"{kernel.name}: the leading dimensions do not broadcast ({shown})"
        ) from None


def _outputs(kernel: Kernel, lead: tuple[int, ...], out: Any) -> tuple[np.ndarray, ...]:
    if out is None:
        return tuple(np.empty(lead + x.core, kernel.dtype) for x in kernel.outputs)
    return out if isinstance(out, tuple) else (out,)


def _blocks(lead: tuple[int, ...], rows: int) -> Iterator[tuple[int, slice]]:
    """(axis, slice) pieces of the longest axis, about `rows` rows each."""
    axis = int(np.argmax(lead))
    step = max(1, rows * lead[axis] // max(1, prod(lead)))
    for start in range(0, lead[axis], step):
        yield axis - len(lead), slice(start, start + step)


def _shares(
    lead: tuple[int, ...], parts: int, work: int
) -> Iterator[tuple[int, slice]]:
    """Pieces of the longest axis for threads, in multiples of the lanes; the last one,
    which the caller has at once, is longer by what the others take to wake."""
    axis = int(np.argmax(lead))
    length, each = lead[axis], work * prod(lead) // lead[axis]
    late = min(threads.WAKING // each, length // (2 * parts)) if parts > 1 else 0
    step = (length - late) // parts // _LANES * _LANES or -(-length // parts)
    starts = [k * step for k in range(parts) if k * step < length]
    for start, stop in zip(starts, [*starts[1:], length], strict=True):
        yield axis - len(lead), slice(start, stop)


def _piece(
    array: np.ndarray, lead: tuple[int, ...], block: tuple[int, slice]
) -> np.ndarray:
    axis, part = block
    place = len(lead) + axis
    if place < 0 or lead[place] == 1:
        return array
    index = (slice(None),) * place + (part,)
    return array[index]
