"""What a simulation returns: states in time, energies, and how they were made."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from knuckle.sim.errors import SimulationError

Array = np.ndarray
FORMAT, VERSION = "knuckle trajectory", 1
ARRAYS = ("t", "q", "v", "tau")
NONE: Mapping[str, Array] = MappingProxyType({})


class Energies(NamedTuple):
    """Energies in time [J], (..., times)."""

    kinetic: Array
    potential: Array
    total: Array


@dataclass(frozen=True)
class Settings:
    """How a trajectory was made, in words and numbers.

    `limits`, `friction` and `control` say what acted; `ignored` what of the model did
    not. `order` is that of a fixed step. `residual` is what the last iteration of an
    implicit step still changed, at most [rad/s, m/s].
    """

    integrator: str
    order: int | None
    dt: float
    keep_every: int
    limits: str
    friction: str
    control: str
    ignored: tuple[str, ...] = ()
    residual: float = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory:
    """States of a mechanism in time: batch first, then time, then coordinates.

    t (times,) [s]; q (..., times, nq), v (..., times, nv); tau (..., times, nv), the
    joint forces that act from each time on, without passive forces and limits;
    `energies`, each (..., times) [J]. Arrays cannot be written to. `parameters` are
    the values of declared parameters that it was made with.
    """

    model: Any
    t: Array
    q: Array
    v: Array
    tau: Array
    energies: Energies
    settings: Settings
    parameters: Mapping[str, Array] = field(default_factory=lambda: NONE)

    def __post_init__(self) -> None:
        for array in (self.t, self.q, self.v, self.tau, *self.energies):
            array.flags.writeable = False

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the batch."""
        return self.q.shape[:-2]

    def __getitem__(self, row: int | tuple[int, ...]) -> Trajectory:
        """The trajectory of a row of the batch, or of several: traj[2], traj[0, 1]."""
        place = row if isinstance(row, tuple) else (row,)
        if not place or len(place) > len(self.shape):
            raise IndexError(
                f"Trajectory[{row!r}]: expected one to {len(self.shape)} indices of a "
                f"batch of shape {self.shape}"
            )
        parameters = {
            name: x[place] if x.ndim > len(self.model.parameters[name].shape) else x
            for name, x in self.parameters.items()
        }
        return replace(
            self, q=self.q[place], v=self.v[place], tau=self.tau[place],
            energies=Energies(*(x[place] for x in self.energies)),
            parameters=parameters,
        )  # fmt: skip

    def __repr__(self) -> str:
        batch = f", batch {self.shape}" if self.shape else ""
        return (
            f"<Trajectory of {len(self.t)} states from t = {self.t[0]:.6g} to "
            f"{self.t[-1]:.6g} s, nq {self.q.shape[-1]}{batch}, "
            f"{self.settings.integrator}, dt {self.settings.dt:g} s>"
        )

    def save(self, path: str | Path) -> Path:
        """Write an .npz file; the model itself is not in it, but known by its digest.

        The file holds arrays and JSON, nothing that could run when it is read.
        """
        path = Path(path).with_suffix(".npz")
        header = {
            "format": FORMAT,
            "version": VERSION,
            "model": self.model.digest,
            "bodies": [b.name for b in self.model.bodies],
            "q_names": self.model.q_names,
            "v_names": self.model.v_names,
            "settings": asdict(self.settings),
        }
        arrays = {name: getattr(self, name) for name in ARRAYS}
        arrays |= {f"energy {k}": x for k, x in self.energies._asdict().items()}
        arrays |= {f"parameter {k}": x for k, x in self.parameters.items()}
        np.savez(path, allow_pickle=False, header=json.dumps(header), **arrays)
        return path

    @staticmethod
    def load(path: str | Path, model: Any) -> Trajectory:
        """Read what `save` wrote; `model` is the one it was made with, by content."""
        header, arrays = _read(Path(path))
        _check_model(path, header, model)
        try:
            energies = Energies(*(arrays[f"energy {k}"] for k in Energies._fields))
            plain = {name: arrays[name] for name in ARRAYS}
            settings = _settings(header["settings"])
        except (KeyError, TypeError) as error:
            raise _damaged(path, f"{error} is missing or not understood") from None
        _check_shapes(path, plain, energies, model)
        given = {
            name.removeprefix("parameter "): x
            for name, x in arrays.items()
            if name.startswith("parameter ")
        }
        return Trajectory(
            model, **plain, energies=energies, settings=settings, parameters=given
        )

    def to_html(self, path: str | Path, **options: Any) -> Path:
        """Write the motion as a page that opens in a browser, from disk, offline."""
        from knuckle.view import export_html

        page: Path = export_html(path, self.model, self, **options).path
        return page

    def plot(
        self, path: str | Path | None = None, row: int | tuple[int, ...] | None = None
    ) -> Any:
        """Positions, velocities and energies in one figure of Matplotlib.

        Written to `path` where one is given. `row` chooses a row of a batch; default
        the first.
        """
        from knuckle.sim.plotting import figure

        return figure(self, path, row)


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    if not path.is_file():
        raise SimulationError(f"{path}: no such file")
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        header = json.loads(str(arrays.pop("header")))
    except (ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile) as error:
        raise _damaged(path, str(error)) from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise _damaged(path, "its header is another's")
    if header.get("version") != VERSION:
        raise SimulationError(
            f"{path}: a trajectory of format {header.get('version')!r}, expected "
            f"{VERSION}; read it with the knuckle that wrote it"
        )
    return header, arrays


def _damaged(path: Path | str, why: str) -> SimulationError:
    return SimulationError(f"{path}: expected a file of Trajectory.save; {why}")


def _check_model(path: Path | str, header: Mapping[str, Any], model: Any) -> None:
    if header.get("model") == model.digest:
        return
    theirs, ours = header.get("bodies", []), [b.name for b in model.bodies]
    differ = "the same bodies with other constants or joints"
    if theirs != ours:
        differ = f"{len(theirs)} bodies ({', '.join(map(str, theirs[:3]))}, ...)"
    raise SimulationError(
        f"{path}: expected a trajectory of this model ({len(ours)} bodies, digest "
        f"{model.digest[:8]}), got one of {differ}, digest "
        f"{str(header.get('model'))[:8]}; pass the model it was made with"
    )


def _settings(values: Mapping[str, Any]) -> Settings:
    known = {f.name for f in fields(Settings)}
    kept = {name: x for name, x in values.items() if name in known}
    return Settings(**{**kept, "ignored": tuple(values["ignored"])})


def _check_shapes(
    path: Path | str, arrays: Mapping[str, Array], energies: Energies, model: Any
) -> None:
    times = arrays["t"].shape
    lead = arrays["q"].shape[:-2]
    expected = {
        "q": (*lead, *times, model.nq),
        "v": (*lead, *times, model.nv),
        "tau": (*lead, *times, model.nv),
    }
    found = {name: arrays[name].shape for name in expected}
    for name, x in energies._asdict().items():
        expected[f"energy {name}"], found[f"energy {name}"] = (*lead, *times), x.shape
    for name, shape in expected.items():
        if found[name] != shape or len(times) != 1:
            raise _damaged(path, f"{name} has shape {found[name]}, expected {shape}")
