"""Checks 22 - 25 and 38 - 40 of the book: assembly, handles, and what methods cost.

Featherstone, Rigid Body Dynamics Algorithms (2008), chapters 7 and 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import knuckle as kn
import mechanisms
import screws
from knuckle.model.tree import depth_sums, subtree
from knuckle.spatial import Subspace
from knuckle.spatial.complement import complement
from mechanisms import error

SEEDS = pytest.mark.parametrize("seed", [0, 1, 2])


def run(alg: Any, model: kn.Model, *arrays: Any, **options: Any) -> Any:
    return kn.interpret(alg, model)(*arrays, **options)


def floating(seed: int) -> kn.Model:
    """A tree of eight bodies with a free root and joints of one to three freedoms."""
    rng = np.random.default_rng(seed)
    j = kn.joints
    kinds = [j.Free(), j.Revolute("z"), j.Prismatic("x"), j.Spherical(),
             j.Helical("z", 0.3), j.Universal(), j.Revolute("y"),
             j.Cylindrical("z")]  # fmt: skip
    above = (-1, 0, 0, 1, 1, 2, 2, 5)
    return kn.Model(
        [
            kn.Body(
                f"body{k}", None if p < 0 else f"body{p}", kind,
                mechanisms.placement(rng), mechanisms.inertia(rng),
                mechanisms.placement(rng),
            )
            for k, (p, kind) in enumerate(zip(above, kinds, strict=True))
        ]
    )  # fmt: skip


@SEEDS
def test_check_23_the_root_of_a_floating_tree(seed: int) -> None:
    """I^A = (J H^-1 J^T)^-1 = I0c - F H^-1 F^T, H of the joints alone (9.13)."""
    model = floating(seed)
    q, _, _ = mechanisms.state(model, seed)
    IA = run(kn.articulated_inertia, model, q, "body0")
    J = run(kn.frame_jacobian, model, q, "body0")
    M = run(kn.mass_matrix, model, q)
    assert error(np.linalg.inv(J @ np.linalg.solve(M, J.T)), IA) < 1e-11
    Phi = run(kn.inverse_articulated_inertia, model, q, ["body0"])
    assert error(np.linalg.inv(Phi), IA) < 1e-11
    base = model.joint("body0").v
    I0, F, H = M[base, base], np.delete(M[base], range(6), 1), np.delete(M, range(6), 1)
    H = np.delete(H, range(6), 0)
    to_body = np.linalg.inv(J[:, base])  # the joint's successor frame to the body's
    schur = I0 - F @ np.linalg.solve(H, F.T)
    assert error(to_body.T @ schur @ to_body, IA) < 1e-11


def across(I: np.ndarray, S: np.ndarray) -> np.ndarray:
    """I^a of (7.23)."""
    U = I @ S
    return I - U @ np.linalg.solve(S.T @ U, U.T)


@SEEDS
def test_check_23_a_joint_hides_its_own_directions(seed: int) -> None:
    """I^a S = 0, and the parent's I^A is its I and the I^a of the children (7.21)."""
    model = floating(seed)
    q, _, _ = mechanisms.state(model, seed)
    J = {b.name: run(kn.frame_jacobian, model, q, b.name) for b in model.bodies}
    IA = {b.name: run(kn.articulated_inertia, model, q, b.name) for b in model.bodies}
    poses = run(kn.forward_kinematics, model, q)
    X = {
        b.name: motion_transform(R, p)
        for b, R, p in zip(model.bodies, *poses, strict=True)
    }
    for body in model.bodies:
        total = np.array(body.inertia.matrix())
        for name in model.children(body.name):
            S = J[name][:, model.joint(name).v]
            Ia = across(IA[name], S)
            assert np.abs(Ia @ S).max() < 1e-12 * np.abs(Ia).max()
            ahead = X[name] @ np.linalg.inv(X[body.name])
            total = total + ahead.T @ Ia @ ahead
        assert error(IA[body.name], total) < 1e-11, body.name


def motion_transform(R: np.ndarray, p: np.ndarray) -> np.ndarray:
    """^iX_0 of the pose of i (2.24)."""
    x, y, z = p
    lever = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.block([[R.T, np.zeros((3, 3))], [-R.T @ lever, R.T]])


