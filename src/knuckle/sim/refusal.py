"""What a Model carries as data and a simulation does not act on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from knuckle.model.errors import near
from knuckle.sim.errors import SimulationError
from knuckle.sim.resistance import limited

KINDS = ("loops", "constraints", "actuators")


def ignored(model: Any, ignore: Iterable[str]) -> tuple[str, ...]:
    """What was left out, as the user named it; an error where something is not
    named."""
    if isinstance(ignore, str):
        raise SimulationError(
            f"simulate: ignore is a list of names, got a string; write [{ignore!r}]"
        )
    named = tuple(ignore)
    present = {kind: [_name(x) for x in getattr(model, kind)] for kind in KINDS}
    known = [*KINDS, *(name for items in present.values() for name in items)]
    for name in named:
        if name not in known:
            hint = near(name, known, "things to ignore")
            raise SimulationError(f"simulate: ignore names {name!r}; {hint}")
    left = {
        kind: [name for name in items if name not in named]
        for kind, items in present.items()
        if kind not in named
    }
    left = {kind: items for kind, items in left.items() if items}
    if left:
        what = " and ".join(_shown(kind, items) for kind, items in left.items())
        raise SimulationError(
            f"simulate: the model has {what} that the motion would not obey; remove "
            f"them, or leave them out knowingly with ignore={list(left)}"
        )
    return named


def check_limits(model: Any) -> None:
    """Refuse limits on coordinates whose rates are not the velocities."""
    for placed in model.joints:
        if placed.joint.custom and limited(placed.joint):
            raise SimulationError(
                f"simulate: joint {placed.name!r} has limits on coordinates whose "
                "rates are not its velocities; take limits='off' or a joint without "
                "limits"
            )


def _name(item: Any) -> str:
    return str(getattr(item, "name", item))


def _shown(kind: str, items: list[str]) -> str:
    shown = ", ".join(repr(name) for name in items[:3])
    count = f"{len(items)} {kind if len(items) > 1 else kind[:-1]}"
    return f"{count} ({shown}{', ...' if len(items) > 3 else ''})"
