"""Object files for other processors: made by LLVM, read here as ELF."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm

from ptoscope.native.cpu import Host

_SYMBOLS = 2
"""The type of a section that lists symbols."""


@dataclass(frozen=True)
class ObjectFile:
    """Its symbols: those it has, and those it needs."""

    defined: frozenset[str]
    undefined: frozenset[str]


class Foreign:
    """Makes object files for a processor."""

    def __init__(self, host: Host) -> None:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        self.host = host
        self._machines = [
            llvm.Target.from_triple(host.triple).create_target_machine(
                cpu=host.cpu, features=host.features, opt=level, reloc="pic", codemodel="small"
            )
            for level in (2, 0)
        ]

    def object_file(self, text: str, quickly: bool = False) -> ObjectFile:
        """That of LLVM text, made as `jit.object_code` makes one."""
        return _read(self._machines[quickly].emit_object(self._module(text)))

    def assembly(self, text: str) -> str:
        """The same for people."""
        return self._machines[0].emit_assembly(self._module(text))

    def _module(self, text: str) -> Any:
        module = llvm.parse_assembly(text)
        module.triple = self.host.triple
        return module


def _read(data: bytes) -> ObjectFile:
    """The symbols of an ELF file of 64 bits."""
    assert data[:6] == b"\x7fELF\x02\x01"
    (sections,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    heads = [struct.unpack_from("<IIQQQQI", data, sections + i * size) for i in range(count)]
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for _, kind, _, _, start, length, names in heads:
        # The first symbol is none.
        for at in range(start + 24, start + length, 24) if kind == _SYMBOLS else ():
            name, _, _, section = struct.unpack_from("<IBBH", data, at)
            first = heads[names][4] + name
            found[section != 0].add(data[first : data.index(b"\0", first)].decode())
    return ObjectFile(frozenset(found[True]), frozenset(found[False]))
