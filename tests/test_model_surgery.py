"""lock, attach, subtree, actuated: the same mechanism in other words."""

import pickle

import numpy as np
import pytest

import knuckle as kn
from knuckle.joints import Fixed, Free, Revolute, Spherical
from knuckle.model import Actuator, Body, Constraint, Frame, Model, ModelError, Remark
from knuckle.spatial import SE3, Inertia, Rx, Rz, Tx, Tz
from mechanisms import HANDS, error, hand, positions, state

LINK = Inertia(2.0, (0.1, -0.2, 0.3), (0.5, 0.6, 0.7))
MOTORS = [Actuator("m1", "motor", ("turn",)), Actuator("m2", "motor", ("arm",))]
SEEDS = range(HANDS)


def arm(second=None, place=None, **more):
    """Three links; the middle joint may be another."""
    middle = second or Revolute("y", lower=-2, upper=2, damping=0.5)
    return Model(
        [
            Body("base", None, Revolute("z"), inertia=LINK, joint_name="turn"),
            Body("arm", "base", middle, place or Rx(0.3) * Tz(0.4), LINK, Tx(0.1)),
            Body("hand", "arm", Spherical(), Tx(0.5), LINK, joint_name="wrist"),
        ],
        [Frame("tip", "hand", Tx(0.2)), Frame("mark", None, Tz(1.0))],
        **more,
    )


def hand_of(fingers=2):
    """A palm on the world with fingers."""
    bodies = [Body("palm", None, Fixed(), Rz(0.4) * Tx(0.1), LINK)]
    for k in range(fingers):
        hinge = Revolute("x", armature=0.1 * k)
        bodies.append(Body(f"finger{k}", "palm", hinge, Tz(0.1 * k), LINK))
    return Model(bodies, [Frame("grip", "finger0", Tz(0.2)), Frame("shelf", None)])


def plain(alg, model, *arrays, **options):
    return np.array(kn.interpret(alg, model)(*arrays, **options))


def columns(model, names):
    """Which entries of v these joints have."""
    chosen = np.zeros(model.nv, bool)
    for name in names:
        chosen[model.joint(name).v] = True
    return chosen


