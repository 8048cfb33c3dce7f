"""Derivatives of algorithms: all methods against differences and Pinocchio."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

import knuckle as kn
import mechanisms
import oracles
from knuckle.edge.counting import operations
from knuckle.edge.derivatives import check_rule
from knuckle.model.layout import Array, Position, Velocity

METHODS = ["forward", "reverse", "auto"]
SEEDS = range(mechanisms.HANDS)
RULES = [kn.inverse_dynamics, kn.forward_dynamics]


def slope(model: kn.Model, alg: Any, name: str, *args: Any, **options: Any) -> Any:
    """d(alg) by one argument, by central differences of the interpreted text."""
    run = kn.interpret(alg, model)
    place = [p.name for p in alg.parameters].index(name)
    is_position = alg.parameters[place].kind is Position
    columns = []
    for k in range(model.nv):
        ends = []
        for h in (1e-6, -1e-6):
            step = h * np.eye(model.nv)[k]
            moved = list(args)
            at = args[place]
            moved[place] = model.integrate(at, step, 1.0) if is_position else at + step
            ends.append(np.asarray(run(*moved, **options)))
        columns.append((ends[0] - ends[1]) / 2e-6)
    return np.stack(columns, -1)


def close(got: Any, expected: Any, tolerance: float) -> None:
    assert np.shape(got) == np.shape(expected)
    assert mechanisms.error(np.asarray(got), np.asarray(expected)) < tolerance


ALGORITHMS = {
    "inverse_dynamics": (kn.inverse_dynamics, "qva", {}),
    "forward_dynamics": (kn.forward_dynamics, "qva", {}),
    "mass_matrix": (kn.mass_matrix, "q", {}),
    "bias_forces": (kn.bias_forces, "qv", {}),
    "gravity_forces": (kn.gravity_forces, "q", {}),
    "passive_forces": (kn.passive_forces, "qv", {}),
    "kinetic_energy": (kn.kinetic_energy, "qv", {}),
    "potential_energy": (kn.potential_energy, "q", {}),
    "center_of_mass": (kn.center_of_mass, "q", {}),
    "momentum": (kn.momentum, "qv", {}),
    "frame_velocity": (kn.frame_velocity, "qv", {"frame": "tool"}),
    "frame_jacobian": (kn.frame_jacobian, "q", {"frame": "tool"}),
}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_method_is_the_slope(name: str) -> None:
    alg, arguments, options = ALGORITHMS[name]
    model = mechanisms.hand(len(name) % mechanisms.HANDS)
    state = dict(zip("qva", mechanisms.state(model, 1), strict=True))
    state["v"] = np.where(state["v"] == 0.0, 0.5, state["v"])  # friction jumps at 0
    args = [state[letter] for letter in arguments]
    for p in alg.parameters[: len(args)]:
        expected = slope(model, alg, p.name, *args, **options)
        for method in METHODS:
            derived = kn.jacobian(alg, p.name, method)
            got = kn.interpret(derived, model)(*args, **options)
            close(got, expected, 1e-7)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("alg", RULES, ids=lambda alg: alg.__name__)
def test_rules_are_what_the_text_gives(alg: Any, seed: int) -> None:
    model = mechanisms.hand(seed)
    q, v, a = mechanisms.state(model, seed)
    f = mechanisms.wrenches(model, seed)
    for names in alg.rules:
        assert check_rule(alg, names, model, q, v, a, f) < 1e-10
        assert check_rule(alg, names, model, q, v, a, passive=False) < 1e-10


def both_orders(alg: Any) -> list[tuple[str, str]]:
    """The pairs of arguments that second rules cover."""
    return sorted({*alg.second_rules, *(pair[::-1] for pair in alg.second_rules)})


def second_error(alg: Any, pair: tuple[str, str], *args: Any, **options: Any) -> float:
    """How far the second rule is from the derivative of the first derivative's text."""
    return check_rule(kn.jacobian(alg, pair[0]), pair[1:], *args, **options)


