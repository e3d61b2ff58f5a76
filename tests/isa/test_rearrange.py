"""Rearrangement: lanes move, and every bit of them stays."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoscope
from ptoscope import PtoError
from tests.isa.elements import INTS8, INTS16, INTS32, Element
from tests.isa.harness import same
from tests.isa.legality_more import cases, legal
from tests.isa.registers import Code, gates, image, lanes_of, mask_kind, noise, written
from tests.isa.values import Rows, scattered, singles

both = pytest.mark.parametrize("revision", ["manual", "micro"])


def _interleaved(x: list[int], y: list[int]) -> tuple[list[int], list[int]]:
    """x[0], y[0], x[1], y[1], ...: the first N of them, the others."""
    stream = [v for pair in zip(x, y, strict=True) for v in pair]
    return stream[: len(x)], stream[len(x) :]


def _separated(x: list[int], y: list[int]) -> tuple[list[int], list[int]]:
    """Even and odd elements of the stream x, y."""
    return (x + y)[::2], (x + y)[1::2]


def _two(e: Element, rows: int) -> tuple[Rows, Rows]:
    return singles(e, rows), singles(e, 2 * rows)[rows:]


@pytest.mark.parametrize(("name", "dtype", "revision"), cases("vintlv", "vdintlv"))
def test_interleaving(name: str, dtype: str, revision: str) -> None:
    v = written(dtype)
    body = f"%o0, %o1 = pto.{name} %i0, %i1 : {v}, {v} -> {v}, {v}"
    code = Code(body, (dtype, dtype), (dtype, dtype), revision=revision)
    left, right = _two(Element(dtype), 4)
    rule = _interleaved if name == "vintlv" else _separated
    pairs = [rule(x, y) for x, y in zip(left, right, strict=True)]
    assert code.run(left, right) == [[p[0] for p in pairs], [p[1] for p in pairs]]


@pytest.mark.parametrize(("name", "dtype", "revision"), cases("vintlvv2", "vdintlvv2"))
def test_one_half_of_interleaving(name: str, dtype: str, revision: str) -> None:
    v = written(dtype)
    left, right = _two(Element(dtype), 4)
    rule = _interleaved if name == "vintlvv2" else _separated
    for half, part in enumerate(("LOWER", "HIGHER")):
        body = f'%o0 = pto.{name} %i0, %i1, "{part}" : {v}, {v} -> {v}'
        code = Code(body, (dtype, dtype), (dtype,), revision=revision)
        expected = [rule(x, y)[half] for x, y in zip(left, right, strict=True)]
        assert code.run(left, right) == [expected], part


@pytest.mark.parametrize(("name", "dtype", "revision"), cases("vslide", "vshift"))
def test_moving_lanes(name: str, dtype: str, revision: str) -> None:
    """vslide: N lanes of src1 ++ src0 from the amount on. vshift: up, with zeros below."""
    e = Element(dtype)
    n, v = e.lanes, written(dtype)
    amounts = [0, 1, 2, n // 2, n - 1, n, *random.Random(dtype).sample(range(n), 6)]
    left, right = _two(e, len(amounts))
    if name == "vslide":
        body = f"%o0 = pto.vslide %i0, %i1, %s0 : {v}, {v}, i16 -> {v}"
        code = Code(body, (dtype, dtype), (dtype,), ("i16",), revision=revision)
        (found,) = code.run(left, right, scalars=(amounts,))
        rows = zip(left, right, amounts, strict=True)
        expected = [(src1 + src0)[a : a + n] for src0, src1, a in rows]
    else:
        body = f"%o0 = pto.vshift %i0, %s0 : {v}, i16 -> {v}"
        code = Code(body, (dtype,), (dtype,), ("i16",), revision=revision)
        (found,) = code.run(left, scalars=(amounts,))
        expected = [
            [row[i - a] if i >= a else 0 for i in range(n)]
            for row, a in zip(left, amounts, strict=True)
        ]
    same(found, expected, f"{name} {dtype}")
    known = f"%by = arith.constant {amounts[-1]} : i16\n" + body.replace("%s0", "%by")
    code = Code(known, code.inputs, (dtype,), revision=revision)
    same(code.run(*(left, right)[: len(code.inputs)])[0][-1:], expected[-1:], f"{name} {dtype}")


@pytest.mark.parametrize("dtype", ["ui8", "f16", "i32", "i64"])
@pytest.mark.parametrize("name", ["vslide", "vshift"])
def test_amounts_outside_are_faults(name: str, dtype: str) -> None:
    e = Element(dtype)
    v = written(dtype)
    operands = "%i0, %i0, %s0" if name == "vslide" else "%i0, %s0"
    types = f"{v}, {v}, i16" if name == "vslide" else f"{v}, i16"
    code = Code(f"%o0 = pto.{name} {operands} : {types} -> {v}", (dtype,), (dtype,), ("i16",))
    for amount in (e.lanes + 1, 0x7FFF, 0x8000, 0xFFFF):
        with pytest.raises(PtoError) as error:
            code.run([[0] * e.lanes], scalars=([amount],))
        (said,) = error.value.diagnostics
        assert said.code == "PTO0910"
        assert f"between 0 and {e.lanes}" in said.message


@pytest.mark.parametrize("amount", [-1, 65])
@pytest.mark.parametrize("operands", ["vslide %x, %x, %by : V, V, i16", "vshift %x, %by : V, i16"])
def test_amounts_outside_that_are_known(operands: str, amount: int) -> None:
    """Faults where they are reached, and only there."""
    vreg = "!pto.vreg<64xi32>"
    text = f"""func.func @kernel(%times: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %by = arith.constant {amount} : i16
  pto.vecscope {{
    %x = pto.vci %zero {{order = "ASC"}} : i32 -> {vreg}
    scf.for %i = %c0 to %times step %c1 {{
      %y = pto.{operands.replace("V", vreg)} -> {vreg}
    }}
  }}
  return
}}
"""
    kernel = ptoscope.load(text, force=True)
    kernel(0)
    with pytest.raises(PtoError) as error:
        kernel(1)
    assert [d.code for d in error.value.diagnostics] == ["PTO0910"]


def _squeezed(row: list[int], active: list[int]) -> list[int]:
    out = [v for v, on in zip(row, active, strict=True) if on]
    return out + [0] * (len(row) - len(out))


@pytest.mark.parametrize(("name", "dtype", "revision"), cases("vsqz"))
def test_vsqz(name: str, dtype: str, revision: str) -> None:
    e = Element(dtype)
    v, kind = written(dtype), mask_kind(e)
    body = f"%o0 = pto.{name} %i0, %i1 : {v}, {written(kind)} -> {v}"
    code = Code(body, (dtype, kind), (dtype,), revision=revision)
    source = singles(e, 6)
    for mask in gates(e, 6):
        rows = zip(source, mask, strict=True)
        expected = [_squeezed(row, lanes_of(m, e.lanes)) for row, m in rows]
        assert code.run(source, mask) == [expected]


@pytest.mark.parametrize(("name", "dtype", "revision"), cases("vusqz"))
def test_vusqz(name: str, dtype: str, revision: str) -> None:
    """dst[0] = 0; dst[i] = dst[i - 1] + mask[i - 1]. The source has no say."""
    e = Element(dtype)
    v, kind = written(dtype), mask_kind(e)
    body = f"%o0 = pto.{name} %i0, %i1 : {v}, {written(kind)} -> {v}"
    code = Code(body, (dtype, kind), (dtype,), revision=revision)
    source = singles(e, 6)
    for mask in gates(e, 6):
        expected: Rows = []
        for m in mask:
            counts = [0]
            for on in lanes_of(m, e.lanes)[:-1]:
                counts.append(counts[-1] + on)
            expected.append([e.wrap(c) for c in counts])
        assert code.run(source, mask) == [expected]


def _appending(name: str, dtype: str) -> Any:
    """A kernel that stores through vstur what a squeeze left in SQZN, and the bytes after it."""
    e = Element(dtype)
    v, kind = written(dtype), mask_kind(e)
    body = f"""pto.sprclr "AR"
        %fresh = pto.init_align : !pto.align
        %made = pto.{name} %i0, %i1 : {v}, {written(kind)} -> {v}
        %stream = pto.vstur %fresh, %i0, %ub2, "POST_UPDATE"
          : !pto.align, {v}, !pto.ptr<{dtype}, ub> -> !pto.align
        pto.vstar %stream, %ub2 : !pto.align, !pto.ptr<{dtype}, ub>"""
    text = Code(body, (dtype, kind), (dtype,), revision="micro").text()
    # Only what the stream wrote goes out.
    lines = [line for line in text.splitlines() if "pto.vsts %o0" not in line]
    return ptoscope.load("\n".join(lines), revision="micro")


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("vsqz", "f32"), ("vsqz", "ui8"), ("vsqz", "f16"), ("vsqz", "i64"), ("vsqz", "f8e4m3")]
    + [("vusqz", t) for t in legal("vusqz")],
)
def test_the_count_left_for_vstur(name: str, dtype: str) -> None:
    """SQZN: active lanes times the element size. vstur stores so many bytes of its vector."""
    e = Element(dtype)
    kernel = _appending(name, dtype)
    source = np.array(scattered(e, e.lanes, 5), e.raw)
    for bits in (*noise(3, 8), [0] * 256, [1] * 256, image([1] + [0] * (e.lanes - 1))):
        out = np.zeros(256, np.uint8)
        packed = np.packbits(np.array(bits, np.uint8), bitorder="little")
        kernel(source.view(e.storage), packed, out.view(e.storage), 1)
        length = sum(lanes_of(bits, e.lanes)) * e.bytes
        assert out[:length].tobytes() == source.tobytes()[:length]
        assert not out[length:].any()


@both
@pytest.mark.parametrize("dtype", INTS16 + INTS32)
def test_vpack(dtype: str, revision: str) -> None:
    """The lower half of each lane, as an unsigned integer of half the width."""
    e = Element(dtype)
    narrow = f"ui{e.bits // 2}"
    source = singles(e, 6)
    for part in ("LOWER", "HIGHER"):
        body = f'%o0 = pto.vpack %i0, "{part}" : {written(dtype)} -> {written(narrow)}'
        code = Code(body, (dtype,), (narrow,), revision=revision)
        expected: Rows = []
        for row in source:
            cut = [x & ((1 << e.bits // 2) - 1) for x in row]
            zeros = [0] * e.lanes
            expected.append(cut + zeros if part == "LOWER" else zeros + cut)
        assert code.run(source) == [expected], part


def _wide_types(dtype: str) -> list[str]:
    return [f"{prefix}{2 * Element(dtype).bits}" for prefix in ("i", "si", "ui")]


@both
@pytest.mark.parametrize("dtype", INTS8 + INTS16 + INTS32)
@pytest.mark.parametrize("name", ["vsunpack", "vzunpack"])
def test_unpacking(name: str, dtype: str, revision: str) -> None:
    """One half of the lanes, twice as wide; the name says how, whatever the types' signs."""
    e = Element(dtype)
    source = singles(e, 6)
    half = e.lanes // 2
    for wide in _wide_types(dtype):
        w = Element(wide)
        for number in (0, 1):
            body = f"""%part = arith.constant {number} : index
                %o0 = pto.{name} %i0, %part : {written(dtype)} -> {written(wide)}"""
            code = Code(body, (dtype,), (wide,), revision=revision)
            expected: Rows = []
            for row in source:
                chosen = row[number * half : (number + 1) * half]
                if name == "vsunpack":
                    chosen = [w.wrap(x - (1 << e.bits) if x & e.sign else x) for x in chosen]
                expected.append(chosen)
            assert code.run(source) == [expected], (wide, number)


