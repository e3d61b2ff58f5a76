"""The maker of a plain run: it executes instructions on a core of the reference engine."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ptoscope.diagnostics import UsageError
from ptoscope.isa.dtypes import INDEX, DType
from ptoscope.isa.record import Run, Site
from ptoscope.isa.targets import Revision, Target
from ptoscope.isa.types import Mask, Ptr, Type
from ptoscope.lang.compile.bodies import OpenLoop
from ptoscope.lang.compile.function import BuiltKernel
from ptoscope.lang.contents import as_array
from ptoscope.lang.eager.following import FollowingMaker
from ptoscope.lang.eager.places import CodePlace, PlainFunctions
from ptoscope.lang.eager.rewrite import plain_function
from ptoscope.lang.eager.sections import SectionTurns
from ptoscope.lang.maker import ChosenUse
from ptoscope.lang.template import Template
from ptoscope.lang.values import KernelValue
from ptoscope.machine.core import ReferenceCore
from ptoscope.machine.elements import storage
from ptoscope.machine.lanes import NumpyLanes, constant, number

_VECTOR_PIPE = "PIPE_V"


@dataclass(frozen=True)
class PlacedArray:
    """The handle of an array on the chip: where its first copy lies, how far the next one is, and
    the loop whose iterations take turns with them."""

    address: int
    stride: int
    loop: OpenLoop | None


class EagerMaker(FollowingMaker):
    """Executes the instructions of one block, in the order of the kernel."""

    def __init__(
        self,
        built: BuiltKernel,
        core: ReferenceCore,
        turns: SectionTurns,
        target: Target,
        revision: Revision,
    ) -> None:
        super().__init__(built, core, turns)
        self.target, self.revision = target, revision
        self.places = PlainFunctions()
        self._placements = {p.allocation.root: p for p in built.memory.placements}
        self._runs: dict[Any, Run] = {}
        self._in_scope = False

    def make(self, use: ChosenUse, operands: Sequence[KernelValue]) -> tuple[Any, ...]:
        place = self.places.now(sys._getframe(1))
        kinds = tuple(value.type for value in operands)
        attrs = tuple((use.attrs or {}).items())
        record = use.record
        key = place, record.name, use.form, use.segments, attrs, kinds, use.results
        run = self._runs.get(key)
        if run is None:
            run = self._runs[key] = record.meaning(self._site_at(place, use, kinds))
        if record.pipe == _VECTOR_PIPE and not self._in_scope:
            self._not_waiting()
        with self.stopping():
            found = run(self.core, *(self._lanes(value.handle) for value in operands))
        if len(use.results) == 1:
            return (found,)
        return tuple(found) if use.results else ()

    def _site_at(self, place: CodePlace, use: ChosenUse, kinds: tuple[Type, ...]) -> Site:
        given = dict(use.attrs or {})
        span = self.places.span(place)
        on = self.target, self.revision
        return Site(use.record, kinds, use.results, given, *on, span, use.form, use.segments)

    def _lanes(self, handle: Any) -> Any:
        if not isinstance(handle, PlacedArray):
            return handle
        stage = 0 if handle.loop is None else self.stages.get(handle.loop, 0)
        return constant(INDEX, 1, handle.address + stage * handle.stride)

    def constant(self, dtype: DType, number: int | float) -> NumpyLanes:
        return constant(dtype, 1, number)

    def all_lanes(self, bits: int) -> NumpyLanes:
        return self._all_lanes[bits]

    @cached_property
    def _all_lanes(self) -> dict[int, NumpyLanes]:
        return {bits: self.core.mask((True,) * Mask(bits).lanes) for bits in (8, 16, 32)}

    def allocate(self, kind: Ptr, count: int, at: int | None) -> PlacedArray:
        array = self.here.array()
        placed = self._placements[array.slot]
        return PlacedArray(placed.address, placed.allocation.stride, array.loop)

    def elements(self, kind: Ptr, handle: Any, count: int | None) -> Any:
        at = number(self._lanes(handle))
        memory = self.core.memory
        regions = [*memory.own.values(), *memory.regions.values()]
        region = next(r for r in regions if r.space == kind.space and 0 <= at - r.base <= r.size)
        start, size = at - region.base, kind.dtype.bytes
        most = (region.size - start) // size
        held = region.data[start : start + size * (most if count is None else min(count, most))]
        return as_array(kind.dtype, held.copy().view(storage(kind.dtype)))

    def enter_scope(self) -> None:
        self._not_waiting()
        self._in_scope = True

    def leave_scope(self, failed: bool) -> None:
        self._in_scope = False
        if not failed:
            with self.stopping():
                self.core.settle_streams()

    def _not_waiting(self) -> None:
        """UsageError where the vector pipe waits for something that the kernel does later."""
        if not self.core.pipes.idle(_VECTOR_PIPE):
            line = self.places.span(self.places.now(sys._getframe(2))).line
            raise UsageError(
                f"line {line}: the vector pipe waits for what the kernel does later; a plain run "
                "executes it in the order of its lines"
            )

    def called(self, helper: Template, given: Any, named: Any) -> Any:
        plain = plain_function(helper.source, helper.flow)
        self.places.add(plain)
        depth = len(self.open)
        returned = plain.function(*given, **named)
        # A return leaves loops and branches of Python early.
        del self.open[depth:]
        return returned
