"""Large mechanisms: one run of a loop's body stands for all bodies of a kind."""

from knuckle.model.rolled.tracer import Tracer
from knuckle.model.rolled.view import RolledView

__all__ = ["RolledView", "Tracer"]
