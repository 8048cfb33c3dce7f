"""Operation counts: what costs nothing, what costs a third, and the golden file."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import knuckle as kn
import mechanisms
from knuckle.algorithms import sparse_factorization
from knuckle.scalar import Program, Trace, fuse
from oracles import robots

operations: Any = pytest.importorskip("operations")
ways: Any = pytest.importorskip("assembly")
DYNAMICS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
Random = np.random.Generator


def total(algorithm: str, model: kn.Model) -> int:
    return sum(operations.traced(algorithm, model).values())


def welded(model: kn.Model, count: int, heavy: bool, rng: Random) -> kn.Model:
    """The model with bodies on fixed joints, on its bodies and on each other."""
    bodies = list(model.bodies)
    for k in range(count):
        parent = bodies[int(rng.integers(len(bodies)))].name
        mass = mechanisms.inertia(rng) if heavy else None
        ends = mechanisms.placement(rng), mass, mechanisms.placement(rng)
        bodies.append(kn.Body(f"weld{k}", parent, kn.joints.Fixed(), *ends))
    return model.replace(bodies=bodies)


def crooked(n: int, seed: int) -> kn.Model:
    """A revolute chain without a zero in its constants."""
    rng = np.random.default_rng(seed)
    bodies = []
    for k in range(n):
        ends = mechanisms.placement(rng), mechanisms.inertia(rng)
        parent = f"body{k - 1}" if k else None
        bodies.append(kn.Body(f"body{k}", parent, kn.joints.Revolute("z"), *ends))
    return kn.Model(bodies)


@pytest.mark.parametrize("algorithm", DYNAMICS)
@pytest.mark.parametrize("seed", range(3))
def test_welding_ten_bodies_adds_no_operation(algorithm: str, seed: int) -> None:
    """What remains is another chain of six: constants that are equal but for their
    rounding decide on an operation or two in a thousand, welded or not."""
    rng = np.random.default_rng(seed)
    bare = crooked(6, seed)
    before = total(algorithm, bare)
    assert total(algorithm, welded(bare, 10, False, rng)) == before
    heavy = total(algorithm, welded(bare, 10, True, rng))
    if algorithm == "forward_dynamics":
        before = max(total(algorithm, crooked(6, k)) for k in range(8))
        assert before < 1.002 * min(total(algorithm, crooked(6, k)) for k in range(8))
    assert heavy <= before


@pytest.mark.parametrize("algorithm", DYNAMICS)
@pytest.mark.parametrize("robot", ["arm7", "quad18", "hum38"])
def test_welding_ten_bodies_onto_the_robots(algorithm: str, robot: str) -> None:
    """Without mass nothing changes. With it a link may lose zeros of its inertia, and
    what these had saved; no body is added."""
    rng = np.random.default_rng(1)
    bare = robots.robot(robot)
    assert total(algorithm, welded(bare, 10, False, rng)) == total(algorithm, bare)
    full = bare.replace(bodies=[filled(body, rng) for body in bare.bodies])
    heavy, light = total(algorithm, welded(full, 10, True, rng)), total(algorithm, full)
    assert heavy <= light * (1.002 if algorithm == "forward_dynamics" else 1.0)


def filled(body: kn.Body, rng: Random) -> kn.Body:
    """The body with an inertia that has no zeros."""
    ends = body.placement, mechanisms.inertia(rng), body.offset
    return kn.Body(body.name, body.parent, body.joint, *ends, body.joint_name)


@pytest.mark.parametrize("algorithm", DYNAMICS)
@pytest.mark.parametrize("n", [6, 10, 20])
def test_a_planar_chain_costs_a_third(algorithm: str, n: int) -> None:
    """Of a chain GU(n) of as many joints; and never more than the same in space."""
    flat = total(algorithm, mechanisms.chain(0, n, planar=True))
    assert 3 * flat <= total(algorithm, robots.gu(n, 0)), flat
    assert flat <= total(algorithm, mechanisms.chain(0, n, planar=False))


def test_the_book_s_counts_of_table_10_1() -> None:
    assert operations.book("inverse_dynamics", 6) == (450, 386)
    assert operations.book("forward_dynamics", 6) == (1085, 982)
    assert sum(operations.book("mass_matrix", 6)) == 759


GOAL = {"inverse_dynamics": 836, "forward_dynamics": 2067, "mass_matrix": 759}
REACHED = {"inverse_dynamics": 0.89, "forward_dynamics": 0.82, "mass_matrix": 0.81}


def arithmetic(algorithm: str, model: kn.Model) -> int:
    """Multiplications, additions and divisions; a fused multiply-add counts two."""
    return sum(operations.book_counts(operations.traced(algorithm, model)))


@pytest.mark.parametrize("algorithm", DYNAMICS)
def test_chains_cost_less_than_the_best_published(algorithm: str) -> None:
    """GU(6) of ten seeds beside the best rows of Table 10.1."""
    assert sum(operations.book(algorithm, 6)) == GOAL[algorithm]
    for seed in range(10):
        found = arithmetic(algorithm, robots.gu(6, seed))
        assert found <= REACHED[algorithm] * GOAL[algorithm], (seed, found)


@pytest.mark.parametrize("algorithm", DYNAMICS)
def test_the_frames_that_a_chain_is_given_in_do_not_matter(algorithm: str) -> None:
    """Any frames cost what those of Denavit and Hartenberg do, and an addition a joint
    for the angle between two normals; gravity comes in along any direction."""
    for n in (3, 6, 12):
        given, best = crooked(n, n), robots.gu(n, 0)
        more = arithmetic(algorithm, given) - arithmetic(algorithm, best)
        assert 0 <= more <= n + 5, (n, more)


@pytest.mark.parametrize("n", [6, 10])
def test_factoring_and_solving_takes_the_book_s_products_and_sums(n: int) -> None:
    """Table 10.1 with 6.28; its quotients are products with n reciprocals here."""
    trace, parent = Trace(), tuple(range(-1, n - 1))
    lower = [[trace.input(f"h{i}_{j}") for j in range(i + 1)] for i in range(n)]
    H = [[lower[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
    L, D = sparse_factorization.ltdl(H, parent)
    x = sparse_factorization.solve_ltdl(L, D, parent, trace.inputs("b", n))
    m, a, divisions = operations.book_counts(fuse(Program.of(x)).operations())
    assert 6 * m == n**3 + 9 * n**2 - 4 * n
    assert 6 * a == n**3 + 6 * n**2 - 7 * n
    assert divisions == n


BEFORE = {
    "inverse_dynamics": (2607, 0.87),
    "forward_dynamics": (6490, 0.82),
    "forward_dynamics_crba": (7737, 0.93),
    "mass_matrix": (2423, 0.92),
    "gravity_forces": (845, 0.54),
    "kinetic_energy": (1453, 0.83),
}


@pytest.mark.parametrize("algorithm", BEFORE)
def test_the_humanoid_with_frames_and_inertias_of_our_own(algorithm: str) -> None:
    """Beside what it took with those of the file: its axes lie along the axes of its
    frames already."""
    before, part = BEFORE[algorithm]
    assert total(algorithm, robots.robot("hum38")) <= part * before


def test_counts_may_only_go_down(capsys: pytest.CaptureFixture[str]) -> None:
    golden = json.loads(operations.GOLDEN.read_text())
    assert operations.check(golden, golden) == 0
    fewer = {"arm7": {"mass_matrix": {"mul": 1}}}
    assert operations.check(fewer, golden) == 0
    more = {"arm7": {"mass_matrix": {**golden["arm7"]["mass_matrix"], "tan": 1}}}
    assert operations.check(more, golden) == 1
    said = capsys.readouterr().out
    assert "operations (+1)" in said and "operations rose" in said


def test_the_golden_file_is_that_of_the_arm() -> None:
    """The others are compared by `python benchmarks/operations.py --check`."""
    golden = json.loads(operations.GOLDEN.read_text())["arm7"]
    counts = operations.robot_counts("arm7")
    assert {k: sum(c.values()) for k, c in counts.items()} == {
        k: sum(c.values()) for k, c in golden.items()
    }


def test_the_table_of_ways_may_only_fall() -> None:
    """Of the arm and of a short chain; `python benchmarks/assembly.py` has the rest."""
    path = operations.GOLDEN.parent / "results" / "assembly.json"
    golden = json.loads(path.read_text())
    for way, figures in ways.of_robot("arm7").items():
        assert np.all(np.array(figures) <= golden["robots"]["arm7"][way]), way
    chain = ways.tree(16, ways.SHAPES["chain"])
    divided = ways.figures(kn.forward_dynamics_divide_and_conquer, chain)
    assert np.all(np.array(divided) <= golden["shapes"]["chain"]["16"][2:])
    page = ways.page(golden["robots"], golden["shapes"])
    assert path.with_suffix(".md").read_text() == page + "\n"


def test_bodies_without_an_external_wrench_cost_nothing() -> None:
    chain = crooked(5, 0)
    count = {
        kind: sum(kn.compile(kn.inverse_dynamics, chain, **given).operations.values())
        for kind, given in {
            "none": {},
            "empty": {"f_ext": []},
            "last": {"f_ext": ["body4"]},
            "all": {"f_ext": True},
        }.items()
    }
    assert count["none"] == count["empty"] <= count["last"] < count["all"]
    assert count["last"] <= count["none"] + 20
    assert count["all"] <= count["none"] + 5 * 20  # from the user's frames to ours


def test_a_model_may_hang_on_the_world_by_any_number_of_welds() -> None:
    """Bodies fixed to the world are no part of any dynamics."""
    rng = np.random.default_rng(3)
    bare = crooked(3, 3)
    post = kn.Body("post", None, kn.joints.Fixed(), inertia=mechanisms.inertia(rng))
    sign = kn.Body("sign", "post", kn.joints.Fixed(), mechanisms.placement(rng))
    built = bare.replace(bodies=[post, *bare.bodies, sign])
    for algorithm in (*DYNAMICS, "potential_energy", "center_of_mass"):
        assert total(algorithm, built) == total(algorithm, bare)
