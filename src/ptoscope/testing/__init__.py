"""Tests of kernels: `pto_check` compares a kernel with NumPy on every engine and watches its runs;
`arrays` and `shapes` are strategies for hypothesis. pytest finds the plugin by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptoscope.testing.outcome import CheckFailed, CheckOutcome
    from ptoscope.testing.strategies import arrays, shapes
    from ptoscope.testing.verify import pto_check

__all__ = ["CheckFailed", "CheckOutcome", "arrays", "pto_check", "shapes"]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> object:
    # pytest loads this package for every suite, whether it has kernels or not.
    if name == "pto_check":
        from ptoscope.testing import verify as module
    elif name in ("CheckFailed", "CheckOutcome"):
        from ptoscope.testing import outcome as module
    elif name in ("arrays", "shapes"):
        from ptoscope.testing import strategies as module
    else:
        raise AttributeError(f"module 'ptoscope.testing' has no attribute '{name}'")
    return getattr(module, name)