def test_check_24_a_box_and_a_cylinder() -> None:
    """Ex 7.1: diag(I1, I1 + I2, I1 + I2, m1 + m2, m1, m1 + m2)."""
    I1, I2, m1, m2 = 0.7, 0.3, 2.0, 5.0
    turn = kn.joints.Revolute("x")
    box, cylinder = (kn.Inertia(m, (0, 0, 0), [I] * 3) for m, I in ((m1, I1), (m2, I2)))
    bodies = [
        kn.Body("box", None, kn.joints.Free(), inertia=box),
        kn.Body("slot", "box", kn.joints.Prismatic("y")),
        kn.Body("cylinder", "slot", turn, inertia=cylinder),
    ]  # fmt: skip
    model = kn.Model(bodies)
    expected = np.diag([I1, I1 + I2, I1 + I2, m1 + m2, m1, m1 + m2])
    q = model.neutral()
    found = run(kn.articulated_inertia, model, q, "box")
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)
    Phi = run(kn.inverse_articulated_inertia, model, q, ["box"])
    np.testing.assert_allclose(np.linalg.inv(Phi), expected, rtol=0, atol=1e-13)


def table_7_2(I1: Any, I2: Any, p1: Any, p2: Any, S: Any, c: Any, tau: Any) -> Any:
    """(I^A, p^A) by the standard formulae and both variants, one after the other."""
    T, Ta, _ = (
        np.array([x.entries for x in span]).T.reshape(6, -1)
        for span in complement(
            Subspace([kn.spatial.Motion.of(s) for s in S.T.tolist()])
        )
    )
    D = S.T @ I2 @ S
    z = tau - S.T @ p2 - S.T @ I2 @ c
    US = I2 @ S
    yield I1 + across(I2, S), p1 + p2 + I2 @ c + US @ np.linalg.solve(D, z)
    P1, P2 = np.linalg.inv(I1), np.linalg.inv(I2)
    b1, b2 = -P1 @ p1, -P2 @ p2
    Y = T.T @ (P1 + P2) @ T
    z = T.T @ (c + b1 - b2 - (P1 + P2) @ Ta @ tau)
    Phi = P1 - P1 @ T @ np.linalg.solve(Y, T.T @ P1)
    b = b1 - P1 @ Ta @ tau - P1 @ T @ np.linalg.solve(Y, z)
    yield np.linalg.inv(Phi), -np.linalg.solve(Phi, b)
    Y = T.T @ P2 @ T
    z = T.T @ (c - P2 @ (Ta @ tau - p2))
    yield I1 + T @ np.linalg.solve(Y, T.T), p1 + Ta @ tau + T @ np.linalg.solve(Y, z)


@SEEDS
@pytest.mark.parametrize("freedoms", [0, 1, 2, 3, 5])
def test_check_25_the_formulae_of_table_7_2(seed: int, freedoms: int) -> None:
    rng = np.random.default_rng([seed, freedoms])
    I1, I2 = (np.array(mechanisms.inertia(rng).matrix()) for _ in range(2))
    p1, p2, c = rng.normal(size=(3, 6))
    S, tau = rng.normal(size=(6, freedoms)), rng.normal(size=freedoms)
    standard, first, second = table_7_2(I1, I2, p1, p2, S, c, tau)
    for IA, pA in (first, second):
        assert error(IA, standard[0]) < 1e-10 and error(pA, standard[1]) < 1e-10


@SEEDS
def test_check_25_three_articulated_body_algorithms(seed: int) -> None:
    """Table 7.1 and the two variants of it, with rotors, springs and wrenches."""
    model = filled(mechanisms.hand(seed), seed)
    q, v, tau = mechanisms.state(model, seed)
    f = mechanisms.wrenches(model, seed)
    for passive in (True, False):
        standard = run(kn.forward_dynamics, model, q, v, tau, f, passive=passive)
        for variant in (1, 2):
            options = {"variant": variant, "passive": passive}
            a = run(kn.forward_dynamics_variant, model, q, v, tau, f, **options)
            assert error(a, standard) < 1e-12, (variant, passive)


def filled(model: kn.Model, seed: int) -> kn.Model:
    """The model with an inertia in every body that has none."""
    rng = np.random.default_rng(seed)
    bodies = []
    for b in model.bodies:
        I = b.inertia if b.inertia.mass else mechanisms.inertia(rng)
        ends = b.placement, I, b.offset
        bodies.append(kn.Body(b.name, b.parent, b.joint, *ends, b.joint_name))
    return model.replace(bodies=bodies)


def links(parents: Sequence[int], seed: int) -> list[screws.Link]:
    """Links of a tree; the first child of each body is Denavit-Hartenberg."""
    rng = np.random.default_rng([seed, len(parents)])
    found, taken = [], set()
    for p in parents:
        a, b, c = rng.uniform(0.2, 1.2, (3, 2)).tolist()
        found.append(
            screws.Link(p, a, b, c if p in taken else None, mechanisms.inertia(rng))
        )
        taken.add(p)
    return found


