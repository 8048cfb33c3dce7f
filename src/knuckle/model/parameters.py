"""Constants that become inputs: which there are, their shapes, defaults and checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from knuckle.model.body import Body
from knuckle.model.coupling import Coupling
from knuckle.model.errors import ModelError, near
from knuckle.model.rigid import DEFINITE, TRIANGLE
from knuckle.spatial import SE3
from knuckle.spatial.so3 import quaternion_of_rotation

if TYPE_CHECKING:
    from knuckle.model.model import Model

JOINT_QUANTITIES = ("armature", "damping", "friction", "stiffness", "rest")
UNIT = 1e-6
"""How far the norm of a quaternion may be from 1 in `validate`."""


@dataclass(frozen=True)
class Parameter:
    """A constant that is an input: `quantity` of body, joint or frame number `index`.

    mass () [kg]; com (3) [m] in body axes; inertia (6) = xx, yy, zz, xy, xz, yz about
    the com in body axes [kg m^2]; placement (7) = x, y, z [m], w, x, y, z (a unit
    quaternion), the layout of a free joint; gravity (3), of no body, index -1;
    armature, damping, friction, stiffness (nv of the joint), rest (nq); ratio (one for
    each source) and offset of a linear coupling, index -1. `default` is flat, in this
    order.
    """

    name: str
    quantity: str
    index: int
    shape: tuple[int, ...]
    default: tuple[float, ...]

    def array(self) -> np.ndarray:
        """The default as a new array of the parameter's shape."""
        return np.array(self.default, float).reshape(self.shape)


def available(model: Model) -> dict[str, Parameter]:
    """Every constant of the model that can be a parameter, by name."""
    found = {"gravity": Parameter("gravity", "gravity", -1, (3,), model.gravity)}
    for i, body in enumerate(model.bodies):
        for parameter in (*_of_body(i, body), *_of_joint(i, body)):
            found[parameter.name] = parameter
    for coupling in model.couplings:
        found |= {parameter.name: parameter for parameter in _of_coupling(coupling)}
    for i, frame in enumerate(model.frames):
        name, pose = f"{frame.name}.placement", _pose_entries(frame.placement)
        found[name] = Parameter(name, "frame placement", i, (7,), pose)
    return found


def select(model: Model, patterns: Sequence[str]) -> dict[str, Parameter]:
    """The parameters that names or globs such as '*.com' stand for, in model order."""
    known = available(model)
    chosen = set(model.parameters)
    for pattern in patterns:
        if not isinstance(pattern, str):
            raise ModelError(f"parameter {pattern!r}: expected a name like 'arm.mass'")
        names = [name for name in known if fnmatchcase(name, pattern)]
        names = [pattern] if pattern in known else names
        if not names:
            raise ModelError(
                f"parameter {pattern!r}: no constant of the model has this name; "
                + near(pattern, known, "constants")
            )
        chosen.update(names)
    return {name: p for name, p in known.items() if name in chosen}


def validate(model: Model, values: Mapping[str, Any]) -> None:
    """Refuse parameter values that no mechanism has; names parameter and row."""
    for name, value in values.items():
        if name not in model.parameters:
            raise ModelError(
                f"parameter {name!r}: the model has no such parameter; "
                + near(name, model.parameters, "parameters")
                + " (declare it by model.with_parameters)"
            )
        parameter = model.parameters[name]
        array = np.asarray(value, float)
        shape = parameter.shape
        if array.ndim < len(shape) or array.shape[array.ndim - len(shape) :] != shape:
            expected = ", ".join(["...", *map(str, shape)])
            raise ModelError(
                f"parameter {name!r}: expected shape ({expected}), got {array.shape}"
            )
        rows = array.reshape(array.shape[: array.ndim - len(shape)] + (-1,))
        for fault, expected in _faults(parameter.quantity, rows):
            _refuse(parameter, rows, fault, expected)


def _of_body(i: int, body: Body) -> Iterator[Parameter]:
    inertia = body.rigid
    massless = inertia.mass == 0.0
    com = (0.0, 0.0, 0.0) if massless else inertia.com
    xx, xy, xz, yy, yz, zz = inertia.I
    if not massless:
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.I_com
    for quantity, shape, default in (
        ("mass", (), (inertia.mass,)),
        ("com", (3,), com),
        ("inertia", (6,), (xx, yy, zz, xy, xz, yz)),
        ("placement", (7,), _pose_entries(body.placement)),
    ):
        plain = tuple(float(x) + 0.0 for x in default)
        yield Parameter(f"{body.name}.{quantity}", quantity, i, shape, plain)


def _pose_entries(pose: SE3) -> tuple[float, ...]:
    entries = (*pose.p, *quaternion_of_rotation(pose.R))
    return tuple(float(x) + 0.0 for x in entries)


def _of_joint(i: int, body: Body) -> Iterator[Parameter]:
    nv = body.joint.nv
    if nv:
        for quantity in JOINT_QUANTITIES:
            values = tuple(float(x) for x in getattr(body.joint, quantity))
            name, shape = f"{body.joint_name}.{quantity}", (len(values),)
            yield Parameter(name, quantity, i, shape, values)


def _of_coupling(coupling: Coupling) -> Iterator[Parameter]:
    """Ratio and offset of a linear law."""
    if coupling.ratio is not None:
        for quantity, default in (
            ("ratio", coupling.ratio),
            ("offset", (coupling.offset,)),
        ):
            shape = (len(default),) if quantity == "ratio" else ()
            name = f"{coupling.joint}.{quantity}"
            yield Parameter(name, quantity, -1, shape, default)


def _faults(quantity: str, x: np.ndarray) -> Iterator[tuple[Any, str]]:
    """Which rows are bad, and what was expected of them."""
    yield ~np.isfinite(x).all(-1), "finite numbers"
    if quantity in ("mass", "armature", "damping", "friction"):
        yield (x < 0.0).any(-1), "no negative number"
    if quantity.endswith("placement"):
        norm = np.linalg.norm(x[..., 3:], axis=-1)
        yield np.abs(norm - 1.0) > UNIT, "a unit quaternion in the last four entries"
    if quantity == "inertia":
        matrix = x[..., [0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(*x.shape[:-1], 3, 3)
        m = np.linalg.eigvalsh(matrix)
        largest = np.abs(m).max(-1)
        yield m[..., 0] < -DEFINITE * largest, "a positive-definite inertia"
        short = m[..., 0] + m[..., 1] - m[..., 2] < -TRIANGLE * largest
        yield short, "principal moments with a + b >= c"


def _refuse(parameter: Parameter, rows: np.ndarray, fault: Any, expected: str) -> None:
    if not fault.any():
        return
    row = tuple(int(k) for k in np.argwhere(fault)[0])
    place = f", row {row}" if row else ""
    raise ModelError(
        f"parameter {parameter.name!r}{place}: expected {expected}, got "
        f"{rows[row].tolist()}; the default is {list(parameter.default)}"
    )
