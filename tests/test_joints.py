"""What single joints are: the book's tables, operation counts, content, errors."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from math import cos, pi, sin, sqrt

import numpy as np
import pytest

from knuckle import joints as j
from knuckle.joints import general
from knuckle.joints.registry import TABLE, table
from knuckle.scalar import Program, Trace, scan, where
from knuckle.spatial import SE3, Rx, Ry, Rz, Transform, Tx, Tz

E = [tuple(1.0 if i == k else 0.0 for i in range(6)) for k in range(6)]


def columns(joint, q):
    return [c.entries for c in joint.subspace(q)]


def forces(joint, q):
    T, Ta = joint.constraint_subspaces(q)
    return [f.entries for f in T], [f.entries for f in Ta]


def operations(joint):
    """How many operations R, p, S, v_J and c_J take together."""
    trace = Trace()
    R, p, S, velocity, bias = joint.motion(
        trace.inputs("q", joint.nq), trace.inputs("v", joint.nv)
    )
    ends = [*(x for row in R for x in row), *p, *velocity, *bias]
    return Program.of([*ends, *(x for c in S for x in c)]).operations()


def numpy_revolute(q):
    c, s = np.cos(q[0]), np.sin(q[0])
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])


def test_table_4_1():
    """S, T and T_a of the book's joints, entry by entry, as exact constants."""
    h = 0.25
    rows = [
        (j.Revolute(), [E[2]], [0, 1, 3, 4, 5]),
        (j.Prismatic(), [E[5]], [0, 1, 2, 3, 4]),
        (j.Cylindrical(), [E[2], E[5]], [0, 1, 3, 4]),
        (j.Planar(), [E[2], E[3], E[4]], [0, 1, 5]),
        (j.Spherical(), [E[0], E[1], E[2]], [3, 4, 5]),
        (j.Free(), E, []),
        (j.Fixed(), [], [0, 1, 2, 3, 4, 5]),
    ]
    for joint, S, T in rows:
        q = joint.random(np.random.default_rng(3)).tolist()
        assert columns(joint, q) == S, joint
        assert forces(joint, q) == ([E[k] for k in T], S), joint
    screw = j.Helical(pitch=h)
    assert columns(screw, [0.3]) == [(0.0, 0.0, 1.0, 0.0, 0.0, h)]
    T, Ta = forces(screw, [0.3])
    assert T == [E[0], E[1], E[3], E[4], (0.0, 0.0, -h, 0.0, 0.0, 1.0)]
    assert Ta == [E[2]]


def test_rack_and_pinion_of_example_4_6():
    r, q, w = 0.4, 0.7, 1.3
    R, p, S, velocity, bias = j.RackAndPinion(r).motion([q], [w])
    assert np.allclose(p, (r * q, 0, 0))
    assert np.allclose(S[0].entries, (0, 0, 1, r * cos(q), -r * sin(q), 0), atol=1e-15)
    expected = (0, 0, 0, -r * sin(q) * w * w, -r * cos(q) * w * w, 0)
    assert np.allclose(bias.entries, expected, atol=1e-15)


def test_special_cases():
    """Book check 10: pitch 0 and radius 0 give the revolute joint, by content."""
    assert j.Helical(pitch=0.0) == j.Revolute() == j.RackAndPinion(0.0)
    assert j.Helical((0.6, 0.0, 0.8)) == j.Revolute((0.6, 0.0, 0.8))
    assert j.Helical(pitch=0.1) != j.Revolute()
    assert j.Free2D() == j.Composite(j.PlanarTranslation(), j.Revolute())


def test_yaw_pitch_roll_numbers():
    """(4.7), (4.8), (4.9); singular at q2 = 90 degrees (book check 11)."""
    q, v = (0.3, -0.8, 1.1), (0.7, -1.2, 0.4)
    joint = j.SphericalEuler("zyx")
    R, p, S, velocity, bias = joint.motion(q, v)
    assert np.allclose(R, (Rz(q[0]) * Ry(q[1]) * Rx(q[2])).R)
    c2, s2, c3, s3 = cos(q[1]), sin(q[1]), cos(q[2]), sin(q[2])
    book = np.array([[-s2, 0, 1], [c2 * s3, c3, 0], [c2 * c3, -s3, 0]])
    assert np.allclose(np.transpose([c.angular for c in S]), book, atol=1e-15)
    a, b, c = v[0] * v[1], v[0] * v[2], v[1] * v[2]
    c_J = (
        -c2 * a,
        -s2 * s3 * a + c2 * c3 * b - s3 * c,
        -s2 * c3 * a - c2 * s3 * b - c3 * c,
    )
    assert np.allclose(bias.entries, (*c_J, 0, 0, 0), atol=1e-15)
    with pytest.raises(ValueError, match="linearly dependent"):
        joint.constraint_subspaces((0.3, pi / 2, 0.2))


