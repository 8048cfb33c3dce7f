"""A bad row harms itself alone: nothing raises, nothing warns, no other row changes."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import knuckle as kn
import mechanisms
from knuckle import algorithms
from knuckle.joints.registry import REGISTRY

KINDS = ("Free", "Revolute", "SphericalExp", "Spherical", "Helical", "gimbal")
ROWS, PLACES = 37, (0, 8, 36)
BAD = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf, "huge": None, "-huge": None}
STATIC = {"frame": "tool", "body": "tool", "prescribed": ["body1"], "handles": ["tool"]}
DTYPES = pytest.mark.parametrize("dtype", ["float64", "float32"])


@functools.cache
def model() -> kn.Model:
    rng = np.random.default_rng(0)
    bodies = []
    for k, kind in enumerate(KINDS):
        joint = mechanisms.equipped(REGISTRY[kind](rng), rng)
        ends = mechanisms.placement(rng), mechanisms.inertia(rng)
        parent = f"body{min(k - 1, 3)}" if k else None
        offset = mechanisms.placement(rng)
        bodies.append(kn.Body(f"body{k}", parent, joint, *ends, offset))
    return kn.Model(bodies, [kn.Frame("tool", "body5", mechanisms.placement(rng))])


def inputs(alg: Any, dtype: str) -> dict[str, np.ndarray]:
    """Every array argument of an algorithm, ROWS of each."""
    q, v, a = mechanisms.state(model(), 0, (ROWS,))
    rng = np.random.default_rng(1)
    f = mechanisms.wrenches(model(), 0, (ROWS,))
    known = {"q": q, "v": v, "a": a, "f_ext": f, "f": f}
    found = {}
    for p in alg.parameters:
        if not p.static:
            shape = p.kind.shape(model())
            x = known.get(p.name)
            x = rng.normal(size=(ROWS, *shape)) if x is None else x
            found[p.name] = x.astype(dtype)
    return found


@contextmanager
def strict() -> Iterator[None]:
    """Every floating-point flag raises, and every warning."""
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def call(alg: Any, arrays: dict[str, np.ndarray]) -> tuple[np.ndarray, ...]:
    static = {p.name: STATIC[p.name] for p in alg.parameters if p.name in STATIC}
    result = alg(model(), **arrays, **static)
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("name", algorithms.__all__)
@DTYPES
def test_what_is_not_finite_or_huge_stays_in_its_row(name: str, dtype: str) -> None:
    alg = getattr(algorithms, name)
    arrays = inputs(alg, dtype)
    good = call(alg, arrays)
    for which in arrays:
        for kind, value in BAD.items():
            huge = 1e300 if dtype == "float64" else 1e38
            value = {"huge": huge, "-huge": -huge}.get(kind, value)
            for row in PLACES:
                bad = {k: x.copy() for k, x in arrays.items()}
                bad[which][row] = value
                with strict():
                    found = call(alg, bad)
                for x, y in zip(found, good, strict=True):
                    others = np.arange(ROWS) != row
                    same = x[others].tobytes() == y[others].tobytes()
                    assert same, (name, which, kind, row)


@DTYPES
def test_a_bad_entry_reaches_what_depends_on_it(dtype: str) -> None:
    """It is not swallowed: the row's own result tells."""
    arrays = inputs(kn.forward_dynamics, dtype)
    arrays["tau"][3, 7] = np.nan
    with strict():
        (a,) = call(kn.forward_dynamics, arrays)
    assert np.isnan(a[3]).any() and np.isfinite(np.delete(a, 3, 0)).all()


def heavy() -> kn.Model:
    """A pendulum whose mass and inertia are inputs."""
    rod = kn.Inertia(1.0, (0, 0, -0.5), (0.1, 0.1, 0.01))
    hinge = kn.joints.Revolute("y")
    bodies = [
        kn.Body("upper", None, hinge, inertia=rod),
        kn.Body("lower", "upper", hinge, kn.SE3(p=(0, 0, -1)), rod),
    ]
    return kn.Model(bodies).with_parameters("lower.mass", "lower.inertia")


SOLVERS = (*mechanisms.WAYS, "hybrid_dynamics")


def first(result: Any) -> np.ndarray:
    """What the equations are solved for."""
    return np.asarray(result[0] if isinstance(result, tuple) else result)


@pytest.mark.parametrize("name", [*SOLVERS, "solve_mass_matrix", "inverse_mass_matrix"])
def test_a_singular_mass_matrix_is_not_finite_in_its_row(name: str) -> None:
    alg, pair = getattr(kn, name), heavy()
    q, v, tau = mechanisms.state(pair, 0, (9,))
    arrays = {"q": q, "v": v, "tau": tau, "a_or_tau": tau, "x": tau}
    given = [arrays[p.name] for p in alg.parameters if p.name in arrays]
    mass = np.ones(9)
    inertia = np.tile([0.1, 0.1, 0.01, 0.0, 0.0, 0.0], (9, 1))
    usual = {"lower.mass": mass, "lower.inertia": inertia}
    good = first(alg(pair, *given, parameters=usual))
    none = {"lower.mass": mass.copy(), "lower.inertia": inertia.copy()}
    none["lower.mass"][4] = none["lower.inertia"][4] = 0.0
    with strict():
        found = first(alg(pair, *given, parameters=none))
    assert not np.isfinite(found[4]).all()
    others = np.arange(9) != 4
    assert np.array_equal(found[others], good[others])


@pytest.mark.parametrize("name", [*SOLVERS, "solve_mass_matrix", "inverse_mass_matrix"])
def test_a_mass_matrix_that_is_singular_everywhere_does_not_crash(name: str) -> None:
    """Zeros that are known while tracing too; check() says it beforehand."""
    rod = kn.Inertia(1.0, (0, 0, 0.5), (0.1, 0.1, 0.0))
    idle = kn.Model([kn.Body("rod", None, kn.joints.Revolute("z"), inertia=rod)])
    (finding,) = idle.check()
    assert finding.severity == "error" and "singular" in finding.message
    alg = getattr(kn, name)
    count = sum(not p.static and p.name != "f_ext" for p in alg.parameters)
    arrays = [np.ones((3, 1))] * count
    with strict():
        found = first(alg(idle, *arrays))
        plain = first(kn.interpret(alg, idle)(*(x[0] for x in arrays)))
    assert found.shape[0] == 3 and not np.isfinite(found).any()
    assert not np.isfinite(plain).any()


def test_a_row_in_a_singular_position_harms_itself_alone() -> None:
    """Euler angles zyz at 0: the first and third axis are one."""
    ball = kn.joints.SphericalEuler("zyz")
    inertia = kn.Inertia(1.0, (0.1, 0.2, 0.3), (0.5, 0.6, 0.7))
    top = kn.Model([kn.Body("top", None, ball, inertia=inertia)])
    assert any("freedoms" in finding.message for finding in top.check())
    rng = np.random.default_rng(2)
    q, v, tau = rng.uniform(0.5, 1.0, (3, 11, 3))
    good = kn.forward_dynamics(top, q, v, tau)
    locked = q.copy()
    locked[6] = 0.0
    with strict():
        found = kn.forward_dynamics(top, locked, v, tau)
    others = np.arange(11) != 6
    assert np.array_equal(found[others], good[others])
    size = np.abs(good).max()
    assert not np.isfinite(found[6]).all() or np.abs(found[6]).max() > 1e6 * size
