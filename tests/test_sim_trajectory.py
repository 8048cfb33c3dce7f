"""Trajectories: frozen, saved, loaded, drawn."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import knuckle as kn
import simulations as sims


def made(**options: Any) -> kn.Trajectory:
    model = sims.double_pendulum(lower=-2.0, upper=2.0, friction=0.05)
    q = np.random.default_rng(0).normal(size=(2, 3, 2))
    span = {"duration": 0.1, "dt": 1e-3, "keep_every": 10}
    return kn.simulate(model, q, tau=lambda q, v, t: -q, **span, **options)


def refused(path: Any, model: kn.Model) -> str:
    with pytest.raises(kn.SimulationError) as error:
        kn.Trajectory.load(path, model)
    return str(error.value)


def test_saved_and_loaded_it_is_the_same(tmp_path: Path) -> None:
    first = made(ignore=["actuators"])
    path = first.save(tmp_path / "swing.npz")
    again = kn.Trajectory.load(path, first.model)
    for name in ("t", "q", "v", "tau"):
        a, b = getattr(first, name), getattr(again, name)
        assert a.dtype == b.dtype and np.array_equal(a, b)
    assert all(np.array_equal(a, b) for a, b in zip(first.energies, again.energies))
    assert again.settings == first.settings and again.model == first.model
    assert again.settings.ignored == ("actuators",)


def test_parameters_are_saved_too(tmp_path: Path) -> None:
    model = sims.pendulum().with_parameters("rod.mass")
    masses = {"rod.mass": np.array([1.0, 2.0])}
    first = kn.simulate(model, [0.1], duration=0.01, parameters=masses)
    again = kn.Trajectory.load(first.save(tmp_path / "two"), model)
    assert np.array_equal(again.parameters["rod.mass"], [1.0, 2.0])


def test_the_file_ends_in_npz_and_holds_nothing_that_runs(tmp_path: Path) -> None:
    path = made().save(str(tmp_path / "swing"))
    assert path == tmp_path / "swing.npz"
    with np.load(path, allow_pickle=False) as file:
        header = json.loads(str(file["header"]))
        assert set(file.files) >= {"t", "q", "v", "tau", "energy total"}
    assert header["bodies"] == ["upper", "lower"]
    assert header["v_names"] == ["upper", "lower"]


def test_another_model_is_refused(tmp_path: Path) -> None:
    path = made().save(tmp_path / "swing.npz")
    text = refused(path, sims.pendulum())
    assert text.startswith(f"{path}: expected a trajectory of this model (1 bodies, ")
    assert "got one of 2 bodies (upper, lower, ...)" in text
    other = sims.double_pendulum(lower=-2.0, upper=2.0, friction=0.06)
    text = refused(path, other)
    assert "the same bodies with other constants or joints" in text
    assert text.endswith("pass the model it was made with")


def test_files_that_are_none_of_ours_are_refused(tmp_path: Path) -> None:
    model, path = sims.pendulum(), tmp_path / "x.npz"
    assert refused(path, model) == f"{path}: no such file"
    path.write_bytes(b"not a zip file")
    assert f"{path}: expected a file of Trajectory.save" in refused(path, model)
    path.write_bytes(made().save(tmp_path / "y.npz").read_bytes()[:700])
    assert f"{path}: expected a file of Trajectory.save" in refused(path, model)
    np.savez(path, q=np.zeros(3))
    assert f"{path}: expected a file of Trajectory.save" in refused(path, model)
    np.savez(path, header=json.dumps({"format": "something"}))
    assert "its header is another's" in refused(path, model)
    np.savez(path, header=np.array([{"format": "knuckle trajectory"}], object))
    assert "expected a file of Trajectory.save" in refused(path, model)


def rewritten(path: Path, **changes: Any) -> Path:
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    header = json.loads(str(arrays.pop("header")))
    header |= changes.pop("header", {})
    kept = {k: v for k, v in {**arrays, **changes}.items() if v is not None}
    np.savez(path, header=json.dumps(header), **kept)
    return path


def test_files_that_are_damaged_are_refused(tmp_path: Path) -> None:
    first = made()
    path = first.save(tmp_path / "x.npz")
    assert "a trajectory of format 9, expected 1" in refused(
        rewritten(path, header={"version": 9}), first.model
    )
    first.save(path)
    text = refused(rewritten(path, v=np.zeros((2, 3, 11, 1))), first.model)
    assert "v has shape (2, 3, 11, 1), expected (2, 3, 11, 2)" in text
    first.save(path)
    assert "'tau' is missing" in refused(rewritten(path, tau=None), first.model)
    first.save(path)
    text = refused(rewritten(path, header={"settings": {}}), first.model)
    assert "is missing or not understood" in text


def test_nothing_can_be_written_to() -> None:
    found = made()
    for array in (found.t, found.q, found.v, found.tau, *found.energies):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0.0
    with pytest.raises(AttributeError):
        found.q = None  # type: ignore[misc]


def test_a_row_of_a_batch_is_a_trajectory(tmp_path: Path) -> None:
    found = made()
    one, some = found[1, 2], found[1]
    assert one.shape == () and some.shape == (3,)
    assert np.array_equal(one.q, found.q[1, 2]) and one.t is found.t
    assert np.array_equal(some.energies.total, found.energies.total[1])
    again = kn.Trajectory.load(one.save(tmp_path / "one"), one.model)
    assert np.array_equal(again.v, found.v[1, 2])
    for place in ((0, 0, 0), ()):
        with pytest.raises(IndexError, match="one to 2 indices of a batch of shape"):
            found[place]
    model = sims.pendulum().with_parameters("rod.mass", "gravity")
    masses = {"rod.mass": np.array([1.0, 2.0])}
    row = kn.simulate(model, [0.1], duration=0.01, parameters=masses)[1]
    assert row.parameters["rod.mass"] == 2.0
    assert np.array_equal(row.parameters["gravity"], (0, 0, -9.81))


def test_how_it_shows() -> None:
    assert repr(made()) == (
        "<Trajectory of 11 states from t = 0 to 0.1 s, nq 2, batch (2, 3), "
        "implicit_midpoint, 8 iterations, dt 0.001 s>"
    )


def test_the_picture_shows_joints_and_energies(tmp_path: Path) -> None:
    found, path = made(), tmp_path / "swing.png"
    figure = found.plot(path, row=(1, 2))
    assert path.read_bytes()[1:4] == b"PNG"
    q, v, energy = figure.axes
    assert np.array_equal(q.lines[1].get_ydata(), found.q[1, 2, :, 1])
    assert np.array_equal(v.lines[0].get_ydata(), found.v[1, 2, :, 0])
    labels = [line.get_label() for line in energy.lines]
    assert labels == ["kinetic", "potential", "total"]
    assert [t.get_text() for t in q.get_legend().get_texts()] == ["upper", "lower"]
    assert "row (1, 2)" in figure.get_suptitle()
    first = found.plot()
    assert np.array_equal(first.axes[0].lines[0].get_ydata(), found.q[0, 0, :, 0])


@pytest.mark.parametrize("row", [0, (2, 0), (0, 0, 0)])
def test_a_row_that_is_not_there_is_refused(row: Any) -> None:
    with pytest.raises(kn.SimulationError, match="expected one of a batch of shape"):
        made().plot(row=row)


def test_without_matplotlib_one_line_says_how(monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, "matplotlib")
    with pytest.raises(kn.SimulationError) as error:
        made().plot()
    assert str(error.value) == (
        "Trajectory.plot needs Matplotlib: pip install 'knuckle[plot]'"
    )


@pytest.mark.parametrize(
    ("module", "options", "text"),
    [
        ("scipy", {"integrator": "adaptive"}, "pip install 'knuckle[scipy]'"),
        ("tqdm", {"progress": True}, "pip install tqdm"),
    ],
)
def test_other_packages_are_asked_for_in_one_line(
    module: str, options: Any, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hide(monkeypatch, module)
    with pytest.raises(kn.SimulationError) as error:
        made(**options)
    assert text in str(error.value)


def hide(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """As if a package were not installed."""
    real = builtins.__import__

    def without(wanted: str, *args: Any, **more: Any) -> Any:
        if wanted.split(".")[0] == name:
            raise ImportError(wanted)
        return real(wanted, *args, **more)

    monkeypatch.setattr(builtins, "__import__", without)


def test_a_page_plays_one_row(tmp_path: Path) -> None:
    path = made()[0, 1].to_html(tmp_path / "swing.html", title="swing")
    text = path.read_text()
    assert "<title>swing</title>" in text and "<script" in text