@pytest.mark.parametrize("name", ["vsunpack", "vzunpack"])
@pytest.mark.parametrize("part", ["i32", "i64"])
def test_the_part_at_run_time(name: str, part: str) -> None:
    """0 or 1 of any integer type; any other number is a fault."""
    body = f"%o0 = pto.{name} %i0, %s0 : {written('ui16')} -> {written('ui32')}"
    code = Code(body, ("ui16",), ("ui32",), (part,))
    row = list(range(128))
    assert code.run([row, row], scalars=([0, 1],)) == [[row[:64], row[64:]]]
    for number in (2, Element(part).full):
        with pytest.raises(PtoError) as error:
            code.run([row], scalars=([number],))
        assert [d.code for d in error.value.diagnostics] == ["PTO0910"]


@pytest.mark.parametrize("dtype", legal("vintlv"))
def test_separating_undoes_interleaving(dtype: str) -> None:
    v = written(dtype)
    body = f"""%a, %b = pto.vintlv %i0, %i1 : {v}, {v} -> {v}, {v}
        %o0, %o1 = pto.vdintlv %a, %b : {v}, {v} -> {v}, {v}"""
    left, right = _two(Element(dtype), 2)
    assert Code(body, (dtype,) * 2, (dtype,) * 2).run(left, right) == [left, right]


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_expanding_what_was_squeezed(data: st.DataObject) -> None:
    """vselr by the prefix counts of vusqz puts the squeezed lanes back where they were."""
    v, m = written("i32"), written("b32")
    body = f"""%front = pto.vsqz %i0, %i1 : {v}, {m} -> {v}
        %count = pto.vusqz %i0, %i1 : {v}, {m} -> {v}
        %back = pto.vselr %front, %count : {v}, {v} -> {v}
        %none = pto.vxor %back, %back, %i1 : {v}, {v}, {m} -> {v}
        %o0 = pto.vsel %back, %none, %i1 : {v}, {v}, {m} -> {v}"""
    row = data.draw(st.lists(st.integers(0, 2**32 - 1), min_size=64, max_size=64))
    mask = data.draw(st.lists(st.integers(0, 1), min_size=64, max_size=64))
    (found,) = Code(body, ("i32", "b32"), ("i32",)).run([row], [image(mask)])
    assert found == [[x if on else 0 for x, on in zip(row, mask, strict=True)]]
