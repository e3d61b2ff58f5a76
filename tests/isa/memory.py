"""A kernel around memory instructions: known bytes in UB before them, the same bytes after.

The tile of `SIZE` bytes starts at UB address 0. The predicate register comes from its 256-bit
image, one bit for each byte of a vector, so that any mask can be had.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope import Diagnostic, PtoError
from tests.isa.elements import NARROW, Element
from tests.isa.harness import vreg
from tests.isa.legality import EVERYTHING

SIZE = 8192
TARGETS = ("a5", "a2a3", "cpu")
REVISIONS = ("manual", "micro")
UB_BYTES = {"a5": 256 * 1024, "a2a3": 192 * 1024, "cpu": 256 * 1024}


@cache
def kernel(
    name: str,
    body: str,
    params: str = "",
    target: str = "a5",
    revision: str = "manual",
    mask: int = 0,
) -> Any:
    """Runs a body in a vecscope on the tile `%ub`, a pointer to elements of a type.

    The body has the constant `%c0`, the parameters, and with `mask` bits a lane, `%mask`.
    """
    image = f'%mask = pto.plds %image[%c0], "NORM" : !pto.ptr<ui8, ub>, index -> !pto.mask<b{mask}>'
    return ptoscope.load(
        f"""module {{
  func.func @memory(%tile: !pto.ptr<ui8, gm>, %bits: !pto.ptr<ui8, gm>{params and ", " + params}) {{
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %size = arith.constant {SIZE} : i64
    %block = arith.constant 32 : i64
    %bytes = pto.castptr %zero : i64 -> !pto.ptr<ui8, ub>
    %image = pto.castptr %size : i64 -> !pto.ptr<ui8, ub>
    %ub = pto.castptr %zero : i64 -> !pto.ptr<{name}, ub>
    pto.mte_gm_ub %tile, %bytes, %zero, %size nburst(%one, %size, %size)
      : !pto.ptr<ui8, gm>, !pto.ptr<ui8, ub>, i64, i64, i64, i64, i64
    pto.mte_gm_ub %bits, %image, %zero, %block nburst(%one, %block, %block)
      : !pto.ptr<ui8, gm>, !pto.ptr<ui8, ub>, i64, i64, i64, i64, i64
    pto.barrier #pto.pipe<PIPE_ALL>
    pto.vecscope {{
      {image if mask else ""}
      {body}
    }}
    pto.barrier #pto.pipe<PIPE_ALL>
    pto.mte_ub_gm %bytes, %tile, %size nburst(%one, %size, %size)
      : !pto.ptr<ui8, ub>, !pto.ptr<ui8, gm>, i64, i64, i64, i64
    return
  }}
}}
""",
        target=target,
        revision=revision,
    )


FULL = b"\xff" * 32
NONE = bytes(32)


def run(loaded: Any, before: bytes, *arguments: object, image: bytes = FULL) -> bytes:
    """The tile after a run."""
    tile = np.frombuffer(before, np.uint8).copy()
    loaded(tile, np.frombuffer(image, np.uint8), *arguments)
    return tile.tobytes()


def fault(
    loaded: Any, *arguments: object, before: bytes = bytes(SIZE), image: bytes = FULL
) -> Diagnostic:
    """The one fault of a run."""
    with pytest.raises(PtoError) as error:
        run(loaded, before, *arguments, image=image)
    (diagnostic,) = error.value.diagnostics
    return diagnostic


def codes(
    name: str,
    body: str,
    params: str = "",
    target: str = "a5",
    revision: str = "manual",
    mask: int = 0,
) -> set[str]:
    """What the check of a kernel reports."""
    try:
        kernel(name, body, params, target, revision, mask)
    except PtoError as error:
        return {d.code for d in error.diagnostics}
    return set()


def memory(seed: int) -> bytes:
    """Random bytes for the tile."""
    return random.Random(seed).randbytes(SIZE)


def bit(image: bytes, i: int) -> int:
    """Bit i of a predicate register."""
    return image[i // 8] >> (i % 8) & 1


def image_of(lanes: list[int]) -> bytes:
    """The predicate register of lanes: the lowest bit of each group is set."""
    step = 256 // len(lanes)
    bits = sum(1 << i * step for i, lane in enumerate(lanes) if lane)
    return bits.to_bytes(32, "little")


def images(granularity: int, seed: int = 0) -> list[bytes]:
    """Predicate registers: all, none, tails, random lanes, and any 256 bits."""
    rng = random.Random(seed)
    lanes = 2048 // granularity
    tails = [[int(i < n) for i in range(lanes)] for n in (lanes, 1, lanes - 1, lanes // 2 + 3)]
    scattered = [rng.getrandbits(1) for _ in range(lanes)]
    return [FULL, NONE, *map(image_of, tails), image_of(scattered), rng.randbytes(32)]


def of_width(bits: int, target: str = "a5") -> list[str]:
    """The element types of a width that a target has; 0 stands for any width."""
    return [
        name
        for name in EVERYTHING
        if bits in (0, Element(name).bits) and not (name in NARROW and target != "a5")
    ]


def other_widths(bits: int) -> list[str]:
    """One element type of each width but this one."""
    return [name for name in ("i8", "f16", "f32", "i64") if Element(name).bits != bits]


def keep(e: Element) -> str:
    """Kernel text that stores the whole register `%v` at `%d` elements."""
    g = e.granularity
    return f"""%whole = pto.pset_b{g} "PAT_ALL" : !pto.mask<b{g}>
      pto.vsts %v, %ub[%d], %whole : {vreg(e)}, !pto.ptr<{e.name}, ub>, !pto.mask<b{g}>"""
