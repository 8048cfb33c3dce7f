"""Loops that stay loops give what straight code gives, in far less code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import knuckle as kn
import large
from knuckle.algorithms.derivatives import inverse_dynamics_derivatives
from knuckle.algorithms.forward_dynamics_crba import forward_dynamics_crba
from knuckle.scalar.rolled import RolledProgram
from mechanisms import big, general, hand, tree

ROWS = 11
ALGORITHMS = (
    kn.inverse_dynamics,
    kn.forward_dynamics,
    kn.mass_matrix,
    kn.bias_forces,
    kn.kinetic_energy,
    kn.potential_energy,
    kn.momentum,
    kn.forward_kinematics,
    forward_dynamics_crba,
    inverse_dynamics_derivatives,
)


def arguments(alg: Any, model: kn.Model, dtype: str = "float64") -> list[np.ndarray]:
    """Random values of the arguments that have no default."""
    rng = np.random.default_rng(7)
    q = model.random(rng, ROWS)
    rates = [rng.normal(size=(ROWS, model.nv)) for _ in range(2)]
    needed = [p for p in alg.parameters if not p.static and p.default is not None]
    return [x.astype(dtype) for x in (q, *rates)[: len(needed)]]


def both(alg: Any, model: kn.Model, *extra: Any, **options: Any) -> list[Any]:
    """Results of rolled and of straight code, as lists of arrays."""
    found = []
    for rolled in (True, False):
        code = kn.compile(alg, model, rolled=rolled, **options)
        dtype = options.get("dtype", "float64")
        result = code(*arguments(alg, model, dtype), *extra)
        found.append(result if isinstance(result, tuple) else (result,))
    return found


def agree(results: list[Any], bound: float) -> None:
    for a, b in zip(*results, strict=True):
        assert np.all(np.isfinite(b))
        scale = np.abs(b).max()
        assert np.abs(a - b).max() <= bound * scale, np.abs(a - b).max() / scale


@pytest.mark.parametrize("alg", ALGORITHMS, ids=lambda a: a.__name__)
@pytest.mark.parametrize("seed", [0, 1])
def test_rolled_is_straight_on_trees_of_all_joints(alg: Any, seed: int) -> None:
    agree(both(alg, hand(seed)), 1e-12)


@pytest.mark.long
@pytest.mark.parametrize("alg", ALGORITHMS, ids=lambda a: a.__name__)
@pytest.mark.parametrize("make", [big, general, hand], ids=lambda f: f.__name__)
@pytest.mark.parametrize("seed", range(2, 5))
def test_rolled_is_straight_on_more_trees(alg: Any, make: Any, seed: int) -> None:
    agree(both(alg, make(seed)), 1e-11)


SHAPES = (large.chain, large.binary, large.forest, large.unlike)


@pytest.mark.parametrize("make", SHAPES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("alg", ALGORITHMS[:3], ids=lambda a: a.__name__)
def test_many_bodies_take_few_kinds_of_steps(make: Any, alg: Any) -> None:
    model = make(30)
    agree(both(alg, model), 1e-12)
    few = kinds(alg, make(60))
    assert len(few) <= 48
    assert len(kinds(alg, make(90))) <= 2 * len(few)


def kinds(alg: Any, model: kn.Model) -> Any:
    program = kn.compile(alg, model, rolled=True).kernel.program
    assert isinstance(program, RolledProgram)
    return program.kinds


def test_single_precision() -> None:
    agree(both(kn.forward_dynamics, large.binary(30), dtype="float32"), 2e-3)
    agree(both(kn.inverse_dynamics, large.binary(30), dtype="float32"), 1e-5)


def test_narrower_instruction_sets() -> None:
    model = large.binary(25)
    q, v, a = arguments(kn.inverse_dynamics, model)
    wide = kn.compile(kn.inverse_dynamics, model, rolled=True)(q, v, a)
    for target in ("avx2", "sse2"):
        code = kn.compile(kn.inverse_dynamics, model, target=target, rolled=True)
        np.testing.assert_allclose(code(q, v, a), wide, rtol=1e-11, atol=1e-11)


def test_external_wrenches_of_all_bodies_and_of_some() -> None:
    model = large.unlike(25)
    f = np.random.default_rng(3).normal(size=(ROWS, 25, 6))
    agree(both(kn.inverse_dynamics, model, f, f_ext=True), 1e-12)
    some = np.random.default_rng(4).normal(size=(ROWS, 6))
    agree(both(kn.forward_dynamics, model, some, f_ext=["body20"]), 1e-12)


@kn.algorithm
def pushed(model: Any, q: Any, f_ext: kn.Wrenches | None = None) -> Any:
    """What wrenches are to the joints, in the frames of the joints."""
    model = model.in_space()
    out = model.per_body()
    for i in model.outward():
        out[i] = i.joint.subspace(q[i]).T @ f_ext[i]  # type: ignore[index]
    return model.velocity(out)


def test_wrenches_follow_into_another_view() -> None:
    model = large.unlike(12)
    f = np.random.default_rng(5).normal(size=(ROWS, 12, 6))
    found = both(pushed, model, f, f_ext=True)
    assert np.abs(found[0][0]).min() > 0.0
    agree(found, 1e-13)


def test_results_that_are_all_zero() -> None:
    found = both(pushed, large.chain(8))
    assert all(np.array_equal(x[0], np.zeros((ROWS, 8))) for x in found)


def test_declared_parameters_are_arguments() -> None:
    model = large.binary(20).with_parameters("*.mass", "body7.placement")
    values = [np.asarray(x) for x in model.parameter_defaults().values()]
    values = [x * (1.1 if x.ndim == 0 else 1.0) for x in values]
    agree(both(kn.inverse_dynamics, model, *values), 1e-12)


def test_planar_models_and_models_in_space() -> None:
    from mechanisms import chain

    model = chain(5, 24, planar=True, mixed=True)
    for alg in (kn.inverse_dynamics, kn.forward_dynamics, kn.momentum):
        agree(both(alg, model), 1e-12)


def test_any_batch_and_any_place_gives_the_same_bits() -> None:
    model = large.unlike(30)
    code = kn.compile(kn.forward_dynamics, model, rolled=True)
    rng = np.random.default_rng(1)
    q, v, tau = (rng.normal(size=(67, model.nv)) for _ in range(3))
    whole = code(q, v, tau)
    for rows in (slice(0, 1), slice(5, 18), slice(60, 67), slice(0, 67, 3)):
        assert code(q[rows], v[rows], tau[rows]).tobytes() == whole[rows].tobytes()
    spread = np.asfortranarray(q)
    assert code(spread, v, tau).tobytes() == whole.tobytes()
    bound = code.bind(q, v, tau)
    assert bound().tobytes() == whole.tobytes()


def test_a_row_that_is_not_finite_stays_alone() -> None:
    model = large.chain(30)
    code = kn.compile(kn.forward_dynamics, model, rolled=True)
    q, v, tau = arguments(kn.forward_dynamics, model)
    clean = code(q, v, tau)
    q[3] = np.nan
    dirty = code(q, v, tau)
    others = np.arange(ROWS) != 3
    assert np.isnan(dirty[3]).all()
    assert dirty[others].tobytes() == clean[others].tobytes()


def test_large_models_roll_by_themselves_and_robots_do_not() -> None:
    def program(model: kn.Model) -> Any:
        return kn.compile(kn.inverse_dynamics, model).kernel.program

    assert isinstance(program(large.chain(100)), RolledProgram)
    assert not isinstance(program(large.chain(20)), RolledProgram)
    assert not isinstance(program(tree(0)), RolledProgram)


def test_a_derivative_is_straight() -> None:
    slope = kn.jacobian(kn.mass_matrix, "q")
    with pytest.raises(TypeError, match="the code of a derivative is straight"):
        kn.compile(slope, large.chain(5), rolled=True)


def test_a_rule_of_a_derivative_rolls() -> None:
    model = large.unlike(20)
    for wrt in ("q", ("v", "q")):
        agree(both(kn.jacobian(kn.inverse_dynamics, wrt), model), 1e-12)
    assert len(kinds(kn.jacobian(kn.inverse_dynamics, "q"), large.binary(40))) < 70


def test_couplings_are_straight() -> None:
    model = large.chain(6).replace(couplings=[kn.Coupling("body3", "body1", ratio=0.5)])
    with pytest.raises(TypeError, match="code for a model with couplings is straight"):
        kn.compile(kn.inverse_dynamics, model, rolled=True)


@kn.algorithm
def counted(model: Any, q: Any) -> Any:
    """Numbers the bodies: what no table knows."""
    out, k = model.per_body(), 0
    for i in model.outward():
        k += 1
        out[i] = tuple(k * x for x in q[i])
    return out


@kn.algorithm
def listed(model: Any, q: Any) -> Any:
    """Collects in a list of its own."""
    found = []
    for i in model.outward():
        found.append(q[i][0] * q[i][0])
    return tuple(found)


@kn.algorithm
def summed(model: Any, q: Any) -> Any:
    """Sums in a variable of its own."""
    total = 0.0
    for i in model.inward():
        total = total + q[i][0] * i.inertia.mass
    return total


@kn.algorithm
def named(model: Any, q: Any) -> Any:
    """Looks at names, numbers and ancestors."""
    out, depth = model.per_body(), {}
    for i in model.outward():
        depth[i] = len(i.ancestors) + (i.name == "body3") + i.index
        out[i] = tuple(depth[i] * x for x in q[i])
    return out


@kn.algorithm
def remembered(model: Any, q: Any) -> Any:
    """Keeps values in a dictionary of its own, and uses the last body's afterwards."""
    own, out = {}, model.per_body()
    for i in model.outward():
        own[i] = np.sin(q[i][0])
        last = own[i]
    for i in model.inward():
        out[i] = (own[i] + last,)
    return out


