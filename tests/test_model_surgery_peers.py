"""Surgery beside Pinocchio's, and beside files that say the same in other words."""

import re
from pathlib import Path

import numpy as np
import pytest

import agreement
import knuckle as kn
from knuckle.spatial import Rx, Tz

pin = pytest.importorskip("pinocchio")
MODELS = Path(__file__).parents[1] / "benchmarks" / "models"
ARM = (MODELS / "arm7.urdf").read_text()
TREE = (MODELS / "quad18.urdf").read_text()


def peer_of(text, floating=False):
    root = [pin.JointModelFreeFlyer()] if floating else []
    return pin.buildModelFromXML(text, *root)


def renamed(text):
    """The same robot under other names, as Pinocchio joins models without a prefix."""
    return re.sub(r'(name|link)="(?!base_link)', r'\1="other_', text)


def agrees(model, peer):
    worst = agreement.deviations(model, peer, np.random.default_rng(0))
    assert len(worst) == 5 and max(worst.values()) < 1e-9, worst


@pytest.mark.parametrize("text, floating", [(ARM, False), (TREE, True)])
@pytest.mark.parametrize("seed", range(3))
def test_locking_is_pinocchios_reduced_model(text, floating, seed):
    rng = np.random.default_rng(seed)
    model = kn.load(text, root="floating" if floating else "fixed")
    peer, q = peer_of(text, floating), model.random(rng)
    turning = [p.name for p in model.joints if p.joint.nv == 1]
    names = [str(n) for n in rng.permutation(turning)[: 2 + seed]]
    short = model.lock({name: q[model.joint(name).q] for name in names})
    ids = [peer.getJointId(name) for name in names]
    reduced = pin.buildReducedModel(
        peer, ids, kn.convert.pinocchio(model, peer).to_q(q)
    )
    assert short.nv == reduced.nv == model.nv - len(names)
    agrees(short, reduced)


def test_attaching_is_pinocchios_appended_model():
    place = Rx(0.4) * Tz(0.3)
    model = kn.load(ARM)
    end = model.bodies[-1].name
    both = model.attach(kn.load(renamed(TREE)), end, place)
    peer = peer_of(ARM)
    frame = peer.getFrameId(end)
    pose = pin.SE3(np.array(place.R), np.array(place.p))
    joined = pin.appendModel(peer, peer_of(renamed(TREE)), frame, pose)
    assert both.nv == joined.nv == 7 + 12
    agrees(both, joined)
    prefixed = model.attach(kn.load(TREE), end, place, prefix="other_")
    assert prefixed == both


def test_locking_at_zero_is_the_same_file_with_a_fixed_joint():
    joints = [p.name for p in kn.load(ARM).joints if p.joint.nv]
    for name in joints[1::3]:
        fixed = ARM.replace(
            f'name="{name}" type="revolute"', f'name="{name}" type="fixed"'
        )
        assert fixed != ARM
        assert kn.load(ARM).lock({name: 0.0}) == kn.load(fixed)


def test_locking_is_the_same_file_with_a_turned_fixed_joint():
    text = re.sub(r'<axis xyz="[^"]*"/>', '<axis xyz="0 0 1"/>', ARM)
    text = re.sub(r'rpy="[^"]*"', 'rpy="0 0 0"', text)
    model = kn.load(text)
    name = model.joints[3].name
    head = f'name="{name}" type="revolute"'
    before, after = text.split(head)
    turned = after.replace('rpy="0 0 0"', 'rpy="0 0 0.7"', 1)
    fixed = kn.load(f'{before}name="{name}" type="fixed"{turned}')
    locked = model.lock({name: 0.7})
    assert locked.v_names == fixed.v_names
    for ours, theirs in zip(locked.bodies, fixed.bodies, strict=True):
        assert ours.joint == theirs.joint
        a, b = ours.placement.matrix(), theirs.placement.matrix()
        assert np.allclose(a, b, atol=1e-15)
