"""The one error of this layer, and how it words what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class ModelError(ValueError):
    """A mechanism that cannot be what was meant: what, where, expected, got, repair."""


class Problems(list[str]):
    """The problems found so far; the first becomes the error, the others its count."""

    def add(self, where: str, expected: str, got: str, repair: str) -> None:
        """One problem, in the one form that all of them have."""
        self.append(f"{where}: expected {expected}, got {got}; {repair}")

    def report(self) -> None:
        """Raise the first problem and count the others."""
        if self:
            more = len(self) - 1
            others = f" (and {more} more problem{'s'[: more > 1]})" if more else ""
            raise ModelError(self[0] + others)


def near(name: object, known: Iterable[str], what: str) -> str:
    """The repair for an unknown name: the near ones, or the first of all there are."""
    from difflib import get_close_matches

    names: Sequence[str] = list(known)
    close = get_close_matches(str(name), names, 3, 0.5)
    if close:
        return "did you mean " + " or ".join(repr(c) for c in close) + "?"
    if not names:
        return f"there are no {what}"
    shown = ", ".join(repr(n) for n in names[:8])
    return f"the {what} are {shown}" + (", ..." if len(names) > 8 else "")
