"""Every kernel that a test runs or traces goes through both engines, unless the test names
one."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from functools import lru_cache

import pytest

from ptoscope.ir.language import language
from ptoscope.isa import TABLE
from ptoscope.isa.record import Record
from tests.engines import run_on_both, trace_on_both

# No test depends on, or leaves anything in, the user's cache.
os.environ["PTOSCOPE_CACHE"] = ""

# Tens of thousands of tests live as long as the run: to look through them for garbage every few
# hundred objects takes a tenth of its time.
gc.set_threshold(20_000, 10, 5)


def pytest_collection_finish() -> None:
    """What there is by now stays."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def one_compilation_of_a_text() -> Iterator[None]:
    """LLVM makes the same object of the same text: many tests load a kernel anew."""
    from ptoscope.native import jit

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jit, "object_code", lru_cache(1024)(jit.object_code))
        yield


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
