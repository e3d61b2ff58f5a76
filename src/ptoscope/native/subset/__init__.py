"""A small part of Python that runs as machine code: `compiled` says which part."""

from ptoscope.native.subset.compiled import CompiledFunction, Ints, Ints32, compiled, rarely_called
from ptoscope.native.subset.in_llvm import LlvmTextFunction, in_llvm
from ptoscope.native.subset.memory import Address, RawMemory

__all__ = [
    "Address",
    "CompiledFunction",
    "Ints",
    "Ints32",
    "LlvmTextFunction",
    "RawMemory",
    "compiled",
    "in_llvm",
    "rarely_called",
]
