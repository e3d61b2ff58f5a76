"""Whatever is fed to the reader, it answers with a module or with errors."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from ptoscope import ir
from ptoscope.diagnostics import PtoError
from ptoscope.ir import LEVELS
from ptoscope.isa import TABLE
from tests.ir.kernels import ADD, MIXED, function
from tests.ir.test_placeholders import DOCUMENT
from tests.ir.test_round_trip import CONTROL

KERNELS = (
    *(ADD, CONTROL, DOCUMENT, MIXED),
    ir.print_module(ir.parse(ADD), generic=True),
    *(
        ir.print_module(ir.parse(text), level=level)
        for text in (ADD, MIXED)
        for level in LEVELS[1:]
    ),
)
_PIECE = re.compile(r'\s+|//[^\n]*|"[^"]*"|[\w.%#!@^$]+|->|.', re.DOTALL)
JUNK = (
    *'{}()[]<>,:=%"#!@^-*?|\\',
    *("->", "...", "{-#", "%x", "%a:2", "^bb0:", "loc(", "0x", "1.0e999", "9" * 30, "1" * 5000),
    *("!pto.ptr", "!pto.mask<G>", "!pto.vreg<64xf32>", "i32", "true", "dense<1>", "attributes"),
    *("ins", "ins(", "outs", "outs(", "ins()", "#dist=NORM", "%x:2", "vadd", "vlds", "pset_b32"),
    *("scf.yield", "return", "scf.if", "else", "module", "func.func", "pto.vadd", "pto.vecscope"),
    *("\0", "é", "٣", "²", "\ud800", "\n", "//", '"abc'),
)
WORDS = (*sorted(TABLE), *sorted(record.short for record in TABLE.values()))


def complain(error: PtoError) -> None:
    found = error.diagnostics
    assert found
    assert str(error)
    assert all(d.line > 0 and d.column > 0 and d.message for d in found)
    assert list(found) == sorted(found, key=lambda d: d.span[:2])
    assert not any("cannot read the file" in d.message for d in found)


def answer(text: str) -> None:
    """A module that prints, or errors with a place."""
    try:
        module = ir.parse(text)
    except PtoError as error:
        complain(error)
        return
    custom = ir.print_module(module)
    assert ir.print_module(ir.parse(custom)) == custom
    assert ir.print_module(ir.parse(ir.print_module(module, generic=True))) == custom
    for level in LEVELS:
        printed = ir.print_module(module, level=level)
        again = ir.parse(printed)
        assert ir.print_module(again, level=level) == printed
        # Results without a name are given one.
        if not re.search(r"%_\d", printed):
            assert ir.print_module(again) == custom


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200))
def test_any_text(text: str):
    answer(text)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes(data: bytes):
    answer(data.decode("utf-8", errors="surrogateescape"))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from((*JUNK, *WORDS, " ", "\n")), max_size=40))
def test_any_tokens(tokens: list[str]):
    answer(function(" ".join(tokens)))


@settings(max_examples=1000, deadline=None)
@given(st.sampled_from(KERNELS), st.data())
def test_a_damaged_kernel(kernel: str, data: st.DataObject):
    pieces = _PIECE.findall(kernel)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(pieces) - 1))
        match data.draw(st.integers(0, 4)):
            case 0:
                pieces[at] = ""
            case 1:
                pieces[at] *= 2
            case 2:
                other = data.draw(st.integers(0, len(pieces) - 1))
                pieces[at], pieces[other] = pieces[other], pieces[at]
            case 3:
                pieces[at] = data.draw(st.sampled_from(pieces))
            case _:
                pieces[at] = data.draw(st.sampled_from(JUNK))
    answer("".join(pieces))
