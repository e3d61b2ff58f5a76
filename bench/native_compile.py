"""Compiling a kernel: against llvmlite compiling hand-written IR of the add kernel, and as
processor time."""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import ptoscope
from bench.cases import KERNELS
from bench.measure import Goal, Job, Row, best_of, best_of_all

_IR = Path(__file__).with_name("ir") / "add.ll"
_REPEATS = 15
_HAND = "llvmlite, hand-written add"
_AGAINST_LLVM = {
    "sixty_lines": Goal("compile a 60-line kernel", _HAND, 3.0),
    "softmax": Goal("compile the row softmax", _HAND),
}
_SIXTY, _THOUSAND = 0.015, 0.6
"""Seconds of processor time that compiling may take."""
_LIMITS = (
    Goal("compile a 60-line kernel", f"{_SIXTY * 1e3:.0f} ms", 1.0),
    Goal("compile 1,000 operations, every third exp, div or ln", f"{_THOUSAND * 1e3:.0f} ms", 1.0),
)


def jobs() -> list[Job]:
    """A typical kernel, one with an exponential, and one that is long."""
    return [
        Job("compile", _rows, tuple(_AGAINST_LLVM.values())),
        Job("compile, processor time", _limits, _LIMITS),
    ]


def program_to_callable(kernel: ptoscope.Kernel) -> object:
    """Machine code for a kernel that is parsed and checked, in memory and ready to launch.
    Past the object cache: everything is done anew."""
    from ptoscope import native

    compiled = native.compile_program(kernel.function, kernel.target, kernel.revision)
    return native.NativeKernel(
        compiled, kernel.target, lambda: (), lambda: kernel.program, lambda: kernel.function
    )


class HandWritten:
    """llvmlite on fixed IR: parse, verify, code generation at level 2, load through ORC."""

    def __init__(self) -> None:
        self._llvm: Any = importlib.import_module("llvmlite.binding")
        self._llvm.initialize_native_target()
        self._llvm.initialize_native_asmprinter()
        self._machine = self._llvm.Target.from_default_triple().create_target_machine(
            cpu=self._llvm.get_host_cpu_name(),
            features=self._llvm.get_host_cpu_features().flatten(),
            opt=2,
            reloc="pic",
            codemodel="jitdefault",
        )
        self._jit = self._llvm.create_lljit_compiler(self._machine)
        self._text = _IR.read_text()
        self._count = 0
        self._loaded: list[Any] = []

    def compile(self) -> Any:
        """The IR as a callable of three pointers and a count."""
        module = self._llvm.parse_assembly(self._text)
        module.verify()
        image = self._machine.emit_object(module)
        self._count += 1
        library = (
            self._llvm.JITLibraryBuilder()
            .add_object_img(image)
            .add_current_process()
            .export_symbol("add")
            .link(self._jit, f"add{self._count}")
        )
        # The code lives as long as this.
        self._loaded.append(library)
        pointer = ctypes.c_void_p
        kind = ctypes.CFUNCTYPE(None, pointer, pointer, pointer, ctypes.c_int32)
        return kind(library["add"])


def _rows() -> Iterator[Row]:
    hand = HandWritten()
    for name, goal in _AGAINST_LLVM.items():
        kernel = ptoscope.load(KERNELS / f"{name}.pto")
        measured, baseline = best_of(
            lambda kernel=kernel: program_to_callable(kernel), hand.compile, _REPEATS
        )
        yield goal.row(measured, baseline)


def _limits() -> Iterator[Row]:
    sixty, thousand = ptoscope.load(KERNELS / "sixty_lines.pto"), ptoscope.load(_thousand())
    measured_so = ((sixty, _REPEATS, _SIXTY), (thousand, 3, _THOUSAND))
    for goal, (kernel, repeats, most) in zip(_LIMITS, measured_so, strict=True):
        (measured,) = best_of_all([lambda k=kernel: program_to_callable(k)], repeats)
        yield goal.row(measured, most)


def _thousand() -> str:
    """A vecscope of 1,000 operations in f32."""
    vector, mask = "!pto.vreg<64xf32>", "!pto.mask<b32>"
    two = f"%b, %m : {vector}, {vector}, {mask} -> {vector}"
    one = f"%m : {vector}, {mask} -> {vector}"
    turns = (("vadd", two), ("vmul", two), ("vexp", one))
    turns += (("vsub", two), ("vmax", two), ("vdiv", two))
    turns += (("vadd", two), ("vmin", two), ("vln", one))
    lines = [
        f"%v{i + 1} = pto.{name} %v{i}, {rest}"
        for i, (name, rest) in enumerate(islice(cycle(turns), 1000))
    ]
    body = "\n".join(lines)
    return f"""
func.func @thousand(%n: i32) attributes {{pto.aicore}} {{
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i64
  %ub = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
  pto.vecscope {{
    %m, %left = pto.plt_b32 %n : i32 -> {mask}, i32
    %v0 = pto.vlds %ub[%c0] : !pto.ptr<f32, ub> -> {vector}
    %b = pto.vlds %ub[%c0] : !pto.ptr<f32, ub> -> {vector}
    {body}
    pto.vsts %v1000, %ub[%c64], %m : {vector}, !pto.ptr<f32, ub>, {mask}
  }}
  return
}}
"""