@pytest.mark.parametrize("pair", both_orders(kn.inverse_dynamics), ids=",".join)
def test_second_rules_are_what_the_text_gives(pair: tuple[str, str]) -> None:
    """On trees of all joints, with wrenches from outside, in the plane, with motions
    prescribed in time, with constants as parameters."""
    alg = kn.inverse_dynamics
    seed = both_orders(alg).index(pair) % mechanisms.HANDS
    model = mechanisms.hand(seed)
    at, f = mechanisms.state(model, seed), mechanisms.wrenches(model, seed)
    assert second_error(alg, pair, model, *at, f, passive=seed % 2 == 0) < 1e-11
    model = mechanisms.chain(3, 4, planar=True, mixed=True)
    assert second_error(alg, pair, model, *mechanisms.state(model, 3)) < 1e-11
    model = mechanisms.prescribed()
    assert second_error(alg, pair, model, *mechanisms.state(model, 0), t=0.7) < 1e-11
    model = mechanisms.chain(5, 3).with_parameters("gravity", "body1.mass")
    at, constants = mechanisms.state(model, 5), model.parameter_defaults()
    assert second_error(alg, pair, model, *at, parameters=constants) < 1e-11


@pytest.mark.parametrize("pair", both_orders(kn.forward_dynamics), ids=",".join)
def test_second_rules_of_forward_dynamics(pair: tuple[str, str]) -> None:
    alg = kn.forward_dynamics
    model = mechanisms.chain(5, 3, mixed=True)
    at, f = mechanisms.state(model, 5), mechanisms.wrenches(model, 5)
    assert second_error(alg, pair, model, *at, f) < 1e-11
    model = mechanisms.tree(2, ["SphericalExp", "Revolute", "Revolute"])
    at = mechanisms.state(model, 2)
    assert second_error(alg, pair, model, *at, passive=False) < 1e-11


@pytest.mark.parametrize("alg", RULES, ids=lambda alg: alg.__name__)
def test_second_derivatives_cost_less_by_rule(alg: Any) -> None:
    """Than the first derivative by its rule, differentiated; in planes, and where axes
    are those of frames, zeros may tell otherwise."""
    model, first = mechanisms.chain(4, 7, mixed=True), kn.jacobian(alg, "q")
    ours, swept = (
        sum(operations(kn.jacobian(first, "q", m), model).values())
        for m in ("rule", "forward")
    )
    assert ours < 0.9 * swept


def test_a_method_that_is_asked_for_is_taken_twice() -> None:
    """A rule of second derivatives stands in only where no method is named."""
    model = mechanisms.chain(0, 3)
    at = mechanisms.state(model, 0)
    first = kn.jacobian(kn.inverse_dynamics, "q", "forward")
    close(
        kn.interpret(kn.jacobian(first, "v"), model)(*at),
        kn.interpret(kn.hessian(kn.inverse_dynamics, ("q", "v")), model)(*at),
        1e-11,
    )
    with pytest.raises(ValueError, match="no rule by f_ext; rules: q, q; q, v; v, v;"):
        both = kn.jacobian(kn.jacobian(kn.inverse_dynamics, "q"), "f_ext", "rule")
        both(model, *at, mechanisms.wrenches(model, 0))


@pytest.mark.parametrize("alg", RULES, ids=lambda alg: alg.__name__)
def test_rules_hold_in_the_plane(alg: Any) -> None:
    model = mechanisms.chain(3, 6, planar=True, mixed=True)
    q, v, a = mechanisms.state(model, 3)
    for names in alg.rules:
        assert check_rule(alg, names, model, q, v, a) < 1e-11


def test_rules_hold_with_parameters_as_inputs() -> None:
    model = mechanisms.chain(1, 4).with_parameters("*.mass", "*.com", "gravity")
    q, v, a = mechanisms.state(model, 3)
    for alg in RULES:
        for names in alg.rules:
            assert check_rule(alg, names, model, q, v, a) < 1e-11


def test_by_the_acceleration_it_is_the_mass_matrix() -> None:
    model = mechanisms.hand(2)
    q, v, a = mechanisms.state(model, 2)
    M = kn.interpret(kn.mass_matrix, model)(q)
    by_a = kn.interpret(kn.jacobian(kn.inverse_dynamics, "a", "reverse"), model)
    close(by_a(q, v, a), M, 1e-12)
    twice = kn.interpret(kn.hessian(kn.kinetic_energy, "v"), model)
    close(twice(q, v), M, 1e-12)
    by_tau = kn.interpret(kn.jacobian(kn.forward_dynamics, "tau"), model)
    close(by_tau(q, v, a) @ M, np.eye(model.nv), 1e-8)


