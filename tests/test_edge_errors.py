"""What a wrong call is told: one line with the argument, what is expected, and got."""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import knuckle as kn

ROD = kn.Inertia(mass=1.0, com=(0, 0, -0.5), I_com=(1 / 12, 1 / 12, 0.001))
Q = np.zeros((5, 2))
ID = kn.inverse_dynamics


@functools.cache
def pendulum() -> kn.Model:
    return kn.Model(
        [
            kn.Body("upper", None, kn.joints.Revolute("y"), inertia=ROD),
            kn.Body(
                "lower", "upper", kn.joints.Revolute("y"), kn.SE3(p=(0, 0, -1)), ROD
            ),
        ]
    )


def model() -> kn.Model:
    return pendulum()


ARRAYS: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "too many columns": (
        lambda: ID(model(), np.zeros((5, 3)), Q, Q), ValueError,
        "inverse_dynamics: argument q has shape (5, 3), expected (..., 2)",
    ),
    "too few": (
        lambda: ID(model(), [0.0], Q, Q), ValueError,
        "inverse_dynamics: argument q has shape (1,), expected (..., 2)",
    ),
    "no row": (
        lambda: ID(model(), Q, 0.0, Q), ValueError,
        "inverse_dynamics: argument v has shape (), expected (..., 2)",
    ),
    "rows": (
        lambda: ID(model(), Q, Q[:4], Q), ValueError,
        "inverse_dynamics: the leading dimensions do not broadcast "
        "(q: (5,), v: (4,), a: (5,))",
    ),
    "complex": (
        lambda: ID(model(), Q + 0j, Q, Q), TypeError,
        "inverse_dynamics: argument q is expected to be a real array, got complex128; "
        "for complex or multiple precision use kn.interpret with mpmath numbers",
    ),
    "string": (
        lambda: ID(model(), "ab", Q, Q), TypeError,
        "inverse_dynamics: argument q is expected to be a real array, got <U2; "
        "pass real numbers",
    ),
    "strings": (
        lambda: ID(model(), ["a", "b"], Q, Q), TypeError,
        "inverse_dynamics: argument q is expected to be a real array, got <U1; "
        "pass real numbers",
    ),
    "None": (
        lambda: ID(model(), None, Q, Q), TypeError,
        "inverse_dynamics: argument q is expected to be a real array, got None",
    ),
    "mapping": (
        lambda: ID(model(), {"upper": 1.0}, Q, Q), TypeError,
        "inverse_dynamics: argument q is expected to be a real array, got a dict; "
        "only wrenches go by name",
    ),
    "ragged": (
        lambda: ID(model(), [[1, 2], [3]], Q, Q), TypeError,
        "inverse_dynamics: argument q is no array: setting an array element",
    ),
    "missing": (
        lambda: ID(model(), Q, Q), TypeError,
        "inverse_dynamics: the argument 'a' is missing",
    ),
    "too many arguments": (
        lambda: ID(model(), Q, Q, Q, None, 1), TypeError,
        "inverse_dynamics: expected at most (model, q, v, a, f_ext), got 6 arguments",
    ),
    "unknown keyword": (
        lambda: ID(model(), Q, Q, Q, fext=None), TypeError,
        "inverse_dynamics: no argument is called 'fext'; there are: q, v, a, f_ext, "
        "passive",
    ),
    "given twice": (
        lambda: ID(model(), Q, Q, Q, q=Q), TypeError,
        "inverse_dynamics: the argument 'q' was given twice",
    ),
    "no model": (
        lambda: ID(Q, model(), Q, Q), TypeError,
        "inverse_dynamics: the first argument is a knuckle Model, got ndarray",
    ),
    "option": (
        lambda: ID(model(), Q, Q, Q, passive="no"), TypeError,
        "inverse_dynamics: passive is expected to be a bool, got 'no'",
    ),
    "time": (
        lambda: ID(model(), Q, Q, Q, t=0.0), TypeError,
        "inverse_dynamics: no joint of this model depends on time; leave out t",
    ),
    "parameters": (
        lambda: ID(model(), Q, Q, Q, parameters={"lower.mass": 1.0}), TypeError,
        "inverse_dynamics: this model declares no parameters; declare them by "
        "model.with_parameters(",
    ),
}  # fmt: skip

WRENCHES: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "wrenches": (
        lambda: ID(model(), Q, Q, Q, np.zeros(6)), ValueError,
        "inverse_dynamics: argument f_ext has shape (6,), expected (..., 2, 6)",
    ),
    "wrench by name": (
        lambda: ID(model(), Q, Q, Q, {"lower": np.zeros(5)}), ValueError,
        "inverse_dynamics: argument f_ext['lower'] has shape (5,), expected (..., 6)",
    ),
    "wrench on no body": (
        lambda: ID(model(), Q, Q, Q, {"loer": np.zeros(6)}), kn.ModelError,
        "frame 'loer': no such frame; did you mean 'lower'?",
    ),
    "frame": (
        lambda: kn.frame_jacobian(model(), Q, "lowr"), kn.ModelError,
        "frame 'lowr': no such frame; did you mean 'lower'?",
    ),
    "frame of another kind": (
        lambda: kn.frame_jacobian(model(), Q, 3), kn.ModelError,
        "frame: expected one name, got 3; the frames and bodies are 'upper', 'lower'",
    ),
    "frames": (
        lambda: kn.forward_kinematics(model(), Q, frames="lower"), TypeError,
        "forward_kinematics: frames is a list of names, got a string; "
        "write frames=['lower']",
    ),
    "expressed": (
        lambda: kn.frame_jacobian(model(), Q, "lower", expressed="wrld"), ValueError,
        "expressed='wrld': expected 'body'",
    ),
    "point": (
        lambda: kn.point_jacobian(model(), Q, "lower", [1, 2]), ValueError,
        "point_jacobian: argument point has shape (2,), expected (..., 3)",
    ),
}  # fmt: skip

