"""Which files a document may name, and where they are found without ROS."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import knuckle as kn
from knuckle.io.source import SEARCHED, Missing, Source


@pytest.fixture(autouse=True)
def no_ros(monkeypatch):
    for variable in SEARCHED:
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def package(tmp_path):
    """top/arm_description/{package.xml, urdf/arm.urdf, meshes/a.stl}."""
    home = tmp_path / "top" / "arm_description"
    for name in ("urdf/arm.urdf", "meshes/a.stl", "urdf/b.stl", "package.xml"):
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("<package><name>arm</name></package>")
    (tmp_path / "secret.stl").write_text("")
    return home


@pytest.mark.parametrize(
    ("uri", "place"),
    [
        ("b.stl", "urdf/b.stl"),
        ("../meshes/a.stl", "meshes/a.stl"),
        ("..\\meshes\\a.stl", "meshes/a.stl"),
        ("package://arm_description/meshes/a.stl", "meshes/a.stl"),
        ("package://arm/meshes/a.stl", "meshes/a.stl"),
        ("package://another_name/meshes/a.stl", "meshes/a.stl"),
        ("package:///arm/meshes/a.stl", "meshes/a.stl"),
        ("model://arm_description/meshes/a.stl", "meshes/a.stl"),
        ("file://{home}/meshes/a.stl", "meshes/a.stl"),
        ("{home}/meshes/a.stl", "meshes/a.stl"),
        ("package://arm%5Fdescription/meshes/a.stl", "meshes/a.stl"),
    ],
)
def test_files_of_the_package_are_found(package, uri, place):
    source = Source.of_file(package / "urdf" / "arm.urdf")
    assert source.find(uri.format(home=package)) == package / place


@pytest.mark.parametrize(
    ("uri", "told"),
    [
        ("../../../secret.stl", "lies outside the folders that may be read"),
        ("{top}/secret.stl", "pass its folder in package_dirs=[...]"),
        ("file:///etc/passwd", "lies outside"),
        ("package://arm/../../secret.stl", "no file"),
        ("package://../secret.stl", "no file"),
        ("package:///etc/passwd", "no file"),
        ("none.stl", "no file 'none.stl'; pass the folder that holds it"),
        ("http://host/a.stl", "http:// is not read; put the file beside this one"),
    ],
)
def test_nothing_outside_is_touched(package, uri, told, tmp_path):
    source = Source.of_file(package / "urdf" / "arm.urdf")
    for _ in range(2):
        with pytest.raises(Missing) as error:
            source.find(uri.format(top=tmp_path))
        assert told in str(error.value)


def test_links_out_of_the_package_are_outside(package, tmp_path):
    (package / "meshes" / "out.stl").symlink_to(tmp_path / "secret.stl")
    source = Source.of_file(package / "urdf" / "arm.urdf")
    for uri in ("../meshes/out.stl", "package://arm/meshes/out.stl"):
        with pytest.raises(Missing):
            source.find(uri)
    wider = Source.of_file(package / "urdf" / "arm.urdf", [tmp_path])
    assert wider.find("../meshes/out.stl") == tmp_path / "secret.stl"


def test_given_folders_and_the_environment(package, tmp_path, monkeypatch):
    text = Source.of_text("", [package.parent])
    assert text.find("package://arm_description/meshes/a.stl").is_file()
    assert text.find("arm_description/meshes/a.stl").is_file()
    with pytest.raises(Missing):
        Source.of_text().find("package://arm_description/meshes/a.stl")
    share = tmp_path / "ws" / "share"
    share.mkdir(parents=True)
    (share / "arm_description").symlink_to(package, target_is_directory=True)
    paths = {"ROS_PACKAGE_PATH": package.parent, "AMENT_PREFIX_PATH": tmp_path / "ws",
             "GAZEBO_MODEL_PATH": package.parent}  # fmt: skip
    for variable, folder in paths.items():
        monkeypatch.setenv(variable, f"{os.pathsep}/none{os.pathsep}{folder}")
        assert Source.of_text().find("model://arm_description/meshes/a.stl").is_file()
        monkeypatch.delenv(variable)


def test_home_and_root_are_never_searched(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "private").mkdir()
    source = Source.of_file(tmp_path / "a" / "b" / "x.urdf")
    assert source.ancestors == (tmp_path / "a" / "b", tmp_path / "a")
    with pytest.raises(Missing):
        source.find(f"package://{tmp_path.name}/private")


def test_included_documents_are_named_from_the_first(tmp_path):
    """a/a/m.sdf included by a/m.sdf included by top.sdf: three names, three folders."""
    for name in ("top.sdf", "a/m.sdf", "a/a/m.sdf"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text("<sdf/>")
    top = Source.of_file(tmp_path / "top.sdf")
    middle = top.enter(top.find("a/m.sdf"))
    inner = middle.enter(middle.find("a/m.sdf"))
    assert [middle.name, inner.name] == ["a/m.sdf", "a/a/m.sdf"]
    assert inner.folder == tmp_path / "a" / "a"
    kept = top.enter(top.find("a/m.sdf"), keep_folder=True)
    assert kept.folder == tmp_path and kept.path == tmp_path / "a" / "m.sdf"
    with pytest.raises(Missing, match="each other: top.sdf -> m.sdf -> top.sdf"):
        middle.enter(tmp_path / "top.sdf")


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda p: p.mkdir(), "expected a file, got a folder; check the path"),
        (lambda p: None, "expected a file, got no such file; check the path"),
        (lambda p: os.mkfifo(p), "expected a file, got neither file nor"),
        (
            lambda p: p.write_bytes(b""),
            "expected well-formed XML, got no element found",
        ),
        (lambda p: p.write_bytes(b"\x7fELF\0\0"), "an XML file, got binary data"),
        (lambda p: p.write_text("<robot"), "expected well-formed XML, got unclosed"),
        (
            lambda p: (p.touch(), os.truncate(p, 65 << 20)),
            "at most 64 MB, got 65",
        ),
    ],
)
def test_what_is_no_document(tmp_path, make, told):
    path = tmp_path / "arm.urdf"
    make(path)
    with pytest.raises(kn.LoadError) as error:
        kn.load(path)
    assert told in str(error.value) and str(error.value).startswith(str(path))
