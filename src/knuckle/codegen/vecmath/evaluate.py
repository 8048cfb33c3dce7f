"""The elementary functions on NumPy arrays, compiled alone: for tests and tools."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numpy.typing import ArrayLike, NDArray

from knuckle.codegen.link import linked

from . import FORMULAS, library
from .emit import Module
from .formats import FORMATS

Arrays = tuple[NDArray[Any], ...]

LOOP = """
define void @kn.loop.$name(ptr %in0, ptr %in1, ptr %out0, ptr %out1, i64 %n)
$attributes {
entry:
  br label %step
step:
  %i = phi i64 [ 0, %entry ], [ %next, %step ]
  %p0 = getelementptr $element, ptr %in0, i64 %i
  %p1 = getelementptr $element, ptr %in1, i64 %i
  %q0 = getelementptr $element, ptr %out0, i64 %i
  %q1 = getelementptr $element, ptr %out1, i64 %i
  %a = load $type, ptr %p0, align 4
  %b = load $type, ptr %p1, align 4
$call
  %next = add i64 %i, $lanes
  %more = icmp ult i64 %next, %n
  br i1 %more, label %step, label %done
done:
  ret void
}
"""

ONE = """\
  %r0 = call $type @kn.$name($type %a$second)
  store $type %r0, ptr %q0, align 4"""

PAIR = """\
  %r = call { $type, $type } @kn.$name($type %a)
  %r0 = extractvalue { $type, $type } %r, 0
  %r1 = extractvalue { $type, $type } %r, 1
  store $type %r0, ptr %q0, align 4
  store $type %r1, ptr %q1, align 4"""


def loop(name: str, module: Module) -> str:
    arity = FORMULAS[name][0]
    text = LOOP.replace("$call", PAIR if name == "sincos" else ONE)
    text = text.replace("$second", ", $type %b" if arity == 2 else "")
    text = text.replace("$type", module.type("f")).replace("$name", name)
    text = text.replace("$element", module.element("f"))
    attributes = module.attributes.replace("memory(none)", "")
    return text.replace("$lanes", str(module.lanes)).replace("$attributes", attributes)


def source(names: list[str], lanes: int, dtype: str, fma: bool) -> str:
    """A whole module: the functions, and a loop over arrays for each."""
    module = Module(lanes, FORMATS[dtype], fma, {})
    loops = [loop(name, module) for name in names]
    return "\n".join([library(names, lanes, dtype, fma), *loops])


def target_machine(cpu: str | None, triple: str | None = None) -> llvm.TargetMachine:
    """The host, or the named processor without the host's extra features."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(triple or llvm.get_process_triple())
    features = llvm.get_host_cpu_features().flatten() if cpu is None else ""
    return target.create_target_machine(
        cpu=cpu or llvm.get_host_cpu_name(),
        features=features,
        opt=3,
        reloc="pic",
        codemodel="small",
    )


@cache
def functions(
    lanes: int, dtype: str, fma: bool, cpu: str | None = None
) -> dict[str, Callable[..., Arrays]]:
    """Every function on 1-d arrays: a tuple of results, two for sincos."""
    machine = target_machine(cpu)
    module = llvm.parse_assembly(source(list(FORMULAS), lanes, dtype, fma))
    module.triple = llvm.get_process_triple()
    module.verify()
    loops = [f"kn.loop.{name}" for name in FORMULAS]
    code = linked(machine.emit_object(module), loops)
    kind = np.float64 if dtype == "double" else np.float32
    pairs = zip(FORMULAS, loops, strict=True)
    return {name: function(code, name, loop, lanes, kind) for name, loop in pairs}


def function(
    code: Any, name: str, loop: str, lanes: int, kind: type
) -> Callable[..., Arrays]:
    pointers = [ctypes.c_void_p] * 4
    entry = ctypes.CFUNCTYPE(None, *pointers, ctypes.c_int64)(code[loop])
    count = 2 if name == "sincos" else 1

    def call(*arguments: ArrayLike) -> Arrays:
        n = np.shape(arguments[0])[0]
        padded = -(-n // lanes) * lanes
        inputs = np.ones((2, padded), kind)
        for row, argument in zip(inputs, arguments, strict=False):
            row[:n] = argument
        results = np.empty((2, padded), kind)
        addresses = [row.ctypes.data for row in (*inputs, *results)]
        entry(*addresses, padded)
        return tuple(results[:count, :n])

    call.__dict__["code"] = code
    return call
