"""A small part of Python that runs as machine code: `compiled` says which part."""

from ptoscope.native.subset.compiled import CompiledFunction, Ints, compiled

__all__ = ["CompiledFunction", "Ints", "compiled"]