def counted(parents: Sequence[int], seed: int = 0) -> tuple[int, int]:
    """(m, a) of the book's CRBA, its result compared with the library's."""
    chain = links(parents, seed)
    H, count = screws.mass_matrix(chain)
    q = np.array([link.z[0] for link in chain])
    assert error(H, run(kn.mass_matrix, screws.model(chain), q)) < 1e-12
    return count["m"], count["a"]


@pytest.mark.parametrize("n", [1, 2, 3, 6, 10, 20])
def test_check_38_the_book_s_own_crba(n: int) -> None:
    """(10.3): (10 n^2 + 22 n - 32) m + (6 n^2 + 37 n - 43) a."""
    known = {1: (0, 0), 2: (52, 55), 6: (460, 395), 10: (1188, 927), 20: (4408, 3097)}
    expected = 10 * n * n + 22 * n - 32, 6 * n * n + 37 * n - 43
    assert counted(range(-1, n - 1)) == expected == known.get(n, expected)


def cost(parents: Sequence[int]) -> tuple[int, int]:
    """(10.12), from who is on the base and who is the first child."""
    dh = [k for k, p in enumerate(parents) if p >= 0 and parents.index(p) == k]
    general = [k for k, p in enumerate(parents) if p >= 0 and k not in dh]
    D0, D0g = len(dh), len(general)
    D1, D1g = (sum(len(subtree(parents, k)) for k in ks) for ks in (dh, general))
    assert D1 + D1g == depth_sums(parents)[0]
    m = 32 * D0 + 47 * D0g + 20 * D1 + 24 * D1g
    return m, 43 * D0 + 58 * D0g + 12 * D1 + 18 * D1g


TREES = {
    "chain": (-1, 0, 1, 2, 3, 4, 5),
    "binary": (-1, 0, 0, 1, 1, 2, 2),
    "forest": (-1, 0, -1, 2, 2, 0, 5, -1, 2),
    "base": (-1,) * 7,
}


@pytest.mark.parametrize("tree", TREES)
def test_check_39_branches(tree: str) -> None:
    """(10.12) is what is counted: (10.3) for a chain, 0 if all are on the base."""
    parents = TREES[tree]
    assert counted(parents) == cost(parents)
    n = len(parents)
    if tree == "chain":
        chain = 10 * n * n + 22 * n - 32, 6 * n * n + 37 * n - 43
        assert cost(parents) == chain
    assert (cost(parents) == (0, 0)) == (tree == "base")


def operations() -> Any:
    """The benchmark that counts; it is not there beside an installed package."""
    return pytest.importorskip("operations")


def flops(n: int) -> dict[str, float]:
    """m + a on GU(n): the best rows of Table 10.1, CRBA by (10.3), F&S by (6.28)."""
    return {
        "RNEA": sum(operations().book("inverse_dynamics", n)),
        "CRBA": sum((10 * n * n + 22 * n - 32, 6 * n * n + 37 * n - 43)),
        "F&S": n**3 / 6 + 1.5 * n**2 - 2 * n / 3 + n**3 / 6 + n**2 - 7 * n / 6,
        "ABA": sum(operations().book("forward_dynamics", n)),
    }


def cubic(n: int) -> float:
    """The O(n^3) method."""
    return sum(x for k, x in flops(n).items() if k != "ABA")


def test_check_40_where_the_methods_cross() -> None:
    """Fig 10.4: O(n^3) up to n = 8, 1.6 times ABA at 18, F&S = CRBA near 45."""
    cheaper = [n for n in range(2, 60) if cubic(n) < flops(n)["ABA"]]
    assert cheaper == list(range(2, 9))
    assert (cubic(8), flops(8)["ABA"], cubic(9), flops(9)["ABA"]) == (
        pytest.approx((2921, 2925, 3539, 3354), abs=1.0)
    )
    assert cubic(18) / flops(18)["ABA"] == pytest.approx(1.638, abs=1e-3)
    assert next(n for n in range(7, 99) if flops(n)["F&S"] > flops(n)["CRBA"]) == 45
    smallest = [
        n for n in range(2, 60) if min(flops(n), key=lambda k: flops(n)[k]) == "F&S"
    ]
    assert smallest[-1] == 18
    assert flops(6)["F&S"] == 151


def test_check_40_our_own_methods_cross_too() -> None:
    """The two compiled ways on GU(n): composite bodies first, articulated ones last."""
    ratio = {
        n: np.divide(
            *(own(alg, n) for alg in ("forward_dynamics_crba", "forward_dynamics"))
        )
        for n in (4, 8, 18)
    }
    assert ratio[4] < 1.0 < ratio[18] and ratio[4] < ratio[8] < ratio[18]


def own(algorithm: str, n: int) -> float:
    from oracles import robots

    count = operations().traced(algorithm, robots.gu(n, 0))
    return float(sum(operations().book_counts(count)))
