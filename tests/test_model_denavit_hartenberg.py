"""Denavit-Hartenberg rows (Featherstone Sec. 4.3; check 14 of the book notes)."""

import numpy as np
import pytest

import knuckle as kn
from knuckle.joints import Revolute
from knuckle.model import Body, Model, ModelError, Row, from_denavit_hartenberg
from knuckle.model.mass import mass_matrices, world_motions
from knuckle.spatial import SE3, Inertia, Rx, Ry, Rz, Tx, Ty, Tz

PUMA = [  # a, alpha, d, theta as in Craig, modified
    (0.0, 0.0, 0.0, 0.0),
    (0.0, -np.pi / 2, 0.0, 0.3),
    (0.4318, 0.0, 0.15, 0.0),
    (0.0203, -np.pi / 2, 0.4318, 0.0),
    (0.0, np.pi / 2, 0.0, -0.7),
    (0.1, -np.pi / 2, 0.2, 0.0),
]
LINK = Inertia(2.0, (0.1, -0.2, 0.3), [[5, 0.1, 0.2], [0.1, 6, 0.3], [0.2, 0.3, 7]])


def matrix(*factors):
    total = np.eye(4)
    for factor in factors:
        total = total @ np.array(factor.matrix())
    return total


def body_poses(model, q):
    _, poses = world_motions(model, q[None])
    out = []
    for R, p in poses:
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = R[0], p[0]
        out.append(T)
    return out


@pytest.mark.parametrize("convention", ["modified", "classic"])
def test_poses_are_the_products_of_the_table(convention):
    model = from_denavit_hartenberg(PUMA, convention=convention, base=Ry(0.2) * Tz(1))
    q = np.random.default_rng(0).normal(size=6)
    T = matrix(Ry(0.2) * Tz(1))
    for (a, alpha, d, theta), angle, got in zip(
        PUMA, q, body_poses(model, q), strict=True
    ):
        x, z = matrix(Rx(alpha), Tx(a)), matrix(Rz(theta + angle), Tz(d))
        T = T @ (x @ z if convention == "modified" else z @ x)
        np.testing.assert_allclose(got, T, atol=1e-14)


def test_the_book_form_of_the_first_transform():
    """xlt([a 0 d]) rotx(alpha) rotz(theta_0) xlt([0 0 d_0]), read right to left."""
    row = Row(0.3, 0.5, 0.7)
    model = from_denavit_hartenberg([row], base=Rz(0.9) * Tz(0.4))
    (got,) = body_poses(model, np.zeros(1))
    want = matrix(Tz(0.4), Rz(0.9), Rx(0.5), SE3(p=(0.3, 0.0, 0.7)))
    np.testing.assert_allclose(got, want, atol=1e-15)


def test_joint_kinds():
    rows = [
        Row(0.1, 0.2, 0.3, 0.4, "prismatic"),
        Row(0.1, 0.2, 0.3, 0.4, "cylindrical"),
        Row(0.1, 0.2, 0.3, 0.4, "helical", 0.05),
        Row(0.1, 0.2, 0.3, 0.4, Revolute("z", armature=1.0)),
    ]
    model = from_denavit_hartenberg(rows)
    assert (model.nq, model.armature[-1]) == (5, 1.0)
    q = np.array([0.5, 0.6, 0.7, 0.8, 0.9])
    moves = [(0, 0.5), (0.6, 0.7), (0.8, 0.04), (0.9, 0)]
    T = np.eye(4)
    for (angle, length), got in zip(moves, body_poses(model, q), strict=True):
        T = T @ matrix(Rx(0.2), Tx(0.1), Rz(0.4 + angle), Tz(0.3 + length))
        np.testing.assert_allclose(got, T, atol=1e-14)


