"""Runs the meaning of an instruction of the matrix core as generated code, on the inputs of its
witness: every number is unknown to the code, and every memory is the witness's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ptoscope.arguments import Argument
from ptoscope.isa.dtypes import I8, I64
from ptoscope.isa.parts import MEMORIES, core_ids
from ptoscope.isa.record import Site
from ptoscope.isa.types import Ptr, Scalar, Type
from ptoscope.machine.faults import Fault
from ptoscope.machine.memory import Bytes, Region, gm_base
from ptoscope.native import NativeKernel, assemble, layout, machine_features
from ptoscope.native.compile import Compiler
from ptoscope.native.running_core import RunningCore
from ptoscope.native.runtime.scratch import SCRATCH_BYTES
from ptoscope.program import Block, Function
from tests.witness.atomics import KEEP_NAN, NOSAT
from tests.witness.machine import GM_BYTES, SECOND_UB, UB_BYTES, Case, Outcome
from tests.witness.use import element

AT_LAUNCH = {NOSAT: 1, KEEP_NAN: 0}
"""What the registers that a case may name hold otherwise."""


class _Compiler(Compiler):
    """Writes registers and then one use, instead of operations."""

    site: Site

    def _block(self, block: Block) -> None:
        values = self._read(self._function.params)
        count = len(self.site.operands)
        for name, value in zip(AT_LAUNCH, values[1 + count :], strict=True):
            self.core.write_register(self.site, name, value)
        self.site.record.meaning(self.site)(self.core, *values[1 : 1 + count])


class _Asking(RunningCore):
    asked = False

    def _new_service(self) -> Any:
        self.asked = True
        return super()._new_service()


@dataclass(frozen=True)
class Generated:
    """The code of one use."""

    site: Site
    kernel: NativeKernel

    def run(self, case: Case) -> tuple[Outcome, bool]:
        """What it does with a case, but for registers, and whether it asked the engine."""
        gm = _placed(case.gm or bytes(GM_BYTES))
        ub = _placed(case.ub or bytes(UB_BYTES))
        chip = {name: _placed(data) for name, data in case.chip.items()}
        own = [Region("UB", "ub", ub, I8), *(_region(name, data) for name, data in chip.items())]
        arguments = [Argument("x", I8, 0, data=gm)]
        numbers: list[tuple[Type, int]] = []
        for kind, value in zip(self.site.operands, case.values, strict=True):
            assert isinstance(value, int)
            in_gm = isinstance(kind, Ptr) and kind.space == "gm"
            numbers.append((kind, value + (gm_base(0) if in_gm else 0)))
        numbers += [(Scalar(I64), case.registers.get(n, v)) for n, v in AT_LAUNCH.items()]
        for i, (kind, value) in enumerate(numbers, 1):
            arguments.append(_argument(i, kind, value))
        launch = self.kernel.prepare(arguments, 1, None)
        (core,) = core_ids(("cube",))
        running = _Asking(core, own, 0, SCRATCH_BYTES)
        running.begin(launch)
        launch.take()
        try:
            running.run(0)
        except Fault as fault:
            return Outcome(fault=fault.code), running.asked
        left = {name: data.tobytes() for name, data in chip.items()}
        return Outcome(ub=ub.tobytes(), gm=gm.tobytes(), chip=left), running.asked


def generated(site: Site) -> Generated:
    """Compiles a use."""
    kinds = [Ptr(I8, "gm"), *map(_parameter, site.operands), *[Scalar(I64)] * len(AT_LAUNCH)]
    names = [f"v{i}" for i in range(len(kinds))]
    params = tuple(range(len(kinds)))
    # A slot that is no parameter says that there are memories of the matrix core.
    types = [*kinds, Ptr(I8, "l1")]
    function = Function("k", params, Block(()), types, [*names, "l1"], cores=("cube",))
    compiler = _Compiler(function, site.target, site.revision, machine_features())
    compiler.site = site
    module = compiler.module()

    def none() -> Any:
        raise AssertionError("nobody asks for the program")

    kernel = NativeKernel(assemble(module), site.target, lambda: module.side_exits, none, none)
    return Generated(site, kernel)


def _parameter(kind: Type) -> Type:
    """Pointers are numbers, so that any may be given."""
    return Scalar(I64) if isinstance(kind, Ptr) else kind


def _argument(position: int, kind: Type, raw: int) -> Argument:
    if isinstance(kind, Ptr):
        return Argument(f"n{position}", I64, position, value=raw)
    assert isinstance(kind, Scalar)
    value = element(kind).value(raw) if kind.dtype.is_float else raw
    return Argument(f"n{position}", kind.dtype, position, value=value)


def _region(name: str, data: Bytes) -> Region:
    if name == SECOND_UB:
        return Region("UB of vector core 1", "ub", data, I8, number=1)
    return Region(MEMORIES[name].title, name, data, I8)


def _placed(content: bytes) -> Bytes:
    """With bytes around it that nothing may depend on."""
    whole = np.full(len(content) + 2 * layout.SLACK, 0xA5, np.uint8)
    part = whole[layout.SLACK : layout.SLACK + len(content)]
    part[:] = np.frombuffer(content, np.uint8)
    return part
