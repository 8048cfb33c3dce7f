"""Nested and included models of SDF."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from knuckle.io.sdf.scope import Scope
from knuckle.io.sdf.values import word
from knuckle.io.source import Missing, Source
from knuckle.io.xml import Element, parse

TOO_NEW = (2,)


class Documents:
    """The documents that a file is made of: itself, and what it includes."""

    def __init__(self, root: Element, source: Source) -> None:
        self.roots: list[Element] = [root]
        self.sources: dict[str, Source] = {root.file: source}

    def outermost(self, element: Element, name: str) -> Scope:
        """The scope of a <world>, or of an <sdf> without one, and all inside it."""
        return Scope(element, name, None, version_of(self.roots[0]), self._models)

    def _models(self, scope: Scope) -> Iterator[Scope]:
        for child in scope.element.all("model", "include"):
            if child.tag == "model":
                name = child.required("name")
                yield Scope(child, name, scope, scope.version, self._models)
            else:
                yield self._included(child, scope)

    def _included(self, include: Element, outer: Scope) -> Scope:
        """<include>: a model of another file, with its name and pose given here."""
        source = self.sources[include.file]
        try:
            path = _model_file(source, include)
            inner = source.enter(path)
        except Missing as reason:
            raise include.error(
                "a model that can be read", str(reason), "mend the <uri>"
            ) from None
        root = inner.parse()
        model = _only_model(root, include)
        self.roots.append(root)
        self.sources[root.file] = inner
        name = word(include, "name", "") or model.required("name")
        return Scope(model, name, outer, version_of(root), self._models, include)


def version_of(root: Element) -> tuple[int, ...]:
    """The version of an <sdf>, 1.4 ... 1.12."""
    text = root.required("version")
    try:
        version = tuple(int(part) for part in text.split("."))
    except ValueError:
        version = ()
    if not (1,) <= version < TOO_NEW:
        raise root.error(
            "a version such as 1.9", repr(text), "write the file's version"
        )
    return version


def _only_model(root: Element, include: Element) -> Element:
    if root.tag != "sdf":
        raise include.error("an <sdf> file", f"<{root.tag}>", "mend the <uri>")
    models = root.all("model")
    if len(models) != 1:
        raise root.error("one <model>", f"{len(models)}", "include a file of one model")
    return models[0]


def _model_file(source: Source, include: Element) -> Path:
    """The SDF file of a <uri>; a folder names it in its model.config."""
    found = source.find(word(include, "uri"))
    if not found.is_dir():
        return found
    config = found / "model.config"
    if not config.is_file():
        raise Missing(f"{found.name} holds no model.config")
    listed = parse(config.read_bytes(), config.name).all("sdf")
    if not listed:
        raise Missing(f"{found.name}/model.config names no <sdf>")
    newest = max(listed, key=lambda e: [int(x) for x in _digits(e.get("version", "0"))])
    path = (found / newest.word()).resolve()
    if found.resolve() not in path.parents:
        raise Missing(f"{found.name}/model.config names a file outside its folder")
    return path


def _digits(version: str) -> list[str]:
    return [part for part in version.split(".") if part.isdigit()]