def test_euler_parameters():
    """Book check 11: E is orthogonal, rz(theta) for (cos, 0, 0, sin), p . pdot = 0."""
    joint, theta = j.Spherical(), 0.9
    R, _ = joint.core_pose((cos(theta / 2), 0.0, 0.0, sin(theta / 2)))
    assert np.allclose(R, Rz(theta).R, atol=1e-15)
    q = np.array(joint.random(np.random.default_rng(5)))
    rate = joint.qdot(q, (0.3, -0.4, 0.5))
    assert abs(np.dot(q, rate)) < 1e-15
    p0, p1, p2, p3 = q
    G = np.array([[-p1, -p2, -p3], [p0, -p3, p2], [p3, p0, -p1], [-p2, p1, p0]])
    assert np.allclose(rate, G @ (0.3, -0.4, 0.5) / 2, atol=1e-15)  # (4.13)


def test_planar_and_free_velocities():
    """The corrected Example 4.5: v in the successor, translation in the predecessor."""
    q, v = (0.4, -0.3, 0.8), (0.5, 1.2, -0.7)
    c, s = cos(q[2]), sin(q[2])
    rate = (c * v[1] - s * v[2], s * v[1] + c * v[2], v[0])
    assert np.allclose(j.Planar().qdot(q, v), rate, atol=1e-15)
    free = j.Free()
    q = free.random(np.random.default_rng(6)).tolist()
    v = (0.1, 0.2, 0.3, 1.0, -2.0, 0.5)
    expected = np.array(free.pose(q).R) @ v[3:]
    assert np.allclose(free.qdot(q, v)[:3], expected, atol=1e-14)


def test_group_exponential_on_the_right():
    free = j.Free()
    q = free.random(np.random.default_rng(7)).tolist()
    v = (0.4, -0.2, 0.9, 1.0, 0.5, -0.3)
    got = free.pose(free.integrate(q, v, 0.5)).matrix()
    expected = (free.pose(q) * SE3.exp([0.5 * x for x in v])).matrix()
    assert np.allclose(got, expected, atol=1e-14)
    planar = j.Planar()
    q, v = (0.4, -0.3, 0.8), (0.5, 1.2, -0.7)
    got = planar.pose(planar.integrate(q, v, 2.0)).matrix()
    twist = (0.0, 0.0, 2 * v[0], 2 * v[1], 2 * v[2], 0.0)
    assert np.allclose(got, (planar.pose(q) * SE3.exp(twist)).matrix(), atol=1e-14)


def test_axes():
    """The third column of before, and the axis that stays fixed, is the one given."""
    for axis in ("x", "-x", "y", "-y", "z", "-z", (0.0, 0.6, -0.8), (0.48, 0.6, 0.64)):
        joint, turn = j.Revolute(axis), 0.7
        x, y, z = j.builtin.direction("", axis)
        assert np.allclose(joint.pose([turn]) @ (x, y, z), (x, y, z), atol=1e-15)
        trace = sum(joint.pose([turn]).R[k][k] for k in range(3))
        assert trace == pytest.approx(1 + 2 * cos(turn))
        slide = j.Prismatic(axis).pose([turn])
        assert np.allclose(slide.p, (x * turn, y * turn, z * turn), atol=1e-15)
    assert j.Revolute("x") == j.Revolute((1, 0, 0))
    assert np.allclose(j.Revolute("y").pose([0.3]).R, Ry(0.3).R)


def test_general_axis_costs_what_z_costs():
    """The frame of the axis is absorbed by before and after."""
    general = j.Revolute((0.6, 0.0, 0.8))
    assert operations(general) == operations(j.Revolute())
    assert general.core == j.Revolute().core
    assert np.allclose((general.before * general.after).R, np.eye(3), atol=1e-15)