def test_gradient_of_the_potential_is_gravity_and_springs() -> None:
    model = mechanisms.hand(1)
    q, v, _ = mechanisms.state(model, 1)
    still = np.zeros_like(v)
    by_q = kn.interpret(kn.jacobian(kn.potential_energy, "q"), model)(q)
    gravity = kn.interpret(kn.gravity_forces, model)(q)
    springs = kn.interpret(kn.passive_forces, model)(q, still)
    close(by_q, gravity - springs, 1e-11)


def test_products_are_those_of_the_jacobian() -> None:
    model = mechanisms.hand(0)
    q, v, a = mechanisms.state(model, 0)
    dq, dv, w = np.random.default_rng(0).normal(size=(3, model.nv))
    J = kn.interpret(kn.jacobian(kn.inverse_dynamics, ("q", "v")), model)(q, v, a)
    pushed = kn.interpret(kn.jvp(kn.inverse_dynamics, ("q", "v")), model)
    close(pushed(q, v, a, dq, dv), J.q @ dq + J.v @ dv, 1e-12)
    pulled = kn.interpret(kn.vjp(kn.inverse_dynamics, ("q", "v")), model)(q, v, a, w)
    close(pulled.q, w @ J.q, 1e-12)
    close(pulled.v, w @ J.v, 1e-12)
    f = mechanisms.wrenches(model, 0)
    by_f = kn.interpret(kn.vjp(kn.inverse_dynamics, "f_ext"), model)(q, v, a, w, f)
    lifted = kn.interpret(kn.body_jacobians, model)(q)
    close(by_f, -np.einsum("kij,j->ki", lifted, w), 1e-12)


@pytest.mark.parametrize("run", [kn.interpret, kn.compile])
def test_weights_of_several_results(run: Any) -> None:
    """In the order of the results, or by name."""
    model = mechanisms.hand(0)
    q, _, _ = mechanisms.state(model, 0)
    R, p = kn.interpret(kn.forward_kinematics, model)(q)
    J = kn.interpret(kn.jacobian(kn.forward_kinematics, "q"), model)(q)
    weights = [np.random.default_rng(0).normal(size=x.shape) for x in (R, p)]
    expected = np.tensordot(weights[0], J.R, 3) + np.tensordot(weights[1], J.p, 2)
    pull = kn.vjp(kn.forward_kinematics, "q")
    close(pull(model, q, tuple(weights)), expected, 1e-12)
    close(pull(model, q, {"p": weights[1], "R": weights[0]}), expected, 1e-12)
    if run is kn.interpret:
        close(run(pull, model)(q, weights), expected, 1e-12)
    else:
        close(run(pull, model)(q, *weights), expected, 1e-12)


def test_several_weights_inside_another_algorithm() -> None:
    """vjp is linear in its weights, batched and traced inline."""
    model = mechanisms.chain(5, 3, mixed=True)
    q, v, _ = mechanisms.state(model, 5)
    pull = kn.vjp(kn.forward_kinematics, "q")

    @kn.algorithm
    def pulled(model: Any, q: Position) -> Any:
        return pull(model, q, tuple(kn.forward_kinematics(model, q)))

    at = kn.forward_kinematics(model, q)
    close(pulled(model, q), pull(model, q, at), 1e-12)
    J = kn.jacobian(pull, "weights")(model, q, at)
    flat = np.concatenate([x.ravel() for x in at])
    close(J @ flat, pull(model, q, at), 1e-12)
    rows = kn.forward_kinematics(model, np.stack([q, q]))
    close(pull(model, np.stack([q, q]), rows), np.stack([J @ flat] * 2), 1e-12)


def test_derivatives_compose() -> None:
    """Twice, in every order of methods, against differences of the first."""
    model = mechanisms.chain(5, 3, mixed=True)
    q, v, a = mechanisms.state(model, 5)
    first = kn.jacobian(kn.inverse_dynamics, "q")
    expected = slope(model, first, "q", q, v, a)
    for inner in METHODS:
        for outer in ("forward", "reverse"):
            twice = kn.jacobian(
                kn.jacobian(kn.inverse_dynamics, "q", inner), "q", outer
            )
            close(kn.interpret(twice, model)(q, v, a), expected, 1e-7)
    mixed = kn.interpret(kn.hessian(kn.inverse_dynamics, ("q", "v")), model)(q, v, a)
    close(mixed, slope(model, first, "v", q, v, a), 1e-7)


