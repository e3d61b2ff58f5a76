"""Broken kernels are put right by the suggested fixes: a part of `python -m tests.repair`."""

from __future__ import annotations

from collections import Counter

import pytest

from ptoscope.check.apply import fixed

from .judge import HARMLESS, LEFT, MISSED, RIGHT, WRONG, Verdict, findings, judge
from .mistakes import FOR_PEOPLE, KINDS, Mistake, mistakes
from .subjects import own_subjects

EVERY = 17
"""One mistake of so many is tried here."""
SHARE = 250 / 301
"""The part of the mistakes that has to be put right."""


@pytest.fixture(scope="module")
def some() -> list[Mistake]:
    found = [m for subject in own_subjects() for m in mistakes(subject)]
    assert len(found) > 1500
    assert {m.kind for m in found} == set(KINDS)
    return found[::EVERY]


def test_fixes_put_mistakes_right(some: list[Mistake]) -> None:
    verdicts = [judge(m) for m in some if m.kind not in FOR_PEOPLE]
    found = [v for v in verdicts if v.ending != HARMLESS]
    right = [v for v in found if v.ending == RIGHT]
    assert len(found) > 70
    assert told(verdicts, MISSED) == []
    assert told(verdicts, WRONG) == []
    assert len(right) >= SHARE * len(found), told(verdicts, LEFT)


def test_what_people_have_to_decide_gets_no_fix_that_only_looks_right(some: list[Mistake]) -> None:
    verdicts = [judge(m) for m in some if m.kind in FOR_PEOPLE]
    assert any(v.ending == LEFT for v in verdicts)
    assert told(verdicts, WRONG) == []


def test_fixes_leave_the_neighbours_of_a_wrong_type_alone() -> None:
    found = [m for subject in own_subjects() for m in mistakes(subject) if m.kind == "type"]
    assert len(found) > 1000
    for mistake in found[::5]:
        right, wrong = mistake.subject.text.split("\n"), mistake.text.split("\n")
        (line,) = [k for k, (a, b) in enumerate(zip(right, wrong, strict=True)) if a != b]
        left = fixed(mistake.text, lambda text, m=mistake: findings(m.subject, text)).text
        neighbours = Counter([*right[:line], *right[line + 1 :]])
        assert neighbours <= Counter(left.split("\n")), mistake.what


def told(verdicts: list[Verdict], ending: str) -> list[str]:
    return [
        f"{v.mistake.subject.name}, {v.mistake.what}: {v.codes}, left {v.left}"
        for v in verdicts
        if v.ending == ending
    ]
