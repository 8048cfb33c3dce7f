"""Frames and inertias of our own: invisible in every result, and cheaper.

What is traced has them, what is interpreted has the model's: so each law compares the
two on plain numbers.
"""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

import knuckle as kn
import mechanisms
from knuckle import algorithms
from knuckle.edge.signature import bind
from knuckle.edge.tracing import trace
from knuckle.model.layout import Position, Velocity, Wrenches
from knuckle.model.view import View
from knuckle.scalar import Trace
from knuckle.spatial import Rx, Rz, Tx, Tz
from oracles import robots

DYNAMICS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
J = kn.joints


def traced(alg: Any, model: kn.Model, given: dict[str, Any], extra: Any = None) -> Any:
    """What the trace of an algorithm computes, on plain floats."""
    extra = extra or {}
    arrays = {k: np.asarray(x) for k, x in {**given, **extra}.items() if k != "frame"}
    shapes = {name: np.shape(x) for name, x in extra.items()}
    bound = bind(alg.__name__, alg.parameters, (), given)
    made = trace(alg.function, model, alg.parameters, bound, shapes)
    flat = [x for operand in made.inputs for x in arrays[operand.name].ravel().tolist()]
    return np.array(made.program(*flat), float)


def same(alg: Any, model: kn.Model, given: Any, extra: Any = None) -> float:
    options = {"parameters": extra} if extra else {}
    plain = mechanisms.numbers(kn.interpret(alg, model)(**given, **options))
    return mechanisms.error(traced(alg, model, given, extra), plain)


def moved(model: kn.Model) -> int:
    """How many bodies have a frame that is not that of their joint."""
    plain = View(model, reduced=False)
    pairs = zip(View(model).bodies, plain.bodies, strict=True)
    return sum(
        a.joint.lead.p != b.joint.lead.p or a.joint.offset != 0 for a, b in pairs
    )


def runnable(frames: bool) -> list[str]:
    """The algorithms that need no option but, at most, the name of a frame."""
    static = {"body"} if frames else {"body", "frame", "handles"}
    return [
        name for name in algorithms.__all__ if name != "hybrid_dynamics"
        and not static & {p.name for p in getattr(algorithms, name).parameters}
    ]  # fmt: skip


@pytest.mark.parametrize("name", runnable(frames=True))
@pytest.mark.parametrize("seed", range(mechanisms.HANDS))
def test_nothing_of_it_shows_on_trees_of_every_joint(name: str, seed: int) -> None:
    model, alg = mechanisms.hand(seed), getattr(algorithms, name)
    given = mechanisms.arguments(alg, model, seed)
    assert moved(model) >= 3
    assert same(alg, model, given) < 1e-12, name


def hinges(seed: int, count: int, kinds: Any = (J.Revolute,)) -> kn.Model:
    """A tree of joints about coordinate axes in random frames, on a free body."""
    rng = np.random.default_rng([seed, count])
    above = mechanisms.parents(count, rng)
    bodies = []
    for k in range(count):
        kind = kinds[k % len(kinds)]
        joint = kind("xyz"[int(rng.integers(3))]) if k else J.Free()
        parent = None if above[k] < 0 else f"body{above[k]}"
        ends = mechanisms.placement(rng), mechanisms.inertia(rng)
        offset = mechanisms.placement(rng)
        bodies.append(kn.Body(f"body{k}", parent, joint, *ends, offset))
    return kn.Model(bodies, gravity=(1.0, -2.0, -9.0))


@pytest.mark.parametrize("name", runnable(frames=False))
def test_a_tree_of_hinges_on_a_free_body(name: str) -> None:
    kinds = J.Revolute, J.Prismatic, J.Revolute, J.Cylindrical
    model = hinges(1, 9, kinds)
    alg = getattr(algorithms, name)
    assert moved(model) >= 6
    assert same(alg, model, mechanisms.arguments(alg, model, 1)) < 1e-12, name


@pytest.mark.parametrize(
    "prescribed", [(), ("body3", "body5"), tuple(f"body{k}" for k in range(9))]
)
def test_prescribed_joints(prescribed: tuple[str, ...]) -> None:
    model = hinges(2, 9)
    given = mechanisms.arguments(kn.hybrid_dynamics, model, 2)
    given |= {"prescribed": prescribed}
    arrays = {k: x for k, x in given.items() if k != "prescribed"}
    plain = kn.interpret(kn.hybrid_dynamics, model)(**given)
    q, v, x = arrays["q"], arrays["v"], arrays["a_or_tau"]
    if len(prescribed) == 9:
        expected = kn.interpret(kn.inverse_dynamics, model)(q, v, x, arrays["f_ext"])
        assert mechanisms.error(plain, expected) < 1e-12
    made = kn.hybrid_dynamics(model, **given)
    assert mechanisms.error(made, plain) < 1e-11


@pytest.mark.parametrize("name", DYNAMICS)
@pytest.mark.parametrize("mixed", [False, True])
def test_planar_models(name: str, mixed: bool) -> None:
    model, alg = mechanisms.chain(3, 7, True, mixed), getattr(kn, name)
    assert same(alg, model, mechanisms.arguments(alg, model, 3)) < 1e-12


@pytest.mark.parametrize("name", [*DYNAMICS, "kinetic_energy", "joint_wrenches"])
@pytest.mark.parametrize(
    "declared", ["*.mass", "body4.placement", "*.placement", "body2.com", "gravity"]
)
def test_declared_parameters_are_left_alone(name: str, declared: str) -> None:
    model = hinges(4, 7).with_parameters(declared)
    rng, alg = np.random.default_rng(0), getattr(kn, name)
    extra = {
        key: value if key.endswith("placement") else value * rng.uniform(0.5, 1.5)
        for key, value in model.parameter_defaults().items()
    }
    assert same(alg, model, mechanisms.arguments(alg, model, 4), extra) < 1e-12
    view = View(model, {key: _unknown(value) for key, value in extra.items()})
    for i in view.bodies:
        if f"{i.name}.mass" in extra:
            assert i.felt is i.inertia or i.felt.entries == i.inertia.entries


