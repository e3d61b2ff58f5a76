"""Sums of products of factors that lie ready: a block of rows and columns of a result, which
stays in registers while k goes on. Each element is summed in the order of k; columns are lanes.

Left factors lie in groups of GROUP along k: row r of a group at r * GROUP_BYTES, the next group
so many bytes further on. Right ones are packed: for each k those of all columns of a block. The
result lies in blocks of RESULT_COLUMNS columns, row after row.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ptoscope.isa.dtypes import F32
from ptoscope.isa.tiles import RESULT_COLUMNS
from ptoscope.machine.elements import QUIET_NAN, quietly
from ptoscope.machine.sums import fused_sums, wrapping_sums
from ptoscope.native import jit
from ptoscope.native.subset import Address, RawMemory, in_llvm

FACTOR_BYTES = 4
GROUP = 8
"""Factors along k that lie together."""
GROUP_BYTES = FACTOR_BYTES * GROUP
ROW_BYTES = FACTOR_BYTES * RESULT_COLUMNS
"""Of a row of a block of the result."""


class SumsBlock(NamedTuple):
    """What is summed at once: so many rows, and columns of so many vectors of lanes."""

    rows: int
    vectors: int
    lanes: int

    @property
    def columns(self) -> int:
        return self.vectors * self.lanes


def block() -> SumsBlock:
    """What the registers of this processor hold, with enough sums to keep it busy."""
    return _BLOCKS[jit.host().register_bytes]


_BLOCKS = {64: SumsBlock(8, 2, 16), 32: SumsBlock(4, 2, 8), 16: SumsBlock(4, 4, 4)}
"""By the bytes of a register."""


@in_llvm(lambda name: _constant(name, block().rows))
def rows_at_once() -> int:
    """The rows of a block."""
    return block().rows


@in_llvm(lambda name: _constant(name, block().columns))
def columns_at_once() -> int:
    """The columns of a block."""
    return block().columns


def _constant(name: str, value: int) -> str:
    return f"define internal i64 @{name}() alwaysinline {{\n  ret i64 {value}\n}}"


@in_llvm(lambda name: _text(name, "float"))
def add_products(
    memory: RawMemory,
    left: Address,
    group_step: int,
    right: Address,
    steps: int,
    sums: Address,
    block_step: int,
    adds: int,
) -> None:
    """Sums f32 over so many steps of k, each one fused multiply-add, from what is there on where
    it `adds` and from 0 elsewhere. A NaN is the canonical one."""
    _summed(memory, np.float32, left, group_step, right, steps, sums, block_step, adds)


@in_llvm(lambda name: _text(name, "i32"))
def add_integers(
    memory: RawMemory,
    left: Address,
    group_step: int,
    right: Address,
    steps: int,
    sums: Address,
    block_step: int,
    adds: int,
) -> None:
    """The same of i32, which wrap."""
    _summed(memory, np.int32, left, group_step, right, steps, sums, block_step, adds)


def _summed(
    memory: RawMemory,
    kind: type[np.generic],
    left: Address,
    group_step: int,
    right: Address,
    steps: int,
    sums: Address,
    block_step: int,
    adds: int,
) -> None:
    rows, columns = block().rows, block().columns

    def factors(at: Address, count: int) -> Any:
        return memory.piece(at, FACTOR_BYTES * count).view(kind)

    lefts, rights = np.empty((rows, steps), kind), np.empty((columns, steps), kind)
    for k in range(steps):
        group = left + k // GROUP * group_step + FACTOR_BYTES * (k % GROUP)
        lefts[:, k] = [factors(group + GROUP_BYTES * row, 1)[0] for row in range(rows)]
        rights[:, k] = factors(right + FACTOR_BYTES * columns * k, columns)
    places = [
        (row, slice(column, column + RESULT_COLUMNS), sums + step + ROW_BYTES * row)
        for column in range(0, columns, RESULT_COLUMNS)
        for step in [column // RESULT_COLUMNS * block_step]
        for row in range(rows)
    ]
    made = np.zeros((rows, columns), kind)
    if adds:
        for row, part, at in places:
            made[row, part] = factors(at, RESULT_COLUMNS)
    with quietly():
        made = (fused_sums if kind is np.float32 else wrapping_sums)(made, lefts, rights)
    for row, part, at in places:
        factors(at, RESULT_COLUMNS)[:] = made[row, part]


def _text(name: str, kind: str) -> str:
    """The function as LLVM text."""
    writer = _Writer(block(), kind)
    return "\n".join((*writer.declarations(), *writer.definition(name)))


_OVER_K = "i64 %group_step, ptr noalias %right, i64 %steps"
_RESULT = "ptr noalias %sums, i64 %block_step, i64 %adds"
_WIDE = '"prefer-vector-width"="512" "min-legal-vector-width"="512"'


class _Writer:
    """Writes one kernel: what a block is, of floats or integers of 32 bits."""

    def __init__(self, block: SumsBlock, kind: str) -> None:
        self._block, self._kind = block, kind
        self._row = f"<{block.lanes} x {kind}>"
        self._suffix = f"v{block.lanes}f32"
        self._sums = [(r, v) for r in range(block.rows) for v in range(block.vectors)]
        self._count = 0

    def declarations(self) -> list[str]:
        if self._kind != "float":
            return []
        return [f"declare {self._row} @llvm.fma.{self._suffix}({', '.join([self._row] * 3)})"]

    def definition(self, name: str) -> Iterator[str]:
        row = self._row
        head = f"ptr noalias %left, {_OVER_K}, {_RESULT}"
        yield f"define internal i64 @{name}({head}) noinline align 64 {_WIDE} {{"
        yield "entry:"
        yield "  %begins = icmp eq i64 %adds, 0"
        yield "  br i1 %begins, label %begin, label %read"
        yield "read:"
        yield from self._places("read")
        for r, v in self._sums:
            yield f"  %found.{r}.{v} = load {row}, ptr %read.{r}.{v}, align 4"
        yield "  br label %begin"
        yield "begin:"
        yield from self._either("begin", "zeroinitializer", "entry", "%found.{}.{}", "read")
        yield f"  %groups = lshr i64 %steps, {GROUP.bit_length() - 1}"
        yield f"  %rest = and i64 %steps, {GROUP - 1}"
        yield from self._loop("group", "%groups", GROUP, "%left", "%right", "begin", "middle")
        yield "middle:"
        yield from self._either("middle", "%begin.{}.{}", "begin", "%group.after.{}.{}", "group")
        yield "  %left.rest = phi ptr [ %left, %begin ], [ %group.left.after, %group ]"
        yield "  %right.rest = phi ptr [ %right, %begin ], [ %group.right.after, %group ]"
        yield from self._loop("one", "%rest", 1, "%left.rest", "%right.rest", "middle", "end")
        yield "end:"
        yield from self._either("end", "%middle.{}.{}", "middle", "%one.after.{}.{}", "one")
        yield from self._places("write")
        for r, v in self._sums:
            yield from self._stored(r, v)
        yield "  ret i64 0"
        yield "}"

    def _places(self, prefix: str) -> Iterator[str]:
        """Where each vector of the result is."""
        for v in range(self._block.vectors):
            whole, column = divmod(v * self._block.lanes, RESULT_COLUMNS)
            yield f"  %{prefix}.step.{v} = mul i64 %block_step, {whole}"
            yield f"  %{prefix}.{v} = getelementptr i8, ptr %sums, i64 %{prefix}.step.{v}"
            for r in range(self._block.rows):
                at = ROW_BYTES * r + FACTOR_BYTES * column
                yield f"  %{prefix}.{r}.{v} = getelementptr i8, ptr %{prefix}.{v}, i64 {at}"

    def _either(
        self, prefix: str, one: str, one_from: str, other: str, other_from: str
    ) -> Iterator[str]:
        """The sums, from where they come."""
        for r, v in self._sums:
            first, second = one.format(r, v), other.format(r, v)
            ways = f"[ {first}, %{one_from} ], [ {second}, %{other_from} ]"
            yield f"  %{prefix}.{r}.{v} = phi {self._row} {ways}"

    def _loop(
        self, name: str, count: str, steps: int, left: str, right: str, before: str, then: str
    ) -> Iterator[str]:
        """So many iterations of some steps of k each; none where the count is 0."""
        yield f"  %{name}.some = icmp ne i64 {count}, 0"
        yield f"  br i1 %{name}.some, label %{name}, label %{then}"
        yield f"{name}:"
        yield f"  %{name}.at = phi i64 [ 0, %{before} ], [ %{name}.next, %{name} ]"
        for side, first in (("left", left), ("right", right)):
            ways = f"[ {first}, %{before} ], [ %{name}.{side}.after, %{name} ]"
            yield f"  %{name}.{side} = phi ptr {ways}"
        yield from self._either(name, f"%{before}.{{}}.{{}}", before, f"%{name}.after.{{}}.{{}}",
                                name)  # fmt: skip
        sums = {(r, v): f"%{name}.{r}.{v}" for r, v in self._sums}
        for k in range(steps):
            yield from self._step(name, k, sums, last=k == steps - 1)
        step = "%group_step" if steps == GROUP else str(FACTOR_BYTES)
        yield f"  %{name}.left.after = getelementptr i8, ptr %{name}.left, i64 {step}"
        size = FACTOR_BYTES * self._block.columns * steps
        yield f"  %{name}.right.after = getelementptr i8, ptr %{name}.right, i64 {size}"
        yield f"  %{name}.next = add i64 %{name}.at, 1"
        yield f"  %{name}.more = icmp ult i64 %{name}.next, {count}"
        yield f"  br i1 %{name}.more, label %{name}, label %{then}"

    def _step(
        self, name: str, k: int, sums: dict[tuple[int, int], str], last: bool
    ) -> Iterator[str]:
        """One step of k for every sum."""
        row, lanes = self._row, self._block.lanes
        for v in range(self._block.vectors):
            at = FACTOR_BYTES * (self._block.columns * k + lanes * v)
            yield f"  %{name}.r{k}.{v}.at = getelementptr i8, ptr %{name}.right, i64 {at}"
            yield f"  %{name}.r{k}.{v} = load {row}, ptr %{name}.r{k}.{v}.at, align {4 * lanes}"
        for r in range(self._block.rows):
            one, at = f"%{name}.l{k}.{r}", GROUP_BYTES * r + FACTOR_BYTES * k
            yield f"  {one}.at = getelementptr i8, ptr %{name}.left, i64 {at}"
            yield f"  {one}.one = load {self._kind}, ptr {one}.at, align 4"
            yield f"  {one}.first = insertelement {row} poison, {self._kind} {one}.one, i64 0"
            zeros = f"<{lanes} x i32> zeroinitializer"
            yield f"  {one} = shufflevector {row} {one}.first, {row} poison, {zeros}"
            for v in range(self._block.vectors):
                made = f"%{name}.after.{r}.{v}" if last else f"%{name}.s{k}.{r}.{v}"
                yield from self._added(made, one, f"%{name}.r{k}.{v}", sums[r, v])
                sums[r, v] = made

    def _added(self, made: str, left: str, right: str, total: str) -> Iterator[str]:
        row = self._row
        if self._kind == "float":
            given = f"{row} {left}, {row} {right}, {row} {total}"
            yield f"  {made} = call {row} @llvm.fma.{self._suffix}({given})"
        else:
            yield f"  {made}.product = mul {row} {left}, {right}"
            yield f"  {made} = add {row} {total}, {made}.product"

    def _stored(self, r: int, v: int) -> Iterator[str]:
        row, lanes, total = self._row, self._block.lanes, f"%end.{r}.{v}"
        if self._kind == "float":
            yield f"  {total}.odd = fcmp uno {row} {total}, {total}"
            nan = f"bitcast (i32 {QUIET_NAN[F32]} to float)"
            chosen = f"{row} splat (float {nan}), {row} {total}"
            yield f"  {total}.kept = select <{lanes} x i1> {total}.odd, {chosen}"
            total = f"{total}.kept"
        yield f"  store {row} {total}, ptr %write.{r}.{v}, align 4"