@kn.algorithm
def walked(model: Any, q: Any) -> Any:
    """A loop over all bodies inside another, and one to the root."""
    out, reach = model.per_body(2)
    for i in model.outward():
        out[i] = q[i]
        for j in model.outward():
            out[i] = (out[i][0] + 0.1 * q[j][0],)
    for i in model.outward():
        reach[i] = q[i]
        for j in model.rootward(i):
            reach[i] = (reach[i][0] + q[j.parent][0] * q[j.parent][0],)
        out[i] = (out[i][0] * reach[i][0],)
    return out


@kn.algorithm
def shared(model: Any, q: Any, gain: kn.Array[()]) -> Any:
    """Uses a value from before the loop, and a condition."""
    out, twice = model.per_body(), 2.0 * gain
    high = gain > 0.5
    for i in model.outward():
        out[i] = (kn.where(high & (q[i][0] > 0.0), twice * q[i][0], gain),)
    return out


@kn.algorithm
def singled(model: Any, q: Any) -> Any:
    """Does something else on a body that it knows."""
    out, (tool, _) = model.per_body(), model.frame("body9")
    for i in model.outward():
        out[i] = (np.sin(q[i][0]) if i is tool else q[i][0],)
    return out


@kn.algorithm
def chancy(model: Any, q: Any) -> Any:
    """Reads two tables that hold one value for some bodies, two for others."""
    a, b, out = model.per_body(3)
    for i in model.outward():
        a[i], b[i] = np.sin(q[i][0]), np.cos(q[i][0])
    for i in model.outward():
        if len(i.ancestors) < 3:
            b[i] = a[i]
    for i in model.outward():
        out[i] = (a[i] - b[i],)
    return out


