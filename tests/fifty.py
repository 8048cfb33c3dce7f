"""Slopes of an algorithm's text in fifty digits, along the manifold it lives on.

A point is a dictionary: the arguments of the algorithm by name, "t" where a joint
depends on time, and the declared parameters of the model by theirs. A central
difference with h = 1e-15 is exact to some 30 digits: far beyond any derivative in
double precision, at singular limits too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mpmath
import numpy as np

import knuckle as kn
from knuckle.joints import Free
from knuckle.model.layout import Position

Point = Mapping[str, Any]
DIGITS = 50
STEP = "1e-15"
SECOND_STEP = "1e-11"
PLACED = Free()


def variables(alg: Any, model: kn.Model, point: Point) -> list[str]:
    """Everything that the algorithm can be differentiated by at this point."""
    arrays = [p.name for p in alg.parameters if not p.static and p.name in point]
    timed = ["t"] if "t" in point else []
    return [*arrays, *timed, *model.parameters]


def direction(
    alg: Any, model: kn.Model, point: Point, name: str, rng: np.random.Generator
) -> np.ndarray:
    """A random variation of one array: a velocity where it is a position."""
    if _is_position(alg, name):
        return rng.normal(size=model.nv)
    if name.endswith(".placement"):
        return rng.normal(size=6)
    return rng.normal(size=np.shape(point[name]))


def evaluated(alg: Any, model: kn.Model, point: Point) -> list[np.ndarray]:
    """The results of the interpreted text at a point, one array each."""
    options = {name: x for name, x in point.items() if name not in model.parameters}
    if model.parameters:
        options["parameters"] = {name: point[name] for name in model.parameters}
    result = kn.interpret(alg, model)(**options)
    several = isinstance(result, tuple) and hasattr(result, "_fields")
    return [np.array(x) for x in (result if several else (result,))]


def slope(
    alg: Any, model: kn.Model, point: Point, name: str, along: np.ndarray
) -> list[np.ndarray]:
    """d(alg) along one direction, rounded to double."""
    with mpmath.workdps(DIGITS):
        here, h = _exact(point), mpmath.mpf(STEP)
        ahead, behind = (
            evaluated(alg, model, _moved(alg, model, here, name, along, s))
            for s in (h, -h)
        )
        return [_rounded((x - y) / (2 * h)) for x, y in zip(ahead, behind, strict=True)]


def second_slope(
    alg: Any,
    model: kn.Model,
    point: Point,
    names: tuple[str, str],
    along: tuple[np.ndarray, np.ndarray],
) -> list[np.ndarray]:
    """d2(alg): the change of the slope along the first as the second moves."""
    with mpmath.workdps(DIGITS):
        here, h = _exact(point), mpmath.mpf(SECOND_STEP)

        def at(first: Any, second: Any) -> list[np.ndarray]:
            there = _moved(alg, model, here, names[1], along[1], second)
            there = _moved(alg, model, there, names[0], along[0], first)
            return evaluated(alg, model, there)

        corners = zip(at(h, h), at(-h, h), at(h, -h), at(-h, -h), strict=True)
        return [_rounded((a - b - c + d) / (4 * h * h)) for a, b, c, d in corners]


def _moved(
    alg: Any, model: kn.Model, point: Point, name: str, along: np.ndarray, step: Any
) -> dict[str, Any]:
    """The point after one of its arrays has moved by step times the direction."""
    x = point[name]
    if _is_position(alg, name):
        own = model.independent
        q = [list(j.joint.integrate(x[j.q], along[j.v], step)) for j in own]
        places = [k for j in own for k in range(j.q.start, j.q.stop)]
        moved = np.array(sum(q, []), dtype=object)[np.argsort(places)]
    elif name.endswith(".placement"):
        moved = np.array(PLACED.integrate(x, along, step), dtype=object)
    else:
        moved = x + step * along.astype(object)
    return {**point, name: moved}


def _is_position(alg: Any, name: str) -> bool:
    return any(p.name == name and p.kind is Position for p in alg.parameters)


def _exact(point: Point) -> dict[str, Any]:
    exact = np.vectorize(lambda x: mpmath.mpf(float(x)), otypes=[object])
    fixed = (str, bool, list)
    return {k: x if isinstance(x, fixed) else exact(x) for k, x in point.items()}


def _rounded(x: Any) -> np.ndarray:
    return np.vectorize(float, otypes=[float])(np.asarray(x, dtype=object))
