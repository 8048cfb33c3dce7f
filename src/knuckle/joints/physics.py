"""Physical data of a joint: one number per velocity or coordinate, checked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

Values = float | Sequence[float] | None

KEYWORDS = (
    "armature", "damping", "friction", "stiffness", "rest", "lower", "upper",
    "velocity_limit", "effort_limit",
)  # fmt: skip


class Physics(NamedTuple):
    """Armature, passive forces and limits of a joint, SI units of its coordinates."""

    armature: tuple[float, ...]
    damping: tuple[float, ...]
    friction: tuple[float, ...]
    stiffness: tuple[float, ...]
    rest: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    velocity_limit: tuple[float, ...]
    effort_limit: tuple[float, ...]

    def keywords(self) -> dict[str, tuple[float, ...]]:
        """The values as keywords of Joint."""
        return {key: getattr(self, key) for key in KEYWORDS}


def physics(
    name: str, nq: int, nv: int, neutral: tuple[float, ...], given: dict[str, Values]
) -> Physics:
    """The given keywords, each checked and spread over the joint's freedoms."""
    given = {"rest": None, **given}
    if given["rest"] is None:
        given["rest"] = neutral
    elif nq != nv and _is_scalar(given["rest"]):
        raise ValueError(
            f"joint {name!r}: rest is one number, expected {nq} coordinates of a "
            f"configuration such as {neutral}"
        )
    spread = {
        key: _spread(name, key, given.get(key), nq if key == "rest" else nv)
        for key in KEYWORDS
    }
    _check_signs(name, spread)
    _check_limits(name, nq, nv, spread)
    return Physics(**spread)


def _spread(name: str, key: str, value: Any, count: int) -> tuple[float, ...]:
    if value is None:
        value = DEFAULTS[key]
    if type(value) is float:
        return (value,) * count
    try:
        values = (value,) * count if _is_scalar(value) else value
        numbers = tuple(float(x) for x in values)
    except (TypeError, ValueError):
        raise TypeError(
            f"joint {name!r}: {key} is {value!r}, expected a number or {count} numbers"
        ) from None
    if len(numbers) != count:
        raise ValueError(
            f"joint {name!r}: {key} has {len(numbers)} values, expected one number or "
            f"{count}"
        )
    return numbers


DEFAULTS = dict.fromkeys(KEYWORDS, 0.0)
DEFAULTS.update(lower=-math.inf, upper=math.inf, velocity_limit=math.inf)
DEFAULTS.update(effort_limit=math.inf)


def _is_scalar(value: Any) -> bool:
    return not hasattr(value, "__len__") or getattr(value, "ndim", 1) == 0


def _check_signs(name: str, spread: dict[str, tuple[float, ...]]) -> None:
    for key in ("armature", "damping", "friction", "stiffness", "rest"):
        bad = [x for x in spread[key] if not math.isfinite(x)]
        if bad:
            raise ValueError(
                f"joint {name!r}: {key} is {bad[0]}, expected finite numbers"
            )
    for key in ("armature", "damping", "friction", "velocity_limit", "effort_limit"):
        bad = [x for x in spread[key] if not x >= 0.0]
        if bad:
            raise ValueError(
                f"joint {name!r}: {key} is {bad[0]}, expected a number not below 0"
            )


def _check_limits(
    name: str, nq: int, nv: int, spread: dict[str, tuple[float, ...]]
) -> None:
    for k, (low, high) in enumerate(zip(spread["lower"], spread["upper"], strict=True)):
        if not low <= high:
            raise ValueError(
                f"joint {name!r}: lower[{k}] = {low} lies above upper[{k}] = {high}; "
                "swap the limits"
            )
        if nq != nv and (math.isfinite(low) or math.isfinite(high)):
            raise ValueError(
                f"joint {name!r}: lower and upper limit single coordinates, and this "
                f"joint has {nq} coordinates for {nv} velocities; leave them out"
            )


def neutral_configuration(
    name: str, nq: int, nv: int, integrate: Any, neutral: Sequence[float] | None
) -> tuple[float, ...]:
    for key, value in (("nq", nq), ("nv", nv)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise TypeError(
                f"joint {name!r}: {key} is {value!r}, expected a whole number; "
                "write Joint(lambda q: Rz(q[0]), nq=1)"
            )
    if not 0 <= nv <= 6 or nq < nv:
        raise ValueError(
            f"joint {name!r}: nq = {nq}, nv = {nv}; expected 0 <= nv <= 6 and nq >= nv"
        )
    if nq != nv and integrate is None:
        raise ValueError(
            f"joint {name!r}: nq = {nq} differs from nv = {nv}, so v is not qdot; give "
            "integrate= as a function of (q, v, dt)"
        )
    if neutral is None and nq != nv:
        raise ValueError(
            f"joint {name!r}: with nq = {nq} and nv = {nv} zeros need not be a "
            "configuration; give neutral=, such as (1, 0, 0, 0) for a unit quaternion"
        )
    values = (0.0,) * nq if neutral is None else tuple(float(x) for x in neutral)
    if len(values) != nq:
        raise ValueError(
            f"joint {name!r}: neutral has {len(values)} entries, expected {nq}"
        )
    return values
