"""<default>: classes of attribute values, and elements seen through them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from knuckle.io.xml import Element
from knuckle.model.errors import near

ACTUATORS = (
    *("general", "motor", "position", "velocity", "intvelocity", "orientation", "pid"),
    *("damper", "cylinder", "muscle", "adhesion", "dcmotor", "plugin"),
)
MAIN = "main"
OWN = frozenset(
    "kp ki kv dampratio timeconst inheritrange area diameter bias force scale lmin "
    "lmax vmax fpmax fvmax range tausmooth gain motorconst resistance nominal "
    "saturation inductance cogging controller lugre thermal input gaintype gainprm "
    "biastype biasprm dyntype dynprm actdim ffrange velrange posrange slewmax "
    "imax".split()
)
"""What one kind of actuator says and no other takes from a class of it."""
LOOKS = frozenset(("width", "rgba", "material"))
"""What tendons without a path do not have."""


class Entry:
    """An element with the defaults of its class behind it, the nearest first."""

    __slots__ = ("behind", "element", "strange")

    def __init__(
        self,
        element: Element,
        behind: Sequence[Element] = (),
        strange: frozenset[str] = frozenset(),
    ) -> None:
        self.element, self.behind, self.strange = element, tuple(behind), strange

    def _says(self, element: Element, name: str) -> bool:
        """Whether an element says it, and not only for those of its own tag."""
        alien = element.tag != self.element.tag and name in self.strange
        return name in element.attributes and not alien

    def holder(self, *names: str) -> Element | None:
        """The nearest element that says any of these."""
        for element in (self.element, *self.behind):
            if any(self._says(element, name) for name in names):
                return element
        return None

    def get(self, name: str, default: str | None = None) -> Any:
        """The attribute as text."""
        return self._read(name, "get", default)

    def number(self, name: str, default: float | None = None) -> Any:
        """The attribute as one number."""
        return self._read(name, "number", default)

    def numbers(self, name: str, count: Any, default: Any = None) -> Any:
        """The attribute as so many numbers."""
        return self._read(name, "numbers", count, default)

    def boolean(self, name: str, default: bool | None = None) -> Any:
        """The attribute as true or false."""
        return self._read(name, "boolean", default)

    def choice(
        self, name: str, options: Sequence[str], default: str | None = None
    ) -> Any:
        """The attribute as one of these words."""
        return self._read(name, "choice", options, default)

    def padded(self, name: str, default: Sequence[float]) -> tuple[float, ...]:
        """Numbers of which fewer may be written: the others are those behind."""
        values = tuple(default)
        counts = tuple(range(1, len(values) + 1))
        for element in (*reversed(self.behind), self.element):
            given = element.numbers(name, counts) or ()
            before, values = values, (*given, *values[len(given) :])
            element.state(name, values == before)
        return values

    def names(self) -> Iterator[str]:
        """Every attribute that is said here or behind, each once."""
        elements = (self.element, *self.behind)
        said = (n for e in elements for n in e.attributes if self._says(e, n))
        yield from dict.fromkeys(said)

    def _read(self, name: str, kind: str, *arguments: Any) -> Any:
        holder = self.holder(name)
        if holder is None:
            return arguments[-1]
        value = getattr(holder, kind)(name, *arguments)
        behind = [e for e in self.behind if self._says(e, name)]
        if holder is self.element and behind:
            self.element.state(name, _same(self.element, behind[0], name))
        return value


def _same(a: Element, b: Element, name: str) -> bool:
    """Whether two elements say the same of an attribute."""
    left, right = (e.attributes[name].split() for e in (a, b))
    try:
        return [float(x) for x in left] == [float(x) for x in right]
    except ValueError:
        return left == right


class Classes:
    """The default classes of one document."""

    def __init__(self, sections: Sequence[Element]) -> None:
        self._chains: dict[str, tuple[Element, ...]] = {MAIN: ()}
        for section in sections:
            main = self._chains[MAIN] = (section, *self._chains[MAIN])
            self._nested([(inner, main) for inner in section.all("default")])
        for section in sections:
            self._chains[section.get("class", MAIN)] = self._chains[MAIN]

    def _nested(self, stack: list[tuple[Element, tuple[Element, ...]]]) -> None:
        """The classes inside; they inherit what was said up to there."""
        while stack:
            element, above = stack.pop()
            name = element.required("class")
            if name in self._chains:
                raise element.error(
                    "a class name that occurs once", repr(name), "rename one"
                )
            chain = self._chains[name] = (element, *above)
            stack += [(inner, chain) for inner in element.all("default")]

    def find(self, name: str, user: Element) -> tuple[Element, ...]:
        """The class and those it stands in, itself first."""
        if name not in self._chains:
            hint = near(name, self._chains, "classes")
            raise user.error("a default class of this file", repr(name), hint)
        return self._chains[name]

    def entry(
        self, element: Element, childclass: str | None, tags: Sequence[str] = ()
    ) -> Entry:
        """The element seen through its own class, or the nearest childclass."""
        own = element.get("class")
        chain = self.find(own or childclass or MAIN, element)
        wanted = tags or (element.tag,)
        behind = [d for c in chain for d in reversed(c.all(*wanted))]
        strange = LOOKS if element.tag == "fixed" else frozenset()
        entry = Entry(element, behind, OWN if tags == ACTUATORS else strange)
        if own:
            element.state("class", self.alike(own, childclass, wanted))
        return entry

    def alike(self, a: str | None, b: str | None, tags: Sequence[str]) -> bool:
        """Whether two classes say the same of elements with these tags."""
        left, right = (self._chains.get(name or MAIN, ()) for name in (a, b))
        return left == right or _values(left, tags) == _values(right, tags)


def _values(chain: Sequence[Element], tags: Sequence[str]) -> Mapping[str, str]:
    """What a class says of elements with these tags."""
    values: dict[str, str] = {}
    for element in chain:
        for default in reversed(element.all(*tags)):
            values = {**default.attributes, **values}
    return values
