"""Unaligned streams: a model on single bytes, and kernels that store through one.

In a kernel the stream lies in [AREA, AREA + SPAN) of the tile, the vectors it stores from
VECTORS on. Before the flush the area is copied to SNAPSHOT: what reached UB until then.
"""

from __future__ import annotations

from typing import Any

from tests.isa.elements import Element
from tests.isa.harness import vreg
from tests.isa.memory import kernel

AREA, SPAN, SNAPSHOT, VECTORS = 1024, 1536, 4096, 6144
MOST = 5
"""Vectors in a stream: they fit the area from any start in its first block."""


class Model:
    """A stream as a person would do it: each byte is held until a 32-byte border is reached."""

    def __init__(self, before: bytes, start: int) -> None:
        self.memory = bytearray(before)
        self.held: list[int] = []
        self.end = start

    def append(self, data: bytes) -> None:
        for byte in data:
            self.held.append(byte)
            self.end += 1
            if self.end % 32 == 0:
                self.flush()

    def flush(self) -> None:
        at = self.end - len(self.held)
        self.memory[at : self.end] = bytes(self.held)
        self.held = []

    def area(self) -> bytes:
        return bytes(self.memory[AREA : AREA + SPAN])


def expected(before: bytes, start: int, pieces: list[bytes]) -> bytes:
    """The tile after a kernel that appends pieces from an address on, and flushes."""
    model = Model(before, start)
    for piece in pieces:
        model.append(piece)
    snapshot = model.area()
    model.flush()
    model.memory[SNAPSHOT : SNAPSHOT + SPAN] = snapshot
    return bytes(model.memory)


def vectors(before: bytes, count: int) -> list[bytes]:
    """The registers that a kernel stores."""
    return [before[VECTORS + 256 * k :][:256] for k in range(count)]


def stream_kernel(
    e: Element,
    stores: str,
    flush: str,
    params: str = "",
    revision: str = "manual",
    target: str = "a5",
    mask: int = 0,
) -> Any:
    """A kernel that begins a stream `%a0` at the pointer `%p0`, `%start` elements into the area.

    `stores` may use the vectors `%v0`, `%v1`, ... and `%o0`, the offset of `%p0` from `%ub`.
    """
    t, v = e.name, vreg(e)
    copies = "\n".join(
        f"""%from{k} = arith.constant {AREA + 256 * k} : index
      %to{k} = arith.constant {SNAPSHOT + 256 * k} : index
      %s{k} = pto.vlds %bytes[%from{k}] : !pto.ptr<ui8, ub> -> !pto.vreg<256xui8>
      pto.vsts %s{k}, %bytes[%to{k}], %every
        : !pto.vreg<256xui8>, !pto.ptr<ui8, ub>, !pto.mask<b8>"""
        for k in range(SPAN // 256)
    )
    loads = "\n".join(
        f"""%n{k} = arith.constant {(VECTORS + 256 * k) // e.bytes} : index
      %v{k} = pto.vlds %ub[%n{k}] : !pto.ptr<{t}, ub> -> {v}"""
        for k in range(MOST)
    )
    body = f"""%area = arith.constant {AREA // e.bytes} : index
      %o0 = arith.addi %area, %start : index
      %lanes = arith.constant {e.lanes} : index
      %zero32 = arith.constant 0 : i32
      %p0 = pto.addptr %ub, %o0 : !pto.ptr<{t}, ub> -> !pto.ptr<{t}, ub>
      {loads}
      %a0 = pto.init_align : !pto.align
      {stores}
      pto.mem_bar "VST_VLD"
      %every = pto.pset_b8 "PAT_ALL" : !pto.mask<b8>
      {copies}
      {flush}"""
    return kernel(t, body, "%start: index" + (params and ", " + params), target, revision, mask)
