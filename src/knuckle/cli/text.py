"""How the commands lay out numbers and tables."""

from __future__ import annotations

from collections.abc import Sequence

Rows = Sequence[Sequence[str]]


def table(head: Sequence[str], rows: Rows, left: int = 1) -> str:
    """Columns under their heads, the first `left` of them aligned to the left."""
    lines = [list(head), *map(list, rows)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if k < left else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def plural(count: int, what: str) -> str:
    """'1 body', '2 bodies', '0 joints'."""
    if count != 1:
        what = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{count} {what}"


def seconds(x: float) -> str:
    """A duration with its unit, three digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if x >= size:
            return f"{x / size:.3g} {unit}"
    return f"{x * 1e9:.3g} ns"
