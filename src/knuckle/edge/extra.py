"""Arguments that a model adds to every algorithm: the time, declared parameters."""

from __future__ import annotations

from typing import Any

from knuckle.edge.signature import Shape
from knuckle.model.view import View


def extra_arguments(
    algorithm: Any, model: Any, options: dict[str, Any]
) -> dict[str, Any]:
    """The time of a time-dependent model and its declared parameters, out of the
    options."""
    extra: dict[str, Any] = {}
    if is_timed(model):
        if "t" not in options:
            raise TypeError(
                f"{algorithm.__name__}: this model has a joint that depends on time; "
                "pass the time as t=..."
            )
        extra["t"] = options.pop("t")
    _refuse_extra(algorithm, model, options)
    declared = getattr(model, "parameters", {}) if not isinstance(model, View) else {}
    given = options.pop("parameters", {}) if declared else {}
    unknown = [name for name in given if name not in declared]
    if unknown:
        raise TypeError(
            f"{algorithm.__name__}: {unknown[0]!r} is no declared parameter of this "
            f"model; declared are: {', '.join(declared)}"
        )
    if declared:
        defaults = model.parameter_defaults()
        extra |= {name: given.get(name, defaults[name]) for name in declared}
    return extra


def _refuse_extra(algorithm: Any, model: Any, options: dict[str, Any]) -> None:
    """A time or parameters for a model that has none of them."""
    own = {p.name for p in algorithm.parameters}
    if "t" in options and "t" not in own:
        raise TypeError(
            f"{algorithm.__name__}: no joint of this model depends on time; leave out t"
        )
    unknown = "parameters" in options and "parameters" not in own
    if unknown and not getattr(model, "parameters", None):
        raise TypeError(
            f"{algorithm.__name__}: this model declares no parameters; declare them by "
            "model.with_parameters('body.mass', ...), which gives another model"
        )


def is_timed(model: Any) -> bool:
    return any(p.joint.timed for p in getattr(model, "joints", ()))


def extra_shape(model: Any, name: str) -> Shape:
    return () if name == "t" else model.parameters[name].shape
