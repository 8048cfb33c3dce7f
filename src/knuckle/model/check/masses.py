"""Rules on masses and inertias by themselves, and along the tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from knuckle.model.check.finding import Finding
from knuckle.model.check.groups import groups
from knuckle.model.rigid import inertia_faults, principal_moments

if TYPE_CHECKING:
    from knuckle.model.body import Body
    from knuckle.model.model import Model

RATIO, MOMENTS = 1e4, 1e8
"""How much the mass and largest moment of a body may differ from its carrier's."""
FLAT, THIN = 1e-5, 1e-3
"""A plate has (a + b) / c - 1 below FLAT; a rod, left alone, a / c below THIN."""


def masses(model: Model) -> Iterator[Finding]:
    """Massless and nearly massless bodies."""
    total = sum(b.rigid.mass for b in model.bodies)
    empty = []
    for body in model.bodies:
        mass, where = body.rigid.mass, f"body {body.name!r}"
        if mass == 0.0 and body.joint.nv and any(body.rigid.I):
            yield Finding("note", where, "it has rotational inertia and no mass",
                          "give it its mass, or the joint armature=")  # fmt: skip
        elif mass == 0.0 and body.joint.nv:
            empty.append(where)
        elif 0.0 < mass < 1e-9 * total:
            yield Finding("warning", where, f"its mass {mass:g} kg is nearly none of "
                          f"{total:g} kg in all", "check the unit")  # fmt: skip
    if empty:
        more = f" and {len(empty) - 1} more" if empty[1:] else ""
        yield Finding("note", empty[0] + more, "it is massless inside the tree",
                      "nothing, if it stands for a part of a joint")  # fmt: skip


def ratios(model: Model) -> Iterator[Finding]:
    """Great ratios of mass or inertia between a body and what carries it.

    Bodies that are welded together count as one.
    """
    found = groups(model)
    total = float(found.mass.sum())
    above: dict[int, int] = {}
    for i in model.order:
        if found.of[i] != i:
            continue
        parent = model.parents[i]
        k = above.get(found.of[parent] if parent >= 0 else -1, -1)
        above[i] = i if found.masses[i] > 0.0 else k
        if k < 0 or found.masses[i] < 1e-9 * total:
            continue
        pair = model.bodies[i], model.bodies[k]
        heavy = [*_ratio(pair, "mass", "kg", found.masses[[i, k]], RATIO)]
        yield from heavy or _ratio(
            pair, "largest moment", "kg m^2", found.moments[[i, k]], MOMENTS
        )


def _ratio(
    bodies: tuple[Body, Body], what: str, unit: str, values: Any, allowed: float
) -> Iterator[Finding]:
    body, carrier = bodies
    mine, other = (float(x) for x in values)
    if mine > 0.0 and other > 0.0 and not 1 / allowed < mine / other < allowed:
        yield Finding(
            "warning",
            f"body {body.name!r}",
            f"its {what} {mine:g} {unit} and {other:g} {unit} of {carrier.name!r}, "
            f"which carries it, differ by more than {allowed:g}",
            "check the units (g or kg, mm or m) of both",
        )


def inertias(model: Model) -> Iterator[Finding]:
    """Inertias that no rigid body has, kept because the body is `unchecked`."""
    for body, what, expected, got, repair in inertia_faults(model.bodies, model.planar):
        where = f"body {body.name!r}: {what}"
        yield Finding("warning", where, f"expected {expected}, got {got}", repair)


def limiting_inertias(model: Model) -> Iterator[Finding]:
    """Moments a + b = c to rounding, as only a body without any thickness has them."""
    heavy = [b for b in model.bodies if b.rigid.mass > 0.0]
    if not heavy or model.planar:
        return
    faulty = {id(body) for body, *_ in inertia_faults(heavy)}
    for body, m in zip(
        heavy, principal_moments([b.rigid for b in heavy])[0], strict=True
    ):
        thin = m[0] < THIN * m[2]
        if m[2] > 0.0 and not thin and id(body) not in faulty:
            if m[0] + m[1] < (1.0 + FLAT) * m[2]:
                a, b, c = (f"{x:.4g}" for x in m)
                yield Finding(
                    "note",
                    f"body {body.name!r}",
                    f"its principal moments are {a} + {b} = {c} kg m^2, those of a "
                    "plate without thickness",
                    "check I_com, unless the body is a plate",
                )
