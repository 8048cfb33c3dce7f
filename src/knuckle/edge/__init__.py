"""The one place where a page of the book meets arrays: tracing, compiling, calling."""

from knuckle.edge.algorithm import Algorithm, algorithm, compile
from knuckle.edge.compiled import CompiledAlgorithm
from knuckle.edge.interpret import interpret

__all__ = ["Algorithm", "CompiledAlgorithm", "algorithm", "compile", "interpret"]