def test_users_matrix_costs_what_the_built_in_costs():
    for pose in (
        numpy_revolute,
        lambda q: (numpy_revolute(q)[:3, :3], (0, 0, 0)),
        lambda q: Rz(q[0]),
    ):
        assert operations(j.Joint(pose, 1)) == operations(j.Revolute())
    tilt, turn = np.array(Rx(0.3).R), lambda q: numpy_revolute(q)[:3, :3]
    product = j.Joint(lambda q: (tilt @ turn(q), np.zeros(3)), 1)
    assert columns(product, [0.4]) == [E[2]]


def test_subspaces_without_arithmetic():
    assert operations(j.Universal())["mul"] == 4 + 2 + 3  # R, v_J, c_J
    for joint in (j.Universal(), j.Revolute(), j.Spherical(), j.Free(), j.Planar()):
        counts = joint.motions.subspace.operations()
        assert not set(counts) - {"sin", "cos"}, (joint, counts)
    for joint in (j.Spherical(), j.Free(), j.Planar(), j.Cylindrical()):
        assert joint.motions.bias.operations() == {}, joint


def test_matrix_and_group_give_the_same_subspace():
    """A product given as a bare matrix is as cheap: entries of S are known values."""
    rng = np.random.default_rng(8)
    shapes = {
        3: lambda q: Rz(q[0]) * Ry(q[1]) * Rx(q[2]),
        2: lambda q: Rx(q[0]) * Ry(q[1]),
        4: lambda q: Tx(q[0]) * Ry(q[1]) * Tz(q[2]) * Rx(q[3]),
    }
    for nq, pose in shapes.items():
        group = j.Joint(pose, nq)
        matrix = j.Joint(lambda q, pose=pose: (pose(q).R, pose(q).p), nq)
        q, v = rng.normal(size=nq).tolist(), rng.normal(size=nq).tolist()
        for a, b in zip(group.motion(q, v)[2:], matrix.motion(q, v)[2:], strict=True):
            a = [c.entries for c in a] if hasattr(a, "columns") else a.entries
            b = [c.entries for c in b] if hasattr(b, "columns") else b.entries
            assert np.allclose(a, b, atol=1e-13)
        both = sum(operations(group).values()), sum(operations(matrix).values())
        assert both[1] <= 1.25 * both[0]


