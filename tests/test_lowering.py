"""Every algorithm becomes an object file of other machines, and needs no library."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np
import pytest

import knuckle as kn
import mechanisms
import objects
from knuckle import algorithms
from knuckle.algorithms import references
from knuckle.codegen import host, link, native
from knuckle.codegen.target import FOREIGN
from knuckle.edge.signature import bind
from knuckle.edge.tracing import Traced, trace
from knuckle.joints.registry import REGISTRY

KINDS = ("Free", "Revolute", "SphericalExp", "Helical", "bead on a helix")
STATIC: dict[str, Any] = {
    "frame": "body4", "body": "body4", "prescribed": ["body1"], "handles": ["body4"],
}  # fmt: skip
FORMATS = {
    "aarch64-linux": "ELF aarch64",
    "aarch64-macos": "Mach-O aarch64",
    "x86_64-windows": "COFF x86_64",
    "x86_64-macos": "Mach-O x86_64",
}
TARGETS = pytest.mark.parametrize("target", FOREIGN)
DTYPES = pytest.mark.parametrize("dtype", ["float64", "float32"])


@functools.cache
def model() -> kn.Model:
    """A short chain of joints: sines, roots, series and branches in machine code."""
    rng = np.random.default_rng(0)
    bodies = []
    for k, kind in enumerate(KINDS):
        ends = mechanisms.placement(rng), mechanisms.inertia(rng)
        joint = mechanisms.equipped(REGISTRY[kind](rng), rng)
        parent = f"body{k - 1}" if k else None
        bodies.append(kn.Body(f"body{k}", parent, joint, *ends))
    return kn.Model(bodies)


@functools.cache
def traced(alg: Any) -> Traced:
    """The program of an algorithm with every optional input."""
    given: dict[str, Any] = {}
    for p in alg.parameters:
        if not p.static:
            given[p.name] = 0.0
        elif p.default is inspect.Parameter.empty or p.name in STATIC:
            given[p.name] = STATIC[p.name]
    call = bind(alg.__name__, alg.parameters, (), given)
    return trace(alg.function, model(), alg.parameters, call, {})


def lowered(alg: Any, target: Any, dtype: str) -> bytes:
    program, inputs, outputs, _ = traced(alg)
    text = native.ir(alg.__name__, program, inputs, outputs, dtype, target)[0]
    return native.assemble(text, target)


@TARGETS
@DTYPES
def test_every_algorithm_lowers_to_an_object(target: str, dtype: str) -> None:
    machine = FOREIGN[target]
    allowed = set(link.imports(machine))
    for name in algorithms.__all__:
        code = lowered(getattr(algorithms, name), machine, dtype)
        assert objects.machine(code) == FORMATS[target], name
        assert objects.undefined(code) <= allowed, name


@TARGETS
def test_the_references_lower_too(target: str) -> None:
    allowed = set(link.imports(FOREIGN[target]))
    for name in ("newton_euler", "closed_form_mass_matrix"):
        code = lowered(getattr(references, name), FOREIGN[target], "float64")
        assert objects.undefined(code) <= allowed, name


def test_large_frames_probe_the_stack_on_windows() -> None:
    """The one function more that code there may call, and the loader provides."""
    machine = FOREIGN["x86_64-windows"]
    code = lowered(algorithms.forward_dynamics, machine, "float64")
    assert objects.undefined(code) == {"__chkstk"}
    assert link.imports(machine)["__chkstk"] == "ntdll"
    assert set(link.imports(host())) >= {"malloc", "free"}


def test_undefined_symbols_are_found() -> None:
    """The readers of objects see a call that no one defines."""
    text = (
        'target triple = "{}"\ndeclare double @sin(double)\n'
        "define double @here(double %x) {{\n"
        "  %y = call double @sin(double %x)\n  ret double %y\n}}\n"
    )
    for name, machine in FOREIGN.items():
        code = native.assemble(text.format(machine.triple), machine)
        assert objects.machine(code) == FORMATS[name]
        assert "sin" in objects.undefined(code), name
