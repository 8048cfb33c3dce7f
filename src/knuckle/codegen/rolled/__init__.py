"""Code for rolled programs: a function a kind of step, run over a table."""

from knuckle.codegen.rolled.body import compute

__all__ = ["compute"]
