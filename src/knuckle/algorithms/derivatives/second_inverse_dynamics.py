"""The second derivatives of inverse dynamics in O(n d^2), d the depth of the tree.

A unit change x of q, v or a at joint k changes, in the axes of each body that it
carries, the velocity by nu and the acceleration by phi - V x nu; a change of q turns
what it carries by S as well (s; nothing for v and a). What the joint carries pulls by

    G_x = I phi_x + B nu_x + s_x x* F

more. Let y be a change at a joint j that k carries. Neither nu_x nor phi_x feels it; I
and B of what j carries change by dI_y and dB_y. So d2 F at a row i that carries j is

    H = dI_y phi_x + dB_y nu_x, and H + s_x x* G_y where i carries k as well,

and at a row that j carries, with U = I S, R = B^T S and C(nu) = dB / dV,

    phi_x . (s_y x* U) + nu_x . (s_y x* R + C(nu_y)^T S).

Two changes at one joint do not commute, and its S may move: see `at_one_joint`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from knuckle.algorithms.derivatives.changes import Change, Changes
from knuckle.algorithms.derivatives.cubes import Cubes
from knuckle.algorithms.inverse_dynamics import inverse_dynamics
from knuckle.model.layout import Position, Velocity, Wrenches
from knuckle.spatial import coriolis, cross
from knuckle.spatial.coriolis import couple

PAIRS = ("qq", "qv", "vq", "vv", "qa", "aq")
"""Kinds of changes that meet: the acceleration enters linearly, times M(q)."""


class InverseDynamicsSecondDerivatives(NamedTuple):
    """d2 tau by two of q, v and a, each (nv, nv, nv): force, first, second."""

    qq: Any
    qv: Any
    vv: Any
    qa: Any


@inverse_dynamics.second_derivative("qq", "qv", "vv", "qa")
def inverse_dynamics_second_derivatives(
    model: Any,
    q: Position,
    v: Velocity,
    a: Velocity,
    f_ext: Wrenches | None = None,
    *,
    passive: bool = True,
) -> Any:
    """d2 tau.  Singh, Russell & Wensing 2022 derive the same sums for constant S."""
    found, at = Cubes(model.nv), Changes(model, q, v, a, f_ext)
    for j in model.inward():
        at.complete(j)
        for y in at.every[j]:
            rows = rows_below(at, j, y)
            above = (x for k in j.ancestors for x in at.every[k])
            for x in above:
                if x.kind + y.kind in PAIRS:
                    at_two_joints(found, at, x, y, rows)
            for x in at.every[j]:
                if y.kind + x.kind in ("qq", "qv", "vv", "qa"):
                    at_one_joint(found, at, x, y)
        if passive:
            found.subtract(j, j.joint.passive_second_rates(q[j]))
    return InverseDynamicsSecondDerivatives(*found.arrays("qq", "qv", "vv", "qa"))


def rows_below(at: Changes, j: Any, y: Change) -> list[tuple[int, Any, Any]]:
    """For each row that j carries, what a change above it is multiplied by."""
    if y.kind == "a":
        return []
    return [
        (
            i.v.start + r,
            cross(y.s, at.U[i][r]),
            cross(y.s, at.R[i][r]) + couple(at.I[i], y.nu, S, at.U[i][r]),
        )
        for i in at.subtree[j]
        for r, S in enumerate(at.S[i])
    ]


def at_two_joints(
    found: Cubes, at: Changes, x: Change, y: Change, rows: list[tuple[int, Any, Any]]
) -> None:
    """y at a joint that the joint of x carries."""
    j, k = y.body, x.body
    for row, by_phi, by_nu in rows:
        value = x.phi.dot(by_phi) + x.nu.dot(by_nu)
        if y.turn is not None and at.row[row] is j:
            value = value + y.turn[row - j.v.start].dot(at.pull(j, x))
        found.put(row, x, y, value)
    dI, dB = y.rates
    force, within = dI @ x.phi + dB @ x.nu, True
    for i in j.ancestors:
        for r, S in enumerate(at.S[i]):
            value = S.dot(force)
            if i is k and x.turn is not None:
                value = value + x.turn[r].dot(y.G)
            if x.kind != "a":
                found.put(i.v.start + r, x, y, value)
            elif within:  # dM / dq is symmetric
                found.put(i.v.start + r, x, y, value)
                found.cubes["qa"][x.column, y.column, i.v.start + r] = value
        if i is k:
            force, within = force + cross(x.s, y.G), False


def at_one_joint(found: Cubes, at: Changes, x: Change, y: Change) -> None:
    """First y, then x at the same joint; y turns along with the joint."""
    j = y.body
    ds, dnu, dphi = at.moved(x, y)
    swing = coriolis(at.I[j], x.nu) @ y.nu
    change = at.I[j] @ dphi + at.B[j] @ dnu + swing
    pull, first = at.pull(j, x), at.pull(j, y)
    for r, S in enumerate(at.S[j]):
        value = S.dot(change)
        if x.turn is not None:
            value = value + x.turn[r].dot(first)
        if y.turn is not None:
            value = value + y.turn[r].dot(pull)
        if x.turn is not None and y.turn is not None:
            value = value + at.second[j].S[y.place][x.place][r].dot(at.F[j])
        found.set(y.kind + x.kind, j.v.start + r, y.column, x.column, value)
    force = change + cross(ds, at.F[j]) + cross(y.s, pull) + cross(x.s, y.G)
    for i in j.ancestors:
        for r, S in enumerate(at.S[i]):
            found.set(y.kind + x.kind, i.v.start + r, y.column, x.column, S.dot(force))
    for i in at.subtree[j][1:]:
        for r, S in enumerate(at.S[i]):
            value = dphi.dot(at.U[i][r]) + dnu.dot(at.R[i][r])
            value = value + y.nu.dot(couple(at.I[i], x.nu, S, at.U[i][r]))
            found.set(y.kind + x.kind, i.v.start + r, y.column, x.column, value)
