"""LLVM: text to object code, object code to functions."""

from __future__ import annotations

import ctypes
import itertools
import math
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from ptoscope.native.cpu import VARIABLE, Host
from ptoscope.once import hold_in_fork, once

_LIBRARY_CALLS = ("memcpy", "memmove", "memset", "fmod", "fmodf")
"""All that generated code may call outside itself."""

# A thread holds it within LLVM, also where it only frees a library. It has no public name.
if hasattr(llvm.ffi.lib, "_lock"):
    hold_in_fork(llvm.ffi.lib._lock)


@once
def host() -> Host:
    """This machine, or as much of it as the environment asks for."""
    _initialize()
    features = llvm.get_host_cpu_features().flatten()
    machine = Host(llvm.get_default_triple(), llvm.get_host_cpu_name(), features)
    return machine.reduced(os.environ.get(VARIABLE))


@once
def _initialize() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


@once
def _target_machine(level: int = 2) -> Any:
    _initialize()
    machine = host()
    return llvm.Target.from_triple(machine.triple).create_target_machine(
        cpu=machine.cpu,
        features=machine.features,
        opt=level,
        reloc="pic",
        codemodel="small",
        jit=True,
    )


_QUICK_PASSES = (
    "sroa",
    "always_inliner",
    "simplify_cfg",
    "instruction_combine",
    "jump_threading",
    "simplify_cfg",
)


_TEXT_COST, _OBJECT_COST, _LEAST_COST = 256, 8, 64 << 20
"""Bytes of memory that LLVM takes at most: for a byte of text and of an object file, and for
any text."""


def object_code(text: str, quickly: bool) -> bytes:
    """Machine code of a module that is written as it should be, as an object file; `quickly`
    in a time that grows with its size only, but it runs more slowly. MemoryError where this
    process may not have the memory that takes: LLVM itself would end the process."""
    return _target_machine(0 if quickly else 2).emit_object(_parsed(text))


def _require(size: int) -> None:
    """MemoryError unless this process may have so many bytes more."""
    if size > _memory_left():
        raise MemoryError(f"LLVM may need {size >> 20} MB")


def _memory_left() -> float:
    """Bytes that this process may still have, by its own limit."""
    try:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit == resource.RLIM_INFINITY:
            return math.inf
        used = Path("/proc/self/statm").read_text().split()[0]
    except (ImportError, OSError):
        return math.inf
    return limit - int(used) * resource.getpagesize()


def quickly_optimised(text: str) -> bytes:
    """The same of a module whose locals are in memory and whose small functions are not
    inlined yet, without long work on it."""
    module, passes = _parsed(text), llvm.create_new_module_pass_manager()
    for name in _QUICK_PASSES:
        getattr(passes, f"add_{name}_pass")()
    passes.run(module, _pass_builder())
    return _target_machine().emit_object(module)


def optimised(text: str) -> bytes:
    """The same with all that LLVM does at level 2."""
    module, builder = _parsed(text), _pass_builder()
    builder.getModulePassManager().run(module, builder)
    return _target_machine().emit_object(module)


def _parsed(text: str) -> Any:
    _require(len(text) * _TEXT_COST + _LEAST_COST)
    module = llvm.parse_assembly(text)
    module.triple = host().triple
    return module


def _pass_builder() -> Any:
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    return llvm.create_pass_builder(_target_machine(), options)


@once
def _compiler() -> Any:
    _initialize()
    # This linker puts all sections of an object side by side. The older one may put them further
    # apart than an instruction of AArch64 can reach, and then ends the process.
    return llvm.create_lljit_compiler(_target_machine(), use_jit_link=True)


def linked(object_files: Sequence[bytes], exports: Iterable[str], imports: dict[str, int]) -> Any:
    """The functions of object files in memory, which live as long as what is returned."""
    _require(sum(map(len, object_files)) * _OBJECT_COST + _LEAST_COST // 4)
    library = llvm.JITLibraryBuilder()
    for one in object_files:
        library.add_object_img(one)
    for name in exports:
        library.export_symbol(name)
    for name, address in imports.items():
        library.import_symbol(name, address)
    return library.link(_compiler(), f"library{next(_numbers)}")


_numbers = itertools.count()


@once
def library_calls() -> dict[str, int]:
    """The addresses of what generated code may call outside itself."""
    process = ctypes.CDLL(None)
    return {
        name: ctypes.cast(getattr(process, name), ctypes.c_void_p).value or 0
        for name in _LIBRARY_CALLS
    }
