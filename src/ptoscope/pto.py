"""The language of kernels in Python: `from ptoscope import pto`.

Every instruction is here under its own name, made from its record when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ptoscope.isa.dtypes import ELEMENTS
from ptoscope.lang import operators as _operators
from ptoscope.lang.buffers import ArrayPiece as _ArrayPiece
from ptoscope.lang.buffers import GmRows as _GmRows
from ptoscope.lang.buffers import Tile as Tile
from ptoscope.lang.buffers import UbArray as UbArray
from ptoscope.lang.calls.names import BY_NAME as _INSTRUCTIONS
from ptoscope.lang.cores import cube as cube
from ptoscope.lang.cores import vector as vector
from ptoscope.lang.instructions import function as _instruction
from ptoscope.lang.kernel import PythonKernel as PythonKernel
from ptoscope.lang.kernel import empty as empty
from ptoscope.lang.kernel import function as function
from ptoscope.lang.kernel import kernel as kernel
from ptoscope.lang.loops import lanes as lanes
from ptoscope.lang.loops import pipelined as pipelined
from ptoscope.lang.loops import tile as tile
from ptoscope.lang.loops import tiles as tiles
from ptoscope.lang.matrices import FlatArray as FlatArray
from ptoscope.lang.matrices import MatrixArray as MatrixArray
from ptoscope.lang.matrices import MatrixView as _MatrixView
from ptoscope.lang.matrices import bt as bt
from ptoscope.lang.matrices import fb as fb
from ptoscope.lang.matrices import l0a as l0a
from ptoscope.lang.matrices import l0b as l0b
from ptoscope.lang.matrices import l0c as l0c
from ptoscope.lang.matrices import l1 as l1
from ptoscope.lang.moves import load as load
from ptoscope.lang.moves import store as store
from ptoscope.lang.moves import ub as ub
from ptoscope.lang.products import matmul as matmul
from ptoscope.lang.scopes import vecscope as vecscope
from ptoscope.lang.signature import gm as gm
from ptoscope.lang.signature import static as static
from ptoscope.lang.values import SCALAR_CLASSES as _SCALARS
from ptoscope.lang.values import AddressValue as _AddressValue
from ptoscope.lang.values import AlignValue as _AlignValue
from ptoscope.lang.values import MaskValue as _MaskValue
from ptoscope.lang.values import PointerValue as _PointerValue
from ptoscope.lang.values import Vector as Vector

_OWN = (
    "cube",
    "empty",
    "function",
    "gm",
    "kernel",
    "lanes",
    "load",
    "pipelined",
    "static",
    "store",
)
_OWN += ("tile", "tiles", "ub", "vecscope", "vector", "PythonKernel", "Tile", "UbArray", "Vector")
_OWN += ("bt", "fb", "l0a", "l0b", "l0c", "l1", "matmul", "FlatArray", "MatrixArray")
_TYPES: dict[str, Any] = {
    "Align": _AlignValue,
    "Mask": _MaskValue,
    "MatrixPart": _MatrixView,
    "Piece": _ArrayPiece,
    "Pointer": _PointerValue,
    "Rows": _GmRows,
    "VectorAddress": _AddressValue,
}
_TYPES |= {dtype.name: kind for dtype, kind in _SCALARS.items()}
_TYPES |= {d.name: type(d.name, (), {"dtype": d}) for d in ELEMENTS if d not in _SCALARS}

__all__ = [*_OWN, *_TYPES, *_INSTRUCTIONS]  # pyright: ignore[reportUnsupportedDunderAll]
assert _operators


def __getattr__(name: str) -> Callable[..., Any]:
    if name in _TYPES:
        return _TYPES[name]
    if name in _INSTRUCTIONS:
        return _instruction(name)
    raise AttributeError(f"module 'ptoscope.pto' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__
