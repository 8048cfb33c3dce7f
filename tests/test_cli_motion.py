"""`knuckle simulate` and `knuckle view`: files in, files out, and what they say."""

from pathlib import Path

import numpy as np
import pytest

import knuckle as kn
from test_cli import pendulum, printed

matplotlib = pytest.importorskip("matplotlib")
pytest.importorskip("viser")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The path of a double pendulum, in a folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    return pendulum(tmp_path)


def simulated(capsys, file, *options):
    """A trajectory from the command, and what was said."""
    code, out, err = printed(capsys, "simulate", file, "--quiet", *options)
    return code, out, err


def saved(file, name="two.npz"):
    return kn.Trajectory.load(name, kn.load(file))


def test_a_passive_motion_is_that_of_the_library(here, capsys):
    options = ("--duration", "0.5", "--start", "1,0.3", "--velocity=-1,2")
    options += ("--integrator", "rk4", "--limits", "off")
    code, out, err = simulated(capsys, here, *options)
    assert code == 0 and err == ""
    got = saved(here)
    state = [1.0, 0.3], [-1.0, 2.0]
    expected = kn.simulate(
        kn.load(here), *state, None, 0.5, 1e-3, "rk4", keep_every=10, limits="off"
    )
    assert np.array_equal(got.q, expected.q) and np.array_equal(got.t, expected.t)
    drift = np.abs(got.energies.total - got.energies.total[0]).max()
    assert f"at most {drift:.3g} J away from the first" in out and drift < 1e-6
    assert "0.5 s in 500 steps of rk4" in out and "forces: none" in out
    assert "saved two.npz and two.png" in out


def test_the_picture_shows_curves(here, capsys):
    simulated(capsys, here, "--duration", "0.3", "--start", "1,0.3")
    image = matplotlib.image.imread("two.png")
    assert image.shape[0] > 500 and image.shape[1] > 500
    colours = np.unique((image[..., :3] * 7).astype(int).reshape(-1, 3), axis=0)
    coloured = (colours.max(axis=1) - colours.min(axis=1) > 2).sum()
    assert coloured > 3


def test_a_servo_comes_to_rest_where_it_balances_gravity(here, capsys):
    goal = np.array([0.5, -0.4])
    text = ",".join(map(str, goal))
    options = ("--pd", "400,40", "--target", text, "--duration", "4", "--no-plot")
    code, out, _ = simulated(capsys, here, *options)
    assert code == 0 and "forces: servo, kp 400, kd 40" in out and ".png" not in out
    end, model = saved(here), kn.load(here)
    q = end.q[-1]
    assert np.abs(end.v[-1]).max() < 1e-6 and 1e-4 < np.abs(q - goal).max() < 0.05
    weight = np.array(kn.interpret(kn.gravity_forces, model)(q))
    assert np.allclose(end.tau[-1], weight, atol=1e-5)
    assert np.allclose(400.0 * (goal - q), weight, atol=1e-5)
    height = kn.interpret(kn.potential_energy, model)(q)
    assert end.energies.potential[-1] == pytest.approx(height, rel=1e-12)


def test_a_script_drives_the_joints(here, capsys):
    source = (
        "import numpy as np\ndef torque(q, v, t):\n    return np.sin(t) - 0.5 * v\n"
    )
    Path("swing.py").write_text(source)
    options = ("--controller", "swing.py:torque", "--duration", "0.5", "--out", "x.npz")
    code, out, _ = simulated(capsys, here, *options, "--every", "1")
    assert code == 0 and "forces: compiled" in out and "saved x.npz and x.png" in out
    got = saved(here, "x.npz")
    assert len(got.t) == 501
    assert np.allclose(got.tau, np.sin(got.t)[:, None] - 0.5 * got.v, atol=1e-15)


def test_a_motion_that_blows_up_is_told(here, capsys):
    Path("push.py").write_text("def up(q, v, t):\n    return 1e4 * v * v * v\n")
    options = ("--controller", "push.py:up", "--velocity", "1,1", "--limits", "off")
    code, _, err = simulated(capsys, here, *options, "--no-plot")
    assert code == 1 and err.count("\n") == 1
    assert err.startswith("knuckle: 1 of 1 rows stopped being finite")


