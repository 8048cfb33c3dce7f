"""A Model as MJCF text."""

from knuckle.io.mjcf.write.document import to_mjcf

__all__ = ["to_mjcf"]
