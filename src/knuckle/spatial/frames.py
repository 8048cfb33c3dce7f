"""Frame tags: vectors know their frame, and the check runs while tracing only."""

from __future__ import annotations

from collections.abc import Hashable

Frame = Hashable


class FrameError(ValueError):
    """Two spatial quantities in different frames were combined."""


def join(a: Frame, b: Frame, what: str) -> Frame:
    """The common frame of two operands; None is compatible with every frame."""
    if a is None or a == b:
        return b
    if b is None:
        return a
    raise FrameError(
        f"{what}: left is in frame {a!r}, right in {b!r}; "
        "bring one over with a Transform: X @ m"
    )


def entering(expected: Frame, got: Frame, what: str, result: Frame) -> Frame:
    """The frame after a transform whose operand must be in the frame ``expected``."""
    if expected is None or got is None or expected == got:
        return result
    raise FrameError(
        f"{what}: the transform acts on frame {expected!r}, the operand is in {got!r}; "
        "use the Transform that starts there, or X.inverse()"
    )
