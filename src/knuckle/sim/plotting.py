"""A trajectory as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from knuckle.sim.errors import SimulationError

if TYPE_CHECKING:
    from knuckle.sim.trajectory import Trajectory

NAMED = 12
"""So many curves get a legend; more would hide the picture."""


def figure(
    trajectory: Trajectory, path: str | Path | None, row: int | tuple[int, ...] | None
) -> Any:
    """Positions, velocities and energies over time; saved where a path is given."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise SimulationError(
            "Trajectory.plot needs Matplotlib: pip install 'knuckle[plot]'"
        ) from None
    place = _place(trajectory, row)
    drawn = Figure(figsize=(9.0, 9.0), layout="constrained")
    top, middle, bottom = drawn.subplots(3, 1, sharex=True)
    model, t = trajectory.model, trajectory.t
    _curves(top, t, trajectory.q[place], model.q_names, "position [rad, m]")
    _curves(middle, t, trajectory.v[place], model.v_names, "velocity [rad/s, m/s]")
    for name, energy in trajectory.energies._asdict().items():
        style = {"color": "black", "linewidth": 2.0} if name == "total" else {}
        bottom.plot(t, energy[place], label=name, **style)
    bottom.set_ylabel("energy [J]")
    bottom.set_xlabel("t [s]")
    _legend(bottom)
    drawn.suptitle(_title(trajectory, place), fontsize="medium")
    if path is not None:
        drawn.savefig(path, dpi=120)
    return drawn


def _place(trajectory: Trajectory, row: int | tuple[int, ...] | None) -> Any:
    shape = trajectory.shape
    place = (0,) * len(shape) if row is None else row
    place = (place,) if isinstance(place, int) else tuple(place)
    if len(place) != len(shape) or not all(
        -n <= k < n for k, n in zip(place, shape, strict=False)
    ):
        raise SimulationError(
            f"Trajectory.plot: row is {row!r}, expected one of a batch of shape {shape}"
        )
    return place


def _curves(axes: Any, t: Any, values: Any, names: Any, label: str) -> None:
    for k, name in enumerate(names):
        axes.plot(t, values[:, k], label=name, linewidth=1.2)
    axes.set_ylabel(label)
    if len(names) <= NAMED:
        _legend(axes)
    else:
        axes.set_title(f"{len(names)} coordinates", loc="right", fontsize="small")
    axes.grid(alpha=0.3)


def _legend(axes: Any) -> None:
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="small")
    axes.grid(alpha=0.3)


def _title(trajectory: Trajectory, place: tuple[int, ...]) -> str:
    settings, limits = trajectory.settings, trajectory.settings.limits
    row = f"row {place}, " if place else ""
    return (
        f"{row}{settings.integrator}, dt {settings.dt:g} s, "
        f"limits: {limits.partition(':')[0]}"
    )