OUT: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "shape": (
        lambda: ID(model(), Q, Q, Q, out=np.zeros((4, 2))), ValueError,
        "inverse_dynamics: out is expected to be float64 of shape (5, 2), got float64 "
        "of shape (4, 2)",
    ),
    "integers": (
        lambda: ID(model(), Q, Q, Q, out=np.zeros((5, 2), int)), ValueError,
        "inverse_dynamics: out is expected to be float64 of shape (5, 2), got int64 "
        "of shape (5, 2)",
    ),
    "list": (
        lambda: ID(model(), Q, Q, Q, out=[0]), ValueError,
        "inverse_dynamics: out is expected to be float64 of shape (5, 2), got a list",
    ),
    "read-only": (
        lambda: ID(model(), Q, Q, Q, out=np.broadcast_to(0.0, (5, 2))), ValueError,
        "inverse_dynamics: out is expected to be float64 of shape (5, 2), got float64 "
        "of shape (5, 2), read-only",
    ),
    "two": (
        lambda: ID(model(), Q, Q, Q, out=(Q.copy(), Q.copy())), TypeError,
        "inverse_dynamics: out is expected to hold 1 arrays, got 2",
    ),
}  # fmt: skip

KERNELS: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "dtype": (
        lambda: kn.compile(ID, model(), dtype="float16"), ValueError,
        "compile: dtype 'float16'; there are 'float64' and 'float32'",
    ),
    "target": (
        lambda: kn.compile(ID, model(), target="cuda"), ValueError,
        "target 'cuda' is not available here: this machine offers",
    ),
    "no algorithm": (
        lambda: kn.compile(3, model()), TypeError,
        "compile: expected an algorithm and a knuckle Model, got int and Model",
    ),
    "exchanged": (
        lambda: kn.compile(model(), ID), TypeError,
        "compile: expected an algorithm and a knuckle Model, got Model and Algorithm",
    ),
    "interpreted without a model": (
        lambda: kn.interpret(ID, None), TypeError,
        "interpret: expected an algorithm and a knuckle Model, got Algorithm and "
        "NoneType",
    ),
    "a batch to the interpreter": (
        lambda: kn.interpret(ID, model())(Q, Q, Q), ValueError,
        "inverse_dynamics: interpreted argument q has shape (5, 2), expected (2,)",
    ),
    "stage": (
        lambda: kn.compile(ID, model()).show("ptx"), ValueError,
        "show('ptx'): there are 'trace', 'llvm' and 'asm'",
    ),
    "bound list": (
        lambda: kn.compile(ID, model()).bind([0, 0], Q, Q), TypeError,
        "inverse_dynamics.bind: argument q is expected to be an array, got a list",
    ),
    "bound integers": (
        lambda: kn.compile(ID, model()).bind(np.zeros((5, 2), int), Q, Q), ValueError,
        "inverse_dynamics.bind: argument q is expected to be aligned float64 of shape "
        "(5, 2), got int64 of shape (5, 2)",
    ),
    "bound too few": (
        lambda: kn.compile(ID, model()).bind(Q, Q), TypeError,
        "inverse_dynamics.bind: expected 3 arrays (q, v, a), got 2",
    ),
    "kernel": (
        lambda: kn.compile(ID, model())(Q, Q, "a"), TypeError,
        "inverse_dynamics: argument a is expected to be a real array, got <U1",
    ),
}  # fmt: skip

CASES = {**ARRAYS, **WRENCHES, **OUT, **KERNELS}


@pytest.mark.parametrize("warm", [False, True], ids=["first call", "later call"])
@pytest.mark.parametrize("case", CASES)
def test_a_wrong_call_is_told_in_one_line(case: str, warm: bool) -> None:
    call, kind, text = CASES[case]
    if warm:
        ID(model(), Q, Q, Q)
    with pytest.raises(kind) as error:
        call()
    said = str(error.value)
    assert said.startswith(text) and "\n" not in said, said
    whole = "".join(traceback.format_exception(error.value))
    assert "During handling of the above exception" not in whole


def test_what_numpy_accepts_is_accepted() -> None:
    """Integers, booleans, half precision, lists, wider outputs, empty batches."""
    expected = ID(model(), np.array([1.0, 0.0]), Q[0], Q[0])
    for q in ([1, 0], [True, False], np.array([1, 0], np.float16), (1.0, 0)):
        found = ID(model(), q, [0, 0], [0, 0])
        assert found.dtype == np.float64 and np.array_equal(found, expected)
    out = np.zeros((3, 5, 2))
    assert ID(model(), Q + [1, 0], Q, Q, out=out) is out
    assert np.array_equal(out[2, 4], expected)
    narrow = np.zeros((5, 2), np.float32)
    ID(model(), Q + [1, 0], Q, Q, out=narrow)
    assert np.array_equal(narrow[0], expected.astype(np.float32))
    assert ID(model(), Q[:0], Q[:0], Q[:0]).shape == (0, 2)
    single = [np.zeros(2, np.float32)] * 3
    assert ID(model(), *single).dtype == np.float32
    assert kn.compile(ID, model(), np.float32)(*single).dtype == np.float32


def test_several_outputs_go_where_they_are_wanted() -> None:
    R, p = np.zeros((5, 2, 3, 3)), np.zeros((5, 2, 3))
    found = kn.forward_kinematics(model(), Q, out=(R, p))
    assert found.R is R and found.p is p and np.array_equal(R[0, 0], np.eye(3))
    with pytest.raises(
        ValueError, match=r"out is expected to be float64 of .* got a l"
    ):
        kn.forward_kinematics(model(), Q, out=(R, [0]))
