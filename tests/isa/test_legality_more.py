"""The element types and targets of the register instructions, and that others are refused."""

from __future__ import annotations

import pytest

import ptoscope
from ptoscope import PtoError
from ptoscope.isa import TABLE
from ptoscope.isa.targets import TARGETS
from tests.isa.elements import Element
from tests.isa.legality import EVERYTHING
from tests.isa.legality_more import MANUAL, legal, targets
from tests.isa.registers import Code, mask_kind, written

# v: a register of the element type; m: its mask; s: a scalar of it; i: integers as wide;
# a: an i16 amount; 0: an index constant; n, w, f: registers of half, twice the width, of f32.
SHAPES = {
    **dict.fromkeys(("vln", "vsqrt", "vrsqrt", "vrec", "vnot", "vbcnt", "vcls", "vmov"), "vm:v"),
    **dict.fromkeys(("vcgadd", "vcgmax", "vcgmin", "vcpadd", "vsqz", "vusqz"), "vm:v"),
    **dict.fromkeys(("vsel", "vprelu", "vaddrelu", "vsubrelu"), "vvm:v"),
    **dict.fromkeys(("vintlv", "vdintlv"), "vv:vv"),
    "vcmp": 'vvm"lt":m',
    "vcmps": 'vsm"lt":m',
    "vselr": "vi:v",
    "vperm": "vi:v",
    "vselrv2": "vv:v",
    "vintlvv2": 'vv"LOWER":v',
    "vdintlvv2": 'vv"LOWER":v',
    "vslide": "vva:v",
    "vshift": "va:v",
    "vpack": 'v"LOWER":n',
    "vsunpack": "v0:w",
    "vzunpack": "v0:w",
    "vexpdif": 'vvm"EVEN":f',
    "vaxpy": "vvsm:v",
    "vmull": "vvm:vv",
    "vmula": "vvvm:v",
}
ON_UB = ("vbitsort", "vsort32", "vmrgsort4", "vtranspose")


def _typed(letter: str, e: Element) -> str:
    kinds = {
        "v": e.name,
        "m": mask_kind(e),
        "i": f"ui{e.bits}",
        "n": f"ui{max(8, e.bits // 2)}",
        "w": f"ui{min(64, 2 * e.bits)}",
        "f": "f32",
    }
    return kinds[letter]


def text(name: str, dtype: str) -> str:
    """A kernel with one use of the instruction."""
    e = Element(dtype)
    shape, _, results = SHAPES[name].partition(":")
    letters, _, token = shape.partition('"')
    inputs: list[str] = []
    operands: list[str] = []
    types: list[str] = []
    scalars: list[str] = []
    for letter in letters:
        if letter == "0":
            operands.append("%c0")
            continue
        if letter in "sa":
            operands.append(f"%s{len(scalars)}")
            scalars.append(dtype if letter == "s" else "i16")
            types.append(scalars[-1])
            continue
        operands.append(f"%i{len(inputs)}")
        inputs.append(_typed(letter, e))
        types.append(written(inputs[-1]))
    if token:
        operands.append(f'"{token}')
    outputs = tuple(_typed(letter, e) for letter in results)
    names = ", ".join(f"%o{i}" for i in range(len(outputs)))
    made = ", ".join(written(o) for o in outputs)
    body = f"{names} = pto.{name} {', '.join(operands)} : {', '.join(types)} -> {made}"
    return Code(body, tuple(inputs), outputs, tuple(scalars)).text()


def test_every_instruction_is_tried() -> None:
    assert set(SHAPES) | set(ON_UB) == set(MANUAL)


@pytest.mark.parametrize("name", MANUAL)
def test_types(name: str) -> None:
    record = TABLE[f"pto.{name}"]
    assert set(record.targets) == set(targets(name))
    for target in targets(name):
        for revision in ("manual", "micro"):
            listed = record.types["T"].legal(TARGETS[target], revision)
            assert {d.name for d in listed} == set(legal(name, target, revision))
            assert len(set(listed)) == len(listed)


@pytest.mark.parametrize("revision", ["manual", "micro"])
@pytest.mark.parametrize("name", SHAPES)
def test_legal_types_load(name: str, revision: str) -> None:
    for dtype in legal(name, revision=revision):
        ptoscope.load(text(name, dtype), revision=revision)


@pytest.mark.parametrize("name", SHAPES)
def test_the_checks_refuse_the_others(name: str) -> None:
    """With a message that names the instruction and the type."""
    for dtype in EVERYTHING:
        # A scalar of a narrow float and integers twice as wide as i64 cannot be written.
        unwritten = ("s" in SHAPES[name] and dtype not in legal("vcmp")) or (
            "w" in SHAPES[name] and Element(dtype).bits == 64
        )
        if dtype in legal(name) or unwritten:
            continue
        with pytest.raises(PtoError) as error:
            ptoscope.load(text(name, dtype), revision="manual")
        said = [d.message for d in error.value.diagnostics]
        assert any(f"pto.{name}" in m and dtype in m for m in said), (dtype, said)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("name", SHAPES)
def test_other_targets(name: str, target: str) -> None:
    dtype = legal(name)[0]
    if target in targets(name):
        ptoscope.load(text(name, dtype), target=target)
        return
    with pytest.raises(PtoError) as error:
        ptoscope.load(text(name, dtype), target=target)
    assert [d.code for d in error.value.diagnostics] == ["PTO0201"]


@pytest.mark.parametrize("name", ON_UB)
def test_helpers_refuse_other_types(name: str) -> None:
    for dtype in sorted(set(EVERYTHING) - set(legal(name))):
        p = f"!pto.ptr<{dtype}, ub>"
        operands, types = {
            "vbitsort": ("%p, %p, %q, %n", f"{p}, {p}, !pto.ptr<ui32, ub>, i64"),
            "vsort32": ("%p, %p, %n", f"{p}, {p}, i64"),
            "vmrgsort4": ("%p, %p, %p, %p, %p, %n, %n", f"{p}, {p}, {p}, {p}, {p}, i64, i64"),
            "vtranspose": ("%p, %p, %n", f"{p}, {p}, i64"),
        }[name]
        code = f"""module {{
  func.func @helper(%n: i64) {{
    %zero = arith.constant 0 : i64
    %p = pto.castptr %zero : i64 -> {p}
    %q = pto.castptr %zero : i64 -> !pto.ptr<ui32, ub>
    pto.{name} {operands} : {types}
    return
  }}
}}
"""
        with pytest.raises(PtoError) as error:
            ptoscope.load(code)
        said = [d.message for d in error.value.diagnostics]
        assert any(f"pto.{name}" in m and dtype in m for m in said), (dtype, said)
