"""Positions and velocities as the command line writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from knuckle.cli.errors import UserError

if TYPE_CHECKING:
    from knuckle.model import Model

Array = np.ndarray


def position(model: Model, text: str, option: str) -> Array:
    """A position by name, or of numbers; quaternions are normalised."""
    if text in model.configurations:
        return np.array(model.configurations[text])
    if text == "neutral":
        return model.neutral()
    if text == "inside":
        return inside(model)
    if text == "random":
        return model.random(np.random.default_rng(0))
    q = _numbers(text)
    if q is None or len(q) != model.nq:
        named = ", ".join(map(repr, [*model.configurations, "neutral", "random"]))
        got = repr(text) if q is None else f"{len(q)} numbers"
        raise UserError(
            f"{option}: expected {named}, or {model.nq} numbers with commas, got {got}"
        )
    return model.normalize(q)


def velocity(model: Model, text: str | None) -> Array:
    """A velocity of numbers, one for each of nv; rest without a text."""
    if text is None:
        return np.zeros(model.nv)
    v = _numbers(text)
    if v is None or len(v) != model.nv:
        got = repr(text) if v is None else f"{len(v)} numbers"
        raise UserError(
            f"--velocity: expected {model.nv} numbers with commas, got {got}"
        )
    return v


def inside(model: Model) -> Array:
    """The neutral position, moved to the nearest one within the limits."""
    q = model.neutral()
    for placed in model.independent:
        if placed.joint.nq == placed.joint.nv:
            low, high = model.lower[placed.v], model.upper[placed.v]
            q[placed.q] = np.clip(q[placed.q], low, high)
    return q


def _numbers(text: str) -> Array | None:
    """The finite numbers of a text; None where it holds anything else."""
    try:
        x = np.array([float(word) for word in text.replace(",", " ").split()])
    except ValueError:
        return None
    return x if len(x) and np.isfinite(x).all() else None
