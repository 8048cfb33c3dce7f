"""From spatial to planar: coordinates 3, 4, 5; what leaves the plane is refused."""

from __future__ import annotations

from typing import Any

from knuckle.scalar import Number
from knuckle.spatial.acceleration import Acceleration
from knuckle.spatial.inertia import Inertia
from knuckle.spatial.linear import is_zero
from knuckle.spatial.planar import PlanarInertia, PlanarTransform
from knuckle.spatial.planar_acceleration import PlanarAcceleration
from knuckle.spatial.subspace import PlanarSubspace, Subspace
from knuckle.spatial.transform import Transform
from knuckle.spatial.vectors import Force, Motion, PlanarForce, PlanarMotion


def planar(x: Any) -> Any:
    """The planar part (w, v_x, v_y) or (n, f_x, f_y) of a spatial quantity (Sec. 2.16).

    Motions, subspaces and rotations must lie in the x-y plane structurally; the
    out-of-plane parts of forces and inertias, and a constant z offset of a
    transform, have no effect in the plane and are dropped.
    """
    for kind, project in _PROJECTIONS.items():
        if isinstance(x, kind):
            return project(x)
    raise TypeError(f"planar({type(x).__name__}): expected a spatial quantity")


def _motion(m: Motion) -> PlanarMotion:
    e = m.entries
    _refuse("motion", {"angular x": e[0], "angular y": e[1], "linear z": e[5]})
    return PlanarMotion(e[2], e[3], e[4], m.frame)


def _acceleration(a: Acceleration) -> PlanarAcceleration:
    """That of gravity; what is normal to the plane has no effect there."""
    _refuse("motion", {"angular x": a.angular[0], "angular y": a.angular[1]})
    linear, velocity = a.classical[:2], _motion(a.velocity)
    return PlanarAcceleration(a.angular[2], linear, velocity, a.frame)


def _force(f: Force) -> PlanarForce:
    return PlanarForce(f.entries[2], f.entries[3], f.entries[4], f.frame)


def _subspace(S: Subspace) -> PlanarSubspace:
    return PlanarSubspace(tuple(_motion(c) for c in S.columns), S.frame)


def _inertia(I: Inertia) -> PlanarInertia:
    return PlanarInertia(I.mass, I.h[0], I.h[1], I.I[5], I.frame)


def _transform(X: Transform) -> PlanarTransform:
    E, r = X.E, X.r
    tilt = {"E_xz": E[0][2], "E_yz": E[1][2], "E_zx": E[2][0], "E_zy": E[2][1]}
    _refuse("transform", {**tilt, "E_zz - 1": E[2][2] - 1.0})
    if not isinstance(r[2], (float, int)):
        _refuse("transform", {"r_z": r[2]})
    return PlanarTransform(E[0][0], E[0][1], r[0], r[1], X.source, X.target)


def _refuse(what: str, parts: dict[str, Number]) -> None:
    for name, value in parts.items():
        if not is_zero(value):
            shown = value if isinstance(value, (float, int)) else "not constant"
            raise ValueError(
                f"planar({what}): {name} is {shown}, expected exactly 0; a planar "
                "model moves in the x-y plane and turns about z: rotate the placements "
                "and joint axes so, or build the model with planar=False"
            )


_PROJECTIONS: dict[type, Any] = {
    Acceleration: _acceleration,
    Motion: _motion,
    Force: _force,
    Subspace: _subspace,
    Inertia: _inertia,
    Transform: _transform,
}