def test_composite_is_the_chain():
    """v_J of the composite is that of massless bodies in a row."""
    rng = np.random.default_rng(9)
    parts = [j.Universal(), j.Prismatic((0.6, 0.8, 0.0)), j.Spherical()]
    whole = j.Composite(*parts)
    q, v = whole.random(rng).tolist(), rng.normal(size=whole.nv).tolist()
    pose, twist = SE3(), None
    for joint in parts:
        mine, q = q[: joint.nq], q[joint.nq :]
        rates, v_rest = v[: joint.nv], v[joint.nv :]
        moved = Transform.from_pose(joint.after) @ joint.motion(mine, rates)[3]
        X = Transform.from_pose(joint.pose(mine))
        twist = moved if twist is None else X @ twist + moved
        pose, v = pose * joint.pose(mine), v_rest
    rng = np.random.default_rng(9)
    q, v = whole.random(rng).tolist(), rng.normal(size=whole.nv).tolist()
    assert np.allclose(whole.pose(q).matrix(), pose.matrix(), atol=1e-14)
    mine = Transform.from_pose(whole.after) @ whole.motion(q, v)[3]
    assert np.allclose(mine.entries, twist.entries, atol=1e-13)
    assert whole.neutral == (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


def test_prescribed_motion():
    """pose(q, t): v_J = S v + sigma, c_J = dS/dt v + dsigma/dt (3.32, 3.41)."""
    joint = j.Joint(lambda q, t: Tx(np.sin(2 * t)) * Rz(q[0] + t * t), 1)
    q, v, t, h = [0.4], [0.7], 0.3, 1e-5
    assert joint.timed
    R, p, S, velocity, bias = joint.motion(q, v, t)
    assert columns_at(joint, q, t) == [E[2]]

    def pose(e):
        return np.array(joint.pose([q[0] + v[0] * e], t + e).matrix(), float)

    M = np.linalg.inv(pose(0)) @ (pose(h) - pose(-h)) / (2 * h)
    expected = (M[2, 1], M[0, 2], M[1, 0], *M[:3, 3])
    assert np.allclose(velocity.entries, expected, atol=1e-8)

    def twist(e):
        return np.array(joint.motion([q[0] + v[0] * e], v, t + e)[3].entries, float)

    slope = (twist(h) - twist(-h)) / (2 * h)
    assert np.allclose(bias.entries, slope, atol=1e-8)
    with pytest.raises(TypeError, match="depends on time: pass t"):
        joint.pose(q)


def columns_at(joint, q, t):
    return [c.entries for c in joint.subspace(q, t)]


def test_prescribed_joint_without_freedom():
    """A rheonomic 0-dof joint; a reversed and a composite one take t as well."""
    lift = j.Joint(lambda q, t: Tz(0.5 * t * t), 0)
    R, p, S, velocity, bias = lift.motion((), (), 0.8)
    assert len(S) == 0 and p == (0.0, 0.0, 0.5 * 0.8 * 0.8)
    assert velocity.entries == (0, 0, 0, 0, 0, 0.8) and bias.entries == E[5]
    both = j.Composite(lift, j.Revolute())
    assert both.timed and np.allclose(both.pose([0.2], 0.8).p, p)
    back = j.Reversed(lift)
    assert np.allclose(back.pose((), 0.8).p, (0, 0, -p[2]))


def test_newton_difference():
    """A joint that gives integrate alone still has its difference."""
    given = j.Spherical()
    joint = j.Joint(
        lambda q: SE3(j.builtin.to_rotation(q)),
        4,
        3,
        lambda q, v, dt: given.integrate(q, v, dt),
        neutral=(1, 0, 0, 0),
    )
    rng = np.random.default_rng(10)
    q, v = given.random(rng).tolist(), (0.4, -0.5, 0.6)
    assert np.allclose(joint.difference(q, given.integrate(q, v, 1.0)), v, atol=1e-12)
    assert columns(joint, q) == [E[0], E[1], E[2]]


def test_piecewise_poses_are_not_guessed():
    """Two branches that agree where samples fall must both survive."""
    joint = j.Joint(lambda q: Tx(where(q[0] > 50.0, 3.0 * q[0], q[0])), 1)
    assert joint.subspace([60.0])[0].entries[3] == 3.0
    assert joint.subspace([1.0])[0].entries[3] == 1.0


def test_loops_and_narrow_domains():
    """A pose with a scan; a domain that only the limits tell."""
    horner = j.Joint(lambda q: Tz(scan(lambda k, x: [x * q[0] + 1.0], [q[0]], 3)[0]), 1)
    x = 0.3
    slope = horner.subspace([x])[0].entries[5]
    assert slope == pytest.approx(1 + 2 * x + 4 * x**3)
    deep = j.Joint(lambda q: Tz(np.sqrt(q[0] - 7.0)), 1, lower=7.0, upper=8.0)
    assert deep.subspace([7.25])[0].entries[5] == pytest.approx(1.0)


def test_small_mechanisms_keep_their_size():
    """A lever of a nanometre is no zero, and its sine no cosine."""
    r = 1e-9
    S = j.RackAndPinion(r).subspace([0.3])[0].entries
    assert S[3] == pytest.approx(r * cos(0.3), rel=1e-12)
    assert S[4] == pytest.approx(-r * sin(0.3), rel=1e-12)


def test_numpy_on_whole_coordinate_arrays():
    a = np.array([0.3, -0.2, 0.5])
    joint = j.Joint(lambda q: (np.eye(3), np.sin(q) * a + q @ q * a), 3)
    q = np.array([0.2, 0.4, -0.3])
    assert np.allclose(joint.pose(q).p, np.sin(q) * a + q @ q * a)


def test_physical_data():
    joint = j.Universal(armature=0.1, damping=(0.2, 0.3), lower=-1, upper=(1, 2))
    assert joint.armature == (0.1, 0.1) and joint.damping == (0.2, 0.3)
    assert joint.upper == (1.0, 2.0) and joint.effort_limit == (np.inf, np.inf)
    assert joint.rest == joint.neutral and joint != j.Universal()
    q = joint.random(np.random.default_rng(11), 200)
    assert (q >= -1).all() and (q[:, 0] <= 1).all() and q[:, 1].max() > 1
    assert j.Reversed(joint).damping == joint.damping
    both = j.Composite(joint, j.Revolute(friction=0.5))
    assert both.damping == (0.2, 0.3, 0.0) and both.friction == (0.0, 0.0, 0.5)
    assert j.Composite(joint, damping=1.0).damping == (1.0, 1.0)
    assert j.Spherical(rest=(0, 1, 0, 0)).rest == (0.0, 1.0, 0.0, 0.0)
    one_sided = j.Prismatic(lower=2.0).random(np.random.default_rng(1), 50)
    assert (one_sided >= 2.0).all()


def test_a_lambda_pickles_into_a_fresh_process(tmp_path):
    scale = 0.3
    joint = j.Joint(lambda q: Tx(scale * q[0]) * Rz(np.sin(q[0])), 1, damping=0.5)
    path = tmp_path / "joint.pickle"
    path.write_bytes(pickle.dumps(joint))
    code = (
        "import pickle, sys; joint = pickle.load(open(sys.argv[1], 'rb')); "
        "print(joint.digest, hash(joint) == hash(joint.digest), "
        "joint.core_pose([0.7])[1][0].hex())"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ).stdout.split()
    assert out == [joint.digest, "True", float(joint.core_pose([0.7])[1][0]).hex()]


def test_joints_are_frozen():
    joint = j.Revolute()
    with pytest.raises(AttributeError, match="frozen"):
        joint.damping = (1.0,)
    with pytest.raises(AttributeError, match="frozen"):
        del joint.nq


def test_table_lists_every_joint():
    text = table()
    both = text + table(general.TABLE)
    for name in set(j.__all__) - {"Joint", "REGISTRY", "GENERAL", "curves", "surfaces"}:
        assert f"`{name}(" in both
        assert name in ("Reversed",) or name in {**j.REGISTRY, **j.GENERAL}
    assert "| 7 | 6 |" in text and len(text.splitlines()) == len(TABLE) + 2
    for row in (*TABLE, *general.TABLE):
        assert len(row.units.split(",")) <= max(1, row.example().nq)


STRETCHED = [[2.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 1.0]]
MIRROR = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]]

