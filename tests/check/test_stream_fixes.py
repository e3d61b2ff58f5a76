"""Fixes of streams: the state that is taken is the newest one, and no flush is added instead."""

from __future__ import annotations

import pytest

from ptoscope.check import check
from ptoscope.check.apply import fixed
from ptoscope.diagnostics import Diagnostic
from ptoscope.isa.targets import TARGETS, Revision
from ptoscope.sources import parse
from tests.mutation.seeds import seeds

APPENDED, UNALIGNED, COMPACT = (
    next(seed.text for seed in seeds() if seed.name == name)
    for name in ("appended", "unaligned", "compact")
)


def found(text: str, revision: Revision = "manual") -> list[Diagnostic]:
    return check(parse(text, "<string>"), TARGETS["a5"], revision)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("vstur %s1,", "vstur %s0,"),
        ("vstur %s2,", "vstur %s1,"),
        ("vstur %s2,", "vstur %s0,"),
        ("vstas %s3,", "vstas %s2,"),
        ("vstas %s3,", "vstas %s1,"),
    ],
)
def test_a_use_of_an_older_state_takes_the_newest(right: str, wrong: str) -> None:
    assert APPENDED.count(right) == 1
    text = APPENDED.replace(right, wrong)
    assert {d.code for d in found(text)} >= {"PTO0402", "PTO0403"}
    assert fixed(text, found).text == APPENDED


def test_a_flush_elsewhere_does_not_take_the_state() -> None:
    """Where the flush is not where the newest state ended, both may be wrong: no fix."""
    text = APPENDED.replace("vstas %s3,", "vstas %s2,").replace("768 : i32", "512 : i32")
    (finding,) = [d for d in found(text) if d.code == "PTO0403"]
    assert finding.fix == ()


def test_the_flush_where_a_stream_ended_names_its_base() -> None:
    text = APPENDED.replace("vstas %s3, %first,", "vstas %s3, %out,")
    assert [d.code for d in found(text)] == ["PTO0405"]
    after = fixed(text, found)
    assert after.left == []
    assert "pto.vstar %s3, %first :" in after.text


def test_a_stream_that_a_loop_carries_is_primed_where_it_begins() -> None:
    """By the pointer that the loop begins with."""
    begin = "%primed = pto.init_align : !pto.align"
    text = UNALIGNED.replace("%primed = pto.vldas %first : !pto.ptr<f32, ub> -> !pto.align", begin)
    assert [d.code for d in found(text)] == ["PTO0401"]
    assert fixed(text, found).text == UNALIGNED


def test_a_stream_that_begins_for_a_store_too_is_not_primed() -> None:
    text = UNALIGNED.replace("%load = %primed", "%load = %begin")
    (finding,) = [d for d in found(text) if d.code == "PTO0401"]
    assert finding.fix == ()


def test_the_register_is_cleared_where_a_carried_stream_begins() -> None:
    text = COMPACT.replace('      pto.sprclr "AR"\n', "")
    (finding,) = found(text, "micro")
    assert finding.code == "PTO0408"
    after = fixed(text, lambda text: found(text, "micro"))
    assert after.left == []
    assert after.text.index("pto.sprclr") < after.text.index("pto.init_align")


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("vstu %store,", "vstu %begin,"),
        ("vldus %from, %load", "vldus %from, %primed"),
        ("%load2, %from2, %store2, %at2", "%load, %from2, %store2, %at2"),
        ("%load2, %from2, %store2, %at2", "%load2, %from2, %store, %at2"),
    ],
)
def test_a_loop_goes_on_with_the_state_that_it_carries(right: str, wrong: str) -> None:
    assert fixed(UNALIGNED.replace(right, wrong, 1), found).text == UNALIGNED
