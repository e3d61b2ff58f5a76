"""LLVM: text to object code, object code to functions."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache as once
from typing import Any

import llvmlite.binding as llvm

from ptoscope.native import cache, runtime
from ptoscope.native.abilities import Abilities

_LIBRARY_CALLS = ("memcpy", "memmove", "memset", "fmod", "fmodf")
"""All that generated code may call outside itself."""


@dataclass(frozen=True)
class Host:
    """The processor this runs on, and what of it matters to generated code."""

    triple: str
    cpu: str
    features: str

    @property
    def abilities(self) -> Abilities:
        """What of it generated code depends on."""
        masked = 1 << 30
        if "+avx512bw" in self.features and "+avx512vl" in self.features:
            masked = 1
        elif "+avx2" in self.features:
            masked = 4
        fma = "+fma" in self.features or self.triple.startswith(("aarch64", "arm64"))
        return Abilities(masked, fma)

    def __str__(self) -> str:
        return f"{self.triple} {self.cpu} {self.features}"


@once
def host() -> Host:
    """This machine."""
    _initialize()
    features = llvm.get_host_cpu_features().flatten()
    return Host(llvm.get_default_triple(), llvm.get_host_cpu_name(), features)


@once
def _initialize() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


@once
def _target_machine() -> Any:
    _initialize()
    machine = host()
    return llvm.Target.from_triple(machine.triple).create_target_machine(
        cpu=machine.cpu, features=machine.features, opt=2, reloc="pic", codemodel="small", jit=True
    )


def object_code(text: str) -> bytes:
    """Machine code of a module, as an object file."""
    module = llvm.parse_assembly(text)
    module.triple = host().triple
    return _target_machine().emit_object(module)


@once
def _compiler() -> Any:
    _initialize()
    return llvm.create_lljit_compiler(_target_machine())


def linked(object_file: bytes, exports: Iterable[str], imports: dict[str, int]) -> Any:
    """The functions of an object file in memory, which live as long as what is returned."""
    library = llvm.JITLibraryBuilder().add_object_img(object_file)
    for name in exports:
        library.export_symbol(name)
    for name, address in imports.items():
        library.import_symbol(name, address)
    return library.link(_compiler(), f"library{next(_numbers)}")


_numbers = itertools.count()


@once
def library_calls() -> dict[str, int]:
    process = ctypes.CDLL(None)
    return {
        name: ctypes.cast(getattr(process, name), ctypes.c_void_p).value or 0
        for name in _LIBRARY_CALLS
    }


@once
def _runtime() -> tuple[Any, dict[str, int]]:
    """The functions that generated code calls, compiled once."""
    names = (*runtime.FUNCTIONS, runtime.ENTRY)
    x86 = host().triple.startswith("x86_64")
    text = runtime.text(x86)
    key = cache.key("runtime", text, str(host()))
    code = cache.read(key)
    if code is None:
        code = object_code(text)
        cache.write(key, code)
    library = linked(code, names, library_calls())
    return library, {name: library[name] for name in names}


class Loaded:
    """An object file in memory; its functions live as long as this does."""

    def __init__(self, object_file: bytes) -> None:
        known = _runtime()[1]
        self._library = linked(object_file, ("main",), {**library_calls(), **known})
        self._main = self._library["main"]
        kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)
        self._enter = kind(known[runtime.ENTRY])

    def kernel(self, state: int) -> int:
        """Runs the kernel on the words at an address; 0, or 1 if it stopped."""
        return self._enter(self._main, state)
