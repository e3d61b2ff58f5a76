"""Every kernel that a test runs or traces goes through both engines, unless the test names
one."""

from __future__ import annotations

import os

import pytest

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
