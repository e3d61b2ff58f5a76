"""Atomic stores before a run: which type they are of, and whether they are switched off."""

from __future__ import annotations

import pytest

import ptoscope
from tests.machine.atomic_kernels import accumulating, atomic

ON = ("pto.set_atomic_f32", "pto.set_atomic_add")
OFF = "pto.set_atomic_none"
LOOP = "scf.for %i = %c0 to %c3 step %c1 {"
IF = ("%is = arith.cmpi eq, %block, %zero : i64", "scf.if %is {")


def codes(*lines: str, element: str = "f32", size: int = 4) -> list[str]:
    kernel = ptoscope.load(accumulating(*lines, element=element, size=size))
    return [d.code for d in kernel.findings]


@pytest.mark.parametrize(
    "lines",
    [
        (*ON, "store"),
        (LOOP, *ON, "store", "}"),
        (LOOP, *ON, "store", OFF, *ON, "}"),
        (*ON, LOOP, "store", "}"),
        ("%add = arith.constant 64 : i64", "pto.set_ctrl %add : i64", "store"),
    ],
    ids=["once", "in a loop", "on again", "before a loop", "by CTRL"],
)
def test_stores_that_stay_atomic_are_told(lines: tuple[str, ...]) -> None:
    assert codes(*lines) == ["PTO0512"]


@pytest.mark.parametrize(
    "lines",
    [
        (*ON, "store", OFF),
        (LOOP, *ON, "store", OFF, "}"),
        (*ON, LOOP, "store", "}", OFF),
        (*ON, LOOP, "store", OFF, *ON, "}", OFF),
        ("store",),
        ("pto.set_atomic_max", "store"),
        (*IF, *ON, "}", "store", OFF),
        # Whether it is switched off here, only a run knows.
        (*ON, "store", *IF, OFF, "}"),
    ],
    ids=["once", "in a loop", "around a loop", "again", "plain", "no type", "if", "perhaps"],
)
def test_others_are_not(lines: tuple[str, ...]) -> None:
    assert codes(*lines) == []


def test_the_fix_is_at_the_end() -> None:
    (said,) = ptoscope.load(accumulating(*ON, "store")).findings
    assert [edit.text.strip() for edit in said.fix] == [OFF]


@pytest.mark.parametrize(
    ("kind", "operation", "element", "size", "told"),
    [
        ("f32", "add", "f32", 4, False),
        ("f32", "add", "i32", 4, True),
        ("s32", "add", "f32", 4, True),
        ("s32", "max", "i32", 4, False),
        ("s32", "max", "si32", 4, False),
        ("s32", "max", "ui32", 4, True),
        ("s32", "add", "ui32", 4, False),
        ("s16", "min", "i32", 4, True),
        ("f16", "add", "bf16", 2, True),
        ("bf16", "min", "bf16", 2, False),
        ("s8", "add", "ui8", 1, False),
    ],
)
def test_the_type_that_is_set_is_the_pointers(
    kind: str, operation: str, element: str, size: int, told: bool
) -> None:
    found = codes(*atomic(kind, operation), element=element, size=size)
    assert found == (["PTO0511"] if told else [])