def some_joints(model, seed):
    """Half of the joints that move, but not the two that carry a massless body."""
    rng = np.random.default_rng([seed, 11])
    names = [p.name for p in model.joints if p.joint.nv]
    return [str(n) for n in rng.permutation(names)[: len(names) // 2]]


# -- lock ------------------------------------------------------------------------------


def test_locking_equals_the_same_model_with_a_fixed_joint():
    posed = Rx(0.3) * Tz(0.4) * kn.spatial.Ry(0.7)
    assert arm().lock({"arm": 0.7}) == arm(Fixed(), posed)
    assert arm().lock({"arm": 0.0}) == arm(Fixed())
    assert arm().lock({"arm": 0.0}).digest == arm(Fixed()).digest
    slanted = arm(Revolute((0.6, 0.0, 0.8)))
    assert slanted.lock({"arm": 0}) == arm(Fixed())


@pytest.mark.parametrize("seed", SEEDS)
def test_a_locked_model_moves_as_the_full_one_does_with_the_joints_at_rest(seed):
    full = hand(seed)
    names = some_joints(full, seed)
    q, v, a = state(full, seed)
    held = columns(full, names)
    v[held] = a[held] = 0.0
    short = full.lock({n: q[full.joint(n).q] for n in names})
    free_q = np.concatenate([q[full.joint(p.name).q] for p in short.joints
                             if p.joint.nv])  # fmt: skip
    kept = v[~held], a[~held]
    assert (short.nq, short.nv) == (len(free_q), len(kept[0]))
    M = plain(kn.mass_matrix, full, q)[np.ix_(~held, ~held)]
    assert error(plain(kn.mass_matrix, short, free_q), M) < 1e-13
    tau = plain(kn.inverse_dynamics, full, q, v, a)[~held]
    assert error(plain(kn.inverse_dynamics, short, free_q, *kept), tau) < 1e-12
    given = plain(kn.inverse_dynamics, full, q, v, a)
    given[held] = 0.0
    hybrid = kn.interpret(kn.hybrid_dynamics, full)(q, v, given, prescribed=names)
    got = plain(kn.forward_dynamics, short, free_q, kept[0], tau)
    assert error(got, np.array(hybrid)[~held]) < 1e-9
    places = [kn.interpret(kn.forward_kinematics, m)(x)
              for m, x in ((full, q), (short, free_q))]  # fmt: skip
    for x, y in zip(*places, strict=True):
        assert error(np.array(y), np.array(x)) < 1e-13


def test_what_names_joints_follows_a_lock():
    q = np.array([0.1, 0.2, 1.0, 0.0, 0.0, 0.0])
    full = arm(
        configurations={"home": q},
        actuators=[
            Actuator("m1", "motor", ("turn",)),
            Actuator("m2", "motor", ("arm",)),
        ],
        constraints=[Constraint("c", "mimic", ("arm", "turn"))],
    ).with_parameters("*.damping", "arm.mass", "arm.placement")
    short = full.lock({"arm": 0.2, "turn": 0.1})
    assert np.array_equal(short.configurations["home"], q[2:])
    assert short.actuators == () and short.constraints == ()
    assert set(short.parameters) == {"wrist.damping", "arm.mass", "arm.placement"}
    assert short.v_names == ("wrist[0]", "wrist[1]", "wrist[2]")
    assert short.joint("arm").joint == Fixed()
    assert short.frames == full.frames and short.parents == full.parents
    one = full.replace(constraints=()).lock({"arm": 0.2})
    assert [a.name for a in one.actuators] == ["m1"]
    assert np.array_equal(one.configurations["home"], q[[0, 2, 3, 4, 5]])
    assert pickle.loads(pickle.dumps(one)) == one


def test_limits_and_passive_data_follow_a_lock():
    full = arm()
    short = full.lock({"turn": 1.0})
    held = columns(full, ["turn"])
    for name in ("lower", "upper", "damping", "armature", "effort_limit"):
        assert np.array_equal(getattr(short, name), getattr(full, name)[~held])


def test_a_quaternion_joint_takes_its_quaternion():
    turn = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)
    place = Tx(0.5) * kn.spatial.Ry(np.pi / 2)
    locked = arm().lock({"wrist": turn}).body("hand").placement
    assert np.allclose(locked.matrix(), place.matrix(), atol=1e-15)
    assert arm().lock({}) == arm()


@pytest.mark.parametrize(
    "positions, text",
    [
        (["arm"], r"lock: expected \{joint name: position\}, got \['arm'\]"),
        ({"amr": 0}, "joint 'amr': no such joint; did you mean 'arm'"),
        ({"arm": (1, 2)}, r"joint 'arm': expected 1 finite number, got \(1, 2\); such"),
        ({"arm": np.nan}, "joint 'arm': expected 1 finite number, got nan"),
        ({"arm": [[1.0]]}, "joint 'arm': expected 1 finite number"),
        ({"arm": "home"}, "joint 'arm': expected 1 finite number, got 'home'"),
        ({"wrist": (1, 1, 0, 0)}, "'wrist': expected a unit quaternion"),
        (
            {"wrist": 1.0},
            "'wrist': expected 4 finite numbers, got 1.0; such as .1.0, 0",
        ),
    ],
)
def test_positions_that_no_joint_can_have(positions, text):
    with pytest.raises(ModelError, match=text):
        arm().lock(positions)


def test_a_lock_refuses_half_a_constraint_and_prescribed_motion():
    tied = arm(constraints=[Constraint("copy", "mimic", ("arm", "turn"))])
    text = "mimic 'copy' ties joint 'turn' to 'arm'; lock both, or leave it out"
    with pytest.raises(ModelError, match=text):
        tied.lock({"arm": 0.1})
    assert len(tied.lock({"wrist": (1, 0, 0, 0)}).constraints) == 1
    welded = arm(constraints=[Constraint("w", "weld", ("arm", "hand"))])
    assert len(welded.lock({"arm": 0.1}).constraints) == 1
    ends = (("ends", "body1 body2"),)
    near = arm(constraints=[Constraint("n", "distance", ("arm", "hand"), ends)])
    assert len(near.lock({"arm": 0.1}).constraints) == 1
    tendon = arm(constraints=[Constraint("t", "fixed tendon", ("arm", "turn"))])
    assert len(tendon.lock({"arm": 0.1}).constraints) == 1
    assert tendon.lock({"arm": 0.1, "turn": 0.0}).constraints == ()
    driven = kn.Joint(lambda q, t: Tx(t), 0, name="driven")
    with pytest.raises(ModelError, match="'arm': its motion is prescribed in time"):
        arm(driven).lock({"arm": ()})


# -- attach and subtree ----------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_attach_then_subtree_gives_back(seed):
    other = hand(seed)
    roots = [b.name for b in other.bodies if b.parent is None]
    base = arm(gravity=other.gravity)
    both = base.attach(other, "hand", prefix="x_")
    for root in roots:
        assert both.subtree(f"x_{root}") == renamed(other.subtree(root))
    assert both.subtree("arm").body("arm") != base.body("arm")
    assert base.subtree("base").bodies == base.bodies
    assert base.subtree("world") == base


def renamed(model):
    """By the body-level constructor: every name with x_ before it."""
    bodies = [
        Body(f"x_{b.name}", b.parent and f"x_{b.parent}", b.joint, b.placement,
             b.inertia, b.offset, f"x_{b.joint_name}") for b in model.bodies
    ]  # fmt: skip
    frames = [Frame(f"x_{f.name}", f.body and f"x_{f.body}", f.placement)
              for f in model.frames]  # fmt: skip
    return model.replace(bodies=bodies, frames=frames)


@pytest.mark.parametrize("frame, mount", [("tip", Tx(0.2)), ("hand", SE3())])
def test_attached_is_the_model_built_by_hand(frame, mount):
    base, other, place = arm(), hand_of(), Rx(0.2) * Tz(0.3)
    by_hand = Model(
        [*base.bodies,
         Body("palm", "hand", Fixed(), mount * place * Rz(0.4) * Tx(0.1), LINK),
         *other.bodies[1:]],
        [*base.frames, other.frames[0], Frame("shelf", "hand", mount * place)],
    )  # fmt: skip
    both = base.attach(other, frame, place)
    q, v, a = state(by_hand, 0)
    assert both.q_names == by_hand.q_names
    for alg, arrays in ((kn.inverse_dynamics, (q, v, a)), (kn.mass_matrix, (q,))):
        got, expected = (plain(alg, m, *arrays) for m in (both, by_hand))
        assert error(got, expected) < 1e-13
    R, p = kn.interpret(kn.forward_kinematics, both)(q, frames=["shelf", "grip"])
    Rh, ph = kn.interpret(kn.forward_kinematics, by_hand)(q, frames=["shelf", "grip"])
    assert error(np.array(R), np.array(Rh)) < 1e-14
    assert error(np.array(p), np.array(ph)) < 1e-14


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("frame", ["tool", "world"])
def test_the_mass_matrix_of_what_is_attached_is_its_own(seed, frame):
    """J_i for the joints of the other model do not see what carries it."""
    base, other = hand(seed), hand((seed + 1) % HANDS)
    both = base.attach(other, frame, Rx(0.3) * Tz(0.2), prefix="x_")
    q1, q2 = state(base, seed)[0], state(other, seed)[0]
    M = plain(kn.mass_matrix, both, np.concatenate([q1, q2]))
    own = M[base.nv :, base.nv :]
    assert error(own, plain(kn.mass_matrix, other, q2)) < 1e-13
    if frame == "world":
        assert not M[: base.nv, base.nv :].any()
        assert error(M[: base.nv, : base.nv], plain(kn.mass_matrix, base, q1)) < 1e-13
    else:
        assert np.abs(M[: base.nv, base.nv :]).max() > 1e-3


def test_attach_carries_data_of_both():
    q = np.array([0.1, 0.2, 1.0, 0.0, 0.0, 0.0])
    remark = Remark("note", "hand.urdf", 3, "link", "something")
    base = arm(configurations={"home": q}).with_parameters("arm.mass", "gravity")
    grip = hand_of().replace(
        configurations={"home": [0.3, 0.4], "open": [0.5, 0.6]},
        actuators=[Actuator("m", "motor", ("finger0",), (("gear", 2.0),))],
        constraints=[Constraint("c", "mimic", ("finger0", "finger1"))],
        report=[remark],
    ).with_parameters("palm.com", "gravity")  # fmt: skip
    both = base.attach(grip, "tip", prefix="left_")
    assert both.configurations["home"].tolist() == [*q, 0.3, 0.4]
    assert both.configurations["open"].tolist() == [*base.neutral(), 0.5, 0.6]
    assert both.actuators[0].name == "left_m"
    assert both.actuators[0].targets == ("left_finger0",)
    assert both.constraints[0].between == ("left_finger0", "left_finger1")
    assert set(both.parameters) == {"arm.mass", "gravity", "left_palm.com"}
    assert both.report == (remark,)
    twice = both.attach(grip, "tip", Tx(0.1), prefix="right_")
    assert twice.configurations["open"].tolist()[-4:] == [0.5, 0.6, 0.5, 0.6]
    assert len(twice.actuators) == 2 and twice.report == (remark,)
    floor = Model([]).attach(grip, "world", Tz(0.5))
    assert floor.frame("shelf").body is None and floor.body("palm").parent is None


def test_what_cannot_be_attached():
    text = "both models have a body or frame 'base' and 4 more names, prefix=''; write"
    with pytest.raises(ModelError, match=text + " prefix='hand_'"):
        arm().attach(arm(), "hand")
    with pytest.raises(ModelError, match="'tpi': no such frame; did you mean 'tip'"):
        arm().attach(hand_of(), "tpi")
    with pytest.raises(
        ModelError, match="attach: expected a Model, got str 'hand.urdf'"
    ):
        arm().attach("hand.urdf", "hand")
    left = arm().attach(hand_of(), "tip", prefix="l_")
    with pytest.raises(ModelError, match="'l_palm'.*prefix='l_'; take another prefix"):
        left.attach(hand_of(), "tip", prefix="l_")
    fingers = Model([Body("claw", None, Fixed(), inertia=LINK, joint_name="turn")])
    with pytest.raises(ModelError, match="both models have a joint 'turn'"):
        arm().attach(fingers, "tip")


def test_a_subtree_stands_by_the_joint_of_its_root():
    full = arm(
        configurations={"home": [0.1, 0.2, 1.0, 0.0, 0.0, 0.0]},
        actuators=MOTORS,
        constraints=[Constraint("in", "weld", ("arm", "hand")),
                     Constraint("out", "weld", ("base", "hand"))],
    ).with_parameters("base.mass", "hand.mass")  # fmt: skip
    part = full.subtree("arm")
    assert [b.name for b in part.bodies] == ["arm", "hand"]
    root = part.body("arm")
    assert root.parent is None and root.joint == full.body("arm").joint
    assert root.placement.matrix() == full.body("arm").placement.matrix()
    assert [f.name for f in part.frames] == ["tip"]
    assert part.configurations["home"].tolist() == [0.2, 1.0, 0.0, 0.0, 0.0]
    assert [a.name for a in part.actuators] == ["m2"]
    assert [c.name for c in part.constraints] == ["in"]
    assert set(part.parameters) == {"hand.mass"}
    q = positions(part, np.random.default_rng(0))
    v = np.ones(part.nv)
    whole = np.concatenate([[0.0], q]), np.concatenate([[0.0], v])
    energy = [
        plain(kn.kinetic_energy, m, *x) for m, x in ((full, whole), (part, (q, v)))
    ]
    assert energy[0] == pytest.approx(energy[1], rel=1e-14)
    with pytest.raises(
        ModelError, match="body 'amr': no such body; did you mean 'arm'"
    ):
        full.subtree("amr")


WRAPPED = """<mujoco><worldbody>
  <body name="a"><joint name="j1" axis="0 1 0"/><geom name="ga" size=".1" mass="1"/>
    <site name="s1" pos="0 0 .2"/>
    <body name="b" pos="0 0 .5"><joint name="j2" axis="0 1 0"/>
      <geom name="gb" size=".1" mass="1"/><site name="s2" pos=".2 0 .2"/>
    </body></body></worldbody>
  <tendon>
    <spatial name="cord"><site site="s1"/><geom geom="gb" sidesite="s2"/>
      <site site="s2"/></spatial>
    <fixed name="sum"><joint joint="j1" coef="1"/><joint joint="j2" coef="2"/></fixed>
  </tendon>
  <equality><tendon tendon1="cord" tendon2="sum"/></equality>
  <actuator><motor name="m" tendon="sum"/><motor name="j" joint="j2"/></actuator>
</mujoco>"""


def test_what_is_attached_under_a_prefix_is_whole():
    """MuJoCo finds every name that tendons, equalities and actuators mention."""
    mujoco = pytest.importorskip("mujoco")
    one = kn.load(WRAPPED)
    both = one.attach(one, "b", Tz(0.5), prefix="x_")
    assert both.actuated.tolist() == [True] * 4
    peer = mujoco.MjModel.from_xml_string(both.to_mjcf(allow_loss=True))
    names = {peer.actuator(k).name for k in range(peer.nu)}
    assert names == {"m", "j", "x_m", "x_j"} and peer.ntendon == 4 and peer.neq == 2
    part = both.subtree("x_a")
    assert len(part.constraints) == 3 and len(part.actuators) == 2
    alone = kn.load(WRAPPED).attach(one, "world", prefix="x_").subtree("x_a")
    assert {c.name for c in part.constraints} == {c.name for c in alone.constraints}


def test_a_lock_takes_the_actuators_of_lost_tendons_with_it():
    one = kn.load(WRAPPED)
    half = one.lock({"j2": 0.3})
    assert [a.name for a in half.actuators] == ["m"] and len(half.constraints) == 3
    none = one.lock({"j2": 0.3, "j1": 0.1})
    assert none.actuators == () and none.constraints == ()


# -- actuated --------------------------------------------------------------------------


def test_actuators_drive_their_joints():
    model = arm(actuators=[Actuator("m", "motor", ("turn",)),
                           Actuator("s", "position", ("wrist",))])  # fmt: skip
    assert model.actuated.tolist() == [True, False, True, True, True]
    assert model.lock({"wrist": (1, 0, 0, 0)}).actuated.tolist() == [True, False]


def test_actuators_drive_through_tendons_and_on_sites():
    def driven(target, through, *ties):
        motor = Actuator("m", "general", (target,), (("transmission", through),))
        return arm(actuators=[motor], constraints=ties).actuated.tolist()

    along = Constraint("along", "fixed tendon", ("arm", "turn"))
    over = Constraint("over", "spatial tendon", ("tip", "base"))
    assert driven("along", "tendon", along) == [True, True, False, False, False]
    assert driven("over", "tendon", over) == [False, True, True, True, True]
    assert driven("tip", "site") == [True] * 5
    assert driven("mark", "site") == [False] * 5
    assert driven("arm", "joint") == [False, True, False, False, False]
    assert driven("arm", "body") == [True, True, False, False, False]


def test_without_actuators_all_but_free_roots_is_actuated():
    assert arm().actuated.all()
    walker = Model([Body("trunk", None, Free(), inertia=LINK),
                    Body("leg", "trunk", Revolute("x"), inertia=LINK)])  # fmt: skip
    assert walker.actuated.tolist() == [False] * 6 + [True]
    flat = Model([Body("trunk", None, kn.joints.Planar(), inertia=LINK),
                  Body("leg", "trunk", Revolute("z"), inertia=LINK)],
                 planar=True)  # fmt: skip
    assert flat.actuated.tolist() == [False] * 3 + [True]
    assert Model(flat.bodies).actuated.all()