MISTAKES = [
    (lambda: j.Revolute((1, 1, 0)), ValueError, r"length 1.41421356.*axis=\(0.7071"),
    (lambda: j.Revolute((0, 0, 0)), ValueError, "expected a unit vector"),
    (lambda: j.Revolute("w"), ValueError, "axis is 'w'"),
    (lambda: j.Revolute(3), ValueError, "axis is 3, expected a unit vector"),
    (lambda: j.Prismatic((0, "1", None)), ValueError, "expected a unit vector"),
    (
        lambda: j.Joint(lambda q: Rz(q[0]), "1"),
        TypeError,
        "nq is '1', expected a whole",
    ),
    (
        lambda: j.Joint(lambda q: Rz(q[0]), 1, 1.0),
        TypeError,
        "nv is 1.0, expected a wh",
    ),
    (lambda: j.SphericalEuler("xxy"), ValueError, "no two equal ones"),
    (lambda: j.Joint(lambda q: Rz(q[1]), 1), IndexError, "nq = 1"),
    (lambda: j.Joint(lambda q: 3.0, 1), TypeError, "returned float, expected an SE3"),
    (
        lambda: j.Joint(lambda q: (np.eye(3), q), 1),
        TypeError,
        "pose returned tuple, .* expected R 3x3 and p 3, got 3 x 3 and 1",
    ),
    (lambda: j.Joint(lambda: SE3(), 0), TypeError, "takes 0 required arguments"),
    (lambda: j.Joint(Rz(0.0), 0), TypeError, "pose is SE3, expected a function"),
    (
        lambda: j.Joint(lambda q: (STRETCHED, (q[0], 0, 0)), 1, name="belt"),
        ValueError,
        "'belt': the pose is no rigid motion.*is 4, expected 1",
    ),
    (lambda: j.Joint(lambda q: (MIRROR, (q[0], 0, 0)), 1), ValueError, "reflection"),
    (
        lambda: j.Joint(lambda q: Tx(np.sqrt(q[0] - 9)), 1),
        ValueError,
        "not finite around",
    ),
    (lambda: j.Joint(lambda q: Rz(q[0]), 2, 1), ValueError, "give integrate="),
    (
        lambda: j.Joint(lambda q: Rz(q[0]), 2, 1, lambda q, v, dt: q),
        ValueError,
        "give neutral=",
    ),
    (
        lambda: j.Joint(lambda q: Rz(q[0]), 1, 1, lambda q, v, dt: q + v * (dt + 1)),
        ValueError,
        r"integrate\(q, v, 0\) is",
    ),
    (
        lambda: j.Joint(lambda q: Rz(q[0]), 1, 1, lambda q, v, dt: q + v * v * dt),
        ValueError,
        "not linear in v",
    ),
    (
        lambda: j.Joint(lambda q: Rz(q[0]), 1, 1, lambda q, v, dt: (q[0], 1.0)),
        ValueError,
        "integrate returned 2 numbers, expected 1",
    ),
    (
        lambda: j.Joint(lambda q: Rz(q[0]), 1, subspace=lambda q: [E[1]]),
        ValueError,
        "offered subspace is wrong: column 0, row 1",
    ),
    (lambda: j.Joint(lambda q: Rz(q[0]) * Tx(q[1]), 3), ValueError, "velocity 2 moves"),
    (lambda: j.Revolute(damping=-1), ValueError, "'Revolute': damping is -1.0"),
    (lambda: j.Revolute(armature=float("nan")), ValueError, "armature is nan"),
    (lambda: j.Revolute(damping=(1, 2)), ValueError, "damping has 2 values"),
    (lambda: j.Revolute(damping="big"), TypeError, "damping is 'big'"),
    (lambda: j.Revolute(lower=2, upper=1), ValueError, "swap the limits"),
    (lambda: j.Spherical(lower=-1), ValueError, "leave them out"),
    (lambda: j.Spherical(rest=0), ValueError, "rest is one number, expected 4"),
    (lambda: j.Revolute(mass=1), TypeError, "mass"),
    (lambda: j.Composite(j.Revolute), TypeError, "argument 0 is function"),
    (lambda: j.Composite(j.Free(), j.Revolute()), ValueError, "nv = 7"),
    (lambda: j.Revolute().pose([0.1, 0.2]), ValueError, "q has 2 entries, expected 1"),
]


