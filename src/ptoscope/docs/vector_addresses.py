"""Vector addresses in an example: made in a loop, used by an access, carried to a flush."""

from __future__ import annotations

from ptoscope.docs.kernel import ExampleKernel
from ptoscope.isa.dtypes import F32, I32
from ptoscope.isa.types import Ptr, VAddr, VReg

_STRIDE = 256


class Addresses:
    """The vector address of an example: `name` is where its next access is."""

    def __init__(self, kernel: ExampleKernel) -> None:
        self._kernel = kernel
        self.name = ""
        self.kind = VAddr(32)

    def take(self, kind: VAddr, place: list[str]) -> str:
        """One for an operand: that where a stream has come to, else a new one."""
        if not self.name:
            self._kernel.loops = 1
            stride = self._kernel.constant(_STRIDE, I32)
            place.append(f"%addr = pto.vag {stride} : i32 -> {kind}")
            self.name, self.kind = "%addr", kind
        return self.name

    def primed(self, base: str, pointer: Ptr, place: list[str]) -> None:
        """A load stream there."""
        types = f"{pointer}, {self.kind}"
        place.append(f"%begun = pto.valda {base}[{self.name}] : {types} -> !pto.align")

    def appended(self, value: str, base: str, pointer: Ptr, place: list[str]) -> None:
        """A vector in the stream %begun, which becomes %filled."""
        at = self.take(self.kind, place)
        place.append(
            f'%filled, %next = pto.vastu %begun, {at}, {value}, {base}, "POST_UPDATE"'
            f" : !pto.align, {self.kind}, {VReg(pointer.dtype)}, {pointer}"
            f" -> !pto.align, {self.kind}"
        )
        self.name = "%next"

    def flushed(self, state: str, at: str, base: str, pointer: Ptr, place: list[str]) -> None:
        """What is left of a stream."""
        place.append(f"pto.vasta {state}, {base}[{at}] : !pto.align, {pointer}, {self.kind}")

    def shown(self, name: str, kind: VAddr, strides: int, place: list[str]) -> None:
        """What is loaded at one that an instruction made of so many strides."""
        self._kernel.loops = strides
        pointer = Ptr(F32, "ub")
        base = self._kernel.memory("source", pointer, written=False)
        place.append(f"%value = pto.vald {base}[{name}] : {pointer}, {kind} -> {VReg(F32)}")
        self._kernel.store("value", "%value", VReg(F32), place)
