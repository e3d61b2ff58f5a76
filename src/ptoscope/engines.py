"""Which engine runs a kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ptoscope.diagnostics import UsageError

ENGINES = ("native", "reference")


def on_engine(wanted: str | None, compile: Callable[[], Any]) -> tuple[str, str, Any]:
    """The engine for what is wanted; why not the native one, where nobody asked for another;
    and what `compile` made, which the native one needs. UsageError if the wanted one cannot."""
    if choose_engine(wanted) == "reference":
        return "reference", "", None
    from ptoscope.native import NotCovered

    try:
        return "native", "", compile()
    except NotCovered as reason:
        if wanted == "native":
            raise UsageError(f"the native engine cannot run this kernel: {reason}") from None
        return "reference", str(reason), None


def choose_engine(engine: str | None) -> str:
    """The engine by name, the native one by default; UsageError if there is none."""
    if engine is not None and engine not in ENGINES:
        raise UsageError(f"there is no engine '{engine}'; there are {', '.join(ENGINES)}")
    return engine or ENGINES[0]
