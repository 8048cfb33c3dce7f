"""The Model: layout, numbering, content, exactness, immutability."""

import math
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from knuckle import joints
from knuckle import model as kn_model
from knuckle.joints import Fixed, Free, Joint, Revolute, Spherical
from knuckle.model import Body, Frame, Model, ModelError
from knuckle.spatial import SE3, Inertia, Rx, Rz, Tx, Tz

LINK = Inertia(2.0, (0.1, -0.2, 0.3), (0.5, 0.6, 0.7))


def backwards():
    """A tree declared leaves first."""
    return Model(
        [
            Body("hand", "arm", Spherical(), Tz(0.5), LINK, joint_name="wrist"),
            Body("arm", "trunk", Revolute("z", armature=0.1), Rz(math.pi / 2), LINK),
            Body("pad", "hand", Fixed(), Tx(0.1)),
            Body("trunk", None, Free(), inertia=LINK),
            Body("cart", None, Revolute("x", lower=-1, upper=2), inertia=LINK),
        ],
        [Frame("tip", "hand", Tx(0.2)), Frame("mark", None)],
    )


def test_q_and_v_follow_the_declaration_and_the_numbering_is_regular():
    m = backwards()
    assert (m.nq, m.nv) == (13, 11)
    assert m.q_names[:5] == ("wrist[0]", "wrist[1]", "wrist[2]", "wrist[3]", "arm")
    assert m.v_names[3:5] == ("arm", "trunk[0]") and m.v_names[-1] == "cart"
    assert m.joint("trunk").q == slice(5, 12) and m.joint("trunk").v == slice(4, 10)
    assert m.joint("wrist").body == m.body("hand")
    assert m.parents == (1, 3, 0, -1, -1) and m.order == (3, 1, 0, 2, 4)
    place = {i: k for k, i in enumerate(m.order)}
    assert all(p < 0 or place[p] < place[i] for i, p in enumerate(m.parents))


def test_sets_by_name():
    m = backwards()
    assert m.support("pad") == ("trunk", "arm", "hand", "pad")
    assert m.children("world") == ("trunk", "cart") and m.children("arm") == ("hand",)
    assert m.subtree_bodies("arm") == ("hand", "arm", "pad")
    assert m.support("world") == ()
    assert set(m.subtree_bodies(m.world)) == {b.name for b in m.bodies}


def test_names_that_are_not_there_are_told_with_near_ones():
    m = backwards()
    with pytest.raises(
        ModelError, match="joint 'wirst': no such joint; did you mean 'wr"
    ):
        m.joint("wirst")
    with pytest.raises(
        ModelError, match="body 'legs': no such body; the bodies are 'hand'"
    ):
        m.body("legs")
    with pytest.raises(
        ModelError, match="frame 'tpi': no such frame; did you mean 'tip'"
    ):
        m.frame("tpi")
    assert m.frame("tip").body == "hand" and m.frame("hand").body == "hand"
    assert m.frame("world").body is None


def test_joint_quantities_are_read_only_arrays_over_v():
    m = backwards()
    assert m.armature.shape == m.lower.shape == m.rest.shape == (11,)
    assert m.armature[3] == 0.1 and m.armature.sum() == 0.1
    assert m.lower[-1] == -1 and m.upper[-1] == 2 and m.upper[0] == np.inf
    with pytest.raises(ValueError, match="read-only"):
        m.damping[0] = 1.0


def test_rest_of_a_spherical_joint_is_the_step_from_neutral():
    half = 0.25
    q = (math.cos(half), 0.0, math.sin(half), 0.0)
    m = Model([Body("b", None, Spherical(stiffness=1.0, rest=q), inertia=LINK)])
    np.testing.assert_allclose(m.rest, [0.0, 0.5, 0.0], atol=1e-15)


def test_a_model_never_changes():
    m = backwards()
    with pytest.raises(AttributeError, match=r"Model.gravity.*model.replace\(gravity="):
        m.gravity = (0, 0, 0)
    with pytest.raises(AttributeError, match="never changes"):
        del m.bodies
    with pytest.raises(TypeError):
        m.parameters["x"] = 1
    moon = m.replace(gravity=(0, 0, -1.62))
    assert moon.gravity == (0.0, 0.0, -1.62) and m.gravity[2] == -9.81 and moon != m
    with pytest.raises(ModelError, match="did you mean 'gravity'"):
        m.replace(gravty=1)


def test_what_the_user_gave_is_copied():
    R, p = np.eye(3), np.array([1, 2, 3])
    bodies = [Body("b", None, Revolute("z"), SE3(R, p), LINK)]
    m = Model(bodies)
    R[0, 0], p[0] = 7, 7
    bodies.append(None)
    assert m.bodies[0].placement.p == (1.0, 2.0, 3.0)
    assert all(type(x) is float for x in m.bodies[0].placement.p)
    assert len(m.bodies) == 1


