"""Every kernel that a test runs or traces goes through both engines, unless the test names
one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from ptoscope.ir.language import language
from ptoscope.isa import TABLE
from ptoscope.isa.record import Record
from tests.engines import run_on_both, trace_on_both

# No test depends on, or leaves anything in, the user's cache.
os.environ["PTOSCOPE_CACHE"] = ""


@pytest.fixture(autouse=True)
def both_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels called or traced without an engine run on both, which have to agree."""
    from ptoscope import tracing
    from ptoscope.kernel import Kernel

    monkeypatch.setattr(Kernel, "__call__", run_on_both(Kernel.__call__))
    monkeypatch.setattr(tracing, "_trace", trace_on_both(tracing._trace))


@pytest.fixture
def add_record(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Record], None]]:
    """Adds an instruction to the table, or puts it in the place of another, for one test."""

    def add(record: Record) -> None:
        monkeypatch.setitem(TABLE, record.name, record)
        language.cache_clear()

    yield add
    language.cache_clear()
