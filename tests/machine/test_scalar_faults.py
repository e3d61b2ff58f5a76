"""Division, loop steps and arguments."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptoscope
from ptoscope import Diagnostic, PtoError, UsageError
from tests.machine.harness import fault, kernel, run

DIVISIONS = ("divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui")


@pytest.mark.parametrize("dtype", ["i8", "i16", "i32", "i64", "index"])
@pytest.mark.parametrize("name", DIVISIONS)
def test_division_by_zero(name: str, dtype: str) -> None:
    text = kernel(f"%a: {dtype}, %b: {dtype}", f"%r = arith.{name} %a, %b : {dtype}")
    run(text, (7, 2))
    said = fault(text, f"arith.{name}", (7, 0))
    assert said.code == "PTO0906"
    assert "division by zero" in said.message


def test_division_by_zero_names_the_iteration() -> None:
    text = kernel(
        "",
        """scf.for %i = %c0 to %c3 step %c1 {
        %rest = arith.subi %c2, %i : index
        %q = arith.divsi %c3, %rest : index
        }""",
    )
    assert "%i = 2" in fault(text, "arith.divsi").message


@pytest.mark.parametrize("step", [0, -1, -(2**40)])
def test_a_step_is_positive(step: int) -> None:
    text = kernel("%s: index", "scf.for %i = %c0 to %c3 step %s {\n}")
    run(text, (1,))
    said = fault(text, "scf.for", (step,))
    assert said.code == "PTO0908"
    assert said.found == str(step)
    # Also where the loop would not run at all.
    assert fault(text.replace("%c0 to %c3", "%c3 to %c0"), "scf.for", (step,)).code == "PTO0908"


def _refused(params: str, *arguments: Any) -> tuple[Diagnostic, ...]:
    loaded = ptoscope.load(kernel(params, "%x9 = arith.constant 1 : i32"))
    with pytest.raises(PtoError) as error:
        loaded(*arguments)
    assert all(d.line == 2 for d in error.value.diagnostics)
    return error.value.diagnostics


F32 = "%x: !pto.ptr<f32, gm>"


def test_argument_count() -> None:
    for arguments in ((), (np.zeros(1, np.float32), 1)):
        (said,) = _refused(F32, *arguments)
        assert said.code == "PTO0801"
        assert said.found == f"{len(arguments)} arguments"
        assert "%x: !pto.ptr<f32, gm>" in said.expected


@pytest.mark.parametrize(
    ("dtype", "array"),
    [
        ("f32", np.zeros(4, np.float64)),
        ("f32", np.zeros(4, np.int32)),
        ("f16", np.zeros(4, ml_dtypes.bfloat16)),
        ("bf16", np.zeros(4, np.float16)),
        ("ui8", np.zeros(4, np.int8)),
        ("si32", np.zeros(4, np.uint32)),
        ("i32", np.zeros(4, np.int64)),
        ("f32", np.zeros(4, ">f4")),
    ],
)
def test_wrong_elements(dtype: str, array: np.ndarray) -> None:
    (said,) = _refused(f"%x: !pto.ptr<{dtype}, gm>", array)
    assert said.code == "PTO0802"
    assert "%x" in said.message
    assert str(array.dtype) in said.found


def test_not_an_array() -> None:
    for given in (3, "text", None, [1.0]):
        (said,) = _refused(F32, given)
        assert said.code == "PTO0803"


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("i32", 1.5),
        ("i32", 2**32),
        ("i32", -(2**31) - 1),
        ("i8", 256),
        ("i1", 2),
        ("f32", "1"),
        ("index", None),
    ],
)
def test_wrong_scalars(dtype: str, value: object) -> None:
    (said,) = _refused(f"%x: {dtype}", value)
    assert said.code == "PTO0804"


def test_all_wrong_arguments_are_named_at_once() -> None:
    found = _refused(f"{F32}, %n: i32, %m: i32", np.zeros(2), 1.5, 3)
    assert [d.code for d in found] == ["PTO0802", "PTO0804"]


def test_the_grid_has_blocks() -> None:
    with pytest.raises(UsageError, match="grid"):
        run(kernel("", "%x9 = arith.constant 1 : i32"), grid=0)


@pytest.mark.parametrize(
    ("dtype", "value", "raw"),
    [("i8", 200, 200), ("i8", -56, 200), ("i32", 2**32 - 1, 2**32 - 1), ("i16", -1, 0xFFFF)],
)
def test_a_signless_scalar_is_given_by_either_reading(dtype: str, value: int, raw: int) -> None:
    text = kernel(
        f"%v: {dtype}, %x: !pto.ptr<{dtype}, gm>",
        f"pto.store_scalar %v, %x[%c0] : !pto.ptr<{dtype}, gm>, {dtype}",
    )
    out = np.zeros(1, f"uint{dtype[1:]}")
    run(text, (value, out))
    assert out[0] == raw
