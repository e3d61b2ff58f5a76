"""Every sentence of the documents that restricts a kernel: the kernel that breaks it is told so."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope import Diagnostic, PtoError
from ptoscope.check import check
from ptoscope.diagnostics import edited
from ptoscope.isa.targets import TARGETS
from ptoscope.kernel import parse
from tests.docs import musts_load_store, musts_others
from tests.docs.musts import DEPENDENCE, Must, kernel
from tests.documents.harness import (
    BINARY,
    LOAD_STORE,
    OVERVIEW,
    PREDICATE_STORE,
    VECTOR_SCALAR,
    document,
)

MUSTS = (*musts_load_store.MUSTS, *musts_others.MUSTS)
COUNTS = {LOAD_STORE: 41, OVERVIEW: 17, BINARY: 13, PREDICATE_STORE: 10, VECTOR_SCALAR: 9}
BROKEN = [m for m in MUSTS if m.code]
_DEMAND = re.compile(r"\b(MUST|must|[Ii]llegal|[Oo]nly|[Rr]equire[sd]?|excludes)\b")
_NOT_A_DEMAND = (
    "Alignment requirements vary",
    "Vector instruction data movement requires explicit synchronization",
)


def _id(must: Must) -> str:
    return f"{must.instruction or 'all'}-{must.sentence[:32]}"


def _plain(text: str) -> str:
    """Text with every run of blanks and line breaks as one blank."""
    return " ".join(text.split())


def test_the_count_of_sentences() -> None:
    assert Counter(m.document for m in MUSTS) == COUNTS


def test_each_has_a_kernel_or_a_reason() -> None:
    for must in MUSTS:
        has_kernel = bool(must.before or must.body)
        assert bool(must.code) == has_kernel != bool(must.reason), must


def test_what_is_not_enforced_yet() -> None:
    """Shrinks when an analysis arrives; nothing joins it unseen."""
    waiting = [m for m in MUSTS if m.reason == DEPENDENCE]
    assert len(waiting) == 2


@pytest.mark.parametrize("must", MUSTS, ids=_id)
def test_the_sentence_is_in_its_document(must: Must) -> None:
    assert _plain(must.sentence) in _plain(document(must.document))


@pytest.mark.parametrize("name", COUNTS)
def test_a_sentence_said_of_several_instructions_is_tested_for_each(name: str) -> None:
    text = _plain(document(name))
    listed = Counter(_plain(m.sentence) for m in MUSTS if m.document == name)
    assert {s: text.count(s) for s in listed} == listed


@pytest.mark.parametrize("name", COUNTS)
def test_no_demand_of_a_document_is_left_out(name: str) -> None:
    text = _plain(document(name))
    covered: list[tuple[int, int]] = []
    for sentence in [m.sentence for m in MUSTS if m.document == name] + list(_NOT_A_DEMAND):
        covered += [m.span() for m in re.finditer(re.escape(_plain(sentence)), text)]
    missing = [
        text[max(0, found.start() - 60) : found.end() + 60]
        for found in _DEMAND.finditer(text)
        if not any(a <= found.start() and found.end() <= b for a, b in covered)
    ]
    assert missing == []


@pytest.mark.parametrize("must", [m for m in BROKEN if m.code == "PTO0502"], ids=_id)
def test_a_run_says_it_too(must: Must) -> None:
    """What the check refuses is a fault for whoever runs it all the same."""
    loaded = ptoscope.load(kernel(must), must.target, force=True)
    with pytest.raises(PtoError) as error:
        loaded(*_arrays())
    assert [d.code for d in error.value.diagnostics] == ["PTO0903"]


@pytest.mark.parametrize("must", [m for m in BROKEN if m.code == "PTO0607"], ids=_id)
def test_it_is_the_missing_flag(must: Must) -> None:
    """With the flag that the finding offers, nothing is wrong any more."""
    text = kernel(must)
    (finding,) = _checked(must, text)
    assert finding.fix
    assert _checked(must, edited(text, finding.fix)) == []


def _arrays() -> list[Any]:
    return [np.zeros(64, dtype) for dtype in (np.float32, np.int64, np.float32)]


def _checked(must: Must, text: str) -> list[Diagnostic]:
    return check(parse(text, "broken.pto"), TARGETS[must.target], "manual")


@pytest.mark.parametrize("must", BROKEN, ids=_id)
def test_a_kernel_that_breaks_it_is_told(must: Must) -> None:
    text = kernel(must)
    if must.runs:
        with pytest.raises(PtoError) as error:
            ptoscope.load(text, must.target)(*_arrays())
        found = list(error.value.diagnostics)
    else:
        try:
            found = _checked(must, text)
        except PtoError as error:
            found = list(error.diagnostics)
    assert {d.code for d in found} == {must.code}, [str(d) for d in found]
    for finding in found:
        assert finding.line > 0
        assert finding.message
        assert finding.found or finding.expected
