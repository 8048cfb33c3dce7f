"""The rewrites that need the whole program, in order, before code is made."""

from __future__ import annotations

from collections.abc import Callable

from knuckle.scalar.fuse import fuse
from knuckle.scalar.program import Program
from knuckle.scalar.share import share

PASSES: dict[str, Callable[[Program], Program]] = {"share": share, "fuse": fuse}


def finished(program: Program, fma: bool = True) -> Program:
    """The program that is compiled; products and sums stay apart where there is no
    fused multiply-add."""
    for name, rewrite in PASSES.items():
        if fma or name != "fuse":
            program = rewrite(program)
    return program