def test_rotations_are_made_exact():
    m = Model([Body("b", None, Revolute("z"), Rz(math.pi / 2) * Rx(-math.pi), LINK)])
    assert m.bodies[0].placement.R == ((0, 1, 0), (1, 0, 0), (0, 0, -1))
    tilted = Model([Body("b", None, Revolute("z"), Rx(1e-9), LINK)])
    assert tilted.bodies[0].placement.R[2][1] == pytest.approx(1e-9)


def test_world_as_parent_is_the_same_as_none():
    a = Model([Body("b", None, Revolute("z"), inertia=LINK)])
    b = Model([Body("b", "world", Revolute("z"), inertia=LINK)])
    assert a == b and b.bodies[0].parent is None


CHANGES = {
    "name": {"name": "c"},
    "joint": {"joint": Revolute("x")},
    "armature": {"joint": Revolute("z", armature=1)},
    "placement": {"placement": Tx(1e-16)},
    "offset": {"offset": Tx(0.1)},
    "inertia": {"inertia": Inertia(2.0, (0.1, -0.2, 0.3), (0.5, 0.6, 0.7 + 2e-16))},
    "joint_name": {"joint_name": "j"},
    "visuals": {"visuals": ("box",)},
    "collisions": {"collisions": (np.zeros(2),)},
}
BASE = {"name": "b", "parent": None, "joint": Revolute("z"), "inertia": LINK}


@pytest.mark.parametrize("change", CHANGES)
def test_every_content_counts(change):
    base = Model([Body(**BASE)])
    other = Model([Body(**{**BASE, **CHANGES[change]})])
    assert base != other and base.digest != other.digest and hash(base) != hash(other)
    assert other == Model([Body(**{**BASE, **CHANGES[change]})])


def test_gravity_frames_and_planarity_count():
    base = Model([Body(**BASE)])
    others = [
        base.replace(gravity=(0, 0, -9.8)),
        base.replace(frames=[Frame("f", "b")]),
        base.replace(frames=[Frame("f", None)]),
        base.replace(planar=True),
        base.with_parameters("gravity"),
    ]
    assert len({base, *others}) == 6
    assert base.replace(gravity=(-0.0, 0, -9.81)) == base


def test_a_lambda_counts_by_its_trace():
    def build(function):
        return Model([Body("b", None, Joint(function, 1), inertia=LINK)])

    one = build(lambda q: Rz(q[0]) * Tz(0.1 * q[0]))
    two = build(lambda angle: Rz(angle[0]) * Tz(0.1 * angle[0]))
    assert one == two and hash(one) == hash(two)
    assert one != build(lambda q: Rz(q[0]) * Tz(0.2 * q[0]))
    assert one != "a string" and one.bodies[0] == two.bodies[0]


def test_pickle_keeps_content_and_leaves_the_kernels():
    m = backwards().with_parameters("*.mass", "gravity")
    m._kernels["k"] = object()
    again = pickle.loads(pickle.dumps(m))
    assert again == m and again is not m and again._kernels == {}
    assert tuple(again.parameters) == tuple(m.parameters)
    assert again.q_names == m.q_names
    assert np.array_equal(again.armature, m.armature)


SCRIPT = """
import pickle, sys
m = pickle.loads(bytes.fromhex(sys.stdin.read()))
q = m.integrate(m.neutral(), [0.1 * k for k in range(m.nv)], 0.5)
print(m.digest, hash(m), q.tobytes().hex())
"""


def test_a_fresh_process_gives_the_same_hash_and_bits():
    screw = Joint(lambda q: Rz(q[0]) * Tz(0.1 * q[0]), 1)
    base = backwards()
    m = base.replace(bodies=[*base.bodies, Body("s", "cart", screw, inertia=LINK)])
    env = {**os.environ, "PYTHONHASHSEED": "7"}
    env["PYTHONPATH"] = str(Path(kn_model.__file__).parents[2])
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=pickle.dumps(m).hex(),
        capture_output=True,
        text=True,
        env=env,
        check=True,
    )
    digest, number, bits = run.stdout.split()
    v = [0.1 * k for k in range(m.nv)]
    assert digest == m.digest and int(number) == hash(m)
    assert bits == m.integrate(m.neutral(), v, 0.5).tobytes().hex()


def test_long_chains_build():
    n = 1500
    z = joints.Revolute("z")
    bodies = [
        Body(f"b{k}", f"b{k - 1}" if k else None, z, Tx(1.0), LINK) for k in range(n)
    ]
    m = Model(bodies[::-1])
    assert m.nv == n and m.order == tuple(range(n - 1, -1, -1))
    assert len(m.support("b1499")) == n


def test_a_model_of_nothing():
    m = Model([])
    assert m.nq == m.nv == 0 and m.neutral().shape == (0,)
    assert m.check() == []


def test_the_whole_mass_and_names_that_are_lists():
    rod = Inertia(1.5, (0, 0, 0), (1, 1, 1))
    model = Model([Body(n, None, Revolute("z"), inertia=rod) for n in "ab"])
    assert model.mass == 3.0
    with pytest.raises(ModelError, match=r"frame: expected one name, got \['a'\]"):
        model.frame(["a"])
