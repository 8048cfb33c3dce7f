"""Divide and conquer: the plan, what meets what, the depth, and bodies without mass."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import knuckle as kn
import mechanisms
from knuckle.algorithms.articulated_bodies import Articulated, across, assembled
from knuckle.algorithms.forward_dynamics_variant import constraint
from knuckle.algorithms.two_handles import TwoHandles, joined
from knuckle.edge.signature import bind
from knuckle.edge.tracing import trace
from knuckle.model.assembly import (
    GRAIN,
    Beside,
    Joined,
    Run,
    assembly,
    floppy,
    regularity,
)
from knuckle.model.view import View
from knuckle.scalar import Program
from knuckle.spatial import (
    ArticulatedInertia,
    Force,
    ForceSubspace,
    Motion,
    Subspace,
    Transform,
)
from knuckle.spatial.inverse_inertia import InverseInertia
from mechanisms import error
from test_book_assembly import filled

SHAPES: dict[str, Callable[[int], int]] = {
    "chain": lambda k: k - 1,
    "binary": lambda k: (k - 1) // 2 if k else -1,
    "star": lambda k: 0 if k else -1,
    "forest": lambda k: -1,
    "comb": lambda k: -1 if k == 0 else (k - 1 if k % 2 == 0 else max(k - 2, 0)),
}
every_shape = pytest.mark.parametrize("shape", SHAPES)


def tree(count: int, parent: Callable[[int], int], seed: int = 0) -> kn.Model:
    """Hinges on bodies with random inertias."""
    rng = np.random.default_rng(seed)
    bodies = []
    for k in range(count):
        above = None if parent(k) < 0 else f"body{parent(k)}"
        ends = mechanisms.placement(rng), mechanisms.inertia(rng)
        bodies.append(kn.Body(f"body{k}", above, kn.joints.Revolute("z"), *ends))
    return kn.Model(bodies)


def traced(alg: Any, model: kn.Model, **options: Any) -> Program:
    arrays = [p for p in alg.parameters if not p.static and p.default is not None]
    values = {**{p.name: 0.0 for p in arrays}, **options}
    given = bind(alg.__name__, alg.parameters, (), values)
    return trace(alg.function, model, alg.parameters, given, {}).program


def total(alg: Any, model: kn.Model) -> int:
    return sum(traced(alg, model).operations().values())


def agree(model: kn.Model, seed: int, light: bool = False) -> None:
    """The accelerations of articulated bodies, by inverse inertias too if there are."""
    q, v, tau = mechanisms.state(model, seed)
    f = mechanisms.wrenches(model, seed)
    found = kn.interpret(kn.forward_dynamics_divide_and_conquer, model)
    for passive in (True, False):
        a = kn.interpret(kn.forward_dynamics, model)(q, v, tau, f, passive=passive)
        for inverse in (False,) if light else (False, True):
            options = {"passive": passive, "inverse": inverse}
            assert error(found(q, v, tau, f, **options), a) < 1e-11, options


def parts(part: Any, level: int = 0) -> Iterator[tuple[Any, int]]:
    """Every run of a plan, and how many steps lie above it."""
    if isinstance(part, Run):
        yield part, level
        inner: tuple[Any, ...] = tuple(x for x in part.sides if x)
    else:
        inner = (
            (part.upper, part.lower)
            if isinstance(part, Joined)
            else (part.one, part.other)
        )
    for x in inner:
        yield from parts(x, level + 1)


def random_parents(seed: int, count: int) -> list[int]:
    rng = np.random.default_rng(seed)
    return [-1, *(int(rng.integers(max(0, k - 9), k)) for k in range(1, count))]


def check_plan(model: kn.Model) -> int:
    """Every body is in one run, behind its parent; the depth of the plan."""
    view = View(model)
    runs = [x for part in assembly(view) for x in parts(part)]
    assert sorted(i.index for run, _ in runs for i in run.bodies) == list(
        range(len(view.bodies))
    )
    for run, _ in runs:
        for above, i in zip(run.bodies, run.bodies[1:], strict=False):
            assert i.parent is above
        for i, side in zip(run.bodies, run.sides, strict=True):
            for inner, _ in parts(side) if side else ():
                assert i in inner.bodies[0].ancestors
    return max(level for _, level in runs)


@every_shape
@pytest.mark.parametrize("count", [1, 2, 7, 64, 300])
def test_the_plan_has_every_body_once_and_is_shallow(shape: str, count: int) -> None:
    level = check_plan(tree(count, SHAPES[shape]))
    assert level <= 2 + 2 * math.ceil(math.log2(count + 1))


@pytest.mark.parametrize("seed", range(5))
def test_plans_of_random_trees(seed: int) -> None:
    parents = random_parents(seed, 200)
    assert check_plan(tree(200, lambda k: parents[k])) <= 2 + 2 * 8
    check_plan(mechanisms.hand(seed % 4))


@every_shape
@pytest.mark.parametrize("count", [1, 2, 5, 23])
def test_it_is_forward_dynamics(shape: str, count: int) -> None:
    agree(tree(count, SHAPES[shape], count), count)


@pytest.mark.parametrize("seed", range(6))
def test_on_random_trees(seed: int) -> None:
    parents = random_parents(seed, 40)
    agree(tree(40, lambda k: parents[k], seed), seed)


@pytest.mark.parametrize("mixed", [False, True])
def test_in_the_plane(mixed: bool) -> None:
    agree(mechanisms.chain(1, 14, planar=True, mixed=mixed), 1)


@every_shape
def test_the_depth_grows_by_a_constant_when_the_tree_doubles(shape: str) -> None:
    """The longest path of the trace: O(log n), where articulated bodies have O(depth)
    and sum the children of a body one by one."""
    way = kn.forward_dynamics_divide_and_conquer
    found = [traced(way, tree(n, SHAPES[shape])).depth() for n in (16, 32, 64, 128)]
    steps = np.diff(found)
    assert steps.max() < 140, found
    inverse = [
        traced(way, tree(n, SHAPES[shape]), inverse=True).depth() for n in (32, 64)
    ]
    assert np.diff(inverse).max() < 300, inverse
    if shape in ("chain", "comb", "star"):
        usual = traced(kn.forward_dynamics, tree(128, SHAPES[shape])).depth()
        assert usual > 2.5 * found[-1], (usual, found)


def test_what_the_depth_costs() -> None:
    """A chain of 64: four times the operations, a third of the depth."""
    chain = tree(64, SHAPES["chain"])
    ways = kn.forward_dynamics, kn.forward_dynamics_divide_and_conquer
    once, other = (total(way, chain) for way in ways)
    assert 1.5 * once < other < 4.5 * once
    short = tree(GRAIN, SHAPES["chain"])
    assert total(ways[1], short) <= 1.3 * total(ways[0], short)


def jointed(kinds: Sequence[tuple[int, kn.Joint, kn.Inertia | None]]) -> kn.Model:
    rng = np.random.default_rng(len(kinds))
    bodies = [
        kn.Body(
            f"body{k}", None if p < 0 else f"body{p}", joint,
            mechanisms.placement(rng), mass, mechanisms.placement(rng),
        )
        for k, (p, joint, mass) in enumerate(kinds)
    ]  # fmt: skip
    return kn.Model(bodies)


def light_chain(count: int) -> list[tuple[int, kn.Joint, kn.Inertia | None]]:
    """Three hinges at a point, as MJCF writes a ball: two bodies of three are light."""
    rng = np.random.default_rng(3)
    axes = [kn.joints.Revolute(a) for a in "xyz"]
    masses = [None, None, mechanisms.inertia(rng)]
    return [(k - 1, axes[k % 3], masses[k % 3]) for k in range(count)]


def test_bodies_without_mass_share_a_run_with_one_that_has_it() -> None:
    model = jointed(light_chain(24))
    agree(model, 0, light=True)
    agree_variant(model, 0)
    assert 16 <= len(floppy(View(model))) < 24
    for run, _ in (x for part in assembly(View(model)) for x in parts(part)):
        last = model.bodies[run.bodies[-1].index]
        assert last.inertia.mass, run


def test_a_body_without_mass_may_carry_several() -> None:
    rng = np.random.default_rng(0)
    j, mass = kn.joints, mechanisms.inertia
    kinds: list[Any] = [(-1, j.Revolute("x"), mass(rng)), (0, j.Universal(), None)]
    kinds += [(1, j.Revolute("y"), mass(rng)), (1, j.Spherical(), mass(rng))]
    kinds += [(k, j.Revolute("z"), mass(rng)) for k in (2, 3, 4, 5, 6, 7, 8)]
    model = jointed(kinds)
    agree(model, 1, light=True)
    agree_variant(model, 1)


def agree_variant(model: kn.Model, seed: int) -> None:
    """Variant 2 takes the standard formula where I^A has no inverse."""
    q, v, tau = mechanisms.state(model, seed)
    a = kn.interpret(kn.forward_dynamics, model)(q, v, tau)
    found = kn.interpret(kn.forward_dynamics_variant, model)(q, v, tau, variant=2)
    assert error(found, a) < 1e-11


@pytest.mark.parametrize("seed", range(mechanisms.HANDS))
def test_inverse_inertias_with_every_joint(seed: int) -> None:
    agree(filled(mechanisms.hand(seed), seed), seed)


def test_inverse_inertias_need_inertias() -> None:
    model = mechanisms.hand(0)
    q, v, tau = mechanisms.state(model, 0)
    match = "need one of every body, and that of 'body1' is singular; use variant=2, "
    with pytest.raises(ValueError, match=match):
        kn.interpret(kn.forward_dynamics_variant, model)(q, v, tau, variant=1)
    light = jointed(light_chain(6))
    q, v, tau = mechanisms.state(light, 0)
    with pytest.raises(ValueError, match="that of 'body0' is singular"):
        way = kn.forward_dynamics_divide_and_conquer
        kn.interpret(way, light)(q, v, tau, inverse=True)
    with pytest.raises(ValueError, match="variant=3, expected 1 or 2"):
        kn.forward_dynamics_variant(light, q, v, tau, variant=3)


def test_a_rope_of_points_is_cut_between_them() -> None:
    """Inertias without a moment: S^T I S is regular all the same."""
    point = kn.Inertia(1.0, (0.3, 0.0, 0.0), (0.0, 0.0, 0.0))
    chain: list[Any] = [(k - 1, kn.joints.Revolute("z"), point) for k in range(12)]
    model = jointed(chain)
    known = regularity(View(model))
    assert not known.full and len(known.alone) == 12
    assert len([x for part in assembly(View(model)) for x in parts(part)]) == 3
    agree(model, 2, light=True)
    agree_variant(model, 2)


def test_a_rotor_lets_a_body_without_mass_be_alone() -> None:
    hinge = kn.joints.Revolute("z")
    chain: list[Any] = [(k - 1, hinge.replace(armature=0.1), None) for k in range(8)]
    end = mechanisms.inertia(np.random.default_rng(6))
    model = jointed([*chain, (7, hinge, end)])
    assert len(regularity(View(model)).alone) == 9
    agree(model, 3, light=True)


def test_a_motion_prescribed_in_time() -> None:
    from knuckle.spatial import Rz, Tx

    rng = np.random.default_rng(1)
    moved = kn.Joint(lambda q, t: Rz(np.sin(t)) * Tx(0.3 * t * t), 0)
    kinds: list[Any] = [(-1, kn.joints.Revolute("x"), mechanisms.inertia(rng))]
    kinds += [(k, moved if k % 3 else kn.joints.Revolute("y"), mechanisms.inertia(rng))
              for k in range(8)]  # fmt: skip
    model = jointed(kinds)
    q, v, tau = mechanisms.state(model, 1)
    ways = kn.forward_dynamics, kn.forward_dynamics_divide_and_conquer
    once, other = (kn.interpret(way, model)(q, v, tau, t=0.7) for way in ways)
    assert error(other, once) < 1e-12


def test_parameters_do_not_change_the_plan() -> None:
    """A mass that is a parameter counts as the constant that it stands for."""
    model = jointed(light_chain(9))
    free = model.with_parameters("*.mass", "*.com")
    q, v, tau = mechanisms.state(model, 4, (3,))
    way = kn.forward_dynamics_divide_and_conquer
    assert error(way(free, q, v, tau), kn.forward_dynamics(model, q, v, tau)) < 1e-11


def handles(Phi: np.ndarray, b: np.ndarray) -> Articulated:
    """(7.57) solved for the first force."""
    I = np.linalg.inv(Phi[:6, :6])
    B = I @ Phi[:6, 6:]
    rest = Phi[6:, 6:] - Phi[6:, :6] @ B
    late = b[6:] - Phi[6:, :6] @ (I @ b[:6])
    return Articulated(
        ArticulatedInertia.of_matrix(I.tolist()),
        Force.of((-I @ b[:6]).tolist()),
        ForceSubspace([Force.of(column) for column in B.T.tolist()]),
        tuple(map(tuple, rest.tolist())),
        tuple(late.tolist()),
    )


def dense(x: Articulated) -> tuple[np.ndarray, ...]:
    B = np.array([f.entries for f in x.B]).T
    I, p = np.array(x.IA.matrix()), np.array(x.pA.entries)
    return I, p, B, np.array(x.Phi), np.array(x.b)


@pytest.mark.parametrize("freedoms", [0, 1, 3, 6])
def test_two_handles_meet_two_by_7_63(freedoms: int) -> None:
    """The book's formulae for inverse inertias, solved for the first force."""
    rng = np.random.default_rng(freedoms)
    roots = rng.normal(size=(2, 12, 14))
    P, Q = (x @ x.T for x in roots)
    b, d, c = rng.normal(size=12), rng.normal(size=12), rng.normal(size=6)
    S = rng.normal(size=(6, freedoms))
    T = np.linalg.svd(S.T)[2][freedoms:].T if freedoms else np.eye(6)
    W = T @ np.linalg.solve(T.T @ (P[6:, 6:] + Q[:6, :6]) @ T, T.T)
    beta = c - d[:6] + b[6:]
    Phi = np.block(
        [
            [P[:6, :6] - P[:6, 6:] @ W @ P[6:, :6], P[:6, 6:] @ W @ Q[:6, 6:]],
            [Q[6:, :6] @ W @ P[6:, :6], Q[6:, 6:] - Q[6:, :6] @ W @ Q[:6, 6:]],
        ]
    )
    late = np.concatenate([b[:6] - P[:6, 6:] @ W @ beta, d[6:] + Q[6:, :6] @ W @ beta])
    joint = SimpleNamespace(joint=SimpleNamespace(with_rotor=lambda D: D))
    axes = Subspace([Motion.of(s) for s in S.T.tolist()])
    lower, _ = across(
        joint, axes, Motion.of(c.tolist()), (0.0,) * freedoms, handles(Q, d)
    )
    whole, _ = assembled(handles(P, b), lower)
    for found, expected in zip(dense(whole), dense(handles(Phi, late)), strict=True):
        assert error(found, expected) < 1e-9
    halves = two_handles(P, b), two_handles(Q, d)
    frames = Transform.identity(), Motion.of(c.tolist())
    idle = SimpleNamespace(joint=SimpleNamespace(armature=(0.0,) * freedoms))
    both, _ = joined(*frames, constraint(idle, axes, (0.0,) * freedoms), *halves, False)
    assert error(np.array(both.Phi1.matrix()), Phi[:6, :6]) < 1e-10
    assert error(np.array(both.Phi2.matrix()), Phi[6:, 6:]) < 1e-10
    cross = np.array([m.entries for m in both.Phi12]).T
    assert np.abs(cross - Phi[:6, 6:]).max() < 1e-10 * np.abs(Phi).max()
    assert error(np.array([*both.b1, *both.b2]), late) < 1e-10


