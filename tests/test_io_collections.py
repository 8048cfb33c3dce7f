"""Real robots: a dozen files here, all of them by tools/collections_urdf.py."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import agreement
import knuckle as kn
from deletions import silent
from knuckle.io import names
from knuckle.io.source import Source

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import collections_urdf as tool  # noqa: E402

DOZEN = (
    *("panda", "ur5", "z1", "solo12", "anymal_c", "romeo_small", "icub", "bolt"),
    *("baxter", "talos_reduced", "double_pendulum_continuous", "allegro_left_hand"),
)
if not names.example_robots():
    pytest.skip("pip install example-robot-data", allow_module_level=True)
pytest.importorskip("pinocchio", reason="pip install pin")
ALL = dict(tool.files())


@pytest.mark.parametrize("name", DOZEN)
def test_a_dozen_agree_with_pinocchio(name: str) -> None:
    path = names.find(name)
    for floating in (False, True):
        model = kn.load(path, root="floating" if floating else "auto")
        peer = agreement.pinocchio_file(path, floating)
        found = agreement.deviations(model, peer, np.random.default_rng(1), rows=1)
        assert set(found) == set(agreement.NAMES)
        assert max(found.values()) < 1e-9, found


def test_a_joint_that_moves_no_mass_agrees_but_for_forward_dynamics() -> None:
    model, path = kn.load("romeo"), names.find("romeo")
    peer = agreement.pinocchio_file(path)
    found = agreement.deviations(model, peer, np.random.default_rng(1), rows=1)
    assert "forward_dynamics" not in found and max(found.values()) < 1e-9
    still = [r for r in model.report if "moves no mass" in r.reason]
    assert len(still) == 24 and {r.severity for r in still} == {"error"}


@pytest.mark.parametrize("name", ["cassie", "cassie_v2"])
def test_a_robot_with_loops_loads_as_a_tree(name: str) -> None:
    model = kn.load(name)
    kinds = {c.kind for c in model.constraints}
    assert kinds <= {"loop", "gearbox"} and "loop" in kinds
    told = [r for r in model.report if r.severity == "error"]
    assert len(told) == len(model.constraints)


def test_the_list_of_refused_files_is_closed() -> None:
    assert list(tool.REFUSED.values()) == ["holds no link at all"]
    for name in tool.REFUSED:
        with pytest.raises(kn.LoadError, match="expected a <link>, got none"):
            kn.load(ALL[name])


@pytest.mark.parametrize("name", ["double_pendulum_continuous", "asr_twodof"])
def test_deletions_from_a_real_file(name: str) -> None:
    path = names.find(name)
    assert silent(path.read_text(), Source.of_file(path)) == []


@pytest.mark.long
@pytest.mark.parametrize("name", ALL)
def test_all(name: str) -> None:
    row = tool.row(name, ALL[name])
    assert row.loads != (name in tool.REFUSED)
    assert "**" not in str(row)
    if row.loads:
        assert float(row.cells[5]) < 300.0, "loading takes more than 0.3 s"
