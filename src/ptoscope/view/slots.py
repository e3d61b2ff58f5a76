"""What the values of a kernel are, so that the page can show them."""

from __future__ import annotations

from typing import Any

from ptoscope.isa.dtypes import INDEX, NARROW_FLOATS
from ptoscope.isa.types import Align, Mask, Ptr, Scalar, Type, VAddr, VReg
from ptoscope.machine.memory import gm_base
from ptoscope.program import Function
from ptoscope.replay.elements import code_numbers
from ptoscope.trace.trace import SPACE_NUMBERS, Place
from ptoscope.view.columns import Columns

_LANE_MASKS = ("mask", "seed")
"""The names of operands that say which lanes take part."""


def slots(function: Function) -> dict[str, Any]:
    """Of every slot its name, its type, and how to read its bytes."""
    return {
        "names": [f"%{name}" for name in function.names],
        "types": [str(kind) for kind in function.types],
        "shapes": [_shape(kind) for kind in function.types],
    }


def _shape(kind: Type) -> dict[str, Any]:
    """`kind`; `element` and `lanes`; of a pointer the number of its memory, null in GM."""
    match kind:
        case VReg():
            return {"kind": "vector", "element": kind.dtype.name, "lanes": kind.lanes}
        case Mask():
            return {"kind": "mask", "element": "i1", "lanes": kind.lanes}
        case Ptr():
            space = SPACE_NUMBERS.get(kind.space)
            points = {"space": space, "to": kind.dtype.name, "width": kind.dtype.bytes}
            return {"kind": "pointer", "element": INDEX.name, "lanes": 1, **points}
        case Align():
            return {"kind": "align", "element": "ui8", "lanes": 0}
        case VAddr():
            return {"kind": "address", "element": INDEX.name, "lanes": 1}
        case Scalar():
            return {"kind": "scalar", "element": kind.dtype.name, "lanes": 1}


def arrays(function: Function) -> list[dict[str, Any]]:
    """Where the arrays of the pointer parameters are in GM."""
    found: list[dict[str, Any]] = []
    for position, slot in enumerate(function.params):
        kind = function.types[slot]
        if isinstance(kind, Ptr) and kind.space not in SPACE_NUMBERS:
            row = {"base": gm_base(position), "name": f"%{function.names[slot]}"}
            found.append({**row, "number": position, "element": kind.dtype.name})
    return found


def lane_mask(place: Place) -> int:
    """The slot of the mask that says which lanes of an instruction take part; -1 if none does."""
    if place.record is not None:
        form = place.record.forms[place.op.form]
        for operand, slot in zip(form.operands, place.op.operands, strict=False):
            if operand.name in _LANE_MASKS:
                return slot
    return -1


def add_codes(columns: Columns) -> None:
    """The numbers that the codes of floats of 8 and 4 bits stand for."""
    for dtype in NARROW_FLOATS:
        columns.add(f"codes_{dtype.name}", code_numbers(dtype), "float64")
