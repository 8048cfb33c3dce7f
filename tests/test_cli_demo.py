"""`knuckle demo`, as a newcomer meets it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import knuckle
from knuckle.cli import main
from knuckle.cli.demo import arm


def test_the_demo_shows_the_main_job_in_ten_seconds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    started = time.perf_counter()
    assert main(["demo"]) == 0
    assert time.perf_counter() - started < 10.0
    said = capsys.readouterr()
    assert "1.00M" in said.err, "no progress bar"
    for name in ("inverse_dynamics", "forward_dynamics", "mass_matrix"):
        row = re.search(rf"^{name} +([\d.]+) s +(\d+) +([\d.]+) ns$", said.out, re.M)
        assert row, said.out
        assert float(row[1]) < 5.0 and int(row[2]) > 100 and float(row[3]) > 0.0
    swing = re.search(r"energy drift ([\d.e+-]+) J of ([\d.]+) J", said.out)
    assert swing and 0.0 < float(swing[1]) < 1e-4 * float(swing[2])


def test_a_progress_bar_is_no_requirement(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert main(["demo", "--rows", "7001"]) == 0
    assert "7001 states (a progress bar needs: pip install tqdm)" in (
        capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["demo", "--rows", "x"], "--rows: expected a whole number above 0, got 'x'"),
        (["demo", "--rows", "0"], "--rows: expected a whole number above 0, got '0'"),
        (["nothing"], "invalid choice: 'nothing'"),
        ([], "the following arguments are required: command"),
    ],
)
def test_mistakes_are_told_without_a_traceback(
    arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    said = capsys.readouterr().err
    assert end.value.code == 2 and text in said and "Traceback" not in said


def test_the_module_is_the_command() -> None:
    source = str(Path(knuckle.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-m", "knuckle", "--help"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": source},
    )
    assert done.returncode == 0 and "usage: knuckle" in done.stdout


def test_the_arm_is_sound() -> None:
    assert all(finding.severity != "error" for finding in arm().check())
