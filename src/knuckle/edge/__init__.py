"""The one place where a page of the book meets arrays: tracing, compiling, calling."""

from knuckle.edge.algorithm import Algorithm, CompiledAlgorithm, algorithm, compile
from knuckle.edge.interpret import interpret

__all__ = ["Algorithm", "CompiledAlgorithm", "algorithm", "compile", "interpret"]
