"""Meshes: their files, scales and units, and the inertia of what they enclose."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import knuckle as kn
from knuckle.io.meshes import inertia, triangles, volume
from knuckle.model.shapes import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Mesh,
    Plane,
    Shape,
    Sphere,
)
from knuckle.spatial import SE3
from test_spatial_polyhedron import CORNERS, FACES

trimesh = pytest.importorskip("trimesh", reason="pip install trimesh")
DAE = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="0.001"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array>
<technique_common><accessor source="#pa" count="4" stride="3"><param name="X"
type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor>
</technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/>
</vertices><triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene>
</COLLADA>"""


def cube(folder, ending):
    path = folder / f"cube.{ending}"
    trimesh.Trimesh(CORNERS, FACES, process=False).export(path)
    return path


@pytest.mark.parametrize("ending", ["stl", "obj", "ply"])
def test_files_give_their_triangles(tmp_path, ending):
    path = cube(tmp_path, ending)
    vertices, faces = triangles(Mesh("cube", (1.0, 2.0, 3.0), str(path)))
    assert len(faces) == 12 and np.allclose(np.ptp(vertices, axis=0), (1, 2, 3))
    shape = Shape(Mesh("cube", (1.0, 2.0, -3.0), str(path)), SE3(p=(1.0, 0.0, 0.0)))
    assert volume(shape) == pytest.approx(6.0)
    expected = kn.spatial.solids.box((1, 2, 3), density=2.0, at=shape.placement)
    assert np.allclose(inertia(shape, 2.0).entries, expected.entries)


def test_collada_units_are_kept(tmp_path):
    pytest.importorskip("collada", reason="pip install pycollada")
    path = tmp_path / "t.dae"
    path.write_text(DAE)
    vertices, _ = triangles(Mesh("t", path=str(path)))
    assert np.allclose(vertices.max(axis=0), 1e-3)
    assert volume(Shape(Mesh("t", path=str(path)))) == pytest.approx(1e-9 / 6)


def test_triangles_in_place_and_a_mirror():
    points = tuple(map(tuple, CORNERS.tolist()))
    mesh = Mesh("", (-1.0, 1.0, 1.0), None, points, tuple(map(tuple, FACES.tolist())))
    vertices, faces = triangles(mesh)
    assert np.array_equal(faces, FACES[:, ::-1]) and vertices[0, 0] == 0.5


@pytest.mark.parametrize(
    ("geometry", "expected"),
    [
        (Box((1.0, 2.0, 3.0)), 6.0),
        (Sphere(2.0), 32 / 3 * np.pi),
        (Cylinder(2.0, 3.0), 12 * np.pi),
        (Capsule(2.0, 3.0), 12 * np.pi + 32 / 3 * np.pi),
        (Ellipsoid((1.0, 2.0, 3.0)), 8 * np.pi),
    ],
)
def test_volumes(geometry, expected):
    assert volume(Shape(geometry)) == pytest.approx(expected, rel=1e-14)
    with pytest.raises(ValueError, match="a Plane has no volume"):
        volume(Shape(Plane()))


def refused(mesh):
    with pytest.raises(kn.LoadError) as error:
        triangles(mesh)
    return str(error.value)


def test_bad_meshes_are_refused(tmp_path, monkeypatch):
    assert refused(Mesh("package://a/b.stl")) == (
        "package://a/b.stl: mesh: expected the file, got none that was found; see "
        "model.report"
    )
    path = tmp_path / "bad.stl"
    path.write_bytes(b"\0\1\2" * 99)
    assert "expected a mesh that can be read, got" in refused(Mesh("", path=str(path)))
    monkeypatch.setitem(sys.modules, "trimesh", None)
    assert "pip install trimesh" in refused(Mesh("", path=str(cube_bytes(tmp_path))))


def cube_bytes(folder):
    path = folder / "other.stl"
    path.write_text("solid x\nendsolid x\n")
    return path


def test_a_model_loads_without_its_meshes():
    text = (
        '<robot name="r"><link name="a"><inertial><mass value="1"/></inertial><visual>'
        '<geometry><mesh filename="missing.stl"/></geometry></visual></link></robot>'
    )
    model = kn.load(text, root="floating")
    assert model.nv == 6 and "mesh not found" in model.report[0].reason
