"""What the arguments of an algorithm are: arrays of a known shape, or static
options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from math import prod
from typing import Any, NamedTuple, get_args, get_type_hints

from knuckle.model.layout import Array, Position, Velocity, Wrenches

Shape = tuple[int, ...]


class Parameter(NamedTuple):
    """One argument after the model. `kind` is None for an option known while
    tracing."""

    name: str
    kind: Any
    default: Any
    keyword: bool

    @property
    def static(self) -> bool:
        return self.kind is None

    def core(self, model: Any, given: Given) -> Shape:
        """The shape of one configuration; some kinds depend on the rest of the
        call."""
        if hasattr(self.kind, "in_call"):
            return self.kind.in_call(model, given)  # type: ignore[no-any-return]
        return self.kind.shape(model)  # type: ignore[no-any-return]

    def shapes(self, model: Any, given: Given) -> dict[str, Shape]:
        """The shape of one configuration of every array that the argument is."""
        names = given.keys(self.name)
        if self.name not in given.mapped:
            return {name: self.core(model, given) for name in names}
        if self.kind is Wrenches:
            return dict.fromkeys(names, (6,))
        return dict(zip(names, self.kind.parts(model, given), strict=True))


class Given(NamedTuple):
    """The arguments of one call, sorted: arrays by input name, options by name."""

    arrays: dict[str, Any]
    options: dict[str, Any]
    mapped: dict[str, tuple[str, ...]]

    def keys(self, name: str) -> tuple[str, ...]:
        """The arrays that an argument is: one, or one for each name it maps."""
        if name in self.mapped:
            return tuple(f"{name}[{k!r}]" for k in self.mapped[name])
        return (name,) if name in self.arrays else ()

    @property
    def key(self) -> tuple[Any, ...]:
        """What decides which code is needed."""
        options = tuple((k, frozen(v)) for k, v in self.options.items())
        return tuple(self.arrays), options, tuple(self.mapped.items())


def frozen(value: Any) -> Any:
    """Lists and sets of names as tuples, so that options can be part of a key."""
    if isinstance(value, list | tuple | set):
        return tuple(sorted(value) if isinstance(value, set) else value)
    return value


def parameters(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The arguments after the model, classified by annotation, else by name."""
    names = list(inspect.signature(function).parameters.values())
    try:
        hints = get_type_hints(function)
    except NameError:
        hints = {}
    found = []
    for p in names[1:]:
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            raise TypeError(
                f"{function.__name__}: *{p.name} has no fixed shape; "
                "name every argument"
            )
        kind = _kind(p, hints.get(p.name, p.annotation))
        default = p.default
        found.append(Parameter(p.name, kind, default, p.kind is p.KEYWORD_ONLY))
    return tuple(found)


_STATIC = (str, bool, int, list, tuple, set, type(None))


def _kind(p: inspect.Parameter, hint: Any) -> Any:
    candidates = (hint, *get_args(hint))
    for candidate in candidates:
        if isinstance(candidate, Array) or candidate in (Position, Velocity, Wrenches):
            return candidate
    if p.kind is p.KEYWORD_ONLY or any(c in _STATIC for c in candidates[:1]):
        return None
    if hint is not inspect.Parameter.empty and hint is not Any:
        return None
    return Position if p.name.startswith("q") else Velocity


def bind(
    name: str,
    expected: tuple[Parameter, ...],
    args: tuple[Any, ...],
    options: dict[str, Any],
) -> Given:
    """Sorts the arguments of one call; a wrong call raises one line that says what
    is."""
    positional = [p for p in expected if not p.keyword]
    if len(args) > len(positional):
        wanted = ", ".join(["model", *(p.name for p in positional)])
        raise TypeError(
            f"{name}: expected at most ({wanted}), got {len(args) + 1} arguments"
        )
    values = {p.name: x for p, x in zip(positional, args, strict=False)}
    unknown = [k for k in options if k not in {p.name for p in expected}]
    if unknown:
        known = ", ".join(p.name for p in expected)
        raise TypeError(
            f"{name}: no argument is called {unknown[0]!r}; there are: {known}"
        )
    repeated = [k for k in options if k in values]
    if repeated:
        raise TypeError(f"{name}: the argument {repeated[0]!r} was given twice")
    values |= options
    return _sorted(name, expected, values)


def _sorted(
    name: str, expected: tuple[Parameter, ...], values: dict[str, Any]
) -> Given:
    arrays: dict[str, Any] = {}
    static: dict[str, Any] = {}
    mapped: dict[str, tuple[str, ...]] = {}
    for p in expected:
        value = values.get(p.name, p.default)
        if value is inspect.Parameter.empty:
            raise TypeError(f"{name}: the argument {p.name!r} is missing")
        _check_kind(name, p, value)
        if p.static:
            static[p.name] = frozen(value)
        elif isinstance(value, Mapping):
            mapped[p.name] = tuple(value)
            arrays |= {f"{p.name}[{k!r}]": x for k, x in value.items()}
        elif value is not None:
            arrays[p.name] = value
    return Given(arrays, static, mapped)


def _check_kind(name: str, p: Parameter, value: Any) -> None:
    """Refuses what can be neither an array nor the option that is meant."""
    by_name = p.kind is Wrenches or hasattr(p.kind, "parts") or p.static
    if isinstance(value, Mapping) and not by_name:
        raise TypeError(
            f"{name}: argument {p.name} is expected to be a real array, got a "
            f"{type(value).__name__}; only wrenches go by name"
        )
    if value is None and p.default is not None:
        what = "a value" if p.static else "a real array"
        raise TypeError(f"{name}: argument {p.name} is expected to be {what}, got None")
    if isinstance(p.default, bool) and value not in (True, False):
        raise TypeError(f"{name}: {p.name} is expected to be a bool, got {value!r}")


def nested(shape: Shape, flat: Any) -> Any:
    """A flat sequence as nested tuples of this shape."""
    if not shape:
        return flat[0]
    size = prod(shape[1:])
    return tuple(
        nested(shape[1:], flat[k * size : (k + 1) * size]) for k in range(shape[0])
    )
