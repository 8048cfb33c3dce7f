"""model.check(): what it finds, and what it leaves alone."""

import math

import numpy as np
import pytest

from knuckle import joints
from knuckle.joints import Fixed, Free, Joint, Prismatic, Revolute, Spherical
from knuckle.model import Body, Finding, Frame, Model
from knuckle.model.mass import mass_matrices
from knuckle.spatial import SE3, Inertia, Rx, Ry, Rz, Tx, Tz

LINK = Inertia(2.0, (0.1, -0.2, 0.3), [[5, 0.1, 0.2], [0.1, 6, 0.3], [0.2, 0.3, 7]])
BALL = Inertia(1.0, (0.0, 0.0, 0.1), (0.01, 0.01, 0.01))


def findings(*bodies, **more):
    return [str(f) for f in Model(list(bodies), **more).check()]


def only(found, text):
    assert len(found) == 1 and text in found[0], found
    return True


def random_tree():
    kinds = [Free(), Revolute("x", armature=0.3), joints.Cylindrical("y"), Fixed(),
             Spherical(), joints.SphericalEuler("zyx"), joints.RackAndPinion(0.2),
             Joint(lambda q: Tx(0.3) * Rz(q[0]) * Tx(q[0]) * Ry(0.4), 1)]  # fmt: skip
    parents = [None, "b0", "b1", "b1", "b3", "b3", "b5", "b0"]
    rng = np.random.default_rng(3)
    bodies = []
    for k, (joint, parent) in enumerate(zip(kinds, parents, strict=True)):
        a, b, c, d = rng.normal(size=4)
        pose, offset = Rx(a) * Tz(b) * Ry(c), Ry(d) * Tx(a)
        bodies.append(Body(f"b{k}", parent, joint, pose, LINK, offset=offset))
    return Model(bodies)


def poses(model, q):
    """World poses by the contract: placement * joint.pose(q) * offset^-1."""
    found = {None: SE3()}
    for i in model.order:
        b, p = model.bodies[i], model.joints[i]
        local = b.placement * p.joint.pose(tuple(q[p.q].tolist())) * b.offset.inverse()
        found[b.name] = found[b.parent] * local
    return found


def test_the_mass_matrix_is_the_kinetic_energy_of_finite_differences():
    model = random_tree()
    rng = np.random.default_rng(0)
    q, v, dt = model.random(rng), rng.normal(size=model.nv), 1e-5
    before, after = (poses(model, model.integrate(q, v, s * dt)) for s in (-0.5, 0.5))
    energy = 0.5 * np.sum(model.armature * v * v)
    for body in model.bodies:
        step = before[body.name].inverse() * after[body.name]
        twist = np.array(list(step.log())) / dt
        energy += 0.5 * twist @ np.array(body.inertia.matrix()) @ twist
    M = mass_matrices(model, q[None])[0]
    assert 0.5 * v @ M @ v == pytest.approx(energy, rel=1e-8)
    np.testing.assert_allclose(M, M.T, rtol=1e-12, atol=1e-12)


def test_a_sound_model_gives_nothing():
    assert random_tree().check() == []


def test_findings_read_well():
    found = Finding("note", "body 'a'", "it is odd", "look at it")
    assert str(found) == "note: body 'a': it is odd; look at it"


def test_a_singular_mass_matrix_names_the_velocity():
    rod = Inertia(1.0, (0, 0, 0.5), (0.1, 0.1, 0.0))
    text = findings(Body("rod", None, Revolute("z"), inertia=rod))
    assert only(
        text, "error: joint velocity rod: it moves no inertia: the mass matrix is"
    )
    assert "armature=" in text[0]
    assert findings(Body("rod", None, Revolute("z", armature=0.1), inertia=rod)) == []
    assert findings(Body("rod", None, Revolute("x"), inertia=rod)) == []


def test_a_singular_pair_of_joints_is_named():
    found = findings(
        Body("pin", None, Revolute("z"), inertia=None),
        Body("crank", "pin", Revolute("z"), inertia=BALL),
        Body("other", None, Revolute("z"), inertia=BALL),
    )
    assert found[0].startswith(
        "error: joint velocities pin, crank: the mass matrix is sing"
    )
    assert found[1].startswith("note: body 'pin': it is massless inside the tree")
    assert found[2].startswith("note: world: 2 mechanisms stand on it, not connected")
    assert len(found) == 3


def test_a_nearly_singular_pair_is_a_warning():
    tiny = Inertia(1e-6, (0, 0, 0), (1e-11, 1e-11, 1e-11))
    found = findings(
        Body("pin", None, Revolute("z"), inertia=tiny),
        Body("crank", "pin", Revolute("z"), inertia=Inertia(1, (1, 0, 0), (0.1,) * 3)),
    )
    assert any("nearly singular" in f and f.startswith("warning") for f in found)


