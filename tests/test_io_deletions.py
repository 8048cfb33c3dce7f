"""The deletion law, on files that use all that their format has."""

from __future__ import annotations

from pathlib import Path

import pytest

from deletions import silent

FILES = Path(__file__).parent / "files"


@pytest.mark.parametrize("name", ["everything.urdf", "everything.sdf"])
def test_nothing_can_be_deleted_without_a_trace(name: str) -> None:
    assert silent((FILES / name).read_text()) == []


def test_the_law_can_fail() -> None:
    """A comment in disguise: what two definitions share shows only once."""
    text = (
        '<robot name="r"><link name="a"><visual><geometry><box size="1 1 1"/>'
        "</geometry></visual></link></robot>"
    )
    assert silent(text) == []
    assert silent(text.replace("</robot>", '<material name="m"/></robot>')) == []
