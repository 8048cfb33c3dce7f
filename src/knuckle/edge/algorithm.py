"""An algorithm: one text, called with scalars it traces inline, with arrays it
compiles."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from knuckle.codegen import Target, host
from knuckle.edge import arrays as edge_arrays
from knuckle.edge.compiled import CompiledAlgorithm
from knuckle.edge.extra import extra_arguments, extra_shape, is_timed
from knuckle.edge.rolled import is_large, trace_rolled
from knuckle.edge.signature import (
    Given,
    Parameter,
    bind,
    frozen,
    parameters,
)
from knuckle.edge.tracing import Traced, finished, run, trace
from knuckle.model.view import View
from knuckle.scalar import Scalar

_DOUBLE = np.dtype(np.float64)


class Algorithm:
    """A function of a model and arrays; leading dimensions of the arrays broadcast.

    On a traced model it runs inline. On arrays it is compiled once for each model,
    element type and set of options: float32 where every array is, else float64.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        expected: tuple[Parameter, ...] | None = None,
    ) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.parameters = parameters(function) if expected is None else expected
        self._rules: dict[tuple[str, ...], Algorithm] = {}
        self._second_rules: dict[tuple[str, str], tuple[Algorithm, int]] = {}
        self._coupled: Callable[..., Any] | None = None
        self._lock = threading.Lock()
        self._static = {p.name for p in self.parameters if p.static}
        positional = [p for p in self.parameters if not p.keyword]
        self._places = [k for k, p in enumerate(positional) if p.static]
        self._plain = not self._places

    __name__: str

    def derivative(self, *names: str) -> Callable[[Any], Algorithm]:
        """Registers the derivatives by these arguments, written as an algorithm.

        It takes the arguments of this one and returns a named tuple: one result for
        each name, in this order. `knuckle.edge.derivatives.check_rule` compares it with
        what the text of this one gives.
        """

        def register(rule: Any) -> Algorithm:
            rule = rule if isinstance(rule, Algorithm) else Algorithm(rule)
            self._rules[names] = rule
            return rule  # type: ignore[no-any-return]

        return register

    def second_derivative(self, *pairs: Any) -> Callable[[Any], Algorithm]:
        """Registers second derivatives, written as an algorithm: one result for each
        pair of names, such as ("q", "v") or "qv", in the order force, first, second.

        Arguments of one pair commute, so the other order is found too.
        """

        def register(rule: Any) -> Algorithm:
            rule = rule if isinstance(rule, Algorithm) else Algorithm(rule)
            for place, (first, second) in enumerate(pairs):
                self._second_rules[first, second] = rule, place
            return rule  # type: ignore[no-any-return]

        return register

    def coupled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Registers another text for models with couplings.

        For recursions that need every joint to move on its own, as articulated bodies
        do; it takes the same arguments and must return values over v.
        """
        self._coupled = function
        return function

    def text(self, model: Any) -> Callable[..., Any]:
        """What runs on this model."""
        if not model.ties:
            return self.function
        import_module("knuckle.algorithms.forward_dynamics_coupled")
        return self._coupled or self.function

    @property
    def rules(self) -> dict[tuple[str, ...], Algorithm]:
        """The registered derivatives by names of arguments, the library's among
        them."""
        import_module("knuckle.algorithms.derivatives")
        return self._rules

    @property
    def second_rules(self) -> dict[tuple[str, str], tuple[Algorithm, int]]:
        """The registered second derivatives, by pairs of names of arguments."""
        import_module("knuckle.algorithms.derivatives")
        return self._second_rules

    def __call__(self, model: Any, *args: Any, **options: Any) -> Any:
        try:
            key: Any = self if self._plain and not options else self._key(args, options)
            arrays = args if self._plain else self._arrays(args)
            count, ufunc, record, small = model._kernels[key]
            first = arrays[0]
            if count != len(arrays) or first.dtype is not _DOUBLE or first.size > small:
                return self._call(model, args, options)
            result = ufunc(*arrays)
            return result if record is None else record(*result)
        except (AttributeError, LookupError, TypeError, ValueError):
            key = None  # the slow way finds out what it is, and says it by itself
        return self._call(model, args, options)

    def _key(self, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """What a call is known by: its options; arrays among them are not hashable."""
        if not options.keys() <= self._static:
            raise LookupError
        static = tuple(frozen(args[k]) for k in self._places if k < len(args))
        return (self, static, tuple((k, frozen(x)) for k, x in options.items()))

    def _arrays(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(x for k, x in enumerate(args) if k not in self._places)

    def _call(self, model: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if not isinstance(model, View) and not hasattr(model, "_kernels"):
            raise TypeError(
                f"{self.__name__}: the first argument is a knuckle Model, "
                f"got {type(model).__name__}"
            )
        out = options.pop("out", None)
        extra = extra_arguments(self, model, options)
        given = self.bound(model, args, options, tuple(extra))
        if isinstance(model, View):
            return self.inline(model, given)
        if any(_symbolic(x) for x in given.arrays.values()):
            return self.inline(View(model, extra, extra.get("t")), given)
        arrays = edge_arrays.prepared({**given.arrays, **extra}, self.__name__)
        dtype = edge_arrays.common_dtype(arrays)
        compiled = self.compiled(model, given, {k: None for k in extra}, dtype)
        if not given.mapped and not extra and out is None and dtype == "float64":
            self._remember(model, args, options, compiled)
        return compiled.evaluate(list(arrays.values()), out)

    def _remember(
        self, model: Any, args: tuple[Any, ...], options: dict[str, Any], code: Any
    ) -> None:
        """So that the next call of this kind goes straight to its ufunc."""
        if options.keys() <= self._static:
            plain = self._plain and not options
            count = len(self._arrays(args))
            key = self if plain else self._key(args, options)
            found = count, code.kernel.ufunc, code.record, code.small
            model._kernels[key] = found

    def bound(
        self,
        model: Any,
        args: tuple[Any, ...],
        options: dict[str, Any],
        extra: tuple[str, ...],
    ) -> Given:
        """The arguments of one call, sorted; `extra` are the time and parameters."""
        given = bind(self.__name__, self.parameters, args, options)
        if isinstance(model, View):
            return self.resolved(model.model, given, tuple(model.inputs))
        return self.resolved(model, given, extra)

    def resolved(self, model: Any, given: Given, extra: tuple[str, ...]) -> Given:
        """The arguments as this algorithm takes them; some depend on the model."""
        return given

    def inline(self, view: View, given: Given) -> Any:
        """The text itself on numbers or scalars, its tables finished into vectors."""
        return finished(
            view,
            run(self.text(view.model), view, self.parameters, given, given.arrays),
        )

    def traced(self, model: Any, given: Given, extra: tuple[str, ...]) -> Traced:
        """The program of one kind of call; `extra` are the time and parameters."""
        shapes = {name: extra_shape(model, name) for name in extra}
        text = self.text(model)
        return trace(text, model, self.parameters, given, shapes, self.__name__)

    def rolled(self, model: Any, given: Given, extra: tuple[str, ...]) -> Traced:
        """As `traced`, its loops over bodies kept."""
        if model.ties:
            raise TypeError(
                f"{self.__name__}: code for a model with couplings is straight; leave "
                "out rolled"
            )
        shapes = {name: extra_shape(model, name) for name in extra}
        return trace_rolled(self.function, model, self.parameters, given, shapes)

    def rolls(self, model: Any) -> bool:
        """Does code for this model keep the loops over bodies where nothing is said?"""
        return not model.ties and is_large(model)

    def compiled(
        self,
        model: Any,
        given: Given,
        extra: dict[str, Any],
        dtype: str = "float64",
        target: Target | None = None,
        rolled: bool | None = None,
    ) -> CompiledAlgorithm:
        """The code for this model and kind of call, made when first asked for."""
        target = target or host()
        key = (self, given.key, tuple(extra), dtype, target, rolled)
        found = model._kernels.get(key)
        if found is None:
            with self._lock:
                found = model._kernels.get(key)
                if found is None:
                    found = CompiledAlgorithm(
                        self, model, given, extra, dtype, target, rolled
                    )
                    model._kernels[key] = found
        return found  # type: ignore[no-any-return]

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __reduce__(self) -> str | tuple[Any, ...]:
        return self.__qualname__

    __qualname__: str

    def __repr__(self) -> str:
        names = ", ".join(["model", *(p.name for p in self.parameters)])
        return f"<algorithm {self.__name__}({names})>"


def _symbolic(x: Any) -> bool:
    if isinstance(x, Scalar):
        return True
    if isinstance(x, np.ndarray):
        return x.dtype == object and any(_symbolic(y) for y in x.flat)
    if isinstance(x, float | int | str | bytes):
        return False
    try:
        return any(_symbolic(y) for y in x)
    except TypeError:
        return False


def algorithm(function: Callable[..., Any]) -> Algorithm:
    """Makes a function over a model an algorithm, the equal of the library's own.

    Its arguments are annotated `Position`, `Velocity`, `Wrenches` or `Array[...]`;
    without an annotation names that begin with q are positions and others velocities.
    Keyword-only arguments, and strings, are static.
    """
    return Algorithm(function)


def compile(
    alg: Algorithm | Callable[..., Any],
    model: Any,
    dtype: str = "float64",
    target: str | Target = "cpu",
    rolled: bool | None = None,
    **options: Any,
) -> CompiledAlgorithm:
    """The compiled code of an algorithm for a model.

    `rolled` keeps loops over bodies as loops or unrolls them, which is chosen by the
    size of the model where it is None; both give the same but for rounding.
    `target` is "cpu" or a narrower instruction set of it ("avx2", "sse2"). Arguments
    whose default is None are left out unless `options` names them (f_ext=True for all
    bodies, f_ext=["hand"] for some).
    """
    alg = algorithm_of(alg, model, "compile")
    dtype = dtype if isinstance(dtype, str) else np.dtype(dtype).name
    if dtype not in ("float64", "float32"):
        raise ValueError(f"compile: dtype {dtype!r}; there are 'float64' and 'float32'")
    extra: dict[str, Any] = {"t": None} if is_timed(model) else {}
    extra |= dict.fromkeys(getattr(model, "parameters", {}))
    given = alg.bound(model, (), _declared(alg, options), tuple(extra))
    where = (
        target
        if isinstance(target, Target)
        else host(None if target == "cpu" else target)
    )
    return alg.compiled(model, given, extra, dtype, where, rolled)


def algorithm_of(alg: Any, model: Any, what: str) -> Algorithm:
    """The algorithm that was meant, of a model that is one."""
    if not callable(alg) or not hasattr(model, "_kernels"):
        raise TypeError(
            f"{what}: expected an algorithm and a knuckle Model, got "
            f"{type(alg).__name__} and {type(model).__name__}"
        )
    return alg if isinstance(alg, Algorithm) else Algorithm(alg)


def _declared(alg: Algorithm, options: dict[str, Any]) -> dict[str, Any]:
    """The arguments by declaration alone, as a call with arrays would give them."""
    positional = {}
    for p in alg.parameters:
        if p.name in options:
            choice = options.pop(p.name)
            if not p.static and isinstance(choice, list | tuple):
                choice = {name: 0.0 for name in choice}
            elif not p.static:
                choice = 0.0 if choice else None
            positional[p.name] = choice
        elif not p.static and p.default is not None:
            positional[p.name] = 0.0
    return positional | options
