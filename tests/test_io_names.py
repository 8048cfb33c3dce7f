"""Robots by name: what is installed, what is near, and nothing from the network."""

from __future__ import annotations

import sys

import pytest

import knuckle as kn
from knuckle.io import names


@pytest.fixture(autouse=True)
def fresh():
    for function in (names.example_robots, names.descriptions):
        function.cache_clear()
    yield
    for function in (names.example_robots, names.descriptions):
        function.cache_clear()


def refused(name):
    with pytest.raises(kn.LoadError) as error:
        kn.load(name)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_robot_by_its_name():
    pytest.importorskip("pinocchio", reason="pip install pin")
    if not names.example_robots():
        pytest.skip("pip install example-robot-data")
    assert kn.load("panda").nv == 8
    assert kn.load("ur5").nv == kn.load("ur5_robot").nv == 6
    assert kn.load("anymal_c", root="floating").nv == 18
    assert "did you mean 'panda'" in refused("pandaa")


def test_without_packages_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setattr(names, "example_robots", dict)
    monkeypatch.setattr(names, "descriptions", tuple)
    assert refused("panda") == (
        "panda: expected a file or the name of a robot, got no package of robots is "
        "installed; pip install example-robot-data, or check the path"
    )
    monkeypatch.undo()
    missing = names.metadata.PackageNotFoundError
    monkeypatch.setattr(
        names.metadata, "distribution", lambda _: (_ for _ in ()).throw(missing())
    )
    assert names.example_robots() == {}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A robot_descriptions of one robot, whose import would be a download."""
    top = tmp_path / "robot_descriptions"
    top.mkdir()
    (top / "__init__.py").write_text("")
    (top / "_descriptions.py").write_text("DESCRIPTIONS = {'rod_description': 1}")
    (top / "_repositories.py").write_text(
        "class R: cache_path, commit = 'rods', '0123'\nREPOSITORIES = {'rods': R}"
    )
    (top / "rod_description.py").write_text(
        f"X = _clone_to_cache = lambda key: {str(tmp_path)!r}\n"
        "URDF_PATH = _clone_to_cache('rods') + '/rod.urdf'"
    )
    (tmp_path / "rod.urdf").write_text(
        '<robot name="rod"><link name="rod"><inertial><mass value="1"/><inertia '
        'ixx="1" iyy="1" izz="1"/></inertial></link></robot>'
    )
    for name in [m for m in sys.modules if m.startswith("robot_descriptions")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path / "cache"))
    yield tmp_path
    for name in [m for m in sys.modules if m.startswith("robot_descriptions")]:
        sys.modules.pop(name)


def test_a_description_counts_only_when_it_is_cached(package):
    told = refused("rod")
    assert "not in the cache of robot_descriptions" in told
    assert "run `python -c 'import robot_descriptions.rod_description'` once" in told
    assert "robot_descriptions.rod_description" not in sys.modules
    head = package / "cache" / "rods" / ".git" / "HEAD"
    head.parent.mkdir(parents=True)
    head.write_text("another\n")
    assert "not in the cache" in refused("rod")
    head.write_text("0123\n")
    assert kn.load("rod").bodies[0].name == "rod"
    assert kn.load("rod_description").nv == 0


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "no/such/file", "robot.urdf"])
def test_odd_names_are_refused_in_one_line(name):
    assert len(refused(name)) < 6000
