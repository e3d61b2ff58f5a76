"""A matrix core of the native engine over the memories of `tests.machine.tiles`: moves and
products as generated code, without an instruction around them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ptoscope.arguments import Argument
from ptoscope.isa.dtypes import I8, I64, UI8
from ptoscope.isa.parts import core_ids
from ptoscope.isa.tiles import TileMove, TileProduct
from ptoscope.isa.types import Ptr, Scalar
from ptoscope.machine.memory import Bytes, gm_base
from ptoscope.native import NativeKernel, assemble, layout, machine_features
from ptoscope.native.compile import Compiler
from ptoscope.native.lanes import known
from ptoscope.native.launch import Launch
from ptoscope.native.running_core import RunningCore
from ptoscope.native.runtime.scratch import SCRATCH_BYTES
from ptoscope.program import Block, Function
from tests.machine.tiles import A5, Machine

Write = Callable[[Any, list[Any]], None]
"""Writes code, given a core and its numbers."""


class _Compiler(Compiler):
    """Writes one thing instead of operations."""

    write: Write

    def _block(self, block: Block) -> None:
        self.write(self.core, self._read(self._function.params[1:]))


class NativeMachine(Machine):
    """The same machine; its core runs generated code, to which all numbers are unknown."""

    asked = 0
    """How often it asked the engine."""

    def placed(self, content: Bytes) -> Bytes:
        whole = np.random.default_rng(len(content)).integers(
            0, 256, len(content) + 2 * layout.SLACK, np.uint8
        )
        part = whole[layout.SLACK : layout.SLACK + len(content)]
        part[:] = content
        return part

    def move(self, src: int, dst: int, move: TileMove[int]) -> None:
        found = _Numbers()
        form = move.map(found.place)

        def write(core: Any, given: list[Any]) -> None:
            constants: Any = move.scalars
            scalars = tuple(known(core.code, scalar, 1) for scalar in constants)
            lanes = replace(form.map(lambda place: given[2 + place]), scalars=scalars)
            core.move_tile(self.site, *given[:2], lanes)

        ends = (src, move.source), (dst, move.target)
        self._run(write, [*(at + gm_base(0) * (space == "gm") for at, space in ends), *found])

    def multiply(self, left: int, right: int, result: int, product: TileProduct[int]) -> None:
        found = _Numbers()
        form = product.map(found.place)

        def write(core: Any, given: list[Any]) -> None:
            core.multiply(self.site, *given[:3], form.map(lambda place: given[3 + place]))

        self._run(write, [left, right, result, *found])

    def _run(self, write: Write, numbers: list[int]) -> None:
        kinds = [Ptr(UI8, "gm"), *[Scalar(I64)] * len(numbers), Ptr(I8, "l1")]
        params = tuple(range(1 + len(numbers)))
        names = [f"v{i}" for i in range(len(kinds))]
        function = Function("k", params, Block(()), kinds, names, cores=("cube",))
        compiler = _Compiler(function, self.site.target, "micro", machine_features())
        compiler.write = write
        module = compiler.module()
        compiled = assemble(module)
        kernel = NativeKernel(compiled, A5, lambda: module.side_exits, _none, _none)
        gm = self.region("gm")
        arguments = [Argument("x", UI8, 0, data=gm.data, writeable=gm.writeable)]
        arguments += [Argument(f"n{i}", I64, i + 1, value=n) for i, n in enumerate(numbers)]
        launch = kernel.prepare(arguments, 1, None)
        self._launch(launch)

    def _launch(self, launch: Launch) -> None:
        (core,) = core_ids(("cube",))
        running = _Asking(core, self.own, 0, SCRATCH_BYTES)
        running.begin(launch)
        launch.take()
        try:
            running.run(0)
        finally:
            self.asked = running.asked


class _Numbers(list[int]):
    def place(self, number: int) -> int:
        """Appends a number; its place."""
        self.append(number)
        return len(self) - 1


class _Asking(RunningCore):
    asked = 0

    def _new_service(self) -> Any:
        self.asked += 1
        return super()._new_service()


def _none() -> Any:
    raise AssertionError("nobody asks for the program")
