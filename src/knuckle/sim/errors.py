"""The one error of this layer."""

from __future__ import annotations


class SimulationError(ValueError):
    """A simulation that cannot be what was meant: what, expected, got, repair."""
