"""Couplings: the model that they make, its derivatives, and what is refused."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import fifty
import knuckle as kn
import mechanisms
from knuckle.algorithms.sparse_factorization import (
    coupled_pattern,
    elimination_parents,
    inverse_ltdl,
    ltdl,
    supports,
    variable_parents,
)
from knuckle.edge.derivatives import check_rule
from knuckle.model.gamma import slopes
from knuckle.model.layout import Wrenches
from knuckle.model.view import View

SEEDS = range(mechanisms.HANDS)
J = kn.joints
NO_FORCE = Wrenches()
ROD = kn.Inertia(1.0, (0.2, 0.1, 0.0), (0.1, 0.2, 0.3))


def hands(*couplings: kn.Coupling, **more: Any) -> kn.Model:
    """Three fingers on a palm that turns, the first on a ball."""
    kinds = {
        **{"palm": J.Revolute("z"), "ball": J.Spherical(), "a": J.Revolute("x")},
        **{"b": J.Revolute("y"), "c": J.Prismatic("z"), "u": J.Universal()},
    }
    bodies = [
        kn.Body(name, None if name == "palm" else "palm", joint, inertia=ROD)
        for name, joint in kinds.items()
    ]
    return kn.Model(bodies, couplings=couplings, **more)


def follow(joint: str = "a", source: Any = "b", **law: Any) -> kn.Coupling:
    return kn.Coupling(joint, source, **law)


# -- the model ----------------------------------------------------------------------


def test_followers_have_no_coordinates() -> None:
    model = hands(follow(ratio=2.0, offset=0.1), follow("u", ["c", "a"], function=both))
    assert model.q_names == ("palm", *(f"ball[{k}]" for k in range(4)), "b", "c")
    assert (model.nq, model.nv) == (7, 6)
    assert model.joint("a").q == slice(5, 5) and model.joint("b").v == slice(4, 5)
    assert [p.name for p in model.independent] == ["palm", "ball", "b", "c"]
    assert len(model.armature) == len(model.neutral()) - 1 == 6
    q = model.random(np.random.default_rng(0), 3)
    every = kn.joint_positions(model, q)
    np.testing.assert_array_equal(every[:, 5], 2.0 * q[:, 5] + 0.1)
    np.testing.assert_allclose(every[:, 8], np.sin(q[:, 6]), rtol=1e-15)
    assert model.uncoupled.q_names == hands().q_names


def test_a_coupling_says_what_it_is() -> None:
    line = follow(ratio=2.0, offset=0.1)
    assert repr(line) == "<Coupling of 'a' to ('b',), ratio=(2.0,), offset=0.1>"
    bent = follow(function=lambda x: 0.3 * np.cos(x))
    assert repr(bent) == "<Coupling of 'a' to ('b',), function of 4 steps>"


def both(x: Any, y: Any) -> Any:
    return np.sin(x), x * y


def test_equal_by_content_in_every_process() -> None:
    model = hands(follow(function=lambda x: 0.3 * np.cos(x)), follow("c", "a"))
    same = hands(follow(function=lambda y: np.cos(y) * 0.3), follow("c", "a"))
    assert model == same and hash(model) == hash(same)
    assert model != hands(follow(function=np.cos), follow("c", "a"))
    assert model != hands(follow(), follow("c", "a")) != hands(follow(), follow("c"))
    code = (
        "import pickle, sys; m = pickle.loads(sys.stdin.buffer.read()); import numpy as"
        " np, knuckle as kn; v = np.ones(m.nv); sys.stdout.write(m.digest + "
        "kn.inverse_dynamics(m, m.neutral() + .1, v, v).tobytes().hex())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(model), capture_output=True
    )
    v = np.ones(model.nv)
    tau = kn.inverse_dynamics(model, model.neutral() + 0.1, v, v)
    assert done.stdout.decode() == model.digest + tau.tobytes().hex(), done.stderr


@pytest.mark.parametrize("seed", SEEDS)
def test_reduced_is_the_tree_seen_through_gamma(seed: int) -> None:
    """(9.26): G^T H G, G^T ID(gamma, G v, G a + g), and J G."""
    model = mechanisms.coupled(seed)
    tree, run = model.uncoupled, lambda alg, m, *x, **o: kn.interpret(alg, m)(*x, **o)
    q, v, a = mechanisms.state(model, seed)
    f = mechanisms.wrenches(model, seed)
    Q, V, A = (
        run(alg, model, *x) for alg, x in (
            (kn.joint_positions, (q,)), (kn.joint_velocities, (q, v)),
            (kn.joint_accelerations, (q, v, a)),
        )
    )  # fmt: skip
    G = slopes(model, q)
    assert G.shape == (tree.nv, model.nv) and tree.nv > model.nv
    pairs = [
        (run(kn.mass_matrix, model, q), G.T @ run(kn.mass_matrix, tree, Q) @ G),
        (run(kn.inverse_dynamics, model, q, v, a, f),
         G.T @ run(kn.inverse_dynamics, tree, Q, V, A, f)),
        (run(kn.frame_jacobian, model, q, "tool", expressed="aligned"),
         run(kn.frame_jacobian, tree, Q, "tool", expressed="aligned") @ G),
        (run(kn.frame_acceleration, model, q, v, a, "tool"),
         run(kn.frame_acceleration, tree, Q, V, A, "tool")),
        (run(kn.regressor, model, q, v, a),
         G.T @ run(kn.regressor, tree, Q, V, A)),
        (run(kn.kinetic_energy, model, q, v), run(kn.kinetic_energy, tree, Q, V)),
        (run(kn.potential_energy, model, q), run(kn.potential_energy, tree, Q)),
        (run(kn.joint_wrenches, model, q, v, a, f),
         run(kn.joint_wrenches, tree, Q, V, A, f)),
    ]  # fmt: skip
    for got, expected in pairs:
        assert mechanisms.error(got, expected) < 1e-13


@pytest.mark.parametrize("seed", SEEDS)
def test_velocities_are_the_rates_of_positions(seed: int) -> None:
    model, h = mechanisms.coupled(seed), 1e-5
    q, v, a = mechanisms.state(model, seed)
    tree = model.uncoupled
    ends = [
        (kn.joint_positions(model, moved), kn.joint_velocities(model, moved, v + s * a))
        for s in (h, -h) for moved in [model.integrate(q, v + 0.5 * s * a, s)]
    ]  # fmt: skip
    V = tree.difference(ends[1][0], ends[0][0]) / (2 * h)
    np.testing.assert_allclose(V, kn.joint_velocities(model, q, v), atol=1e-7)
    A = (ends[0][1] - ends[1][1]) / (2 * h)
    np.testing.assert_allclose(A, kn.joint_accelerations(model, q, v, a), atol=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_factors_have_the_zeros_of_the_elimination_tree(seed: int) -> None:
    model = mechanisms.coupled(seed)
    view = View(model)
    q, _, _ = mechanisms.state(model, seed)
    M = kn.mass_matrix(model, q)
    pattern, _ = coupled_pattern(view)
    for i in range(model.nv):
        zeros = [j for j in range(model.nv) if j != i and j not in pattern[i]]
        assert not M[i, zeros].any()
    parent = variable_parents(view)
    kappa = supports(parent)
    for i, row in enumerate(pattern):
        assert all(j in kappa[i] or i in kappa[j] for j in row)
    inverse = np.array(inverse_ltdl(*ltdl(M.tolist(), parent), parent))
    assert mechanisms.error(inverse @ M, np.eye(model.nv)) < 1e-9


def test_what_fills_in_is_below_in_the_tree() -> None:
    """A ring of six fills in: its factors need entries that the matrix lacks."""
    ring = [{(k - 1) % 6, (k + 1) % 6} for k in range(6)]
    parent = elimination_parents(ring, range(6))
    H = np.eye(6) * 4.0
    for k, row in enumerate(ring):
        H[k, list(row)] = 1.0
    inverse = np.array(inverse_ltdl(*ltdl(H.tolist(), parent), parent))
    np.testing.assert_allclose(inverse, np.linalg.inv(H), atol=1e-15)


def test_a_tree_is_its_own_elimination_tree() -> None:
    """Without couplings no entry fills in, so the other order costs nothing more."""
    view = View(mechanisms.hand(0))
    kappa = supports(variable_parents(view))
    found = supports(elimination_parents(*coupled_pattern(view)))
    assert sum(map(len, found)) == sum(map(len, kappa))


def test_gear_ratios_can_be_parameters() -> None:
    model = hands(follow(ratio=2.0), follow("c", ["b", "palm"], ratio=[0.5, 3.0]))
    open_ = model.with_parameters("a.ratio", "c.*")
    q, v, a = mechanisms.state(model, 0, (4,))
    ratio = np.array([[2.0], [1.0], [-1.0], [0.0]])
    tau = kn.inverse_dynamics(open_, q, v, a, parameters={"a.ratio": ratio})
    for k, r in enumerate(ratio[:, 0].tolist()):
        other = model.replace(couplings=[follow(ratio=r), model.couplings[1]])
        expected = kn.inverse_dynamics(other, q[k], v[k], a[k])
        np.testing.assert_allclose(tau[k], expected, atol=1e-13)
    point = {"q": q[0], "v": v[0], "a": a[0],
             **{n: x for n, x in open_.parameter_defaults().items()}}  # fmt: skip
    for name in ("a.ratio", "c.ratio", "c.offset"):
        rate = kn.jacobian(kn.inverse_dynamics, name)(open_, q[0], v[0], a[0])
        along = np.ones(np.shape(point[name]))
        slope = fifty.slope(kn.inverse_dynamics, open_, point, name, along)[0]
        np.testing.assert_allclose(
            rate.reshape(model.nv, -1).sum(-1), slope, atol=1e-12
        )


def test_limits_of_followers_hold_for_what_they_follow() -> None:
    bodies = [kn.Body(n, None, j, inertia=ROD) for n, j in (
        ("a", J.Revolute(lower=-3.0, upper=1.0, velocity_limit=5.0)),
        ("b", J.Revolute(lower=-1.0, upper=0.5, velocity_limit=4.0)),
        ("c", J.Revolute(lower=0.0, upper=9.0)),
        ("d", J.Revolute(lower=0.25, upper=9.0)),
    )]  # fmt: skip
    laws = [follow("b", "a", ratio=-2.0, offset=0.1), follow("c", "b", offset=0.9)]
    model = kn.Model(bodies[:3], couplings=laws)
    np.testing.assert_allclose(model.lower, [-0.2])
    np.testing.assert_allclose(model.upper, [0.5])
    np.testing.assert_allclose(model.velocity_limit, [2.0])
    square = follow("d", "a", function=lambda x: x * x)
    model = kn.Model([bodies[0], bodies[3]], couplings=[square])
    q = model.random(np.random.default_rng(0), 200)
    assert (np.abs(q) >= 0.5).all() and (q < -0.6).any() and (q > 0.6).any()


def test_positions_that_cannot_be_found_are_an_error() -> None:
    far = kn.Body("b", None, J.Revolute(lower=5.0, upper=6.0), inertia=ROD)
    near = kn.Body("a", None, J.Revolute(), inertia=ROD)
    model = kn.Model([near, far], couplings=[follow("b", "a", function=np.sin)])
    with pytest.raises(kn.ModelError, match="no position within the limits of joint"):
        model.random(np.random.default_rng(0))
    assert any("no position within" in str(f) for f in model.check())


# -- derivatives --------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_rules_are_what_the_text_gives(seed: int) -> None:
    model = mechanisms.coupled(seed)
    q, v, a = mechanisms.state(model, seed)
    f = mechanisms.wrenches(model, seed)
    names = ("q", "v", "a")
    assert check_rule(kn.inverse_dynamics, names, model, q, v, a, f) < 1e-12
    if seed == 0:
        names = ("q", "v", "tau")
        assert check_rule(kn.forward_dynamics, names, model, q, v, a, f) < 1e-10


@pytest.mark.parametrize("name", ["q", "v", "a"])
def test_derivatives_have_fifty_digits_behind_them(name: str) -> None:
    model = hands(
        follow(function=lambda x: np.arctan2(np.sin(x), 2.0 + np.cos(x))),
        follow("c", ["a", "ball[1]"], function=lambda x, y: x * np.exp(y)),
        follow("u", ["c", "palm"], function=both),
    )
    q, v, a = mechanisms.state(model, 0)
    along = np.random.default_rng(1).normal(size=model.nv)
    point = {"q": q, "v": v, "a": a}
    (slope,) = fifty.slope(kn.inverse_dynamics, model, point, name, along)
    rate = kn.jacobian(kn.inverse_dynamics, name)(model, q, v, a) @ along
    np.testing.assert_allclose(rate, slope, atol=1e-13 * np.abs(slope).max())


def test_compiled_is_interpreted() -> None:
    model = hands(follow(function=both_ways), follow("c", "ball[2]", ratio=-3.0))
    q, v, a = mechanisms.state(model, 0, (9,))
    for alg, x in (
        (kn.inverse_dynamics, a), (kn.forward_dynamics, a), (kn.solve_mass_matrix, a),
        (kn.jacobian(kn.forward_dynamics, ("q", "v", "tau")), a),
        (kn.hessian(kn.potential_energy, "q"), None),
    ):  # fmt: skip
        args = (q, v, a)
        if alg is kn.solve_mass_matrix:
            args = (q, a)
        if x is None:
            args = (q,)
        found = alg(model, *args)
        rows = [kn.interpret(alg, model)(*(y[k] for y in args)) for k in range(9)]
        parts = found if isinstance(found, tuple) else (found,)
        wanted = rows if not isinstance(found, tuple) else list(zip(*rows, strict=True))
        wanted = wanted if isinstance(found, tuple) else [wanted]
        for got, expected in zip(parts, wanted, strict=True):
            np.testing.assert_allclose(got, np.array(expected), atol=1e-11)


def both_ways(x: Any) -> Any:
    return kn.where(x > 0.0, 0.5 * x * x, -0.2 * x * x)


# -- users' algorithms --------------------------------------------------------------


def test_a_page_of_a_user_reads_all_joints() -> None:
    @kn.algorithm
    def speeds(model: Any, q: Any, v: Any) -> Any:
        return tuple(v[i][0] for i in model.outward() if i.dof == 1)

    @kn.algorithm
    def work(model: Any, q: Any, v: Any) -> Any:
        return kn.inverse_dynamics(model, q, v, v) @ np.array(tuple(v))

    model = hands(follow(ratio=2.0))
    q, v, a = mechanisms.state(model, 0)
    np.testing.assert_allclose(speeds(model, q, v), [v[0], 2 * v[4], v[4], v[5]])

    @kn.algorithm
    def newton(model: Any, q: Any, speed: Any, acceleration: Any) -> Any:
        return kn.inverse_dynamics.function(model, q, speed, acceleration, NO_FORCE)

    bent = hands(follow(function=np.sin))
    np.testing.assert_allclose(
        newton(bent, q, v, a), kn.inverse_dynamics(bent, q, v, a), atol=1e-13
    )

    @kn.algorithm
    def articulated(model: Any, q: Any, v: Any, tau: Any) -> Any:
        result = model.per_body()
        for i in model.outward():
            result[i] = tau[i]
        return result

    with pytest.raises(kn.ModelError, match="take kn.forward_dynamics, and what"):
        articulated(model, q, v, a)


# -- what is refused ----------------------------------------------------------------

REFUSED = {
    "unknown joint": (
        [follow("aa")],
        "coupling of joint 'aa': expected the name of a joint, got 'aa'; did you mean "
        "'a'",
    ),
    "unknown source": (
        [follow("a", "balls[1]")],
        "coupling of joint 'a': source: expected a coordinate, got 'balls[1]'; did you",
    ),
    "whole ball": (
        [follow("a", "ball")],
        "expected a coordinate, got 'ball'; did you mean",
    ),
    "fifth of four": ([follow("a", "ball[4]")], "expected a coordinate, got 'ball[4]'"),
    "ball follows": (
        [follow("ball", "a")],
        "coupling of joint 'ball': expected a joint that moves, with v = dq/dt, got "
        "Spherical, nq = 4, nv = 3; let another joint follow",
    ),
    "two for a universal": (
        [follow("u", "a")],
        "expected 2 numbers, one for each coordinate, got 1; write function=lambda",
    ),
    "twice": (
        [follow("a", "b"), follow("a", "c")],
        "coupling of joint 'a': expected one for each joint, got two; keep one, with",
    ),
    "itself": (
        [follow("a", "a")],
        "couplings of joints 'a': expected some joint that follows no other, got a "
        "cycle, each waiting for another; leave one of them out",
    ),
    "a cycle": (
        [follow("a", "b"), follow("b", "c"), follow("c", "a")],
        "couplings of joints 'a', 'b', 'c': expected some joint that follows no other",
    ),
    "no coupling": (
        ["gear"],
        "couplings[0]: expected a Coupling, got str 'gear'; write kn.Coupling('finger'",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_coupled(name: str) -> None:
    couplings, told = REFUSED[name]
    with pytest.raises(kn.ModelError) as error:
        hands(*couplings)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("law", "told"),
    [
        ({"ratio": [1.0, 2.0]}, "expected 1 ratios, one for each of its sources ['b']"),
        ({"ratio": float("inf")}, "ratio: expected a finite number, got inf"),
        ({"offset": "x"}, "offset: expected a finite number, got 'x'"),
        (
            {"ratio": 2.0, "function": np.sin},
            "ratio and offset, or a function, got",
        ),
        ({"function": 3}, "function: expected a function of 1 numbers, got 3; write"),
        ({"function": lambda x: "no"}, "function returned 'no', expected numbers"),
    ],
)
def test_laws_that_are_none(law: dict[str, Any], told: str) -> None:
    with pytest.raises(kn.ModelError) as error:
        follow(**law)
    assert str(error.value).startswith("coupling of joint 'a': ")
    assert told in str(error.value)


def test_a_function_of_other_arguments_is_named() -> None:
    with pytest.raises(TypeError) as error:
        follow(function=lambda x, y: x)
    assert error.value.__notes__ == ["while tracing the coupling of joint 'a', sources "
                                     "['b']"]  # fmt: skip


def test_what_needs_a_tree_says_so() -> None:
    from knuckle.algorithms.forward_dynamics_square import square_parts

    model = hands(follow())
    q, v, a = mechanisms.state(model, 0)
    with pytest.raises(kn.ModelError, match="a model without couplings"):
        square_parts(model, q, v, a)
    with pytest.raises(kn.ModelError, match="references: expected a model without"):
        kn.references.lagrange(model, q, v, a)
    with pytest.raises(kn.ModelError, match="convert model.uncoupled, whose q is"):
        kn.convert.pinocchio(model)
    with pytest.raises(kn.ModelError, match="prescribed joint 'a' follows others"):
        kn.hybrid_dynamics(model, q, v, a, prescribed=["a"])
    same = kn.forward_dynamics_square(model, q, v, a)
    np.testing.assert_allclose(same, kn.forward_dynamics(model, q, v, a), rtol=1e-12)


# -- surgery, data, diagnostics -----------------------------------------------------


def test_surgery_keeps_couplings_whole() -> None:
    model = hands(follow(ratio=2.0), follow("u", ["c", "a"], function=both),
                  configurations={"up": np.arange(7.0)})  # fmt: skip
    with pytest.raises(kn.ModelError, match="joint 'a' follow 'b', and 'b' alone"):
        model.lock({"b": 0.1})
    held = model.replace(couplings=[model.couplings[0]]).lock({"a": 0.2, "b": 0.1})
    assert held.couplings == () and held.nv == 1 + 3 + 1 + 2
    with pytest.raises(kn.ModelError, match=r"subtree\('a'\): joint 'a' follows joint"):
        model.subtree("a")
    part = hands(follow()).subtree("palm")
    assert part.couplings == (follow(),)
    both_ = model.attach(model, "ball", prefix="left_")
    assert both_.nv == 12 and both_.couplings[2].sources == ("left_b",)
    assert both_.couplings[3].sources == ("left_c", "left_a")
    q = np.concatenate([np.arange(7.0)] * 2)
    np.testing.assert_array_equal(both_.configurations["up"], q)
    free = model.replace(couplings=())
    np.testing.assert_array_equal(
        free.configurations["up"], kn.joint_positions(model, np.arange(7.0))
    )
    again = free.replace(couplings=model.couplings)
    np.testing.assert_array_equal(again.configurations["up"], np.arange(7.0))
    changed = model.replace("a", joint=J.Revolute("x", damping=1.0))
    assert changed.nv == model.nv and changed.uncoupled.damping[4] == 1.0


def test_actuators_of_followers_drive_what_they_follow() -> None:
    motors = [kn.model.Actuator("m", "motor", ("u",))]
    model = hands(follow("u", ["c", "a"], function=both), follow(), actuators=motors)
    names = [n for n, on in zip(model.v_names, model.actuated, strict=True) if on]
    assert names == ["b", "c"]


def test_check_finds_couplings_that_cannot_hold() -> None:
    def told(upper: float, **law: Any) -> list[str]:
        joints = J.Revolute(lower=0.0, upper=0.8), J.Revolute(lower=0.0, upper=upper)
        bodies = [kn.Body(n, None, j, inertia=ROD) for n, j in zip("ab", joints)]
        model = kn.Model(bodies, couplings=[follow("b", "a", **law)])
        return [str(f) for f in model.check() if "coupling" in str(f)]

    assert told(0.8, ratio=1.0) == []
    (locked,) = told(0.8, ratio=-1.0)
    assert locked.startswith(
        "warning: coupling of joint 'b': its limits leave joint 'a', which it follows, "
        "one value"
    )
    (beyond,) = told(0.8, ratio=1.0, offset=5.0)
    assert "it leads beyond the limits of the joint, to 5 .. 5." in beyond
    (rough,) = told(9.0, function=lambda x: np.sqrt(x * x * x * x) / x)
    assert "its law or its slope is not finite everywhere" in rough


def test_a_massless_handle_may_drive_a_mass() -> None:
    handle = kn.Body("handle", None, J.Revolute("x"))
    wheel = kn.Body("wheel", None, J.Revolute("x"), inertia=ROD)
    model = kn.Model([handle, wheel], couplings=[follow("wheel", "handle", ratio=3.0)])
    assert kn.mass_matrix(model, [0.0])[0, 0] == pytest.approx(
        9.0 * kn.mass_matrix(model.uncoupled, [0.0, 0.0])[1, 1]
    )
    assert [f for f in model.check() if f.severity == "error"] == []
    with pytest.raises(kn.ModelError, match="body 'handle': mass: expected a positive"):
        kn.Model([handle, kn.Body("other", None, J.Revolute("y"))],
                 couplings=[kn.Coupling("other", "handle")])  # fmt: skip


def test_a_joint_may_be_held_by_a_coupling() -> None:
    model = hands(kn.Coupling("a", (), offset=0.7))
    locked = hands().lock({"a": 0.7})
    q, v, a = mechanisms.state(locked, 0)
    np.testing.assert_allclose(
        kn.inverse_dynamics(model, q, v, a),
        kn.inverse_dynamics(locked, q, v, a), atol=1e-13,
    )  # fmt: skip


# -- motion -------------------------------------------------------------------------


@pytest.mark.parametrize("integrator", ["implicit_midpoint", "rk4", "adaptive"])
def test_motion_conserves_energy(integrator: str) -> None:
    model = hands(follow(function=np.sin), follow("u", ["c", "palm"], function=both))
    q, v, _ = mechanisms.state(model, 1)
    run = kn.simulate(model, q, 0.3 * v, duration=0.3, integrator=integrator)
    total = run.energies.total
    assert np.ptp(total) < 1e-5 * np.ptp(run.energies.kinetic)


def test_stiff_followers_are_solved_with_the_step() -> None:
    """A damper and a limit on the follower, far stiffer than an explicit step bears."""
    stop = J.Revolute("x", damping=0.3, friction=0.1, lower=-0.5, upper=0.5)
    stiff = J.Revolute("y", damping=1e4)
    bodies = [kn.Body("b", None, J.Revolute("y"), inertia=ROD),
              kn.Body("a", "b", stop, inertia=ROD),
              kn.Body("s", "b", stiff, kn.SE3(p=(1, 0, 0)), ROD)]  # fmt: skip
    model = kn.Model(bodies, couplings=[follow(function=lambda x: np.sin(2 * x))])
    run = kn.simulate(model, [0.0, 0.0], [3.0, 5.0], duration=0.5)
    swing = kn.joint_positions(model, run.q)[:, 1]
    assert np.isfinite(run.q).all() and 0.5 < np.abs(swing).max() < 0.55
    assert np.abs(run.v[-1, 1]) < 1e-2


def test_resistances_are_those_of_all_joints() -> None:
    """A long implicit step with dampers and springs on followers, by dense algebra.

    (M + G^T K G) a + C = G^T (r - K g), K = h d of every joint.
    """
    from knuckle.sim import SemiImplicitEuler

    joints = {"a": J.Revolute("x", damping=3.0, stiffness=7.0, rest=0.2)}
    joints["b"] = J.Prismatic("z", damping=5.0, stiffness=11.0)
    bodies = [
        kn.Body(n, None if n == "a" else "a", j, inertia=ROD) for n, j in joints.items()
    ]
    model = kn.Model(bodies, couplings=[follow("b", "a", function=np.exp)])
    q, v, h = np.array([0.3]), np.array([2.0]), 0.1
    run = kn.simulate(
        model, q, v, duration=h, dt=h, integrator=SemiImplicitEuler(), limits="off"
    )
    G, still = slopes(model, q), np.zeros(1)
    every = kn.joint_positions(model, q), kn.joint_velocities(model, q, v)
    g = kn.joint_accelerations(model, q, v, still)
    d, k, rest = (getattr(model.uncoupled, n) for n in ("damping", "stiffness", "rest"))
    K, r = np.diag(h * d), -d * every[1] - k * (every[0] - rest)
    M = kn.mass_matrix(model, q) + G.T @ K @ G
    a = np.linalg.solve(M, G.T @ (r - K @ g) - kn.bias_forces(model, q, v))
    np.testing.assert_allclose(run.v[-1], v + h * a, rtol=1e-10)


def test_trajectories_and_sliders_are_of_the_independent_joints(tmp_path: Any) -> None:
    from knuckle.view.sliders import groups

    model = hands(follow("b", "a", ratio=2.0), follow("c", "palm", function=np.sin))
    run = kn.simulate(model, model.neutral(), duration=0.01)
    run.save(tmp_path / "run.npz")
    again = kn.Trajectory.load(tmp_path / "run.npz", model)
    np.testing.assert_array_equal(again.q, run.q)
    assert run.q.shape == (11, model.nq)
    labels = [slider.label for group in groups(model, 1.0) for slider in group.sliders]
    assert labels == ["palm", "ball rx", "ball ry", "ball rz", "a", "u 0", "u 1"]
