"""Operation counts of spatial arithmetic (Featherstone Tables A.4, A.5, check 41)."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from knuckle.scalar import Program, Trace
from knuckle.spatial import (
    SE3,
    ArticulatedInertia,
    Force,
    Inertia,
    Motion,
    PlanarArticulatedInertia,
    PlanarForce,
    PlanarInertia,
    PlanarMotion,
    PlanarTransform,
    Rx,
    Ry,
    Rz,
    Transform,
    Tx,
    Tz,
    cross,
)
from knuckle.spatial.congruence import (
    rotate_general,
    rotate_symmetric,
    turn_symmetric,
)
from knuckle.spatial.linear import full, mul_rotations


class Symbols:
    """Fresh symbolic quantities of one trace."""

    def __init__(self) -> None:
        self.trace = Trace()
        self.used = 0

    def __call__(self, n: int):
        self.used += 1
        return self.trace.inputs(f"x{self.used}", n)

    def rotation(self):
        e = self(9)
        return e[:3], e[3:6], e[6:]

    def transform(self) -> Transform:
        return Transform(self.rotation(), self(3))

    def motion(self) -> Motion:
        return Motion.of(self(6))

    def force(self) -> Force:
        return Force.of(self(6))

    def rigid(self) -> Inertia:
        return Inertia.of_entries(self(10))

    def articulated(self) -> ArticulatedInertia:
        return ArticulatedInertia.of_entries(self(21))

    def without_z(self) -> ArticulatedInertia:
        """I^a of a revolute joint: row and column 3 are zero."""
        xx, xy, yy, *rest = self(15)
        return ArticulatedInertia(
            rest[:6], (rest[6:9], rest[9:12], (0.0,) * 3), (xx, xy, 0.0, yy, 0.0, 0.0)
        )


def operations(outputs) -> tuple[int, int]:
    """(multiplications, additions) of a trace; doubling counts as an addition."""
    flat: list = []

    def collect(x) -> None:
        if isinstance(x, tuple):
            for y in x:
                collect(y)
        else:
            flat.append(x)

    collect(tuple(outputs))
    count: Counter[str] = Counter()
    for node in {id(n): n for n in reachable(flat)}.values():
        doubling = node.op == "mul" and any(
            a.op == "const" and abs(a.value) == 2.0 for a in node.args
        )
        count["add" if doubling else node.op] += 1
    return count["mul"], count["add"] + count["sub"]


def reachable(flat):
    stack, seen = [x for x in flat if hasattr(x, "args")], {}
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen[id(node)] = node
            stack.extend(node.args)
    return seen.values()


s = Symbols()
TABLE = {
    "v + v": (lambda: s.motion() + s.motion(), 0, 6),
    "2 v": (lambda: s(1)[0] * s.motion(), 6, 0),
    "v . f": (lambda: (s.motion().dot(s.force()),), 6, 5),
    "v x m": (lambda: cross(s.motion(), s.motion()), 18, 12),
    "v x* f": (lambda: cross(s.motion(), s.force()), 18, 12),
    "I + I": (lambda: (s.rigid() + s.rigid()).entries, 0, 10),
    "IA + IA": (lambda: (s.articulated() + s.articulated()).entries, 0, 21),
    "IA + I": (lambda: (s.articulated() + s.rigid()).entries, 0, 15),
    "I v": (lambda: s.rigid() @ s.motion(), 24, 18),
    "IA v": (lambda: s.articulated() @ s.motion(), 36, 30),
    "X m": (lambda: s.transform() @ s.motion(), 24, 18),
    "X^T f": (lambda: s.transform().T @ s.force(), 24, 18),
    "X* f": (lambda: s.transform().dual @ s.force(), 24, 18),
    "X^-1": (lambda: s.transform().inverse().r, 9, 6),
    "X X": (lambda: product(s.transform() * s.transform()), 33, 24),
    "X^T I X": (lambda: (s.transform().T @ s.rigid()).entries, 52, 56),
    "X^T IA X": (lambda: (s.transform().T @ s.articulated()).entries, 137, 137),
    "E M E^T": (lambda: rotate_symmetric(s.rotation(), s(6)), 28, 29),
    "E H E^T": (lambda: rotate_general(s.rotation(), s.rotation()), 40, 39),
    "F G": (lambda: mul_rotations(s.rotation(), s.rotation()), 24, 15),
}


def product(X: Transform):
    return (*X.E, X.r)


@pytest.mark.parametrize("name", TABLE)
def test_table_a_4(name):
    make, most_mul, most_add = TABLE[name]
    mul, add = operations(make())
    assert mul <= most_mul and mul + add <= most_mul + most_add, (mul, add)


def screw_z() -> Transform:
    return Transform(Rz(s(1)[0]).R, (0.0, 0.0, s(1)[0]))


def screw_x() -> Transform:
    """A constant screw about x with symbolic cosine, sine and shift."""
    return Transform(Rx(s(1)[0]).R, (s(1)[0], 0.0, 0.0))


ONCE = 5  # 2m + 3a for each new angle
SCREWS = {
    "vector z": (lambda: screw_z() @ s.motion(), 16),
    "vector x": (lambda: screw_x().T @ s.force(), 16),
    "I z": (lambda: (screw_z().T @ s.rigid()).entries, 31 + ONCE),
    "I x": (lambda: (screw_x().T @ s.rigid()).entries, 31 + ONCE),
    "IA z": (lambda: (screw_z().T @ s.articulated()).entries, 78 + ONCE),
    "IA x": (lambda: (screw_x().T @ s.articulated()).entries, 78 + ONCE),
    "Ia z": (lambda: (screw_z().T @ s.without_z()).entries, 62 + ONCE),
    "Ia x": (lambda: (screw_x().T @ s.without_z()).entries, 60 + ONCE),
}


@pytest.mark.parametrize("name", SCREWS)
def test_axial_screws_of_table_a_5_are_found(name):
    make, most = SCREWS[name]
    total = sum(operations(make()))
    assert total <= most, total


def test_a_denavit_hartenberg_pair_is_taken_in_two_steps():
    """X^T I^a X of a DH joint: 62m + 65a + once (Sec. A.4), half of the general one."""
    pose = Tx(0.3) * Rx(0.7) * Tz(0.2) * Rz(s(1)[0])
    X = Transform.from_pose(pose)
    total = sum(operations((X.T @ s.without_z()).entries))
    assert total <= 127 + ONCE, total
    whole = Transform(X.E, X.r)
    assert sum(operations((whole.T @ s.without_z()).entries)) > total


def test_vectors_take_two_axial_turns_and_no_product_of_them():
    """8m + 4a a vector, where the product of the rotations takes 4m once and 8m + 5a
    each; about no axis the product is cheaper again."""
    pose = SE3(Rx(0.7).R, (0.3, 0.0, 0.2)) * Rz(s(1)[0])
    X, axis = Transform.from_pose(pose), (0.3, 0.0, 0.2)
    assert X.r == axis
    whole = Transform(X.E, X.r)
    for ours, other, most in (
        (X @ s.motion(), whole @ s.motion(), 16 + 8 + 4 + 4),
        (X.T @ s.force(), whole.T @ s.force(), 16 + 8 + 4 + 4),
        (X.dual @ s.force(), whole.dual @ s.force(), 16 + 8 + 4 + 4),
    ):
        assert sum(operations(ours)) == most < sum(operations(other))
    R = Rotation.random(random_state=1).as_matrix().tolist()
    dense = Transform.from_pose(SE3(R) * Rz(s(1)[0]))
    assert dense.turns == (dense.E,)


def test_every_vector_route_gives_the_same():
    trace = Trace()
    x = trace.inputs("x", 13)
    rng = np.random.default_rng(3)
    values = dict(zip(x, rng.normal(size=13), strict=True))
    exact = Rx(0.7) * Tx(0.3) * Rz(values[x[12]]) * Tz(0.1)
    X = Transform.from_pose(Rx(0.7) * Tx(0.3) * Rz(x[12]) * Tz(0.1))
    XM = np.array(Transform.from_pose(exact).matrix(), float)
    m, f = Motion.of(x[:6]), Force.of(x[6:12])
    y, z = (np.array([values[k] for k in part]) for part in (x[:6], x[6:12]))
    for found, expected in (
        (X @ m, XM @ y),
        (X.T @ f, XM.T @ z),
        (X.dual @ f, np.linalg.inv(XM).T @ z),
    ):
        got = evaluate((found.entries,), values)[0]
        np.testing.assert_allclose(got, expected, atol=1e-13)


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("flipped", [False, True])
def test_one_symmetric_matrix_turns_about_an_axis(axis, flipped):
    """10m + 9a with nothing to share, after half a turn about another axis too."""
    trace = Trace()
    q, *a = trace.inputs("x", 7)
    pose = (Rx, Ry, Rz)[axis](q)
    flip = [-1.0 if flipped and k != (axis + 1) % 3 else 1.0 for k in range(3)]
    E = tuple(tuple(f * x for x in row) for f, row in zip(flip, pose.R, strict=True))
    found = turn_symmetric(E, tuple(a))
    assert sum(operations(found)) <= 19
    values = dict(zip((q, *a), np.random.default_rng(0).normal(size=7), strict=True))
    R = np.diag(flip) @ np.array((Rx, Ry, Rz)[axis](values[q]).R, float)
    A = np.array(full(tuple(values[x] for x in a)))
    got = np.array(evaluate(full(found), values))
    np.testing.assert_allclose(got, R @ A @ R.T, atol=1e-14)


def test_every_route_gives_the_same_inertia():
    rng = np.random.default_rng(0)
    R = Rotation.random(random_state=rng).as_matrix().tolist()
    poses = {
        "general": SE3(R, (0.1, 0.2, 0.3)) * Rz(0.4),
        "dh": Tx(0.3) * Rx(0.7) * Tz(0.2) * Rz(0.4),
        "turned": SE3([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]) * Rz(0.4),
        "flipped": Rx(1.0) * SE3(np.diag([1.0, -1.0, -1.0]).tolist(), (1.0, 0.0, 2.0)),
    }
    A = rng.normal(size=(6, 6))
    A = A @ A.T
    e = [A[i, j] for i, j in ((3, 3), (3, 4), (3, 5), (4, 4), (4, 5), (5, 5))]
    e += A[:3, 3:].ravel().tolist()
    e += [A[i, j] for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
    for name, pose in poses.items():
        trace = Trace()
        x = trace.inputs("x", 21 + 10)
        values = dict(zip(x, [*e, *rng.normal(size=10)], strict=True))
        X = symbolic(trace, pose, values)
        XM = np.array(Transform.from_pose(pose).matrix(), float)
        got = evaluate((X.T @ ArticulatedInertia.of_entries(x[:21])).matrix(), values)
        np.testing.assert_allclose(got, XM.T @ A @ XM, atol=1e-12, err_msg=name)
        rigid = Inertia.of_entries(x[21:])
        number = Inertia.of_entries([values[k] for k in x[21:]])
        got = evaluate((X.T @ rigid).matrix(), values)
        want = XM.T @ np.array(number.matrix(), float) @ XM
        np.testing.assert_allclose(got, want, atol=1e-12, err_msg=name)


def symbolic(trace, pose, values) -> Transform:
    """The transform with the elementary angles as inputs of the trace."""
    factors = []
    for kind, value in pose.factors:
        if isinstance(value, float):
            leaf = trace.input(f"q{len(values)}")
            values[leaf] = value
            value = leaf
        factors.append((kind, value))
    return Transform.from_pose(SE3.of_factors(factors))


def evaluate(matrix, values) -> np.ndarray:
    flat = [x for row in matrix for x in row]
    program = Program.of(flat, [x.value for x in values])
    found = [float(x) for x in program(*values.values())]
    return np.array(found).reshape(len(matrix), -1)


def planar_transform() -> PlanarTransform:
    return PlanarTransform(*s(4))


PLANAR = {
    "X m": (lambda: planar_transform() @ PlanarMotion(*s(3)), 6, 4),
    "X^T f": (lambda: planar_transform().T @ PlanarForce(*s(3)), 6, 4),
    "I v": (lambda: PlanarInertia(*s(4)) @ PlanarMotion(*s(3)), 7, 4),
    "IA v": (lambda: PlanarArticulatedInertia(*s(6)) @ PlanarMotion(*s(3)), 9, 6),
    "X^T I X": (lambda: (planar_transform().T @ PlanarInertia(*s(4))).entries, 8, 8),
    "X^T IA X": (
        lambda: (planar_transform().T @ PlanarArticulatedInertia(*s(6))).entries, 19, 17
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANAR)
def test_planar_counts(name):
    make, most_mul, most_add = PLANAR[name]
    mul, add = operations(make())
    assert mul + add <= most_mul + most_add, (mul, add)


def test_full_inverts_symmetric_entries():
    assert full((1, 2, 3, 4, 5, 6)) == ((1, 2, 3), (2, 4, 5), (3, 5, 6))
