"""Changing coordinates before they become singular: pose and twist stay."""

from __future__ import annotations

import math
import pickle

import mpmath
import numpy as np
import pytest

import knuckle as kn
import mechanisms
from knuckle.joints import Joint
from knuckle.scalar import Trace

j = kn.joints
RNG = np.random.default_rng
ORDERS = ["zyx", "xyz", "yxz", "zxz", "xzx", "yzy"]
JOINTS = {
    "exp": j.SphericalExp,
    **{order: lambda order=order: j.SphericalEulerCharts(order) for order in ORDERS},
}
every = pytest.mark.parametrize("name", JOINTS)


def random_state(joint: Joint, rng: np.random.Generator, size: float) -> tuple:
    """Any coordinates, far beyond the first turn, in either chart."""
    q = rng.uniform(-size, size, joint.nq)
    if joint.nq == 4:
        q[3] = rng.integers(2)
    return q.tolist(), rng.normal(size=joint.nv).tolist()


def twist(joint: Joint, q, v) -> np.ndarray:
    return np.array(joint.motion(q, v)[3].entries, float)


def pose(joint: Joint, q) -> np.ndarray:
    return np.array(joint.pose(q).R, float)


@every
def test_pose_and_twist_stay(name: str) -> None:
    joint, rng = JOINTS[name](), RNG(1)
    changed = 0
    for _ in range(200):
        q, v = random_state(joint, rng, 7.0)
        p, u = joint.reparameterize(q, v)
        assert np.allclose(pose(joint, p), pose(joint, q), atol=1e-12)
        assert np.allclose(twist(joint, p, u), twist(joint, q, v), atol=1e-9)
        changed += tuple(p) != tuple(q)
        again = joint.reparameterize(p, u)
        assert tuple(again[0]) == tuple(p) and tuple(again[1]) == tuple(u)
    assert 20 < changed < 190


@every
def test_away_from_singular_places(name: str) -> None:
    """Afterwards the smallest singular value of S is never small."""
    joint, rng = JOINTS[name](), RNG(2)
    before, after = [], []
    for _ in range(300):
        q, v = random_state(joint, rng, 4.5)
        for place, found in ((q, before), (joint.reparameterize(q, v)[0], after)):
            S = np.array([c.entries for c in joint.subspace(place)], float)
            found.append(np.linalg.svd(S, compute_uv=False)[-1])
    assert min(after) > 0.25 > 10 * min(before) or min(after) > 0.29


@every
def test_thirty_digits(name: str) -> None:
    joint = JOINTS[name]()
    with mpmath.workdps(30):
        q = [mpmath.mpf(x) for x in ("3.1", "-4.7", "2.2")]
        if joint.nq == 4:
            q = [q[0], mpmath.mpf("1.5" if name[0] != name[2] else "3.1"), q[2], 0]
        v = [mpmath.mpf(x) for x in ("0.3", "-0.7", "1.1")]
        p, u = joint.reparameterize(q, v)
        assert list(p) != list(q)
        miss = [a - b for a, b in zip(joint.motion(p, u)[3].entries,
                                      joint.motion(q, v)[3].entries)]  # fmt: skip
        assert max(map(abs, miss)) < 1e-14


def test_rotation_vectors_by_hand() -> None:
    """(1 - 2 pi / |q|) q where |q| > 3 pi / 2, untouched below (Sueda 2.4.8)."""
    joint = j.SphericalExp()
    q, v = (0.0, 5.0, 0.0), (0.0, 0.3, 0.0)
    p, u = joint.reparameterize(q, v)
    assert np.allclose(p, (0.0, 5.0 - 2 * math.pi, 0.0)) and np.allclose(u, v)
    assert joint.reparameterize((0.0, 4.7, 0.0), v) == ((0.0, 4.7, 0.0), v)
    zero = joint.reparameterize((0.0, 0.0, 0.0), v)
    assert zero == ((0.0, 0.0, 0.0), v)
    at = joint.reparameterize((2 * math.pi, 0.0, 0.0), (1.0, 0.0, 0.0))
    assert np.allclose(at[0], 0.0, atol=1e-15) and np.isfinite(at[1]).all()


@every
def test_rows_of_a_model_change_on_their_own(name: str) -> None:
    """On arrays, beside joints that have nothing to change."""
    rng = RNG(3)
    joint = j.Composite(j.Prismatic("x"), JOINTS[name](), name="arm")
    back = j.Reversed(JOINTS[name]())
    bodies = [
        kn.Body("a", None, j.Revolute(), kn.SE3(), mechanisms.inertia(rng)),
        kn.Body("b", "a", joint, kn.SE3(p=(0, 0, 1.0)), mechanisms.inertia(rng)),
        kn.Body("c", "b", back, kn.SE3(), mechanisms.inertia(rng)),
    ]
    model = kn.Model(bodies)
    q, v = rng.uniform(-6.0, 6.0, (5, 4, model.nq)), rng.normal(size=(4, model.nv))
    if name != "exp":
        for start in (2, 6):
            q[..., start + 3] = rng.integers(0, 2, (5, 4))
    p, u = model.reparameterize(q, v)
    assert p.shape == q.shape and u.shape == (5, 4, model.nv)
    assert (p != q).any(-1).sum() > 5 and np.array_equal(p[..., :2], q[..., :2])
    for a, b in zip(kn.forward_kinematics(model, p), kn.forward_kinematics(model, q)):
        assert np.allclose(a, b, atol=1e-12)
    energy = kn.kinetic_energy(model, p, u)
    assert np.allclose(energy, kn.kinetic_energy(model, q, v), rtol=1e-9)
    alone = model.reparameterize(q[2, 1], v[1])
    assert np.array_equal(alone[0], p[2, 1]) and np.array_equal(alone[1], u[2, 1])