def _unknown(value: Any) -> Any:
    found = Trace().inputs("p", np.size(value))
    return found if np.ndim(value) else found[0]


def test_a_joint_that_moves_by_the_clock() -> None:
    driven = kn.Joint(lambda q, t: Rz(q[0] + 0.3 * t) * Tz(0.1 * t), 1)
    base, rng = hinges(5, 6), np.random.default_rng(1)
    ends = mechanisms.placement(rng), mechanisms.inertia(rng)
    added = [
        kn.Body("driven", "body3", driven, *ends),
        kn.Body("tip", "driven", J.Revolute("x"), *ends),
    ]
    model = base.replace(bodies=[*base.bodies, *added])
    state = mechanisms.state(model, 5)
    for alg in (kn.inverse_dynamics, kn.forward_dynamics):
        plain = kn.interpret(alg, model)(*state, t=0.7)
        assert mechanisms.error(alg(model, *state, t=0.7), plain) < 1e-11


@kn.algorithm
def elsewhere(
    model: Any, q: Position, v: Velocity, a: Velocity, f_ext: Wrenches | None = None
) -> Any:
    """Inverse dynamics in the frames of the model."""
    return kn.inverse_dynamics(model.in_space(), q, v, a, f_ext)


def test_wrenches_reach_bodies_of_another_view() -> None:
    """An algorithm that goes over to the model's own frames keeps f_ext."""
    model = hinges(6, 6)
    q, v, a = mechanisms.state(model, 6)
    f = mechanisms.wrenches(model, 6)
    expected = kn.inverse_dynamics(model, q, v, a, f)
    bare = kn.inverse_dynamics(model, q, v, a)
    assert mechanisms.error(elsewhere(model, q, v, a, f), expected) < 1e-12
    assert mechanisms.error(bare, expected) > 1e-3


def heavier(model: kn.Model, factors: Any) -> kn.Model:
    """The model with the inertias multiplied."""
    bodies = [
        kn.Body(b.name, b.parent, b.joint, b.placement, b.rigid * float(x), b.offset)
        for b, x in zip(model.bodies, factors, strict=True)
    ]
    return model.replace(bodies=bodies)


RATIOS = {
    "tip": [1.0] * 7 + [1e4],
    "root": [1e4] + [1.0] * 7,
    "middle": [1.0] * 4 + [1e4] + [1.0] * 3,
    "falling": np.logspace(0.0, -4.0, 8),
    "rising": np.logspace(0.0, 4.0, 8),
}


@pytest.mark.parametrize("name", DYNAMICS)
@pytest.mark.parametrize("ratio", RATIOS)
def test_mass_ratios_cost_no_digits(name: str, ratio: str) -> None:
    """Against forty digits: within four times the error that the model's own frames
    and inertias make, or a few roundings."""
    model, alg = heavier(robots.gu(8, 0), RATIOS[ratio]), getattr(kn, name)
    worst = {"ours": 0.0, "plain": 0.0}
    for seed in range(3):
        given = mechanisms.arguments(alg, model, seed)
        given.pop("f_ext", None)
        with mpmath.workdps(40):
            fine = {k: [mpmath.mpf(x) for x in v.tolist()] for k, v in given.items()}
            exact = mechanisms.numbers(kn.interpret(alg, model)(**fine)).astype(float)
        plain = mechanisms.numbers(kn.interpret(alg, model)(**given))
        for key, found in (("ours", traced(alg, model, given)), ("plain", plain)):
            worst[key] = max(worst[key], mechanisms.error(found, exact))
    assert worst["ours"] < 4.0 * worst["plain"] + 1e-15, worst


def test_nearly_parallel_axes_have_no_frame_far_away() -> None:
    """Their common normal is a kilometre off; the frame stays where it is."""
    bodies, rng = [], np.random.default_rng(0)
    for k in range(5):
        place = Tx(0.3) * Rx(1e-4) * Tz(0.2) * kn.SE3(p=(0.0, 0.1, 0.0))
        parent = f"body{k - 1}" if k else None
        mass = mechanisms.inertia(rng)
        bodies.append(kn.Body(f"body{k}", parent, J.Revolute("z"), place, mass))
    model = kn.Model(bodies)
    for i in View(model).bodies:
        assert max(map(abs, i.joint.lead.p)) < 1.0
    for name in DYNAMICS:
        alg = getattr(kn, name)
        assert same(alg, model, mechanisms.arguments(alg, model, 0)) < 1e-12


def test_thin_rods_keep_their_digits() -> None:
    """I_zz is 1e-10 of I_xx, and all that a joint along the rod feels."""
    rod = kn.Inertia(1.0, (0.0, 0.0, 0.5), (0.1, 0.1, 1e-11))
    turns = Rx(0.0), Rx(0.4) * Tx(0.2), Rx(-0.3) * Tz(0.1)
    bodies = [
        kn.Body(f"rod{k}", f"rod{k - 1}" if k else None, J.Revolute("z"), turn, rod)
        for k, turn in enumerate(turns)
    ]
    model = kn.Model(bodies)
    given = {"q": np.array([0.3, -0.8, 1.1])}
    plain = kn.interpret(kn.mass_matrix, model)(**given)
    found = traced(kn.mass_matrix, model, given).reshape(3, 3)
    np.testing.assert_allclose(found[2, 2], 1e-11, rtol=1e-15)
    np.testing.assert_allclose(np.diag(found), np.diag(plain), rtol=1e-14)
