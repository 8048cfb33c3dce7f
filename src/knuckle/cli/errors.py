"""Which exceptions are the user's to repair, and the one line that says so."""

from __future__ import annotations


class UserError(Exception):
    """Something the user wrote that cannot be; the text says what and how to repair."""


def explained(error: Exception) -> str | None:
    """The line for a mistake of the user; None for a bug, which keeps its traceback.

    The errors that this package defines (ModelError, LoadError, SimulationError ...)
    are raised for bad input alone; a plain ValueError is a bug.
    """
    defined = type(error).__module__.split(".")[0] == "knuckle"
    if isinstance(error, UserError) or (defined and isinstance(error, ValueError)):
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
