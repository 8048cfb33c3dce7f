"""What an evaluation costs, from the trace alone: nothing is compiled."""

from __future__ import annotations

from typing import Any

from knuckle.codegen import host
from knuckle.edge.algorithm import Algorithm
from knuckle.scalar.passes import finished


def operations(alg: Algorithm, model: Any) -> dict[str, int]:
    """How many operations of each kind one evaluation takes, as its kernel's.

    Arguments that may be left out, such as f_ext, are.
    """
    arrays = [p for p in alg.parameters if not p.static and p.default is not None]
    given = alg.bound(model, (), {p.name: 0.0 for p in arrays}, ())
    program = alg.traced(model, given, ()).program
    return finished(program, host().fma).operations()