def test_masses():
    heavy = Inertia(1e5, (0, 0, 0.1), (1e3, 1e3, 1e3))
    pair = (
        Body("a", None, Revolute("x"), inertia=BALL),
        Body("b", "a", Revolute("y"), inertia=heavy),
    )
    assert only(findings(*pair), "body 'b': its mass 100000 kg and 1 kg of 'a', which")
    speck = Inertia(1e-12, (0, 0, 0), (1e-13, 1e-13, 1e-13))
    found = findings(pair[0], Body("dust", None, Revolute("y"), inertia=speck))
    assert any(
        "'dust': its mass 1e-12 kg is nearly none of 1 kg in all" in f for f in found
    )
    rotor = Inertia.of(0.0, (0, 0, 0), (1, 0, 0, 1, 0, 1))
    found = findings(Body("a", None, Revolute("x"), inertia=rotor),
                     Body("b", "a", Revolute("y"), inertia=BALL))  # fmt: skip
    assert only(found, "note: body 'a': it has rotational inertia and no mass")


def test_units_of_com_and_inertia():
    far = Inertia(1.0, (120.0, 0, 0), (0.01, 0.01, 0.01))
    assert only(findings(Body("a", None, Revolute("x", armature=1), inertia=far)),
                "check the unit (mm or m)")  # fmt: skip
    wide = Inertia(1.0, (0.1, 0, 0), (1e4, 1e4, 1e4))
    found = findings(Body("a", None, Revolute("x"), inertia=wide))
    assert only(found, "a radius of gyration of 100 m, with com and joints within 0.1")
    point = Inertia(1.0, (1.0, 0, 0), (0, 0, 0))
    assert findings(Body("a", None, Revolute("z"), inertia=point)) == []


def test_rotations_that_are_nearly_exact():
    found = findings(Body("a", None, Revolute("x"), Rz(1.5707963), BALL))
    assert only(found, "note: body 'a': placement: rotation entries such as")
    found = findings(
        Body("a", None, Revolute("x"), Rz(math.pi / 2), BALL),
        frames=[Frame("f", "a", Rz(1e-7))],
    )
    assert only(found, "frame 'f': placement")


def test_joints_that_lose_a_freedom():
    twice = Joint(lambda q: Rz(q[0]) * Rz(q[1]), 2, armature=1.0)
    found = findings(Body("a", None, twice, inertia=LINK))
    assert any(
        "error: joint 'a': its 2 velocities move the body in 1 d" in f for f in found
    )
    gimbal = joints.SphericalEuler("zyz", armature=1.0)
    found = findings(Body("a", None, gimbal, inertia=LINK))
    assert only(found, "at its neutral position (0.0, 0.0, 0.0) it has 2 of 3 freedoms")


def test_limits():
    found = findings(Body("a", None, Revolute("x", lower=1, upper=2), inertia=BALL))
    assert only(found, "neutral position 0 lies outside its limits [1, 2]")
    found = findings(Body("a", None, Revolute("x", lower=1, upper=1), inertia=BALL))
    assert only(found, "its limits leave one value, 1; give it limits, or take")


def test_gravity_and_the_plane():
    flat = Inertia(1.0, (0.1, 0, 0), (1, 1, 1))
    body = Body("a", None, Revolute("z"), inertia=flat)
    assert only(
        findings(body, planar=True), "it is normal to the plane and has no effect"
    )
    assert findings(body, planar=True, gravity=(0, -9.81, 0)) == []
    assert only(findings(body, gravity=(0, 0, -9810)), "its size is 9810 m/s^2")
    high = Body("a", None, Revolute("z"), Tz(1), flat)
    found = findings(high, planar=True, gravity=(0, -9.81, 0))
    assert only(found, "a part along z, which a planar model leaves out")


def test_errors_come_first_and_large_models_are_quick():
    n = 400
    z = Prismatic("z")
    tree = [
        Body(f"b{k}", f"b{k // 2}" if k else None, z, Tx(1), LINK) for k in range(n)
    ]
    assert Model(tree).check() == []
    rod = Inertia(1.0, (0, 0, 0.5), (0.1, 0.1, 0.0))
    found = Model(
        [
            Body("a", None, Revolute("x", lower=1), inertia=BALL),
            Body("r", None, Revolute("z"), inertia=rod),
        ]
    ).check()
    assert [f.severity for f in found] == ["error", "note", "note"]


def test_what_an_unchecked_body_may_hold_is_found():
    """Files have such links; the user's word is taken, and told."""
    odd = Inertia(1.0, (0.0, 0.0, 0.1), (0.01, 0.01, 0.1))
    arm = Body("arm", None, Revolute("x"), inertia=odd, unchecked=True)
    only(findings(arm), "warning: body 'arm': inertia about the centre of mass: "
         "expected principal moments a + b >= c")  # fmt: skip
    tip = Body("tip", "arm", Revolute("x"), unchecked=True)
    found = findings(arm, tip)
    assert "error: joint velocity tip: it moves no inertia" in found[0]
    model = Model([arm, tip])
    assert model == Model(list(model.bodies)) and model.bodies[1].unchecked