@kn.algorithm
def late(model: Any, q: Any) -> Any:
    """A step whose last part differs although its first parts do not."""
    total, mark, out = model.per_body(3)
    for i in model.outward():
        mark[i] = q[i][0] * q[i][0] if len(i.ancestors) % 3 == 1 else 0.0
        total[i] = q[i][0]
    for i in model.inward():
        total[i] = 2.0 * total[i]
        for j in model.rootward(i):
            total[i] = total[i] + q[j.parent][0]
            total[j.parent] = total[j.parent] + 0.1 * q[i][0]
        out[i] = (total[i] + mark[i],)
    return out


def test_values_that_were_one_by_chance_are_told_apart() -> None:
    alike(chancy, large.binary(60))


def test_what_does_not_fit_to_the_end_is_taken_back() -> None:
    alike(late, large.binary(40))
    alike(late, large.chain(14))


def alike(alg: Any, model: kn.Model) -> None:
    q = np.random.default_rng(2).normal(size=(ROWS, model.nq))
    codes = [kn.compile(alg, model, rolled=rolled) for rolled in (True, False)]
    agree([(code(q),) for code in codes], 1e-14)


OWN = (counted, listed, singled, summed, named, remembered, walked, shared)


@pytest.mark.parametrize("alg", OWN, ids=lambda a: a.__name__)
def test_texts_that_keep_things_to_themselves_are_right(alg: Any) -> None:
    model = large.binary(12)
    results = []
    q = np.random.default_rng(2).normal(size=(ROWS, model.nq))
    more = (np.linspace(-1.0, 1.0, ROWS),) if alg is shared else ()
    for rolled in (True, False):
        results.append((kn.compile(alg, model, rolled=rolled)(q, *more),))
    agree(results, 1e-14)


def test_dynamics_of_five_hundred_bodies() -> None:
    """FD undoes ID, M a + bias is ID, and both ways of forward dynamics agree."""
    model = large.binary(500)
    rng = np.random.default_rng(5)
    q, v, a = (rng.normal(size=(4, 500)) for _ in range(3))
    tau = kn.inverse_dynamics(model, q, v, a)
    np.testing.assert_allclose(kn.forward_dynamics(model, q, v, tau), a, atol=1e-8)
    np.testing.assert_allclose(forward_dynamics_crba(model, q, v, tau), a, atol=1e-8)
    M = kn.mass_matrix(model, q[:2])
    assert np.array_equal(M, M.swapaxes(1, 2))
    bias = kn.bias_forces(model, q[:2], v[:2])
    left = np.einsum("bij,bj->bi", M, a[:2]) + bias
    np.testing.assert_allclose(left, tau[:2], atol=1e-9 * np.abs(tau).max())


def test_counts_and_stages_can_be_seen() -> None:
    code = kn.compile(kn.forward_dynamics, large.chain(40), rolled=True)
    straight = kn.compile(kn.forward_dynamics, large.chain(40), rolled=False)
    total, plain = (sum(x.operations.values()) for x in (code, straight))
    assert plain < total < 1.2 * plain
    assert "steps:" in code.show("trace")
    assert "@steps" in code.show("llvm")
    assert len(code.show("asm")) < len(straight.show("asm")) / 2
