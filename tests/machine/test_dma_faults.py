"""Transfers that are illegal: bounds, alignment, field widths, read-only arrays."""

from __future__ import annotations

import numpy as np
import pytest

from ptoscope import PtoError
from tests.machine.harness import fault, kernel, prepared, run

IN = """%to = pto.castptr %u : i64 -> !pto.ptr<ui8, ub>
    pto.mte_gm_ub %x, %to, %zero, %len nburst(%n, %s, %d)
    : !pto.ptr<ui8, gm>, !pto.ptr<ui8, ub>, i64, i64, i64, i64, i64"""
OUT = """%from = pto.castptr %u : i64 -> !pto.ptr<ui8, ub>
    pto.mte_ub_gm %from, %x, %len nburst(%n, %d, %s)
    : !pto.ptr<ui8, ub>, !pto.ptr<ui8, gm>, i64, i64, i64, i64"""
MANUAL_IN = """%no = arith.constant false
    %to = pto.castptr %u : i64 -> !pto.ptr<ui8, ub>
    pto.copy_gm_to_ubuf %x, %to, %zero, %n, %len, %zero, %zero, %no, %zero, %s, %d
    : !pto.ptr<ui8, gm>, !pto.ptr<ui8, ub>, i64, i64, i64, i64, i64, i1, i64, i64, i64"""
MANUAL_OUT = """%from = pto.castptr %u : i64 -> !pto.ptr<ui8, ub>
    pto.copy_ubuf_to_gm %from, %x, %zero, %n, %len, %zero, %s, %d
    : !pto.ptr<ui8, ub>, !pto.ptr<ui8, gm>, i64, i64, i64, i64, i64, i64"""
PARAMS = "%x: !pto.ptr<ui8, gm>, %u: i64, %len: i64, %n: i64, %s: i64, %d: i64"
COPIES = {
    "pto.mte_gm_ub": IN,
    "pto.mte_ub_gm": OUT,
    "pto.copy_gm_to_ubuf": MANUAL_IN,
    "pto.copy_ubuf_to_gm": MANUAL_OUT,
}
copies = pytest.mark.parametrize("name", COPIES)


def _bytes(size: int = 1000) -> np.ndarray:
    return np.zeros(size, dtype=np.uint8)


@copies
def test_outside_gm(name: str) -> None:
    """Row r starts at r * stride: the last one has to fit."""
    text = kernel(PARAMS, COPIES[name])
    run(text, (_bytes(), 0, 100, 10, 100, 128))
    said = fault(text, name, (_bytes(), 0, 101, 10, 100, 128))
    assert said.code == "PTO0902"
    assert "of %x, which has 1000 elements" in said.message
    assert said.found == "101 bytes at byte 900 of %x"
    said = fault(text, name, (_bytes(), 0, 20, 10, 120, 128))
    assert "element 1080 of %x" in said.message


@copies
@pytest.mark.parametrize(("target", "size"), [("a5", 256), ("cpu", 256), ("a2a3", 192)])
def test_outside_ub(name: str, target: str, size: int) -> None:
    text = kernel(PARAMS, COPIES[name])
    end = size * 1024
    run(text, (_bytes(), end - 64, 32, 2, 32, 32), target)
    said = fault(text, name, (_bytes(), end - 64, 33, 2, 33, 32), target)
    assert said.code == "PTO0901"
    assert f"UB address {end - 32}" in said.message
    assert fault(text, name, (_bytes(), -32, 32, 1, 0, 0), target).code == "PTO0901"


@copies
def test_ub_addresses_are_multiples_of_32(name: str) -> None:
    text = kernel(PARAMS, COPIES[name])
    run(text, (_bytes(), 32, 5, 1, 0, 7))
    for start, stride in ((1, 32), (16, 32), (0, 48), (64, 100)):
        said = fault(text, name, (_bytes(), start, 5, 2, 5, stride))
        assert said.code == "PTO0903"
        assert "not a multiple of 32 bytes" in said.message


@copies
def test_field_widths(name: str) -> None:
    """Burst length and count have 16 bits."""
    text = kernel(PARAMS, COPIES[name])
    run(text, (_bytes(65535), 0, 65535, 1, 0, 0))
    said = fault(text, name, (_bytes(70000), 0, 65536, 1, 0, 0))
    assert said.code == "PTO0907"
    assert "burst length" in said.message
    assert said.found == "65536"
    assert said.expected == "0 to 65535"
    run(text, (_bytes(), 0, 1, 65535, 0, 0))
    said = fault(text, name, (_bytes(), 0, 1, 65536, 0, 0))
    assert "row count" in said.message
    assert fault(text, name, (_bytes(), 0, -1, 1, 0, 0)).code == "PTO0907"
    assert fault(text, name, (_bytes(), 0, 1, -1, 0, 0)).code == "PTO0907"


