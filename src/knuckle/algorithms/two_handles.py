"""Two-handle articulated bodies by inverse inertias, as the book joins them.

    a1 = Phi1 f1 + Phi12 f2 + b1,    a2 = Phi21 f1 + Phi2 f2 + b2    (7.57)

They are joined across the constrained directions T of a joint (7.60) - (7.63). A body
has one of them if it has an inertia.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from knuckle.algorithms.forward_dynamics_variant import Constraint
from knuckle.spatial.ldl import Yielding
from knuckle.spatial.linear import Vector, add, sub


class TwoHandles(NamedTuple):
    """Phi1, b1 of the first handle, Phi2, b2 of the second; Phi12 by columns."""

    Phi1: Any
    b1: Any
    Phi12: Any
    Phi2: Any
    b2: Any

    def from_second(self, f: Any) -> Any:
        """Phi12 f, the motion of handle 1."""
        return self.Phi12 @ f.entries

    def at_second(self, f: Any) -> Any:
        """Phi21 f, the motion of handle 2."""
        return type(self.b2).of(self.Phi12.T @ f, self.b2.frame)


class Meeting(NamedTuple):
    """What lambda of a joint between two of them follows from (7.62)."""

    X: Any
    joint: Constraint
    Y: Yielding
    P: Any
    Phi34: Any
    z: Vector

    def force(self, f1: Any, f4: Any) -> Any:
        """f3 = T lambda + T_a tau, on the lower body."""
        T, _, drive, *_ = self.joint
        known = add(self.z, self.P.T @ f1)
        if f4 is not None:
            known = sub(known, T.T @ (self.Phi34 @ f4.entries))
        return T @ (self.Y.inv @ known) + drive


def joined(
    X: Any, c: Any, joint: Constraint, upper: TwoHandles, lower: TwoHandles, last: bool
) -> tuple[TwoHandles, Meeting]:
    """(7.63): handle 2 of the upper body is joined to handle 1 of the lower one.

    T_a tau acts on both before. With `last` there is no handle 4.
    """
    T, _, drive, rotors, _, _ = joint
    back, TX = X.T @ drive, X.T @ T
    P = type(upper.Phi12)([upper.from_second(t) for t in TX], upper.b1.frame)
    Y = Yielding(T.T @ (X @ (upper.Phi2 @ TX) + lower.Phi1 @ T), rotors)
    before = upper.b2 - upper.Phi2 @ back
    z = T.T @ (c - lower.b1 - lower.Phi1 @ drive + X @ before)
    Phi1 = upper.Phi1 - P @ Y.inv @ P.T
    b1 = upper.b1 - upper.from_second(back) - P @ (Y.inv @ z)
    meeting = Meeting(X, joint, Y, P, lower.Phi12, z)
    if last:
        return TwoHandles(Phi1, b1, lower.Phi12, None, None), meeting
    Q = type(P)([lower.at_second(t) for t in T], lower.b2.frame)
    Phi4 = lower.Phi2 - Q @ Y.inv @ Q.T
    b4 = lower.b2 + lower.at_second(drive) + Q @ (Y.inv @ z)
    rows = zip(*(f.entries for f in Q), strict=True) if len(Q) else [()] * len(b4)
    Phi14 = type(P)([P @ (Y.inv @ row) for row in rows], upper.b1.frame)
    return TwoHandles(Phi1, b1, Phi14, Phi4, b4), meeting
