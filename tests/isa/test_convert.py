"""vcvt as an instruction: its pairs, attributes, masks, and the places of narrower lanes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptoscope
from ptoscope import PtoError
from ptoscope.isa import TABLE
from tests.isa import exact
from tests.isa.elements import NARROW, Element
from tests.isa.harness import Case, mask_type, same, vreg
from tests.isa.values import masks, scattered, singles
from tests.witness.conversion import expected, parts, values

# The micro specification's list of forms; of the manual also ui32 to f32, sat of f16 to si32, rnd
# of si16 to f32; the suite's si64 to f32.
RSP, RS, RP, SP, R, P = "rnd sat part", "rnd sat", "rnd part", "sat part", "rnd", "part"
FORMS: dict[tuple[str, str], str] = {
    ("f32", "si64"): RSP,
    ("f32", "si32"): RS,
    ("f32", "si16"): RSP,
    ("f16", "si32"): RSP,
    ("f16", "si16"): RS,
    ("f16", "si8"): RSP,
    ("f16", "ui8"): RSP,
    ("bf16", "si32"): RSP,
    ("f32", "f16"): RSP,
    ("f32", "bf16"): RSP,
    ("bf16", "f16"): RS,
    ("f16", "bf16"): R,
    ("f16", "f32"): P,
    ("bf16", "f32"): P,
    ("ui8", "f16"): P,
    ("si8", "f16"): P,
    ("si16", "f16"): R,
    ("si16", "f32"): RP,
    ("si32", "f32"): R,
    ("ui32", "f32"): R,
    ("si64", "f32"): RP,
    ("ui8", "ui16"): P,
    ("ui8", "ui32"): P,
    ("si8", "si16"): P,
    ("si8", "si32"): P,
    ("ui16", "ui8"): SP,
    ("ui16", "ui32"): P,
    ("si16", "ui8"): SP,
    ("si16", "ui32"): P,
    ("si16", "si32"): P,
    ("ui32", "ui8"): SP,
    ("ui32", "ui16"): SP,
    ("ui32", "si16"): SP,
    ("si32", "ui8"): SP,
    ("si32", "ui16"): SP,
    ("si32", "si16"): SP,
    ("si32", "si64"): P,
    **{(wide, n): RSP for wide in ("f32", "f16", "bf16") for n in NARROW},
    **{(n, wide): P for wide in ("f32", "f16", "bf16") for n in NARROW},
}


def inputs(source: str, seed: int) -> list[int]:
    """A register of edges and random values."""
    e = Element(source)
    if source in NARROW:
        return random.Random(seed).choices(range(256), k=256)
    return singles(e, seed + 1)[seed]


def governing(source: str, mask: Sequence[int]) -> list[int]:
    """The bits that govern the lanes."""
    e = Element(source)
    return list(mask[:: len(mask) // e.lanes])


def test_the_pairs_are_those_of_the_documents() -> None:
    signless = {"si8": "i8", "si16": "i16", "si32": "i32", "si64": "i64"}
    listed: dict[tuple[str, str], set[str]] = {}
    for (source, target), attrs in FORMS.items():
        for s in {source, signless.get(source, source)}:
            for t in {target, signless.get(target, target)}:
                listed[s, t] = set(attrs.split())
    record = TABLE["pto.vcvt"]
    assert {(s.name, t.name): set(a) for (s, t), a in record.pairs.items()} == listed
    for (s, t), attrs in record.pairs.items():
        if "part" in attrs:
            assert attrs["part"] == ("NONE", *parts(s.name, t.name))
        assert attrs.get("rnd", exact.MODES) == exact.MODES
        assert set(attrs.get("sat", ("SAT", "NOSAT"))) == {"SAT", "NOSAT"}


def text_of(source: str, target: str, attrs: str) -> str:
    e = Element(source)
    types = f"{vreg(e)}, {mask_type(e)} -> {vreg(Element(target))}"
    return f"%r0 = pto.vcvt %v0, %mask{attrs} : {types}"


@pytest.mark.parametrize("revision", ["manual", "micro"])
@pytest.mark.parametrize(
    ("source", "target", "part"),
    [
        ("f32", "f16", "ODD"),
        ("f32", "bf16", "EVEN"),
        ("f32", "si16", "ODD"),
        ("f32", "si64", "ODD"),
        ("si64", "f32", "EVEN"),
        ("i32", "i16", "EVEN"),
        ("ui32", "ui8", "P2"),
        ("f16", "f32", "ODD"),
        ("ui8", "ui32", "P3"),
        ("f16", "si16", ""),
        ("f32", "f8e4m3", "P1"),
        ("f32", "f8e5m2", "P0"),
        ("f16", "hif8", "ODD"),
        ("hif8", "f32", "P3"),
        ("bf16", "f4e2m1", "P2"),
        ("f4e1m2", "bf16", "P1"),
    ],
)
def test_in_a_kernel(source: str, target: str, part: str, revision: str) -> None:
    attrs = FORMS.get((source, target), SP).split()
    sat = "SAT" if "sat" in attrs else "NOSAT"
    written = [f'sat = "{sat}"'] if sat == "SAT" else []
    written += [f'part = "{part}"'] if part else []
    case = Case(
        text_of(source, target, f" {{{', '.join(written)}}}"),
        (source,),
        (target,),
        revision=revision,
    )
    e = Element(source)
    rows = [inputs(source, i) for i in range(3)]
    for mask in masks(2048 // e.granularity, len(rows)):
        if e.granularity != 32:  # a lane count makes tails only
            mask = [sorted(row, reverse=True) for row in mask]
        (found,) = case.run((rows,), mask)
        wanted = [
            expected(source, target, r, governing(source, m), part or "NONE", "R", sat == "SAT")
            for r, m in zip(rows, mask, strict=True)
        ]
        same(found, wanted, f"{source} to {target} {part}")


def test_two_halves_make_a_register() -> None:
    """The documented way to narrow: EVEN of one vector, ODD of another, merged."""
    v, h, m = "!pto.vreg<64xf32>", "!pto.vreg<128xf16>", "!pto.mask<b32>"
    body = (
        f'%even = pto.vcvt %v0, %all {{rnd = "R", sat = "SAT", part = "EVEN"}} : {v}, {m} -> {h}\n'
        f'%odd = pto.vcvt %v1, %all {{rnd = "R", sat = "SAT", part = "ODD"}} : {v}, {m} -> {h}\n'
        f'%full = pto.pset_b16 "PAT_ALL" : !pto.mask<b16>\n'
        f"%r0 = pto.vor %even, %odd, %full : {h}, {h}, !pto.mask<b16> -> {h}"
    )
    case = Case(body, ("f32", "f32"), ("f16",), revision="micro")
    e = Element("f32")
    left, right = [scattered(e, 64, 1)], [scattered(e, 64, 2)]
    (found,) = case.run((left, right), [[1] * 64])
    assert found[0][::2] == values("f32", "f16", left[0], "R", True)
    assert found[0][1::2] == values("f32", "f16", right[0], "R", True)


def _codes(text: str, **options: Any) -> list[str]:
    with pytest.raises(PtoError) as error:
        ptoscope.load(text, **options)
    return [d.code for d in error.value.diagnostics]


@pytest.mark.parametrize(
    ("source", "target", "attrs", "code"),
    [
        ("f32", "si8", "", "PTO0106"),
        ("f16", "ui16", "", "PTO0106"),
        ("f16", "bf16", ' {sat = "SAT"}', "PTO0107"),
        ("f32", "f32", "", "PTO0106"),
        ("ui64", "f32", "", "PTO0102"),
        ("f32", "ui64", "", "PTO0102"),
        ("f32", "f16", ' {part = "P0"}', "PTO0107"),
        ("ui32", "ui8", ' {part = "EVEN"}', "PTO0107"),
        ("f32", "si32", ' {part = "EVEN"}', "PTO0107"),
        ("f16", "f32", ' {sat = "SAT", part = "EVEN"}', "PTO0107"),
        ("si32", "si16", ' {rnd = "Z"}', "PTO0107"),
        ("f32", "f16", ' {rnd = "H"}', "PTO0103"),
    ],
)
def test_what_the_checks_refuse(source: str, target: str, attrs: str, code: str) -> None:
    case = Case(text_of(source, target, attrs), (source,), (target,))
    assert _codes(case.text()) == [code]


def test_narrow_floats_are_of_a5() -> None:
    case = Case(text_of("f32", "hif8", ""), ("f32",), ("hif8",))
    ptoscope.load(case.text(), target="a5")
    assert "PTO0202" in _codes(case.text(), target="cpu")


def test_ml_dtypes_arrays_come_and_go() -> None:
    """A caller's arrays of the types themselves."""
    case = Case(text_of("f32", "f8e4m3", ' {part = "P0"}'), ("f32",), ("f8e4m3",))
    kernel = ptoscope.load(case.text())
    x = np.linspace(-500, 500, 64, dtype=np.float32).reshape(1, 64)
    out = np.zeros((1, 256), ml_dtypes.float8_e4m3fn)
    kernel(x, out, np.zeros(1, np.int8), np.ones((1, 64), np.uint32), 1)
    wanted = x.astype(ml_dtypes.float8_e4m3fn)
    assert np.array_equal(out[:, ::4].view(np.uint8), wanted.view(np.uint8))
