"""Moments of mass, and which of them a joint does not feel (Featherstone Sec. 9.7)."""

from __future__ import annotations

import numpy as np
import pytest

import knuckle as kn
import mechanisms
from knuckle.joints import REGISTRY
from knuckle.model.axes import axis_of, rotation
from knuckle.model.felt import felt_by
from knuckle.model.moments import (
    HELD,
    effort,
    inertia_of,
    moments_of,
    slid,
    turned,
    unfelt_by,
)
from knuckle.model.view import View
from knuckle.spatial import SE3, Rz, Transform, Tz

J = kn.joints
NAMES = ("m", "hx", "hy", "hz", "xx", "xy", "xz", "yy", "yz", "zz")
SIGMA = {"xx", "xy", "xz", "yy", "yz", "zz"}


def names(joint: kn.Joint) -> set[str]:
    return {name for name, free in zip(NAMES, unfelt_by(joint), strict=True) if free}


def test_table_9_7_and_the_other_joints() -> None:
    assert names(J.Revolute("z")) == {"m", "hz", "zz"}
    assert names(J.Revolute("-x")) == {"m", "hx", "xx"}
    assert names(J.Prismatic("y")) == SIGMA
    assert (
        names(J.Spherical()) == names(J.SphericalExp()) == names(J.Universal()) == {"m"}
    )
    assert names(J.Cylindrical("z")) == names(J.Helical("z", 0.1)) == {"zz"}
    assert names(J.Translational()) == SIGMA
    assert names(J.Planar()) == {"zz"}
    assert names(J.Free()) == set()


def test_a_prescribed_motion_is_felt() -> None:
    assert names(kn.Joint(lambda q, t: Rz(q[0]) * Tz(t), 1)) == {"zz"}


@pytest.mark.parametrize("kind", REGISTRY)
def test_what_is_not_felt_may_be_on_either_side(kind: str) -> None:
    """M and the forces of a pair of bodies do not change; with any other moment they
    do, unless two are felt alike."""
    joint = REGISTRY[kind](np.random.default_rng(5))
    if not joint.nv or joint.timed:
        return
    for k, free in enumerate(unfelt_by(joint)):
        unit = inertia_of([0.01 * (j == k) for j in range(10)])
        found = [forces(joint, unit, on_parent) for on_parent in (False, True)]
        gap = mechanisms.error(*found)
        assert (gap < 1e-13) == free, (kind, NAMES[k], gap)


def forces(joint: kn.Joint, extra: kn.Inertia, on_parent: bool) -> np.ndarray:
    """ID of two bodies and this joint, one of them with a bit more inertia."""
    rng = np.random.default_rng(1)
    place, parent, child = (
        mechanisms.placement(rng),
        *map(mechanisms.inertia, [rng] * 2),
    )
    if on_parent:
        core = SE3(*joint.core_pose(joint.neutral))
        parent += Transform.from_pose(place * joint.before * core).T @ extra
    else:
        child += Transform.from_pose(joint.after.inverse()).T @ extra
    base = kn.Body("base", None, J.Free(), inertia=parent, unchecked=True)
    model = kn.Model(
        [base, kn.Body("tip", "base", joint, place, child, unchecked=True)]
    )
    return kn.interpret(kn.inverse_dynamics, model)(*mechanisms.state(model, 3))


def test_moments_and_back() -> None:
    inertia = mechanisms.inertia(np.random.default_rng(0))
    again = inertia_of(moments_of(inertia))
    np.testing.assert_allclose(again.entries, inertia.entries, rtol=1e-14)
    cloud = np.random.default_rng(1).normal(size=(5, 3))
    total = sum(
        (kn.Inertia(2.0, x, (0.0, 0.0, 0.0)) for x in cloud[1:]),
        kn.Inertia(2.0, cloud[0], (0.0, 0.0, 0.0)),
    )
    second = 2.0 * cloud.T @ cloud
    expected = [10.0, *2.0 * cloud.sum(0), *second[np.triu_indices(3)]]
    np.testing.assert_allclose(moments_of(total), expected, atol=1e-13)


@pytest.mark.parametrize("k", range(3))
def test_moments_from_a_frame_that_has_moved(k: int) -> None:
    inertia = mechanisms.inertia(np.random.default_rng(k))
    turn, slide = 0.7, -0.4
    screw = SE3(rotation(k, turn), [slide * (j == k) for j in range(3)])
    pulled = Transform.from_pose(screw.inverse()).T @ inertia
    found = slid(turned(moments_of(inertia), k, turn), k, slide)
    np.testing.assert_allclose(found, moments_of(pulled), atol=1e-14)


def test_effort_counts_what_is_felt() -> None:
    full = moments_of(mechanisms.inertia(np.random.default_rng(0)))
    assert effort((0.0,) * 10, HELD) == 0
    unfelt = unfelt_by(J.Revolute("z"))
    assert 0 < effort(full, unfelt) < effort(full, HELD)


def test_axes_along_which_frames_may_move() -> None:
    assert axis_of(J.Revolute("y")) == (1, 1.0)
    assert axis_of(J.Revolute("-y")) == (1, -1.0)
    assert axis_of(J.Prismatic("x")) == (0, 0.0)
    assert axis_of(J.Cylindrical("x")) == (0, 0.0)
    assert axis_of(J.Helical("z", 0.2)) == (2, 0.0)
    for kind in (J.Free, J.Spherical, J.Universal, J.Planar):
        assert axis_of(kind()) is None
    assert axis_of(J.RackAndPinion(0.1)) is None


def pendulum(sparse: bool) -> kn.Model:
    """A rod on a body without mass, or two full bodies."""
    rng = np.random.default_rng(0)
    place = kn.SE3(mechanisms.rotation(rng), (0.1, 0.2, 0.3))
    cart, rod = mechanisms.inertia(rng), mechanisms.inertia(rng)
    if sparse:
        cart, rod = None, kn.Inertia(1.0, (0.2, 0.0, 0.0), (0.0, 0.1, 0.1))
    first = kn.Body("cart", None, J.Universal(), inertia=cart)
    return kn.Model([first, kn.Body("rod", "cart", J.Revolute("z"), place, rod)])


@pytest.mark.parametrize("sparse", [False, True])
def test_mass_that_would_fill_zeros_stays(sparse: bool) -> None:
    """The moments of a rod in a massless parent would cost more than they save."""
    view = View(pendulum(sparse), reduced=False)
    felt = felt_by(view.bodies)
    cart, rod = view.bodies
    assert (felt[cart].entries == cart.inertia.entries) == sparse
    assert (felt[rod].mass == 0.0) == (not sparse)


def test_total_mass_is_shared_not_lost() -> None:
    """On a free base nothing goes to the world."""
    rng = np.random.default_rng(3)
    bodies = [kn.Body("base", None, J.Free(), inertia=mechanisms.inertia(rng))]
    for k in range(4):
        ends = mechanisms.placement(rng), mechanisms.inertia(rng)
        parent = bodies[-1].name
        bodies.append(kn.Body(f"link{k}", parent, J.Revolute("z"), *ends))
    model = kn.Model(bodies)
    view = View(model)
    mass = sum(body.rigid.mass for body in model.bodies)
    assert abs(sum(i.felt.mass for i in view.bodies) - mass) < 1e-12
    assert abs(sum(i.inertia.mass for i in view.bodies) - mass) < 1e-12
    assert [i.felt.mass for i in view.bodies[1:]] == [0.0] * 4