@copies
@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize("rows", [0, 1, 2])
def test_fields_of_strides(name: str, engine: str, rows: int) -> None:
    """Those in GM have 40 bits, those in UB 21, without a sign; of one row they have no effect,
    and have to fit all the same."""
    loaded = prepared(kernel(PARAMS, COPIES[name]))
    most = {"GM": (1 << 40) - 32, "UB": (1 << 21) - 32}
    if rows < 2:
        loaded(_bytes(), 0, 32, rows, most["GM"], most["UB"], engine=engine)
    source = "GM" if COPIES[name] in (IN, MANUAL_IN) else "UB"
    for memory, strides in {
        "GM": ((1 << 40, 32), (-32, 32), (-(1 << 63), 32), (1 << 62, 32)),
        "UB": ((32, 1 << 21), (32, -32), (32, -(1 << 63)), (32, (1 << 63) - 32)),
    }.items():
        for gm, ub in strides:
            with pytest.raises(PtoError) as error:
                loaded(_bytes(), 0, 32, rows, gm, ub, engine=engine)
            (said,) = error.value.diagnostics
            side = "source" if memory == source else "destination"
            bits = 40 if memory == "GM" else 21
            assert said.code == "PTO0907"
            assert f"the {side} stride does not fit its {bits}-bit field" in said.message
            assert said.found == str(gm if memory == "GM" else ub)


def test_fields_of_strides_of_loops() -> None:
    body = IN.replace("nburst(%n, %s, %d)", "nburst(%n, %s, %d) loop(%two, %far, %near)")
    body += ", loop i64, i64, i64"
    text = kernel(f"{PARAMS}, %two: i64, %far: i64, %near: i64", body)
    run(text, (_bytes(), 0, 1, 1, 0, 0, 1, (1 << 40) - 1, (1 << 21) - 1))
    for wrong in ((1 << 40, 0), (0, 1 << 21), (-1, 0), (0, -32)):
        said = fault(text, "pto.mte_gm_ub", (_bytes(), 0, 1, 1, 0, 0, 1, *wrong))
        assert said.code == "PTO0907"
        assert "stride does not fit" in said.message


def test_loop_and_padding_fields() -> None:
    """Loop counts have 21 bits, padding counts 8."""
    body = IN.replace("nburst(%n, %s, %d)", "nburst(%n, %s, %d) loop(%loops, %zero, %zero)")
    body = body.replace(
        "\n    : !pto.ptr<ui8, gm>", " pad(%fill, %left, %one)\n    : !pto.ptr<ui8, gm>"
    )
    body += ", loop i64, i64, i64, pad i8, i64, i64"
    params = f"{PARAMS}, %loops: i64, %left: i64, %fill: i8"
    text = kernel(params, body)
    run(text, (_bytes(), 0, 1, 1, 0, 0, 2, 255, 7))
    said = fault(text, "pto.mte_gm_ub", (_bytes(), 0, 1, 1, 0, 0, 2**21, 0, 7))
    assert (said.code, said.found) == ("PTO0907", str(2**21))
    assert "loop count" in said.message
    said = fault(text, "pto.mte_gm_ub", (_bytes(), 0, 1, 1, 0, 0, 1, 256, 7))
    assert "left padding" in said.message


@copies
def test_nothing_to_copy_is_legal(name: str) -> None:
    """No rows or no bytes: nothing is accessed, whatever the addresses."""
    text = kernel(PARAMS, COPIES[name])
    run(text, (_bytes(0), 0, 0, 5, 7, 32))
    run(text, (_bytes(0), 0, 100, 0, 7, 32))


@pytest.mark.parametrize("name", ["pto.mte_ub_gm", "pto.copy_ubuf_to_gm"])
def test_read_only_array(name: str) -> None:
    array = _bytes()
    array.flags.writeable = False
    said = fault(kernel(PARAMS, COPIES[name]), name, (array, 0, 32, 1, 0, 0))
    assert said.code == "PTO0909"
    assert "%x" in said.message
    assert "hint" in str(said)


@pytest.mark.parametrize("name", ["pto.mte_gm_ub", "pto.copy_gm_to_ubuf"])
def test_a_read_only_array_may_be_read(name: str) -> None:
    array = _bytes()
    array.flags.writeable = False
    run(kernel(PARAMS, COPIES[name]), (array, 0, 32, 2, 32, 32))
