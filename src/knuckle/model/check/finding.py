"""What `check` gives: one doubtful thing, its place, why it matters, the repair."""

from __future__ import annotations

from dataclasses import asdict, dataclass

SEVERITIES = ("error", "warning", "note")


@dataclass(frozen=True)
class Finding:
    """One doubtful thing about a Model.

    'error': results are not finite, or not those of the mechanism that was meant;
    'warning': numbers that hardly any real mechanism has; 'note': advice.
    """

    severity: str
    place: str
    message: str
    repair: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.place}: {self.message}; {self.repair}"

    def to_dict(self) -> dict[str, str]:
        """The finding for JSON."""
        return asdict(self)
