"""Which exceptions are the user's to repair, and the one line that says so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class UserError(Exception):
    """Something the user wrote that cannot be; the text says what and how to repair."""


def explained(error: Exception) -> str | None:
    """The line for a mistake of the user; None for a bug, which keeps its traceback."""
    from knuckle.io.errors import LoadError
    from knuckle.model import ModelError

    if isinstance(error, UserError | LoadError | ModelError):
        return " ".join(str(error).split())
    if isinstance(error, ImportError) and not _ours(error):
        return " ".join(str(error).split())
    if isinstance(error, OSError):
        what = f"{error.filename}: " if error.filename else ""
        return f"{what}{error.strerror or error}"
    return None


def _ours(error: ImportError) -> bool:
    """Whether a module of this package is missing, which no user can repair."""
    return (error.name or "").split(".")[0] == "knuckle"


@contextmanager
def input_of_user(what: str) -> Iterator[None]:
    """Turns what a function refuses of the user's input into a UserError."""
    try:
        yield
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(f"{what}: {error}") from error
