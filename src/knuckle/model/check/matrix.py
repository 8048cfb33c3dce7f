"""The rule on the mass matrix: singular or nearly, at random and at named positions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from knuckle.model.check.finding import Finding
from knuckle.model.errors import ModelError
from knuckle.model.mass import mass_matrices

if TYPE_CHECKING:
    from knuckle.model.model import Model

Array = np.ndarray
SAMPLES = 8
CONDITION = 1e10
SINGULAR = 1e14
LARGEST = 300


def mass_matrix(model: Model) -> Iterator[Finding]:
    """A mass matrix that is singular, or nearly, at random positions or a named one.

    The condition is taken after scaling the diagonal to 1, so that units do not matter.
    """
    if not 0 < model.nv <= LARGEST:
        return
    try:
        some = model.random(np.random.default_rng(0), (SAMPLES,))
    except ModelError:  # which the rule on couplings tells
        return
    named = {"neutral": model.neutral(), **model.configurations}
    M = mass_matrices(model, np.concatenate([some, *(q[None] for q in named.values())]))
    found = list(_in(model, M[:SAMPLES], ""))
    yield from found
    if not found:
        for name, rows in zip(named, M[SAMPLES:, None], strict=True):
            yield from _in(model, rows, f", at the position {name!r}")


def _in(model: Model, M: Array, place: str) -> Iterator[Finding]:
    """What is wrong with these mass matrices (rows, nv, nv)."""
    M = M[np.isfinite(M).all(axis=(1, 2))]
    if not len(M):
        return
    diagonal = np.einsum("nii->ni", M)
    zero = (diagonal <= 1e-12 * diagonal.max(axis=1, keepdims=True)).all(axis=0)
    names = [name for name, z in zip(model.v_names, zero, strict=True) if z]
    if names:
        yield Finding("error", f"joint velocity {', '.join(names)}{place}",
                      "it moves no inertia: the mass matrix is singular",
                      "give the bodies it moves an inertia about its axis, or the "
                      "joint armature=")  # fmt: skip
        return
    scale = 1.0 / np.sqrt(np.maximum(diagonal, 1e-300))
    values, vectors = np.linalg.eigh(scale[:, :, None] * M * scale[:, None, :])
    condition = values[:, -1] / np.maximum(values[:, 0], 1e-300)
    typical = int(np.argsort(condition)[len(condition) // 2])
    if condition[typical] > CONDITION:
        along = np.abs(vectors[typical, :, 0])
        large = along > 0.3 * along.max()
        part = [n for n, x in zip(model.v_names, large, strict=True) if x]
        singular = condition[typical] > SINGULAR
        yield Finding(
            "error" if singular else "warning",
            f"joint velocities {', '.join(part)}{place}",
            f"the mass matrix is {'singular' if singular else 'nearly singular'}, its "
            f"condition {condition[typical]:.1e}: together they move hardly any mass",
            "give the bodies between them inertia, or the joints armature=",
        )
