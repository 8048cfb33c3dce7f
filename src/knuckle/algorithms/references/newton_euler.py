"""Recursive inverse dynamics with 3-vectors in the local frames (Liu & Jain, Sec. 7)."""

from __future__ import annotations

from typing import Any

from knuckle.algorithms.references.links import links, motion, own_forces
from knuckle.edge import algorithm
from knuckle.model.layout import Position, Velocity, Wrenches
from knuckle.spatial.linear import add, cross3, dot, matTvec, matvec, scale, sub

ZERO = (0.0, 0.0, 0.0)


@algorithm
def newton_euler(
    model: Any,
    q: Position,
    v: Velocity,
    a: Velocity,
    f_ext: Wrenches | None = None,
    *,
    passive: bool = True,
) -> Any:
    """Joint forces tau [N m, N], as `inverse_dynamics`.  Liu & Jain (72) - (85).

    Classical accelerations of the centres of mass, angular velocities in body axes,
    gravity as an acceleration of the world (85). The trap: f_ext by the names of frames
    has no place here; give it by body.
    """
    tree = links(model)
    steps = [motion(link, q, v, a, model.t) for link in tree]
    up = tuple(0.0 - g for g in model.values("gravity", model.model.gravity))
    w, wdot, vdot = [], [], []  # in the axes of each link
    for k, (link, step) in enumerate(zip(tree, steps, strict=True)):
        p = link.parent
        wp, wpdot, vpdot, cp = (
            (ZERO, ZERO, up, ZERO) if p is None else (w[p], wdot[p], vdot[p], tree[p].com)
        )
        c = matvec(step.R, link.com)
        r = sub(add(step.d, c), cp)
        rdot = add(step.ddot, cross3(step.w, c))
        whirl = add(cross3(step.wdot, c), cross3(step.w, cross3(step.w, c)))
        turn = add(cross3(wpdot, r), cross3(wp, cross3(wp, r)))
        coriolis = scale(2.0, cross3(wp, rdot))
        total = add(add(add(vpdot, turn), add(coriolis, whirl)), step.dddot)
        vdot.append(matTvec(step.R, total))  # (79), (84)
        w.append(matTvec(step.R, add(wp, step.w)))  # (78)
        bend = add(add(wpdot, step.wdot), cross3(wp, step.w))
        wdot.append(matTvec(step.R, bend))  # (80)
    f = [scale(link.mass, x) for link, x in zip(tree, vdot, strict=True)]  # (72)
    n = []  # about the origin of each link
    for k, link in enumerate(tree):
        spin = cross3(w[k], matvec(link.I_com, w[k]))
        about_com = add(matvec(link.I_com, wdot[k]), spin)  # (73)
        n.append(add(about_com, cross3(link.com, f[k])))
        if f_ext is not None and link.name in f_ext.by_name:
            wrench = tuple(f_ext.by_name[link.name])
            n[k], f[k] = sub(n[k], wrench[:3]), sub(f[k], wrench[3:])
    tau = own_forces(model, tree, q, v, a, passive)
    for k in reversed(range(len(tree))):
        link, step = tree[k], steps[k]
        force, moment = matvec(step.R, f[k]), matvec(step.R, n[k])
        for j, (turned, moved) in enumerate(step.freedoms, link.v.start):
            tau[j] = tau[j] + dot(turned, moment) + dot(moved, force)
        if link.parent is not None:
            p = link.parent
            f[p], n[p] = add(f[p], force), add(n[p], add(moment, cross3(step.d, force)))
    return tau
