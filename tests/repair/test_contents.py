"""Warnings about contents of memory see mistakes that nothing else does: a part of
`python -m tests.repair.contents`."""

from __future__ import annotations

from .contents import CODES, HARMLESS, NONE, OTHERS, mistakes, seen_by
from .judge import is_clean
from .subjects import own_subjects


def test_they_see_what_nothing_else_does() -> None:
    subjects = [s for s in own_subjects() if s.name in ("reversed", "bench/add", "appended")]
    assert len(subjects) == 3
    assert all(is_clean(subject) for subject in subjects)
    seen = [seen_by(m)[1] for subject in subjects for m in mistakes(subject)[::4]]
    assert {OTHERS, HARMLESS, NONE, *CODES[:2]} <= set(seen)
