"""Recursive inverse dynamics with 3-vectors in local frames (Liu & Jain, Sec. 7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from knuckle.algorithms.references.links import (
    Link,
    Motion3,
    links,
    motion,
    own_forces,
    wrenches,
)
from knuckle.edge import algorithm
from knuckle.model.layout import Position, Velocity, Wrenches
from knuckle.spatial.linear import (
    Vector,
    add,
    cross3,
    dot,
    matTvec,
    matvec,
    scale,
    sub,
)

ZERO = (0.0, 0.0, 0.0)


class State(NamedTuple):
    """How a link moves, in its own axes; vdot is that of its centre of mass."""

    w: Vector
    wdot: Vector
    vdot: Vector
    com: Vector


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

    Angular velocities and classical accelerations of the centres of mass in body axes,
    gravity as an acceleration of the world (85).  The trap: `f_ext` by name takes
    bodies, not frames.
    """
    tree = links(model)
    steps = [motion(link, q, v, a, model.t) for link in tree]
    up = tuple(0.0 - g for g in model.values("gravity", model.model.gravity))
    states: list[State] = []
    for link, step in zip(tree, steps, strict=True):
        p = link.parent
        before = State(ZERO, ZERO, up, ZERO) if p is None else states[p]
        states.append(outward(link, step, before))
    on = wrenches(tree, f_ext)
    wrench = [needed(*x) for x in zip(tree, states, on, strict=True)]
    tau = own_forces(model, tree, q, v, a, passive)
    for k in reversed(range(len(tree))):
        link, step = tree[k], steps[k]
        n, f = (matvec(step.R, x) for x in wrench[k])
        for j, (turned, moved) in enumerate(step.freedoms, link.v.start):
            tau[j] = tau[j] + dot(turned, n) + dot(moved, f)
        if link.parent is not None:
            moment, force = wrench[link.parent]
            n = add(n, cross3(step.d, f))
            wrench[link.parent] = add(moment, n), add(force, f)
    return Velocity(tau)


def outward(link: Link, step: Motion3, parent: State) -> State:
    """Pass 1: (78) - (80), with the translations of (84)."""
    c = matvec(step.R, link.com)
    r = sub(add(step.d, c), parent.com)
    rdot = add(step.ddot, cross3(step.w, c))
    inner = add(cross3(step.wdot, c), cross3(step.w, cross3(step.w, c)))
    outer = add(cross3(parent.wdot, r), cross3(parent.w, cross3(parent.w, r)))
    coriolis = scale(2.0, cross3(parent.w, rdot))
    vdot = add(add(add(parent.vdot, outer), add(coriolis, inner)), step.dddot)
    wdot = add(add(parent.wdot, step.wdot), cross3(parent.w, step.w))
    local = [matTvec(step.R, x) for x in (add(parent.w, step.w), wdot, vdot)]
    return State(local[0], local[1], local[2], link.com)


def needed(link: Link, state: State, given: Sequence[Vector]) -> tuple[Vector, Vector]:
    """(moment about the link's origin, force) beyond the external one: (72), (73)."""
    force = scale(link.mass, state.vdot)
    gyroscopic = cross3(state.w, matvec(link.I_com, state.w))
    moment = add(matvec(link.I_com, state.wdot), gyroscopic)
    moment = add(moment, cross3(link.com, force))
    return sub(moment, given[0]), sub(force, given[1])
