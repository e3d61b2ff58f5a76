"""Helper functions of kernels: their bodies are written where they are called."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ptoscope.lang.flow import Flow
from ptoscope.lang.maker import current
from ptoscope.lang.source import KernelSource, read_source
from ptoscope.once import once_property


class Template:
    """A function under `@pto.function`: generic in its arguments, inlined at each call; in a
    plain run it is called. What is wrong in one of the `language` is wrong where it is called."""

    def __init__(self, function: Callable[..., Any], language: bool = False) -> None:
        self.function, self.language = function, language
        functools.update_wrapper(self, function)

    @once_property
    def source(self) -> KernelSource:
        """Its source."""
        return read_source(self.function)

    @once_property
    def flow(self) -> Flow:
        """Which names leave its loops and branches."""
        return Flow(self.source.tree)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return current().called(self, arguments, named)
