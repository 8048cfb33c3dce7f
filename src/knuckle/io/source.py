"""Where a document came from, and which other files it may name.

`package://`, `model://`, `file://` and relative names are found without ROS: beside and
above the file, in the folders the caller gives, and in those of ROS_PACKAGE_PATH,
AMENT_PREFIX_PATH, GAZEBO_MODEL_PATH, GZ_SIM_RESOURCE_PATH and their like. Nothing
outside the allowed folders is touched, and nothing is ever fetched.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from urllib.parse import unquote

from knuckle.io.errors import LoadError
from knuckle.io.xml import MAX_BYTES, Element, parse

LEVELS = 5
"""How many folders above a file are searched for the package that holds it."""
SEARCHED = {
    "ROS_PACKAGE_PATH": (".",),
    "AMENT_PREFIX_PATH": ("share",),
    "COLCON_PREFIX_PATH": ("share",),
    "GAZEBO_MODEL_PATH": (".",),
    "GZ_SIM_RESOURCE_PATH": (".",),
    "IGN_GAZEBO_RESOURCE_PATH": (".",),
    "SDF_PATH": (".",),
}
"""Environment variables that list folders, and where packages lie below those."""


class Missing(Exception):
    """A file that a document names and that cannot be had; the text says why."""


@dataclass(frozen=True)
class Source:
    """A document: the name that messages show, its folder, and where it may look.

    `folder` None means text without a file, which may name files in `given` alone.
    `above` are the documents that include this one, outermost first.
    """

    name: str
    folder: Path | None = None
    given: tuple[Path, ...] = ()
    path: Path | None = None
    above: tuple[Path, ...] = ()
    text: str = ""

    @classmethod
    def of_file(
        cls, path: str | os.PathLike[str], given: Iterable[Path] = ()
    ) -> Source:
        """The source of a file; `given` are further folders that it may name."""
        full = Path(path).expanduser().resolve()
        return cls(os.fspath(path), full.parent, _folders(given), full)

    @classmethod
    def of_text(cls, text: str = "", given: Iterable[Path] = ()) -> Source:
        """The source of text that was handed over in place of a file."""
        return cls("<text>", None, _folders(given), text=text)

    @cached_property
    def ancestors(self) -> tuple[Path, ...]:
        """The folder and those above it, never the home folder nor what holds it."""
        if self.folder is None:
            return ()
        home = Path.home()
        closed = {home, *home.parents}
        above = [p for p in list(self.folder.parents)[:LEVELS] if p not in closed]
        return (self.folder, *above)

    @cached_property
    def packages(self) -> tuple[Path, ...]:
        """The folders that may hold packages: given, from the environment, above."""
        listed = [
            Path(entry, below).resolve()
            for variable, places in SEARCHED.items()
            for entry in os.environ.get(variable, "").split(os.pathsep)
            for below in places
            if entry
        ]
        return tuple(dict.fromkeys((*self.given, *listed, *self.ancestors)))

    @cached_property
    def roots(self) -> tuple[Path, ...]:
        """The folders outside of which nothing is read.

        The folder of the file and the one above it ('../meshes'), or all of the package
        that holds it, and whatever `packages` were given or listed.
        """
        near = self.ancestors[:2]
        inside = [p for p in self.ancestors if _is_package(p)]
        listed = [p for p in self.packages if p not in self.ancestors]
        return tuple(dict.fromkeys((*near, *inside, *self.given, *listed)))

    @cached_property
    def _found(self) -> dict[str, Path | str]:
        """What has been looked for before: a path, or why there is none."""
        return {}

    @cached_property
    def _homes(self) -> dict[str, list[Path]]:
        """The folders of packages, as they are asked for."""
        return {}

    def find(self, uri: str) -> Path:
        """The file or folder that a document means by `uri`; else `Missing`."""
        if uri not in self._found:
            try:
                self._found[uri] = self._search(uri)
            except Missing as reason:
                self._found[uri] = str(reason)
        found = self._found[uri]
        if isinstance(found, str):
            raise Missing(found)
        return found

    def _search(self, uri: str) -> Path:
        scheme, rest = _split(uri)
        if scheme in ("package", "model"):
            return self._first(uri, self._in_packages(rest))
        if scheme not in ("", "file"):
            raise Missing(f"{scheme}:// is not read; put the file beside this one")
        path = Path(rest)
        if self.folder is None and not path.is_absolute():
            places: Iterable[Path] = (folder / path for folder in self.given)
        else:
            places = [(self.folder or Path()) / path]
        return self._first(uri, (p for p in places if self._allowed(p, uri)))

    def enter(self, path: Path, keep_folder: bool = False) -> Source:
        """The source of a document that this one includes; a cycle is refused.

        With `keep_folder` the names in it stay relative to this document's folder.
        """
        above = (*self.above, *((self.path,) if self.path else ()))
        if path in above:
            chain = " -> ".join(p.name for p in (*above[above.index(path) :], path))
            raise Missing(f"the files include each other: {chain}")
        if len(above) >= 32:
            raise Missing("includes are nested more than 32 deep")
        first = above[0].parent if above else None
        near = [f for f in (first, *self.roots) if f and f in path.parents]
        name = os.path.relpath(path, near[0]) if near else path.name
        folder = self.folder if keep_folder else path.parent
        given = tuple(dict.fromkeys((*self.given, *self.roots)))
        return replace(
            self, name=name, folder=folder, given=given, path=path, above=above, text=""
        )

    def parse(self) -> Element:
        """The root element of the file or text."""
        if self.path is None:
            return parse(self.text, self.name)
        return parse(read_bytes(self.path, self.name), self.name)

    def _in_packages(self, rest: str) -> Iterator[Path]:
        package, _, inner = rest.lstrip("/").partition("/")
        if not package or package in (".", ".."):
            return
        if package not in self._homes:
            self._homes[package] = list(self._homes_of(package))
        for home in self._homes[package]:
            full = (home / inner).resolve()
            if full == home or home in full.parents:
                yield full

    def _homes_of(self, package: str) -> Iterator[Path]:
        """Where a package may lie, the likely places first."""
        for folder in self.packages:
            if folder.name == package or _package_name(folder) == package:
                yield folder
            elif (folder / package).is_dir():
                yield (folder / package).resolve()
        yield from self.ancestors[:2]  # the package itself under another name

    def _allowed(self, path: Path, uri: str) -> bool:
        full = path.resolve()
        if any(full == root or root in full.parents for root in self.roots):
            return True
        raise Missing(
            f"{uri!r} lies outside the folders that may be read; pass its folder in "
            "package_dirs=[...]"
        )

    def _first(self, uri: str, places: Iterable[Path]) -> Path:
        for place in places:
            if place.exists():
                return place.resolve()
        raise Missing(
            f"no file {uri!r}; pass the folder that holds it in package_dirs=[...]"
        )


def read_bytes(path: Path, name: str) -> bytes:
    """The bytes of a regular file of bounded size."""
    repair = "check the path"
    try:
        if not path.is_file():
            kind = "neither file nor folder" if path.exists() else "no such file"
            got = "a folder" if path.is_dir() else kind
            raise LoadError(name, 0, "", "a file", got, repair)
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise LoadError(
                name, 0, "", f"at most {MAX_BYTES >> 20} MB", f"{size >> 20} MB", repair
            )
        return path.read_bytes()
    except OSError as error:
        got = error.strerror or str(error)
        raise LoadError(name, 0, "", "a readable file", got, repair) from None


def _folders(given: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(Path(p).expanduser().resolve() for p in given)


def _split(uri: str) -> tuple[str, str]:
    """'package' and 'a/b.stl' of 'package://a/b.stl'; '' and a plain name as it is."""
    scheme, mark, rest = uri.strip().partition("://")
    if not mark:
        return "", uri.strip().replace("\\", "/")
    return scheme.lower(), unquote(rest)


def _is_package(folder: Path) -> bool:
    return any((folder / name).is_file() for name in ("package.xml", "model.config"))


@cache
def _package_name(folder: Path) -> str:
    """What package.xml says that the package in this folder is called."""
    manifest = folder / "package.xml"
    if not manifest.is_file():
        return ""
    try:
        found = parse(read_bytes(manifest, str(manifest)), str(manifest)).child("name")
    except LoadError:
        return ""
    return "" if found is None else found.text
