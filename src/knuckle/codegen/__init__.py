"""From programs to machine code; knows scalars alone."""

from knuckle.codegen.kernel import Kernel
from knuckle.codegen.rows import Operand
from knuckle.codegen.target import Target, host

__all__ = ["Kernel", "Operand", "Target", "host"]