@kn.algorithm
def settled(model: Any, q: Position, v: Velocity, goal: Array[3]) -> Any:
    """A user's own text: with a loop, a choice and an algorithm inside."""
    from knuckle.scalar import scan, where

    E = kn.kinetic_energy(model, q, v)
    x, y = scan(lambda k, x, y: (0.5 * (x + E / x), y + x * goal[0]), (2.0, goal[1]), 6)
    return where(q[0] > 0.0, x * goal[2], y), np.sqrt(E) * y


def test_a_users_algorithm_is_differentiated_through_its_loop() -> None:
    model = mechanisms.chain(2, 3)
    q, v, _ = mechanisms.state(model, 2)
    goal = np.array([0.3, 0.7, -0.2])
    expected = slope(model, settled, "v", q, v, goal)
    for method in METHODS:
        got = kn.interpret(kn.jacobian(settled, "v", method), model)(q, v, goal)
        close(got, expected, 1e-7)
        assert kn.jacobian(settled, "goal", method)(model, q, v, goal).shape == (2, 3)
    batch = kn.jacobian(settled, ("q", "v"))(model, q, np.stack([v, 2 * v]), goal)
    assert batch.q.shape == batch.v.shape == (2, 2, 3)


PARAMETERS = ["body1.mass", "body1.com", "body2.inertia", "body2.placement", "gravity"]


@pytest.mark.parametrize("name", PARAMETERS)
def test_by_constants_of_the_model(name: str) -> None:
    """Mass and inertia by entry, a placement by its body twist."""
    from knuckle.joints import Free

    model = mechanisms.chain(6, 4).with_parameters(name)
    q, v, a = mechanisms.state(model, 6)
    at = model.parameter_defaults()[name]
    J = kn.interpret(kn.jacobian(kn.inverse_dynamics, name), model)
    run = kn.interpret(kn.inverse_dynamics, model)
    placed, size = name.endswith("placement"), at.size - name.endswith("placement")
    columns = []
    for k in range(size):
        ends = []
        for h in (1e-6, -1e-6):
            step = h * np.eye(size)[k]
            here = (
                Free().integrate(at, step, 1.0)
                if placed
                else at + step.reshape(at.shape)
            )
            ends.append(run(q, v, a, parameters={name: np.array(here)}))
        columns.append((ends[0] - ends[1]) / 2e-6)
    expected = np.stack(columns, -1).reshape(model.nv, *([6] if placed else at.shape))
    close(J(q, v, a), expected, 1e-8)


def test_compiled_batches_agree_with_the_interpreter() -> None:
    model = mechanisms.chain(4, 5, mixed=True)
    q, v, a = mechanisms.state(model, 4, (9,))
    for alg in RULES:
        names = next(iter(alg.rules))
        derived = kn.jacobian(alg, names)
        compiled, run = derived(model, q, v, a), kn.interpret(derived, model)
        for k in (0, 8):
            for got, expected in zip(compiled, run(q[k], v[k], a[k]), strict=True):
                close(got[k], expected, 1e-10)
    again = kn.jacobian(kn.inverse_dynamics, "q")
    assert again == kn.jacobian(kn.inverse_dynamics, "q")
    assert hash(again) == hash(kn.jacobian(kn.inverse_dynamics, "q"))


@pytest.mark.parametrize("name", ["arm7", "quad18", "hum38"])
def test_pinocchio_has_the_same_derivatives(name: str) -> None:
    pin = oracles.required("pinocchio", "pin")
    model = oracles.robot(name, 1)
    theirs = oracles.pinocchio_model(model)
    data, adapter = theirs.createData(), kn.convert.pinocchio(model, theirs)
    q, v, a = mechanisms.state(model, 1)
    run = kn.interpret(kn.jacobian(kn.inverse_dynamics, ("q", "v")), model)
    ours = run(q, v, a, passive=False)
    place = adapter.to_q(q), adapter.to_v(q, v)
    found = pin.computeRNEADerivatives(theirs, data, *place, adapter.to_a(q, v, a))
    turn = np.array([adapter.to_v(q, row) for row in np.eye(model.nv)])
    for mine, other in zip(ours, found[:2], strict=True):
        close(turn.T @ mine @ turn, other, 1e-10)
    tau = kn.interpret(kn.inverse_dynamics, model)(q, v, a, passive=False)
    run = kn.interpret(kn.jacobian(kn.forward_dynamics, ("q", "v", "tau")), model)
    ours = run(q, v, tau, passive=False)
    found = pin.computeABADerivatives(theirs, data, *place, adapter.to_tau(q, tau))
    for mine, other in zip(ours, found, strict=True):
        close(turn.T @ mine @ turn, other, 1e-9)


