"""The command that measures all floats, on a few of them; k pi/2 for k to 10^6."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import accuracy  # noqa: E402


@pytest.mark.parametrize("fma", [True, False])
@pytest.mark.parametrize("name", accuracy.NUMPY)
def test_floats_of_every_block(name: str, fma: bool) -> None:
    """Each 8192nd block of 65536 floats: all exponents, both signs."""
    worst, where = accuracy.measure(name, True, 50_000, fma, 8192)
    assert worst <= 2.0, (name, where)


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_multiples_of_half_pi(name: str) -> None:
    """Doubles nearest to k pi/2 and their neighbours, k to 10^6, against mpmath."""
    if not accuracy.WIDE:
        pytest.skip("needs a long double of 64 bits")
    worst, where = accuracy.measure(name, False, 3_000_003, True)
    assert worst <= 2.0, (name, where)


def test_all_floats_are_all_floats() -> None:
    blocks = accuracy.every_float(1 << 13)
    ends = [(int(x.view(np.uint32)[0]), int(x.view(np.uint32)[-1])) for x in blocks]
    assert len(ends) == 8 and ends[0] == (0, 65535)
    assert ends[1][0] == 8192 * 65536
    turns = next(iter(accuracy.doubles("sin", 1, np.random.default_rng(0))))
    assert len(turns) == 1_000_001 and turns[-1] == 1e6 * (math.pi / 2)


def test_a_wrong_value_would_be_seen() -> None:
    exact = np.array([1.0, 2.0])
    off = np.array([1.0, 2.0 + 4 * 2.0**-22], np.float32)
    assert accuracy.float_errors(off, exact).tolist() == [0.0, 4.0]
    nan = accuracy.float_errors(np.array([math.nan], np.float32), exact[:1])
    assert nan[0] == math.inf


def test_the_command_prints_the_worst(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = ["accuracy", "--function", "exp", "--exhaustive-float32", "--every", "16384"]
    monkeypatch.setattr(sys, "argv", few)
    accuracy.main()
    said = capsys.readouterr().out
    assert said.startswith("exp      float32 fma: ") and " ulp at " in said
