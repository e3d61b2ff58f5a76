"""Fixes of streams: the state that is taken is the newest one, and no flush is added instead."""

from __future__ import annotations

import pytest

from ptoscope.check import check
from ptoscope.check.apply import fixed
from ptoscope.diagnostics import Diagnostic
from ptoscope.isa.targets import TARGETS
from ptoscope.sources import parse
from tests.mutation.seeds import seeds

(APPENDED,) = [seed.text for seed in seeds() if seed.name == "appended"]


def found(text: str) -> list[Diagnostic]:
    return check(parse(text, "<string>"), TARGETS["a5"], "manual")


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
