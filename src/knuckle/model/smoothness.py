"""The rule of `model.check()` on poses that are not rigid or not smooth."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from knuckle.joints import Joint
from knuckle.joints.flaws import Flaw, flaws

if TYPE_CHECKING:
    from knuckle.model.model import Model


@lru_cache(maxsize=1024)
def _flaws(joint: Joint) -> tuple[Flaw, ...]:
    return tuple(flaws(joint))


def joint_poses(model: Model) -> Iterator[tuple[str, str, str, str]]:
    """(severity, place, message, repair) for every flaw of every joint's pose."""
    for placed in model.joints:
        for flaw in _flaws(placed.joint):
            rigid = "rigid" not in flaw.message
            yield (
                "warning" if rigid else "error",
                f"joint {placed.name!r}",
                f"at {flaw.coordinate} = {flaw.value:.6g} {flaw.message}",
                "take functions with two continuous derivatives, or limits that keep "
                "away from there"
                if rigid
                else "build R from rotations",
            )
