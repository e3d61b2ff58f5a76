"""Functions that compiled ones call and whose machine code is written as LLVM text: what takes
vectors, which the compiled part of Python has not. The Python function says the same."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any


class LlvmTextFunction:
    """A function of annotated parameters, and the LLVM text that defines it, by its own name, for
    this machine. It gives an i64: 0 where it gives nothing."""

    def __init__(self, function: Callable[..., Any], text: Callable[[str], str]) -> None:
        assert isinstance(function, types.FunctionType)
        self.function = function
        self.text = text
        self.__doc__ = function.__doc__

    def __call__(self, *values: Any) -> Any:
        """The Python function; compiled functions call the other one."""
        return self.function(*values)


def in_llvm(text: Callable[[str], str]) -> Callable[[Callable[..., Any]], LlvmTextFunction]:
    """A function that `text` writes, given its name: one that is internal to its module."""
    return lambda function: LlvmTextFunction(function, text)
