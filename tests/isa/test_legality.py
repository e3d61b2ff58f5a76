"""The table's element types are those of the documents, for every target and revision."""

from __future__ import annotations

import pytest

import ptoscope
from ptoscope import PtoError
from ptoscope.isa import TABLE
from ptoscope.isa.targets import TARGETS
from tests.isa.elements import FLOATS, Element
from tests.isa.harness import Case, mask_type, vreg
from tests.isa.legality import ALL_INTS, MANUAL, legal
from tests.isa.loops import BINARY, SCALAR, UNARY

LANEWISE = (*BINARY, *SCALAR, *UNARY, "vexp")


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize("name", MANUAL)
def test_types(name: str, target: str) -> None:
    listed = TABLE[f"pto.{name}"].types["T"]
    manual = listed.legal(TARGETS[target], "manual")
    micro = listed.legal(TARGETS[target], "micro")
    assert {d.name for d in manual} == legal(name, target, "manual")
    assert {d.name for d in micro} == legal(name, target, "micro")
    assert len(set(manual)) == len(manual)


def _text(name: str, e: Element) -> str:
    v, m = vreg(e), mask_type(e)
    if name in SCALAR:
        operands, types = "%v0, %s, %mask", f"{v}, {e.name}, {m}"
    elif name in BINARY:
        operands, types = "%v0, %v1, %mask", f"{v}, {v}, {m}"
    else:
        operands, types = "%v0, %mask", f"{v}, {m}"
    body = f"%r0 = pto.{name} {operands} : {types} -> {v}"
    vectors = (e.name, e.name) if name in BINARY else (e.name,)
    return Case(body, vectors, (e.name,), e.name if name in SCALAR else "").text()


@pytest.mark.parametrize("target", ["a2a3", "a5"])
@pytest.mark.parametrize("name", LANEWISE)
def test_the_checks_refuse_the_others(name: str, target: str) -> None:
    """A kernel with an illegal element type is refused, and the message names the type."""
    for dtype in sorted(set(FLOATS + ALL_INTS) - legal(name, target, "manual")):
        with pytest.raises(PtoError) as error:
            ptoscope.load(_text(name, Element(dtype)), target=target, revision="manual")
        said = [d.message for d in error.value.diagnostics]
        assert any(f"pto.{name}" in m and dtype in m for m in said), said


@pytest.mark.parametrize("name", ["vand", "vor", "vxor"])
def test_bitwise_floats_say_which_revision_has_them(name: str) -> None:
    text = _text(name, Element("f16"))
    with pytest.raises(PtoError) as error:
        ptoscope.load(text, revision="manual")
    assert any("micro" in d.hint for d in error.value.diagnostics)
    ptoscope.load(text, revision="micro")


def test_vmul_of_bytes_says_which_targets_have_it() -> None:
    text = _text("vmul", Element("i8"))
    with pytest.raises(PtoError) as error:
        ptoscope.load(text, target="a5")
    assert any("a2a3" in d.hint and "cpu" in d.hint for d in error.value.diagnostics)
    for target in ("cpu", "a2a3"):
        ptoscope.load(text, target=target)
