"""ptoscope: the open laboratory for PTO vector kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptoscope.diagnostics import Diagnostic, PtoError, UsageError
from ptoscope.version import __version__

if TYPE_CHECKING:
    from ptoscope.kernel import Kernel, load

__all__ = ["Diagnostic", "Kernel", "PtoError", "UsageError", "__version__", "load"]


def __getattr__(name: str) -> object:
    # The command line starts fast because NumPy and xDSL come only when something is loaded.
    if name in ("Kernel", "load"):
        from ptoscope import kernel

        return getattr(kernel, name)
    raise AttributeError(f"module 'ptoscope' has no attribute '{name}'")
