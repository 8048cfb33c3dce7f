"""From programs to machine code; knows scalars alone."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from knuckle.codegen.operand import Operand
from knuckle.codegen.target import Target, host

if TYPE_CHECKING:
    from knuckle.codegen.kernel import Kernel

__all__ = ["Kernel", "Operand", "Target", "host"]


def __getattr__(name: str) -> Any:
    """The kernel brings all of the code generator: only the first compilation pays."""
    if name != "Kernel":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module("knuckle.codegen.kernel").Kernel
