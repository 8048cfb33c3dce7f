"""The command line: what it prints, its exit codes, and one line for every mistake."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import knuckle as kn
from knuckle.cli import COMMANDS, main, parser
from knuckle.cli.errors import UserError, explained
from knuckle.cli.text import plural, seconds, table

ARM = str(Path(__file__).parents[1] / "benchmarks" / "models" / "arm7.urdf")
LINK = """<link name="{name}"><inertial><origin xyz="0 0 0.1"/><mass value="{mass}"/>
  <inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
"""
JOINT = """<joint name="{name}" type="revolute"><parent link="{parent}"/>
  <child link="{child}"/><origin xyz="0 0 0.2"/><axis xyz="0 1 0"/>
  <limit lower="-1.5" upper="{upper}" effort="10" velocity="3"/>{more}</joint>
"""


def pendulum(tmp_path, upper=1.5, more="", mass=1.0, name="two.urdf"):
    """The path of a URDF of two links on a base."""
    text = '<robot name="two"><link name="base"/>'
    for parent, child in (("base", "upper"), ("upper", "lower")):
        text += LINK.format(name=child, mass=mass)
        text += JOINT.format(
            name=f"{child}_joint", parent=parent, child=child, upper=upper,
            more=more if child == "lower" else "",
        )  # fmt: skip
    path = tmp_path / name
    path.write_text(text + "</robot>")
    return str(path)


def printed(capsys, *arguments):
    """The exit code, and what went to stdout and stderr."""
    code = main(list(arguments))
    said = capsys.readouterr()
    return code, said.out, said.err


# -- the frame -------------------------------------------------------------------------


def test_every_command_explains_itself(capsys):
    assert set(COMMANDS) <= set(parser().format_help().split())
    for name in COMMANDS:
        with pytest.raises(SystemExit) as done:
            main([name, "--help"])
        text = capsys.readouterr().out
        assert done.value.code == 0 and text.startswith(f"usage: knuckle {name}")
        summary = text.split("\n\n")[1].split("\n")[0]
        assert len(summary) > 20 and summary.endswith("."), name


def test_the_version(capsys):
    with pytest.raises(SystemExit) as done:
        main(["--version"])
    assert done.value.code == 0
    assert capsys.readouterr().out == f"knuckle {kn.__version__}\n"


@pytest.mark.parametrize(
    "arguments, text",
    [
        ([], "the following arguments are required: command"),
        (["inof", ARM], "invalid choice: 'inof'"),
        (["bench", ARM, "--rows", "0"], "expected a whole number above 0, got '0'"),
        (["bench", ARM, "--seconds", "nan"], "expected a number above 0, got 'nan'"),
        (["info", ARM, "--root", "flying"], "invalid choice: 'flying'"),
    ],
)
def test_what_the_command_line_refuses(arguments, text, capsys):
    with pytest.raises(SystemExit) as done:
        main(arguments)
    assert done.value.code == 2 and text in capsys.readouterr().err


@pytest.mark.parametrize("command", ["info", "check", "bench"])
def test_files_that_cannot_be_loaded_give_one_line(command, tmp_path, capsys):
    cut = tmp_path / "cut.urdf"
    cut.write_text('<robot name="a"><link name="b">')
    binary = tmp_path / "b.urdf"
    binary.write_bytes(bytes(range(256)))
    for path, text in (
        (tmp_path / "none.urdf", "expected a file"),
        (tmp_path, "a folder"),
        (cut, "cut.urdf:1"),
        (binary, "b.urdf"),
    ):
        code, out, err = printed(capsys, command, str(path))
        assert code == 2 and out == "" and text in err
        assert err.startswith(f"knuckle {command}: ") and err.count("\n") == 1
    code, _, err = printed(capsys, command, "<robot/>")
    assert code == 2 and "expected a file or a name, got text" in err


def test_bugs_keep_their_traceback(monkeypatch):
    def broken(*arguments, **options):
        raise ValueError("a bug")

    monkeypatch.setattr(kn, "load", broken)
    with pytest.raises(ValueError, match="a bug"):
        main(["info", ARM])


def test_which_errors_are_the_users():
    assert explained(ValueError("a bug")) is None
    assert explained(kn.ModelError("joint 'a':\n  odd")) == "joint 'a': odd"
    missing = ModuleNotFoundError("pip install viser", name="viser")
    assert explained(missing) == "pip install viser"
    assert explained(ModuleNotFoundError("no", name="knuckle.sim")) is None
    gone = FileNotFoundError(2, "No such file or directory", "x.npz")
    assert explained(gone) == "x.npz: No such file or directory"
    assert explained(UserError("--q0: odd")) == "--q0: odd"


def test_an_interrupt_and_a_closed_pipe_end_quietly(monkeypatch, capsys):
    def stopped(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(kn, "load", stopped)
    assert main(["info", ARM]) == 130
    assert capsys.readouterr().err == "knuckle: stopped\n"
    command = f"{sys.executable} -m knuckle.cli info {ARM} | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.stdout.startswith("8 bodies") and done.stderr == ""


def test_the_module_runs_as_a_program():
    command = [sys.executable, "-m", "knuckle.cli", "check", ARM, "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and json.loads(done.stdout)["nv"] == 7


def test_layout():
    assert table(("a", "b"), [("long", "1"), ("x", "22")]).split("\n") == [
        "a      b", "long   1", "x     22"]  # fmt: skip
    assert [plural(n, "body") for n in (0, 1, 2)] == ["0 bodies", "1 body", "2 bodies"]
    assert [seconds(x) for x in (2.5, 3e-3, 1e-8)] == ["2.5 s", "3 ms", "10 ns"]


# -- demo and info ---------------------------------------------------------------------


def test_demo(capsys):
    code, out, _ = printed(capsys, "demo", "--rows", "2000")
    assert code == 0 and "forward_dynamics" in out and "energy drift" in out


def test_info_draws_the_tree(tmp_path, capsys):
    code, out, _ = printed(capsys, "info", pendulum(tmp_path))
    assert code == 0
    assert "3 bodies (1 fixed), nq 2, nv 2, mass 2 kg" in out
    assert "2 of 2 velocities actuated (all but free roots)" in out
    lines = out.split("\n")
    tree = [line for line in lines if "- " in line and "_joint" in line]
    assert tree[-2].startswith("   `- upper") and tree[-1].startswith("      `- lower")
    words = tree[-1].split()
    assert words[2:] == ["lower_joint", "Revolute", "1", "1", "-1.5", "..", "1.5", "3",
                         "10"]  # fmt: skip


def test_info_floats_a_root_and_counts_operations(capsys):
    code, out, _ = printed(capsys, "info", ARM, "--root", "floating")
    assert code == 0 and "nq 14, nv 13" in out and "7 of 13 velocities actuated" in out
    row = next(x for x in out.split("\n") if x.startswith("mass_matrix")).split()
    model = kn.load(ARM, root="floating")
    counts = kn.compile(kn.mass_matrix, model).kernel.operations
    assert int(row[1]) == sum(counts.values()) == sum(map(int, row[2:]))
    code, out, _ = printed(capsys, "info", ARM, "--no-operations")
    assert code == 0 and "operations" not in out


def test_a_chain_of_thousands_stays_readable(tmp_path, capsys):
    count = 1000
    text = ['<robot name="chain">', LINK.format(name="l0", mass=1)]
    for k in range(1, count):
        text.append(LINK.format(name=f"l{k}", mass=1))
        text.append(JOINT.format(name=f"j{k}", parent=f"l{k - 1}", child=f"l{k}",
                                 upper=1, more=""))  # fmt: skip
    path = tmp_path / "chain.urdf"
    path.write_text("\n".join([*text, "</robot>"]))
    code, out, _ = printed(capsys, "info", str(path))
    lines = out.split("\n")
    assert code == 0 and max(map(len, lines)) < 200 and "operations" not in out
    assert any("`- 1000: l999" in line for line in lines)
    assert printed(capsys, "check", str(path))[0] == 0


# -- check -----------------------------------------------------------------------------


def test_check_of_a_sound_file(tmp_path, capsys):
    code, out, _ = printed(capsys, "check", pendulum(tmp_path), "--strict")
    assert code == 0 and out.endswith("two.urdf: nothing doubtful\n")


def test_check_warns_and_is_strict_when_asked(tmp_path, capsys):
    odd = pendulum(tmp_path, upper=-1.5)
    code, out, _ = printed(capsys, "check", odd)
    assert code == 0 and "warning: joint 'lower_joint': its limits leave one" in out
    assert out.endswith("two.urdf: 2 warnings\n")
    assert printed(capsys, "check", odd, "--strict")[0] == 1


def test_check_fails_where_the_motion_differs(tmp_path, capsys):
    tied = pendulum(tmp_path, more='<mimic joint="lower_joint"/>')
    code, out, _ = printed(capsys, "check", tied)
    assert code == 1 and "error: two.urdf:" in out and "mimic" in out
    code, out, _ = printed(capsys, "check", tied, "--json")
    data = json.loads(out)
    assert code == 1 and data["findings"][0]["severity"] == "error"
    assert data["report"][0]["line"] > 0 and data["nq"] == 2


def test_a_mimic_joint_is_shown_as_following(tmp_path, capsys):
    tied = pendulum(tmp_path, more='<mimic joint="upper_joint" multiplier="0.5"/>')
    code, out, _ = printed(capsys, "info", tied)
    assert code == 0 and "nq 1, nv 1" in out
    assert "1 coupling: lower_joint of upper_joint" in out
    (row,) = (line for line in out.splitlines() if "`- lower" in line)
    assert row.split()[4] == "follows"
    assert printed(capsys, "check", tied)[0] == 0


def test_check_groups_what_the_loader_did_not_use(tmp_path, capsys):
    text = Path(pendulum(tmp_path)).read_text()
    text = text.replace('<axis xyz="0 1 0"/>', '<axis xyz="0 1 0"/>\n<flavour/>')
    path = tmp_path / "odd.urdf"
    path.write_text(text)
    _, out, _ = printed(capsys, "check", str(path))
    shown = [line for line in out.split("\n") if "flavour" in line]
    assert len(shown) == 1 and "(also in line" in shown[0]
    _, out, _ = printed(capsys, "check", str(path), "--verbose")
    assert len([line for line in out.split("\n") if "flavour" in line]) == 2


def test_check_says_in_json_what_cannot_be_loaded(tmp_path, capsys):
    code, out, _ = printed(capsys, "check", str(tmp_path / "none.urdf"), "--json")
    assert code == 2 and "expected a file" in json.loads(out)["cannot_load"]


# -- bench -----------------------------------------------------------------------------


def test_bench_times_what_it_is_asked_for(tmp_path, capsys):
    arguments = ["bench", pendulum(tmp_path), "--rows", "64", "--seconds", "0.01"]
    choice = ["--algorithm", "mass_matrix", "--algorithm", "bias_forces"]
    code, out, _ = printed(capsys, *arguments, *choice)
    rows = [line.split() for line in out.strip().split("\n")[2:]]
    assert code == 0 and [row[:2] for row in rows] == [
        ["mass_matrix", "float64"], ["mass_matrix", "float32"],
        ["bias_forces", "float64"], ["bias_forces", "float32"],
    ]  # fmt: skip
    _, out, _ = printed(capsys, *arguments, *choice, "--json", "--dtype", "float64")
    for row in json.loads(out)["results"]:
        assert 0 < row["batch"] < 1e-2 and 0 < row["call"] < 1e-2
        assert row["compile"] > 1e-3
        assert row["operations"] > 2
    code, _, err = printed(capsys, *arguments, "--algorithm", "mas_matrix")
    assert code == 2 and "expected one of inverse_dynamics" in err


def test_bench_needs_something_that_moves(tmp_path, capsys):
    path = tmp_path / "rock.urdf"
    path.write_text('<robot name="r">' + LINK.format(name="r", mass=1) + "</robot>")
    code, _, err = printed(capsys, "bench", str(path))
    assert code == 2 and "nothing moves, so there is nothing to time" in err


def test_random_states_lie_on_their_manifold():
    from knuckle.cli.bench import arrays

    model = kn.load(ARM, root="floating")
    kernel = kn.compile(kn.bias_forces, model, "float32")
    q, v = arrays(kernel, model, (5,), "float32")
    assert q.shape == (5, 14) and v.shape == (5, 13) and v.dtype == np.float32
    model.validate(q.astype(float))