@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_errors_tell_the_repair(number):
    call, kind, text = MISTAKES[number]
    with pytest.raises(kind, match=text):
        call()


def test_traced_if_is_told_with_the_joint():
    def pose(q):
        return Rz(q[0]) if q[0] > 0 else Rz(-q[0])

    with pytest.raises(TypeError, match="where") as caught:
        j.Joint(pose, 1, name="cam")
    assert "joint 'cam'" in "".join(caught.value.__notes__)


def test_free_axis_of_unit_quaternion_length_is_repaired():
    long = [2.0, 0.0, 0.0, 2.0]
    assert np.allclose(j.Spherical().normalize(long), (sqrt(0.5), 0, 0, sqrt(0.5)))


def test_a_joint_may_start_elsewhere() -> None:
    """`neutral` is where a Model starts, and where springs rest unless told."""
    half = (0.5, 0.5, 0.5, 0.5)
    ball = j.Spherical(neutral=half)
    assert ball.neutral == ball.rest == half
    free = j.Free(neutral=(1.0, 2.0, 3.0, *half))
    assert free.neutral == (1.0, 2.0, 3.0, *half)
    hinge = j.Revolute("x", neutral=(0.3,))
    both = j.Composite(hinge, ball)
    assert both.neutral == (0.3, *half)
    assert j.Composite(hinge, neutral=(0.7,)).neutral == (0.7,)
    assert ball != j.Spherical()


def test_a_reversed_joint_takes_the_keywords_of_any_joint():
    hinge = j.Revolute("z")
    joint = j.Reversed(hinge, neutral=(0.3,), damping=2.0, name="hinge")
    assert joint.neutral == (0.3,) and joint.damping == (2.0,)
    assert joint.name == "hinge"