def test_fifty_digits() -> None:
    """d(tau)/dq against a difference of the text in 50 digits."""
    model = mechanisms.chain(7, 3)
    q, v, a = mechanisms.state(model, 7)
    J = kn.interpret(kn.jacobian(kn.inverse_dynamics, "q"), model)(q, v, a)
    with mpmath.workdps(50):
        run = kn.interpret(kn.inverse_dynamics, model)
        rest = [[mpmath.mpf(x) for x in y] for y in (v, a)]
        h = mpmath.mpf(10) ** -20
        for k in range(3):
            ends = []
            for s in (h, -h):
                at = [mpmath.mpf(x) + (s if i == k else 0) for i, x in enumerate(q)]
                ends.append(run(at, *rest))
            column = [float((x - y) / (2 * h)) for x, y in zip(*ends, strict=True)]
            close(J[:, k], np.array(column), 1e-14)


ERRORS = [
    (lambda m, *s: kn.jacobian(m, "q"), TypeError, "frame_jacobian"),
    (lambda m, *s: kn.jacobian(3, "q"), TypeError, "expected an algorithm, got int"),
    (lambda m, *s: kn.jacobian(kn.momentum, ()), ValueError, "wrt names arguments"),
    (lambda m, *s: kn.jacobian(kn.momentum, "qq")(m, *s[:2]), ValueError,
     "there are q, v"),
    (lambda m, *s: kn.jacobian(kn.inverse_dynamics, "f_ext")(m, *s), ValueError,
     "not given in this call; given are q, v, a"),
    (lambda m, *s: kn.jacobian(kn.momentum, "gravity")(m, *s[:2]), ValueError,
     "declare it by model.with_parameters('gravity')"),
    (lambda m, *s: kn.jacobian(kn.momentum, "q", "magic"), ValueError, "'reverse'"),
    (lambda m, *s: kn.jacobian(kn.momentum, "q", "rule")(m, *s[:2]), ValueError,
     "momentum has no rule by q; rules: none"),
    (lambda m, *s: kn.jacobian(kn.momentum, ("q", "q")), ValueError, "twice: q, q"),
    (lambda m, *s: kn.vjp(kn.forward_kinematics, "q")(m, s[0], s[0]), ValueError,
     "returns R, p; give weights as a tuple of arrays in this order"),
    (lambda m, *s: kn.vjp(kn.forward_kinematics, "q")(m, s[0], {"R": s[0]}), ValueError,
     "returns R, p; give"),
    (lambda m, *s: kn.hessian(kn.momentum, ("q", "v", "q")), ValueError, "one or two"),
    (lambda m, *s: kn.hessian(kn.momentum, ("q", "body1.mass"))(m, *s[:2]), ValueError,
     "declare it by model.with_parameters('body1.mass')"),
    (lambda m, *s: kn.jvp(kn.momentum, "x")(m, *s[:2], s[1]), ValueError,
     "wrt='x': there is no such argument or parameter; there are q, v"),
    (lambda m, *s: kn.vjp(kn.momentum, "t")(m, *s[:2], np.ones(6)), ValueError,
     "wrt='t': there is no such argument or parameter; there are q, v"),
]  # fmt: skip


@pytest.mark.parametrize("call, kind, text", ERRORS, ids=range(len(ERRORS)))
def test_errors_name_what_there_is(call: Any, kind: type, text: str) -> None:
    model = mechanisms.chain(0, 2)
    with pytest.raises(kind, match=text.replace("(", r"\(").replace(")", r"\)")):
        call(model, *mechanisms.state(model, 0))


def test_a_forgotten_model_is_told_first() -> None:
    q = np.zeros(2)
    with pytest.raises(TypeError, match="first argument is a knuckle Model, got nda"):
        kn.inverse_dynamics(q, q, q)
