"""<compiler> and <option>: read when a value is first needed, the last one counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from knuckle.io.mjcf.refusals import refused
from knuckle.io.xml import Element

FLAGS = ("disable", "enable")


class Settings:
    """The settings of one document.

    What nobody needs stays unread and so gets into the report: an angle unit without
    angles changes nothing.
    """

    def __init__(self, compilers: Sequence[Element], options: Sequence[Element]):
        self._compilers = compilers
        self._options = options
        self._flags = [flag for option in options for flag in option.all("flag")]

    @staticmethod
    def _holder(elements: Sequence[Element], name: str) -> Element | None:
        found = [e for e in elements if name in e.attributes]
        return found[-1] if found else None

    def compiler(self, name: str, kind: str, *arguments: Any) -> Any:
        """The compiler's attribute, read as `kind`: get, choice, boolean, numbers."""
        holder = self._holder(self._compilers, name)
        if holder is None:
            return arguments[-1] if arguments else None
        return getattr(holder, kind)(name, *arguments)

    def unsaid(self, name: str, usual: str) -> bool:
        """Whether the compiler is silent or says the usual; this reads nothing."""
        holder = self._holder(self._compilers, name)
        return holder is None or holder.attributes[name].strip() == usual

    def flag(self, name: str) -> bool:
        """Whether this part of the physics is enabled, as nearly all are."""
        holder = self._holder(self._flags, name)
        return holder is None or holder.choice(name, FLAGS, "enable") == "enable"

    def refuse_global(self) -> None:
        """Coordinates in world axes left the format with MuJoCo 2.3.4."""
        holder = self._holder(self._compilers, "coordinate")
        options = ("local", "global")
        if holder and holder.choice("coordinate", options, "local") == "global":
            raise refused(holder, "global coordinates")

    @cached_property
    def gravity(self) -> tuple[float, ...]:
        """The acceleration of free fall [m/s^2]."""
        if not self.flag("gravity"):
            return (0.0, 0.0, 0.0)
        usual = (0.0, 0.0, -9.81)
        holder = self._holder(self._options, "gravity")
        return holder.numbers("gravity", 3, usual) or usual if holder else usual

    @cached_property
    def _unit(self) -> float:
        unit = self.compiler("angle", "choice", ("radian", "degree"), "degree")
        return 1.0 if unit == "radian" else math.pi / 180.0

    def radians(self, angle: float) -> float:
        """An angle of the file [rad]; zero needs no unit."""
        return angle * self._unit if angle else 0.0

    @cached_property
    def euler_sequence(self) -> str:
        """Axes in lower case turn with the frame, in upper case they stay fixed."""
        order: str = self.compiler("eulerseq", "get", "xyz")
        if len(order) != 3 or set(order.lower()) - set("xyz"):
            holder = self._holder(self._compilers, "eulerseq")
            assert holder is not None
            raise holder.error(
                "three letters of x, y, z, X, Y, Z in eulerseq", repr(order),
                'write eulerseq="xyz"',
            )  # fmt: skip
        return order

    @cached_property
    def auto_limits(self) -> bool:
        """Whether a range alone limits."""
        return bool(self.compiler("autolimits", "boolean", True))

    @cached_property
    def inertia_from_geoms(self) -> str:
        """'true', 'false', or 'auto': where no <inertial> is written."""
        options = ("false", "true", "auto")
        return str(self.compiler("inertiafromgeom", "choice", options, "auto"))

    @cached_property
    def inertia_groups(self) -> tuple[float, float]:
        """The first and the last group of the geoms that have mass."""
        low, high = self.compiler("inertiagrouprange", "numbers", 2, (0.0, 5.0))
        return low, high

    def positive(self, name: str, default: float = 0.0) -> float:
        """boundmass, boundinertia, settotalmass."""
        return float(self.compiler(name, "number", default))

    @cached_property
    def balances(self) -> bool:
        """Whether moments that violate a + b >= c become their mean."""
        return bool(self.compiler("balanceinertia", "boolean", False))

    def path(self, file: str, own: str) -> str:
        """A file of `meshdir` or `texturedir`, as it is named from the main file."""
        if self.compiler("strippath", "boolean", False):
            file = file.replace("\\", "/").rsplit("/", 1)[-1]
        if file.startswith("/") or "://" in file:
            return file
        folder = self.compiler(own, "get") or self.compiler("assetdir", "get") or ""
        return f"{folder.rstrip('/')}/{file}" if folder else file
