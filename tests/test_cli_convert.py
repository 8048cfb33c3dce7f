"""`knuckle convert`: the same mechanism in another format."""

from pathlib import Path

import numpy as np
import pytest

import knuckle as kn
from test_cli import ARM, pendulum, printed


def same_dynamics(a, b):
    """Equal joint forces at random states of joints of the same names."""
    assert a.v_names == b.v_names
    rng = np.random.default_rng(0)
    q, v, acc = a.random(rng), *rng.normal(size=(2, a.nv))
    ours, theirs = (
        np.array(kn.interpret(kn.inverse_dynamics, m)(q, v, acc)) for m in (a, b)
    )
    assert np.allclose(ours, theirs, rtol=1e-10, atol=1e-10 * np.abs(ours).max())


@pytest.mark.parametrize("ending", [".urdf", ".xml", ".mjcf"])
def test_a_converted_file_moves_as_the_first(ending, tmp_path, capsys):
    out = tmp_path / f"arm{ending}"
    code, said, _ = printed(capsys, "convert", ARM, str(out), "--allow-loss")
    assert code == 0 and f"wrote {out}" in said
    same_dynamics(kn.load(ARM), kn.load(str(out)))


def test_there_and_back(tmp_path, capsys):
    first, second = tmp_path / "a.xml", tmp_path / "b.urdf"
    file = pendulum(tmp_path)
    assert printed(capsys, "convert", file, str(first), "--allow-loss")[0] == 0
    assert printed(capsys, "convert", str(first), str(second), "--allow-loss")[0] == 0
    same_dynamics(kn.load(file), kn.load(str(second)))


def test_losses_are_refused_by_name_or_listed(tmp_path, capsys):
    moon = tmp_path / "moon.xml"
    moon.write_text(
        '<mujoco><option gravity="0 0 -1.62"/><worldbody><body name="a">'
        '<joint name="j" type="hinge" axis="0 1 0"/><geom size="0.1" mass="1"/>'
        "</body></worldbody></mujoco>"
    )
    out = tmp_path / "moon.urdf"
    code, _, err = printed(capsys, "convert", str(moon), str(out))
    assert code == 2 and "URDF cannot say: gravity" in err and "--allow-loss" in err
    assert err.count("\n") == 1 and not out.exists()
    code, said, _ = printed(capsys, "convert", str(moon), str(out), "--allow-loss")
    assert code == 0 and "left out: gravity" in said and "loss" in said.split("\n")[-2]


@pytest.mark.parametrize(
    "name, text",
    [
        ("a.sdf", "a.sdf: expected a name that ends in .urdf, .xml, .mjcf"),
        ("two.urdf", "two.urdf: exists already; take --force to replace it"),
        ("no/b.urdf", "no/b.urdf: No such file or directory"),
    ],
)
def test_what_cannot_be_written(name, text, tmp_path, monkeypatch, capsys):
    file = pendulum(tmp_path)
    monkeypatch.chdir(tmp_path)
    code, _, err = printed(capsys, "convert", file, name)
    assert code == 2 and text in err and err.count("\n") == 1
    before = Path(file).read_text()
    assert printed(capsys, "convert", file, "two.urdf", "--force")[0] == 0
    assert Path(file).read_text() != before
