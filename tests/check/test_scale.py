"""Texts of any length are checked, and mended, in time that grows as they do."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from ptoscope.check.apply import fixed
from ptoscope.check.contents import RULES as CONTENTS
from ptoscope.check.rule import list_contexts
from ptoscope.cli.examine import examine_text
from ptoscope.diagnostics import Diagnostic, Edit, Span, edited
from ptoscope.isa.targets import TARGETS
from tests.check.pipes import program
from tests.scaling import growth

MOST = 8
"""Times the time for four times the text: linear is 4, quadratic 16."""

_HEAD = """  %c0 = arith.constant 0 : index
  %c0_i64 = arith.constant 0 : i64
  %c1_i64 = arith.constant 1 : i64
  %c256_i64 = arith.constant 256 : i64
  %ub = pto.castptr %c0_i64 : i64 -> !pto.ptr<f32, ub>
"""
_V, _P = "!pto.vreg<64xf32>", "!pto.ptr<f32, ub>"


def _function(body: str, number: int = 0) -> str:
    return (
        f"func.func @kernel{number}(%x: !pto.ptr<f32, gm>) attributes {{pto.aicore}} {{\n"
        f"{_HEAD}{body}  return\n}}\n"
    )


def _narrow_masks(lines: int) -> str:
    """Each of so many instructions has a mask of the wrong width."""
    add = f"pto.vadd %v, %v, %m : {_V}, {_V}, !pto.mask<b16> -> {_V}"
    return (
        '  pto.vecscope {\n    %m = pto.pset_b16 "PAT_ALL" : !pto.mask<b16>\n'
        f"    %v = pto.vlds %ub[%c0] : {_P} -> {_V}\n"
        + "".join(f"    %w{i} = {add}\n" for i in range(lines))
        + "  }\n"
    )


def _masks_in_one(lines: int) -> str:
    return _function(_narrow_masks(lines))


def _masks_in_many(lines: int) -> str:
    return "".join(_function(_narrow_masks(1), i) for i in range(lines // 4))


def _outside_scopes(lines: int) -> str:
    """Vector code that no vecscope can be put around, since copies are between."""
    copy = (
        "  pto.mte_gm_ub %x, %ub, %c0_i64, %c256_i64 nburst(%c1_i64, %c256_i64, %c256_i64)\n"
        f"    : !pto.ptr<f32, gm>, {_P}, i64, i64, i64, i64, i64\n"
    )
    return _function(
        "".join(
            f"  %v{i} = pto.vlds %ub[%c0] : {_P} -> {_V}\n{copy}"
            f'  %m{i} = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>\n'
            f"  pto.vsts %v{i}, %ub[%c0], %m{i} : {_V}, {_P}, !pto.mask<b32>\n"
            for i in range(lines // 5)
        )
    )


def _crossed_flags(lines: int) -> str:
    """Pipes that wait for each other at once."""
    return _function(
        "".join(
            '  pto.wait_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID0"]\n'
            '  pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]\n'
            '  pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]\n'
            '  pto.set_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID0"]\n'
            for _ in range(lines // 4)
        )
    )


def _straight(lines: int) -> str:
    """A right kernel: each value is made of the one before."""
    add = f": {_V}, {_V}, !pto.mask<b32> -> {_V}"
    return _function(
        '  pto.vecscope {\n    %m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>\n'
        f"    %v0 = pto.vlds %ub[%c0] : {_P} -> {_V}\n"
        + "".join(f"    %v{i + 1} = pto.vadd %v{i}, %v{i}, %m {add}\n" for i in range(lines))
        + f"    pto.vsts %v{lines}, %ub[%c0], %m : {_V}, {_P}, !pto.mask<b32>\n  }}\n"
    )


def _in_one_scope(body: Iterable[str]) -> str:
    return _function(
        "  %offset = arith.constant 0 : i32\n  %c1 = arith.constant 1 : index\n"
        "  %c8 = arith.constant 8 : index\n  %c128 = arith.constant 128 : index\n"
        '  pto.vecscope {\n    %m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>\n'
        f"    %v0 = pto.vlds %ub[%c0] : {_P} -> {_V}\n"
        f"    %s0 = pto.init_align : !pto.align\n{''.join(body)}  }}\n"
    )


def _one_stream(lines: int) -> str:
    """Stores of one stream to one place: each is complete before the next, which uses it."""
    store = f": !pto.align, i32, {_V}, {_P} -> !pto.align, {_P}"
    return _in_one_scope(
        f"    %s{i + 1}, %p{i + 1} = pto.vstus %s{i}, %offset, %v0, %ub {store}\n"
        for i in range(lines)
    )


def _sums(lines: int) -> list[str]:
    """What is stored is made of all that was loaded before. It is loaded next, after a barrier."""
    return [
        f"    %w{i} = pto.vlds %ub[%c128] : {_P} -> {_V}\n"
        f"    %v{i + 1} = pto.vadd %v{i}, %w{i}, %m : {_V}, {_V}, !pto.mask<b32> -> {_V}\n"
        f"    pto.vsts %v{i + 1}, %ub[%c128], %m : {_V}, {_P}, !pto.mask<b32>\n"
        '    pto.mem_bar "VST_VLD"\n'
        for i in range(lines // 4)
    ]


def _sums_stored(lines: int) -> str:
    return _in_one_scope(_sums(lines))


def _sums_stored_in_a_loop(lines: int) -> str:
    return _in_one_scope(["    scf.for %i = %c0 to %c8 step %c1 {\n", *_sums(lines), "    }\n"])


def _sums_stored_unordered(lines: int) -> str:
    return _in_one_scope(one.replace('    pto.mem_bar "VST_VLD"\n', "") for one in _sums(lines))


def _examine(text: str) -> list[Diagnostic]:
    return examine_text(text, "kernel.pto", "a5", "manual")[1]


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (_masks_in_one, "PTO0101"),
        (_masks_in_many, "PTO0101"),
        (_outside_scopes, "PTO0301"),
        (_crossed_flags, "PTO0602"),
        (_straight, None),
        (_one_stream, None),
        (_sums_stored, None),
        (_sums_stored_in_a_loop, None),
        (_sums_stored_unordered, "PTO0609"),
    ],
)
def test_check_is_linear(make: Callable[[int], str], code: str | None) -> None:
    assert {d.code for d in _examine(make(40))} == ({code} if code else set())

    def prepare(lines: int) -> Callable[[], object]:
        text = make(lines)
        return lambda: _examine(text)

    assert growth(prepare, 600) < MOST


def test_what_nothing_has_written_is_found_in_linear_time() -> None:
    """16 rows, loaded and stored again and again."""
    (rule,) = (rule for rule in CONTENTS if rule.code == "PTO0506")

    def prepare(lines: int) -> Callable[[], object]:
        rows = "".join(f"  %r{i} = arith.constant {64 * i} : index\n" for i in range(16))
        text = _function(
            f"{rows}  %all = arith.constant 4096 : i64\n"
            "  pto.mte_gm_ub %x, %ub, %c0_i64, %all nburst(%c1_i64, %all, %all)\n"
            f"    : !pto.ptr<f32, gm>, {_P}, i64, i64, i64, i64, i64\n"
            '  pto.vecscope {\n    %m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>\n'
            + "".join(
                f"    %v{i} = pto.vlds %ub[%r{i % 16}] : {_P} -> {_V}\n"
                f"    pto.vsts %v{i}, %ub[%r{i % 16}], %m : {_V}, {_P}, !pto.mask<b32>\n"
                for i in range(lines // 2)
            )
            + "  }\n"
        )
        (context,) = list_contexts(program(text), TARGETS["a5"], "manual")
        assert list(rule.find(context)) == []
        return lambda: list(rule.find(context))

    assert growth(prepare, 2000) < MOST


def test_fixes_are_applied_in_linear_time() -> None:
    def prepare(lines: int) -> Callable[[], object]:
        text = _masks_in_one(lines)
        return lambda: fixed(text, _examine)

    assert fixed(_masks_in_one(40), _examine).left == []
    assert growth(prepare, 250) < MOST


def test_edits_are_made_in_linear_time() -> None:
    def prepare(lines: int) -> Callable[[], object]:
        text = f"{'x' * 99}\n" * lines
        edits = [Edit(Span(line, 50, 1), "yz") for line in range(1, lines + 1)]
        return lambda: edited(text, edits)

    assert growth(prepare, 10_000) < MOST


def test_a_stream_may_be_longer_than_calls_are_deep() -> None:
    """1,000 stores, flushed where they ended, and flushed where the last but one did."""
    store = f": !pto.align, i32, {_V}, {_P} -> !pto.align, {_P}"

    def text(flushed_at: str) -> str:
        return _function(
            "  %offset = arith.constant 0 : i32\n  pto.vecscope {\n"
            f"    %v = pto.vlds %ub[%c0] : {_P} -> {_V}\n"
            "    %s0 = pto.init_align : !pto.align\n"
            f"    %p0 = pto.addptr %ub, %c0 : {_P} -> {_P}\n"
            + "".join(
                f"    %s{i + 1}, %p{i + 1} = pto.vstus %s{i}, %offset, %v, %p{i} {store}\n"
                for i in range(1000)
            )
            + f"    pto.vstas %s1000, {flushed_at}, %offset : !pto.align, {_P}, i32\n  }}\n"
        )

    assert "PTO0405" not in {d.code for d in _examine(text("%p1000"))}
    assert "PTO0405" in {d.code for d in _examine(text("%p999"))}


@pytest.mark.parametrize("first", [True, False])
def test_a_loop_may_carry_a_pointer_along_a_longer_chain_than_calls_are_deep(first: bool) -> None:
    """The stream begins at the pointer that an iteration begins with, or at the next one."""
    moved = "".join(
        f"      %p{i + 1} = pto.addptr %p{i}, %c0 : {_P} -> {_P}\n" for i in range(1200)
    )
    store = (
        "      %s = pto.init_align : !pto.align\n"
        f"      %t, %q = pto.vstus %s, %offset, %v0, %p{0 if first else 1200}"
        f" : !pto.align, i32, {_V}, {_P} -> !pto.align, {_P}\n"
        f"      pto.vstas %t, %q, %offset : !pto.align, {_P}, i32\n"
    )
    text = _in_one_scope(
        [
            f"    %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%p0 = %ub) -> ({_P}) {{\n",
            *((store, moved) if first else (moved, store)),
            f"      scf.yield %p1200 : {_P}\n    }}\n",
        ]
    )
    assert {d.code for d in _examine(text)} <= {"PTO0405", "PTO0609"}