def test_one_robot_in_both_conventions_has_one_mass_matrix():
    """Modified row i holds a, alpha of classic row i - 1: only frames change."""
    classic = [(0.1, 0.4, 0.2, 0.1), (0.5, -1.2, 0.1, 0.2), (0.3, 0.8, 0.2, 0.3)]
    modified = [(0.0, 0.0, 0.2, 0.1), (0.1, 0.4, 0.1, 0.2), (0.5, -1.2, 0.2, 0.3)]
    one = from_denavit_hartenberg(classic, [LINK] * 3, convention="classic")
    moved = []
    for a, alpha, _, _ in classic:  # from the distal frame to the proximal one
        pose = Rx(alpha) * Tx(a)
        R, com = np.array(pose.R), pose @ LINK.com
        moved.append(Inertia(LINK.mass, com, R @ np.array(LINK.I_com) @ R.T))
    two = from_denavit_hartenberg(modified, moved)
    q = np.random.default_rng(0).normal(size=(5, 3))
    np.testing.assert_allclose(mass_matrices(one, q), mass_matrices(two, q), atol=1e-13)


def test_4n_plus_6_parameters_locate_the_tool():
    """theta_0 and d_0, then a row per joint, then the row of the tool."""
    base, row, tool = (0.3, 0.2), (0.1, 0.2, 0.3, 0.4), (0.5, 0.6, 0.7, 0.8)
    assert len(base) + len(row) + len(tool) == 4 * 1 + 6
    model = from_denavit_hartenberg([row], base=Rz(base[0]) * Tz(base[1]), tool=tool)
    frame = model.frame("tool")
    assert frame.body == "link1"
    want = matrix(Rx(0.6), Tx(0.5), Rz(0.8), Tz(0.7))
    np.testing.assert_allclose(frame.placement.matrix(), want, atol=1e-15)
    other = from_denavit_hartenberg([row], convention="classic", tool=tool)
    want = matrix(Rz(0.8), Tz(0.7), Tx(0.5), Rx(0.6))
    np.testing.assert_allclose(other.frame("tool").placement.matrix(), want, atol=1e-15)


def test_names_defaults_and_errors():
    model = from_denavit_hartenberg(PUMA[:2], names=["a", "b"], gravity=(0, 0, 0))
    assert isinstance(model, Model) and model.support("b") == ("a", "b")
    assert model.gravity == (0.0, 0.0, 0.0) and model.body("a").inertia.mass == 1.0
    assert model.check() == []
    with pytest.raises(ModelError, match="convention 'craig': expected 'modified'"):
        from_denavit_hartenberg(PUMA, convention="craig")
    with pytest.raises(ModelError, match="names: expected one per row, 6, got 1"):
        from_denavit_hartenberg(PUMA, names=["a"])
    with pytest.raises(
        ModelError, match=r"rows\[0\]: joint: .* did you mean 'revolute'"
    ):
        from_denavit_hartenberg([(0, 0, 0, 0, "revolut")])


def test_offset_of_the_classic_convention_is_the_link_end():
    model = from_denavit_hartenberg([(0.5, 0.0, 0.0, 0.0)], convention="classic")
    assert model.bodies[0].offset.p == (-0.5, 0.0, 0.0)
    assert (Ty(0) * model.bodies[0].placement).p == (0.0, 0.0, 0.0)


def test_dynamics_equal_those_of_the_same_robot_written_out():
    """Check 14: links placed by hand from the table, then ID and FD of both."""
    rng = np.random.default_rng(4)
    links = [LINK] * len(PUMA)
    table = from_denavit_hartenberg(PUMA, links)
    bodies = []
    for k, (a, alpha, d, theta) in enumerate(PUMA):
        T = matrix(Rx(alpha), Tx(a), Tz(d), Rz(theta))
        placement = SE3(T[:3, :3], T[:3, 3])
        parent = f"link{k}" if k else None
        bodies.append(Body(f"link{k + 1}", parent, Revolute("z"), placement, LINK))
    written = Model(bodies)
    q, v, a = rng.normal(size=(3, 6))
    one, two = (
        kn.interpret(kn.inverse_dynamics, model)(q, v, a) for model in (table, written)
    )
    np.testing.assert_allclose(one, two, rtol=1e-12)
    back = kn.interpret(kn.forward_dynamics, table)(q, v, two)
    np.testing.assert_allclose(back, a, rtol=1e-10)
