"""ptoscope: the open laboratory for PTO kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptoscope.diagnostics import Diagnostic, PtoError, UsageError
from ptoscope.version import __version__

if TYPE_CHECKING:
    from ptoscope import pto
    from ptoscope.kernel import Kernel
    from ptoscope.lang.loading import load
    from ptoscope.replay.run import RecordedRun
    from ptoscope.timing import Timing
    from ptoscope.watch import Seen

__all__ = [
    "Diagnostic",
    "Kernel",
    "PtoError",
    "RecordedRun",
    "Seen",
    "Timing",
    "UsageError",
    "__version__",
    "load",
    "pto",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> object:
    # The command line starts fast because NumPy and xDSL come only when something is loaded.
    if name == "Kernel":
        from ptoscope import kernel as room
    elif name == "load":
        from ptoscope.lang import loading as room
    elif name == "pto":
        import importlib

        return importlib.import_module("ptoscope.pto")
    elif name == "RecordedRun":
        from ptoscope.replay import run as room
    elif name == "Seen":
        from ptoscope import watch as room
    elif name == "Timing":
        from ptoscope import timing as room
    else:
        raise AttributeError(f"module 'ptoscope' has no attribute '{name}'")
    return getattr(room, name)
