"""Random requests for the lines of a kernel."""

from __future__ import annotations

import random
from collections import Counter

from ptoscope.isa.types import Align, Mask, Ptr, Scalar, VAddr, VReg
from ptoscope.kernel import Kernel
from ptoscope.trace.places import list_places
from ptoscope.trace.trace import Place

KINDS = (Scalar, Ptr, VReg, Mask, Align, VAddr)


def draw_requests(kernel: Kernel, rng: random.Random, count: int) -> list[str]:
    """Requests of lines with one instruction: values of all types, memory, flags."""
    lines = Counter(op.span.line for op in kernel.function.ops())
    places = [
        place
        for place in list_places(kernel.function)
        if lines[place.span.line] == 1 and not place.op.blocks
    ]
    drawn = (_value(kernel, rng, places) for _ in range(count // 2))
    others = (_other(kernel, rng, rng.choice(places)) for _ in range(count // 2))
    return list(dict.fromkeys([*drawn, *others]))


def _value(kernel: Kernel, rng: random.Random, places: list[Place]) -> str:
    function = kernel.function
    found: dict[type, list[str]] = {}
    for place in places:
        for slot in (*place.op.operands, *place.op.results):
            request = f"{place.span.line}:%{function.names[slot]}"
            found.setdefault(type(function.types[slot]), []).append(request)
    return rng.choice(found[rng.choice([kind for kind in KINDS if kind in found])])


def _other(kernel: Kernel, rng: random.Random, place: Place) -> str:
    function, line = kernel.function, place.span.line
    arrays = [s for s in function.params if isinstance(function.types[s], Ptr)]
    match rng.choice(("ub", "array", "flags")):
        case "array" if arrays:
            return f"{line}:%{function.names[rng.choice(arrays)]}:0..4"
        case "flags":
            return f"{line}:flags"
        case _:
            begin = 32 * rng.randrange(64)
            return f"{line}:ub:{begin:#x}..{begin + 32:#x}:{rng.choice(('f32', 'i16', 'ui8'))}"
