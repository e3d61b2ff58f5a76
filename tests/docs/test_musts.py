"""Every rule of the documents that restricts a kernel: the kernel that breaks it is told so."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope import Diagnostic, PtoError
from ptoscope.check import check
from ptoscope.diagnostics import edited
from ptoscope.isa.targets import TARGETS
from ptoscope.sources import parse
from tests.docs import musts_load_store, musts_others
from tests.docs.musts import DEPENDENCE, Must, kernel
from tests.documents.harness import (
    BINARY,
    LOAD_STORE,
    OVERVIEW,
    PREDICATE_STORE,
    VECTOR_SCALAR,
)

MUSTS = (*musts_load_store.MUSTS, *musts_others.MUSTS)
DEMANDS: dict[str, dict[str, int]] = {
    LOAD_STORE: {
        "vadd": 1, "wait_flag": 2, "get_buf": 1, "vlds": 3, "vsts": 3, "vldas": 1, "vldus": 1,
        "vldsx2": 2, "vsldb": 1, "vgather2": 3, "vgatherb": 2, "vstsx2": 2, "vscatter": 4,
        "vsta": 1, "vstu": 4, "vstus": 4, "vstur": 4, "vstas": 1, "vstar": 1,
    },
    OVERVIEW: {
        "": 3, "vselr": 2, "vstu": 2, "vstar": 1, "vadd": 3, "vlds": 3, "vstur": 1, "vmax": 1,
        "vsts": 1,
    },
    BINARY: {
        "vsub": 2, "get_buf": 1, "vadd": 1, "vmax": 1, "vmin": 1, "vmul": 1, "vdiv": 1, "vand": 1,
        "vor": 1, "vxor": 1, "vshl": 1, "vshr": 1,
    },
    PREDICATE_STORE: {"pst": 10},
    VECTOR_SCALAR: {
        "": 1, "vmaxs": 1, "vmins": 1, "vands": 1, "vors": 1, "vxors": 1, "vshls": 1, "vshrs": 1,
        "vlrelu": 1,
    },
}  # fmt: skip
"""How many demands a document makes of an instruction, counted in it: words such as must, only,
illegal and required. What it says of all instructions stands under one that can show it."""
BROKEN = [m for m in MUSTS if m.code]


def _id(must: Must) -> str:
    return f"{must.instruction or 'all'}-{must.rule[:40]}"


def test_every_demand_has_its_rule() -> None:
    for document, demands in DEMANDS.items():
        found = Counter(m.instruction for m in MUSTS if m.document == document)
        assert found == demands, document
    assert {m.document for m in MUSTS} == set(DEMANDS)
    assert len({(m.document, m.instruction, m.rule) for m in MUSTS}) == len(MUSTS) == 90


def test_each_has_a_kernel_or_a_reason() -> None:
    for must in MUSTS:
        has_kernel = bool(must.before or must.body)
        assert bool(must.code) == has_kernel != bool(must.reason), must


def test_what_is_not_enforced_yet() -> None:
    """Shrinks when an analysis arrives; nothing joins it unseen."""
    waiting = [m for m in MUSTS if m.reason == DEPENDENCE]
    assert len(waiting) == 2


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
    assert {d.code for d in found} == {must.code, *must.also}, [str(d) for d in found]
    for finding in found:
        assert finding.line > 0
        assert finding.message
        assert finding.found or finding.expected
