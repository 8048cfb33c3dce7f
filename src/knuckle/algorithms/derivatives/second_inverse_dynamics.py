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
        below = [rows_below(at, y) for y in at.every[j]]
        for y, rows in zip(at.every[j], below, strict=True):
            for x in (x for k in j.ancestors for x in at.every[k]):
                if x.kind + y.kind in PAIRS:
                    at_two_joints(found, at, x, y, rows)
            for x, rows in zip(at.every[j], below, strict=True):
                if y.kind + x.kind in found.cubes:
                    at_one_joint(found, at, x, y, rows)
        if passive:
            found.subtract(j, j.joint.passive_second_rates(q[j]))
    return InverseDynamicsSecondDerivatives(*found.arrays("qq", "qv", "vv", "qa"))


class Row(NamedTuple):
    """A row that a joint carries, and how U and R there change with y: by the motion,
    s x* U and s x* R, and by the velocity, C(nu)^T S."""

    row: int
    U: Any
    R: Any
    moved_U: Any
    moved_R: Any
    sped_R: Any


def rows_below(at: Changes, y: Change) -> list[Row]:
    """The rows of what the joint of y carries, its own first."""
    return [
        Row(
            i.v.start + r, U, R, cross(y.s, U), cross(y.s, R),
            couple(at.I[i], y.nu, S, U),
        )
        for i in at.subtree[y.body]
        for r, (S, U, R) in enumerate(zip(at.S[i], at.U[i], at.R[i], strict=True))
    ]  # fmt: skip


def at_two_joints(
    found: Cubes, at: Changes, x: Change, y: Change, rows: list[Row]
) -> None:
    """y at a joint that the joint of x carries."""
    j, k = y.body, x.body
    for n, i in enumerate(rows if y.kind != "a" else ()):
        value = x.phi.dot(i.moved_U) + x.nu.dot(i.moved_R + i.sped_R)
        if y.turn is not None and n < j.dof:
            value = value + y.turn[n].dot(at.pull(j, x))
        found.put(i.row, x, y, value)
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


def at_one_joint(
    found: Cubes, at: Changes, x: Change, y: Change, rows: list[Row]
) -> None:
    """First y, then x at the same joint; y turns along with the joint."""
    j = y.body
    commute = x.kind == "v" or not j.joint.model.custom
    if x.kind == y.kind and commute and x.place < y.place:
        return
    put = found.put if commute else found.ordered
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
        put(j.v.start + r, y, x, value)
    force = change + cross(ds, at.F[j]) + cross(y.s, pull) + cross(x.s, y.G)
    for i in j.ancestors:
        for r, S in enumerate(at.S[i]):
            put(i.v.start + r, y, x, S.dot(force))
    for i in rows[j.dof :]:
        value = dphi.dot(i.U) + dnu.dot(i.R) + y.nu.dot(i.sped_R)
        put(i.row, y, x, value)