def two_handles(Phi: np.ndarray, b: np.ndarray) -> TwoHandles:
    """(7.57) as the algorithm has it."""
    columns = Subspace([Motion.of(x) for x in Phi[:6, 6:].T.tolist()])
    blocks = (InverseInertia(Phi[k : k + 6, k : k + 6].tolist()) for k in (0, 6))
    first, second = blocks
    b1, b2 = (Motion.of(x) for x in (b[:6].tolist(), b[6:].tolist()))
    return TwoHandles(first, b1, columns, second, b2)


def test_beside_puts_the_handles_of_both_in_one_set() -> None:
    rng = np.random.default_rng(2)
    roots = rng.normal(size=(2, 12, 14))
    one, other = (handles(x @ x.T, rng.normal(size=12)) for x in roots)
    I, p, B, Phi, b = dense(one.beside(other))
    (I1, p1, B1, Phi1, b1), (I2, p2, B2, Phi2, b2) = dense(one), dense(other)
    assert error(I, I1 + I2) == 0.0 and error(p, p1 + p2) == 0.0
    assert np.array_equal(B, np.hstack([B1, B2]))
    assert np.array_equal(b, np.concatenate([b1, b2]))
    assert np.array_equal(Phi[:6, :6], Phi1) and np.array_equal(Phi[6:, 6:], Phi2)
    assert not Phi[:6, 6:].any() and not Phi[6:, :6].any()


def test_compiled_rows() -> None:
    model = mechanisms.hand(2)
    q, v, tau = mechanisms.state(model, 2, (9,))
    f = mechanisms.wrenches(model, 2, (9,))
    found = kn.forward_dynamics_divide_and_conquer(model, q, v, tau, f)
    assert error(found, kn.forward_dynamics(model, q, v, tau, f)) < 1e-11


def test_beside_is_used_for_bodies_with_many_children() -> None:
    star = tree(9, SHAPES["star"])
    (part,) = assembly(View(star))
    assert isinstance(part, Run) and isinstance(part.sides[0], Beside)
