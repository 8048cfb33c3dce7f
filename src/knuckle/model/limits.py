"""The physical quantities of a Model, (nv,): limits know of the joints that follow.

A joint that follows another by a ratio narrows the limits of the one it follows:
lower <= ratio q + offset <= upper, |ratio v| <= velocity limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from knuckle.model import coordinates
from knuckle.model.ties import Tie

if TYPE_CHECKING:
    from knuckle.model.model import Model

Array = np.ndarray


def quantities(model: Model, name: str) -> Array:
    """A quantity of the independent joints, one number for each velocity."""
    every = [x for p in model.joints for x in coordinates.quantity(p.joint, name)]
    array = np.array(every, float)
    if name in ("lower", "upper"):
        lower, upper = _bounds(model)
        array = lower if name == "lower" else upper
    if name == "velocity_limit":
        for _, k, s, ratio in _ratios(model):
            array[s] = min(array[s], array[k] / abs(ratio))
    own = [model.tree_joints[p.index].v for p in model.independent]
    return np.concatenate([np.zeros(0), *(array[v] for v in own)])


def _bounds(model: Model) -> tuple[Array, Array]:
    """lower and upper of all joints; limits that cannot both hold are left as given."""
    low, high = (
        np.array([x for p in model.joints for x in getattr(p.joint, name)], float)
        for name in ("lower", "upper")
    )
    for tie, k, s, ratio in _ratios(model):
        ends = sorted((x - tie.coupling.offset) / ratio for x in (low[k], high[k]))
        a, b = max(low[s], ends[0]), min(high[s], ends[1])
        if a <= b:
            low[s], high[s] = a + 0.0, b + 0.0  # no -0.0, which NumPy's ranges refuse
    return low, high


def _ratios(model: Model) -> list[tuple[Tie, int, int, float]]:
    """Followers of one angle or length each, the last to follow first.

    The tie, the velocities of follower and source in the tree, and the ratio.
    """
    found = []
    for tie in reversed(model.ties):
        if tie.coupling.ratio is None or len(tie.places) != 1:
            continue
        source = model.tree_joints[tie.joints[0]]
        if source.joint.custom or tie.coupling.ratio[0] == 0.0:
            continue
        k = model.tree_joints[tie.follower].v.start
        s = source.v.start + tie.places[0][1]
        found.append((tie, k, s, tie.coupling.ratio[0]))
    return found
