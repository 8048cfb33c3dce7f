"""A dozen of the MJCF files that the wheels of MuJoCo, MJX and Brax ship.

All of them: `python tools/collections_mjcf.py`.
"""

from __future__ import annotations

from importlib import util
from pathlib import Path

import numpy as np
import pytest

import agreement_mujoco as agreement
import knuckle as kn
from deletions import silent
from knuckle.io.load import load
from knuckle.io.source import Source

MJX = "mujoco/mjx/test_data"
FILES = {
    "brax/envs/assets/ant.xml": [],
    "brax/envs/assets/humanoid.xml": [],
    "brax/envs/assets/hopper.xml": [],
    "brax/envs/assets/pusher.xml": [],
    "brax/envs/assets/swimmer.xml": ["fluid"],
    "brax/test_data/nonzero_joint_ref.xml": [],
    "brax/test_data/convex_convex.xml": [],
    "brax/test_data/fluid_two_spheres.xml": ["fluid"],
    f"{MJX}/barkour_v0/assets/barkour_v0_mjx.xml": [],
    f"{MJX}/humanoid/humanoid.xml": [],
    f"{MJX}/pendula.xml": ["gravcomp", "tendon forces"],
    f"{MJX}/sensor/sensor.xml": [],
    f"{MJX}/shadow_hand/scene_right.xml": [],
    f"{MJX}/tendon/pulley_fixed_site_wrap.xml": [],
    "mujoco/testdata/model.xml": ["fluid", "gravcomp"],
}
"""What of each file the Model leaves out of the dynamics."""
MARKS = {
    "fluid": ("density", "viscosity"),
    "gravcomp": ("gravcomp",),
    "tendon forces": ("of a tendon",),
}


def path(name: str) -> Path:
    package, _, rest = name.partition("/")
    spec = util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        pytest.skip(f"pip install {package}")
    found = Path(spec.submodule_search_locations[0]) / rest
    if not found.exists():
        pytest.skip("pip install mujoco-mjx")
    return found


@pytest.mark.parametrize("name", FILES)
def test_files_agree_with_mujoco(name: str) -> None:
    model, peer = load(path(name)), agreement.mujoco_file(path(name))
    assert agreement.smooth(peer) == FILES[name]
    found = agreement.deviations(model, peer, np.random.default_rng(0))
    assert max(found.values()) < 1e-9, found
    assert not [r for r in model.report if "unknown" in r.reason]
    errors = [r.reason for r in model.report if r.severity == "error"]
    assert bool(errors) == bool(FILES[name])
    for what in FILES[name]:
        assert any(mark in e for e in errors for mark in MARKS[what]), errors


@pytest.mark.parametrize("name", FILES)
def test_files_come_back_through_text(name: str) -> None:
    model = load(path(name))
    again = load(model.to_mjcf(), package_dirs=[path(name).parent])
    rng = np.random.default_rng(0)
    q, v = model.random(rng), rng.normal(size=model.nv)
    for law in (kn.mass_matrix, kn.bias_forces, kn.passive_forces):
        arguments = (q,) if law is kn.mass_matrix else (q, v)
        expected, got = (kn.interpret(law, m)(*arguments) for m in (model, again))
        assert np.abs(got - expected).max() < 1e-12 * max(1.0, np.abs(expected).max())
    assert list(again.configurations) == list(model.configurations)
    for key, home in model.configurations.items():
        np.testing.assert_allclose(again.configurations[key], home, atol=1e-15)


@pytest.mark.parametrize(
    "name", ["brax/envs/assets/hopper.xml", "brax/envs/assets/pusher.xml"]
)
def test_nothing_can_be_deleted_from_files_without_a_trace(name: str) -> None:
    assert silent(path(name).read_text(), Source.of_file(path(name))) == []


def test_positions_of_a_file_are_those_of_its_keys() -> None:
    name = f"{MJX}/humanoid/humanoid.xml"
    model, peer = load(path(name)), agreement.mujoco_file(path(name))
    keys = {peer.key(k).name: peer.key_qpos[k] for k in range(peer.nkey)}
    assert list(model.configurations) == list(keys)
    for key, qpos in keys.items():
        np.testing.assert_allclose(model.configurations[key], qpos, atol=1e-14)