def test_most_joints_give_back_what_they_get() -> None:
    q, v = (0.3,), (9.0,)
    assert j.Revolute().reparameterize(q, v) == (q, v)
    assert not j.Revolute().changes_chart and j.SphericalExp().changes_chart
    assert j.Composite(j.SphericalExp(), j.Revolute()).changes_chart
    with pytest.raises(ValueError, match="v has 2 entries, expected 1"):
        j.Revolute().reparameterize(q, (1.0, 2.0))


@pytest.mark.parametrize("name", ["exp", "zyx", "zxz"])
def test_tumbling_body_keeps_its_momentum(name: str) -> None:
    """About its middle axis, through many turns and every singular place."""
    joint = JOINTS[name]()
    body = kn.Inertia(1.0, (0.0, 0.0, 0.0), (0.4, 0.6, 0.9))
    top = kn.Body("a", None, joint, inertia=body)
    model = kn.Model([top], gravity=(0, 0, 0))
    q = np.array([0.3, 1.2, 0.4, 0.0][: model.nq])
    S = np.array([c.entries[:3] for c in joint.subspace(q.tolist())], float).T
    v = np.linalg.solve(S, (0.1, 6.0, 0.3))
    momentum = kn.momentum(model, q, v)
    run, dt, changes = kn.compile(kn.forward_dynamics, model), 2e-3, 0
    tau, qdot = np.zeros(3), lambda v: np.append(v, np.zeros(model.nq - 3))
    for _ in range(5000):
        a1 = run(q, v, tau)
        v2 = v + 0.5 * dt * a1
        a2 = run(q + 0.5 * dt * qdot(v), v2, tau)
        v3 = v + 0.5 * dt * a2
        a3 = run(q + 0.5 * dt * qdot(v2), v3, tau)
        v4 = v + dt * a3
        a4 = run(q + dt * qdot(v3), v4, tau)
        q = q + dt / 6.0 * qdot(v + 2.0 * v2 + 2.0 * v3 + v4)
        v = v + dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        p, v = model.reparameterize(q, v)
        changes += bool((p != q).any())
        q = p
    assert changes > 2
    assert np.allclose(kn.momentum(model, q, v), momentum, atol=1e-6)


def test_charts_cost_nothing_in_S() -> None:
    """The motion subspace is that of the Euler angles, whatever the chart."""
    trace = Trace()
    plain, charts = j.SphericalEuler("zyx"), j.SphericalEulerCharts("zyx")
    counts = [x.motions.subspace.operations() for x in (plain, charts)]
    assert counts[0] == counts[1]
    q = trace.inputs("q", 4)
    assert plain.subspace(q[:3]).columns == charts.subspace(q).columns


def test_differences_across_charts() -> None:
    joint, rng = j.SphericalEulerCharts("zyx"), RNG(6)
    for _ in range(30):
        q0, _ = random_state(joint, rng, 1.2)
        q1, _ = random_state(joint, rng, 1.2)
        reached = joint.integrate(q0, joint.difference(q0, q1), 1.0)
        assert reached[3] == q0[3]
        assert np.allclose(pose(joint, reached), pose(joint, q1), atol=1e-12)


def test_content() -> None:
    """The rule counts: a joint that changes coordinates is another joint."""
    exp = j.SphericalExp()
    copy = pickle.loads(pickle.dumps(exp))
    q, v = (5.0, 1.0, 0.0), (0.1, 0.2, 0.3)
    assert copy == exp and copy.reparameterize(q, v) == exp.reparameterize(q, v)
    never = j.SphericalExp(reparameterize=None)
    assert never != exp and never.reparameterize(q, v) == (q, v)
    with pytest.raises(
        ValueError, match="reparameterize returned 3 numbers, expected 2"
    ):
        Joint(lambda q: kn.spatial.Rz(q[0]), 1, reparameterize=lambda q, v: (q, (0, 0)))
    with pytest.raises(ValueError, match="order is 'zzx'"):
        j.SphericalEulerCharts("zzx")


def test_a_chart_is_a_whole_number() -> None:
    rod = kn.Inertia(1.0, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    body = kn.Body("arm", None, j.SphericalEulerCharts(), inertia=rod)
    model = kn.Model([body], gravity=(0, 0, 0))
    model.validate([0.1, 0.2, 0.3, 1.0])
    with pytest.raises(ValueError, match=r"joint 'arm': expected \[0.1, 0.2, 0.3, 0.0"):
        model.validate([0.1, 0.2, 0.3, 0.4])
