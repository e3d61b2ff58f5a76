"""vci, vtrc and vbitcast."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

import ptoscope
from ptoscope import PtoError
from tests.isa import exact, ieee
from tests.isa.elements import FLOATS, Element
from tests.isa.harness import Case, array, mask_type, same, vreg, zeroed
from tests.isa.values import masks, scattered, singles

REVISIONS = ("manual", "micro")
both = pytest.mark.parametrize("revision", REVISIONS)


# vci


def _index(e: Element, base: int, lane: int, order: str) -> int:
    if e.is_float:
        step = e.round(Fraction(lane))
        return ieee.add(e, base, step) if order == "ASC" else ieee.sub(e, base, step)
    return e.wrap(e.number(base) + (lane if order == "ASC" else -lane))


@both
@pytest.mark.parametrize("order", ["ASC", "DESC", ""])
@pytest.mark.parametrize(("scalar", "result"), [("i32", "si32"), ("i8", "i8"), ("f16", "f16")])
def test_vci_in_a_kernel(scalar: str, result: str, order: str, revision: str) -> None:
    e = Element(result)
    attrs = f' {{order = "{order}"}}' if order else ""
    body = f"%r0 = pto.vci %s{attrs} : {scalar} -> {vreg(e)}"
    case = Case(body, (), (result,), scalar, masked_as="f32", revision=revision)
    bases = scattered(e, 5, 9)
    (found,) = case.run((), [[1] * 64] * 5, bases)
    wanted = [[_index(e, b, i, order or "ASC") for i in range(e.lanes)] for b in bases]
    same(found, wanted, f"vci {result} {order}")


@pytest.mark.parametrize(
    ("scalar", "result"), [("i32", "ui32"), ("i16", "si32"), ("f32", "si32"), ("bf16", "bf16")]
)
def test_vci_of_other_types(scalar: str, result: str) -> None:
    body = f'%r0 = pto.vci %s {{order = "ASC"}} : {scalar} -> {vreg(Element(result))}'
    with pytest.raises(PtoError):
        ptoscope.load(Case(body, (), (result,), scalar, masked_as="f32").text())


# vtrc


def _whole(e: Element, raw: int, mode: str) -> int:
    if e.is_nan(raw):
        return e.nan
    if e.is_inf(raw):
        return raw
    return e.round(Fraction(abs(exact.whole(e.value(raw), mode)))) | (raw & e.sign)


@both
@pytest.mark.parametrize("mode", ["R", "A", "F", "C", "Z"])
@pytest.mark.parametrize("name", FLOATS)
def test_vtrc(name: str, mode: str, revision: str) -> None:
    e = Element(name)
    body = f'%r0 = pto.vtrc %v0, %mask, "{mode}" : {vreg(e)}, {mask_type(e)} -> {vreg(e)}'
    case = Case(body, (name,), (name,), revision=revision)
    rows = singles(e, 3)
    wanted = [[_whole(e, r, mode) for r in row] for row in rows]
    for mask in masks(e.lanes, len(rows)):
        if e.bits == 16:  # a lane count makes tails only
            mask = [sorted(row, reverse=True) for row in mask]
        (found,) = case.run((rows,), mask)
        same(found, zeroed(e, wanted, mask), f"vtrc {name} {mode}", rows)


@pytest.mark.parametrize("mode", exact.MODES)
def test_vtrc_without_a_mask(mode: str) -> None:
    e = Element("f32")
    body = f'%r0 = pto.vtrc %v0, "ROUND_{mode}" : {vreg(e)} -> {vreg(e)}'
    rows = singles(e, 2)
    (found,) = Case(body, ("f32",), ("f32",)).run((rows,), [[1] * 64] * 2)
    same(found, [[_whole(e, r, mode) for r in row] for row in rows], f"vtrc {mode}", rows)


@pytest.mark.parametrize("token", ["O", "ROUND_O", "X"])
def test_vtrc_with_a_mask_has_five_modes(token: str) -> None:
    v = vreg(Element("f32"))
    body = f'%r0 = pto.vtrc %v0, %mask, "{token}" : {v}, !pto.mask<b32> -> {v}'
    with pytest.raises(PtoError) as error:
        ptoscope.load(Case(body, ("f32",), ("f32",)).text())
    assert [d.code for d in error.value.diagnostics] == ["PTO0103"]


# vbitcast


@both
@pytest.mark.parametrize(
    ("source", "target"),
    [("f32", "i32"), ("f32", "i16"), ("bf16", "ui16"), ("si32", "ui32"), ("f4e2m1", "f32")],
)
def test_vbitcast_in_a_kernel(source: str, target: str, revision: str) -> None:
    e, t = Element(source), Element(target)
    body = f"%r0 = pto.vbitcast %v0 : {vreg(e)} -> {vreg(t)}"
    case = Case(body, (source,), (target,), revision=revision)
    rng = random.Random(source)
    rows = [[rng.getrandbits(e.bits) for _ in range(e.lanes)] for _ in range(2)]
    (found,) = case.run((rows,), [[1] * (2048 // e.granularity)] * 2)
    assert _bytes(found, t) == _bytes(rows, e)


def _bytes(rows: Any, e: Element) -> bytes:
    return array(rows, e).tobytes()