@pytest.mark.parametrize(
    "options, text",
    [
        (["--target", "0,0"], "--target needs --pd KP,KD"),
        (
            ["--pd", "9,1", "--target", "home"],
            "--target: expected 'neutral', 'random',",
        ),
        (["--start", "1"], "--start: expected 'neutral', 'random', or 2 numbers with"),
        (
            ["--velocity", "1"],
            "--velocity: expected 2 numbers with commas, got 1 n",
        ),
        (["--integrator", "rk5"], "--integrator 'rk5'; did you mean 'rk4'"),
        (["--ignore", "springs"], "ignore names 'springs'; "),
        (["--controller", "x.py:f"], "--controller: no file 'x.py'"),
        (["--out", "no/x.npz", "--duration", "0.01"], "no/x.npz: No such file or dir"),
        (["--plot", "no/x.png", "--duration", "0.01"], "no/x.png: No such file or dir"),
    ],
)
def test_what_cannot_be_simulated(options, text, here, capsys):
    code, out, err = simulated(capsys, here, *options)
    assert code == 2 and err.count("\n") == 1, err
    assert err.startswith("knuckle simulate: ") and text in err


def test_constraints_must_be_left_out_knowingly(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    tied = pendulum(tmp_path, more='<mimic joint="lower_joint"/>')
    code, _, err = simulated(capsys, tied, "--duration", "0.1")
    assert code == 2 and "knowingly with --ignore constraints" in err
    options = ("--duration", "0.1", "--ignore", "constraints", "--no-plot")
    assert simulated(capsys, tied, *options)[0] == 0


def test_mimic_joints_follow_without_a_word(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    tied = pendulum(tmp_path, more='<mimic joint="upper_joint"/>')
    options = ("--duration", "0.1", "--no-plot", "--pd", "10,1", "--target", "0.3")
    assert simulated(capsys, tied, *options)[0] == 0


def test_a_script_that_fails_names_its_line(here, capsys):
    Path("bad.py").write_text("def f(q, v, t):\n    return [q[0], q[7]]\n")
    code, _, err = simulated(capsys, here, "--controller", "bad.py:f")
    assert code == 2 and "bad.py:2: IndexError" in err and err.count("\n") == 1


def test_without_matplotlib_the_trajectory_is_saved_all_the_same(
    here, capsys, monkeypatch
):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    code, out, _ = simulated(capsys, here, "--duration", "0.1")
    assert code == 0 and "saved two.npz; no picture: " in out and "pip install" in out
    code, _, err = simulated(capsys, here, "--duration", "0.1", "--plot", "p.png")
    assert code == 2 and "pip install" in err


# -- view ------------------------------------------------------------------------------


def test_a_page_of_a_motion_and_of_a_position(here, capsys):
    simulated(capsys, here, "--duration", "0.3", "--start", "1,0.3", "--no-plot")
    code, out, _ = printed(capsys, "view", here, "two.npz", "--html", "a.html")
    assert code == 0 and "wrote a.html, " in out
    page = Path("a.html").read_text()
    assert page.startswith("<!doctype html>") and "two</title>" in page
    code, out, _ = printed(
        capsys, "view", here, "--position", "1,0.3", "--html", "b.html"
    )
    assert code == 0 and Path("b.html").stat().st_size < len(page)


def test_the_viewer_runs_until_it_is_stopped(here, capsys, monkeypatch):
    import knuckle.view as view

    waited = []
    monkeypatch.setattr(view.Viewer, "wait", lambda self: waited.append(self.close()))
    code, out, _ = printed(capsys, "view", here, "--no-browser")
    assert code == 0 and waited and "http://localhost:" in out and "Ctrl-C" in out


@pytest.mark.parametrize(
    "options, text",
    [
        (["none.npz", "--html", "a.html"], "none.npz: no such file"),
        (["two.urdf", "--html", "a.html"], "expected a file of Trajectory.save"),
        (["x.npz", "--position", "neutral"], "a trajectory has positions of its own"),
        (["--html", "no/a.html"], "no/a.html: No such file or directory"),
    ],
)
def test_what_cannot_be_viewed(options, text, here, capsys):
    code, _, err = printed(capsys, "view", here, *options)
    assert code == 2 and text in err and err.count("\n") == 1


def test_ports_are_numbers(here, capsys):
    with pytest.raises(SystemExit):
        printed(capsys, "view", here, "--port", "70000")
    assert "expected 1 to 65535, got '70000'" in capsys.readouterr().err


def test_another_models_trajectory_is_refused(tmp_path, here, capsys):
    simulated(capsys, here, "--duration", "0.1", "--no-plot")
    other = pendulum(tmp_path, mass=2.0, name="heavy.urdf")
    code, _, err = printed(capsys, "view", other, "two.npz", "--html", "a.html")
    assert code == 2 and "expected a trajectory of this model" in err
