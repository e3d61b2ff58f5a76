"""Elements that lie in rows, put into columns: blocks of a few vectors in registers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ptoscope.native.runtime.sums import FACTOR_BYTES, GROUP, GROUP_BYTES, block
from ptoscope.native.subset import Address, RawMemory, in_llvm

LINE = 32
"""Bytes of a row of a block that is transposed."""


@in_llvm(lambda name: _square(name, 4))
def transpose_words(
    memory: RawMemory, to: Address, to_step: int, source: Address, source_step: int
) -> None:
    """Rows of LINE bytes of 4-byte elements, as many as a row has, become columns."""
    _transposed(memory, np.uint32, to, to_step, source, source_step)


@in_llvm(lambda name: _square(name, 2))
def transpose_halves(
    memory: RawMemory, to: Address, to_step: int, source: Address, source_step: int
) -> None:
    """The same of 2-byte elements."""
    _transposed(memory, np.uint16, to, to_step, source, source_step)


def _transposed(
    memory: RawMemory,
    kind: type[np.generic],
    to: Address,
    to_step: int,
    source: Address,
    source_step: int,
) -> None:
    count = LINE // np.dtype(kind).itemsize
    rows = [memory.piece(source + i * source_step, LINE).view(kind).copy() for i in range(count)]
    for i, column in enumerate(np.array(rows).T):
        memory.piece(to + i * to_step, LINE).view(kind)[:] = column


@in_llvm(lambda name: _packing(name))
def pack_columns(
    memory: RawMemory, to: Address, source: Address, group_step: int, groups: int
) -> None:
    """Factors of a block of columns (see `sums`), of which each has groups along k one after the
    other, so many bytes apart: for each k those of all columns."""
    columns = block().columns
    for group in range(groups):
        piece = memory.piece(source + group * group_step, GROUP_BYTES * columns).view(np.uint32)
        size = FACTOR_BYTES * columns * GROUP
        made = memory.piece(to + size * group, size).view(np.uint32)
        made[:] = piece.reshape(columns, GROUP).T.reshape(-1)


Lane = tuple[int, int]
"""The row and the column of an element."""


def _square(name: str, size: int) -> str:
    """In parts of 16 bytes, across which processors move elements more slowly: a vector holds both
    parts of a row, and behind them those of the row as many further on as a part has elements. Each
    stage interleaves within the parts; what ends in one row comes together last."""
    count = LINE // size // 2
    row, wide = f"<{2 * count} x i{8 * size}>", f"<{4 * count} x i{8 * size}>"
    head = "ptr %to, i64 %to_step, ptr %source, i64 %source_step"
    lines = [f"define internal i64 @{name}({head}) noinline align 64 {{"]
    for i in range(2 * count):
        lines += _place(f"from{i}", "source", f"mul i64 %source_step, {i}")
        lines.append(f"  %row{i} = load {row}, ptr %from{i}, align 1")
    given = [f"%rows{i}" for i in range(count)]
    for i, made in enumerate(given):
        both = f"{row} %row{i}, {row} %row{i + count}"
        lines.append(f"  {made} = shufflevector {both}, {_order(range(4 * count))}")
    for stage in range(count.bit_length() - 1):
        before, given = given, []
        for first, second in zip(before[: count // 2], before[count // 2 :], strict=True):
            for half in range(2):
                made = f"%turned{stage}.{len(given)}"
                source = f"{wide} {first}, {wide} {second}"
                order = _order(_interleaved(count, half))
                lines.append(f"  {made} = shufflevector {source}, {order}")
                given.append(made)
    for i, made in enumerate(given):
        for across in range(2):
            parts = [p * count + j for p in (across, across + 2) for j in range(count)]
            column = f"%column{across * count + i}"
            source = f"{wide} {made}, {wide} poison"
            lines.append(f"  {column} = shufflevector {source}, {_order(parts)}")
            lines += _place(f"to{across}.{i}", "to", f"mul i64 %to_step, {across * count + i}")
            lines.append(f"  store {row} {column}, ptr %to{across}.{i}, align 1")
    return "\n".join((*lines, "  ret i64 0", "}"))


def _interleaved(count: int, half: int) -> list[int]:
    """Of two vectors of four parts: the lower or the upper halves of their parts interleaved."""
    starts = [part * count + half * count // 2 for part in range(4)]
    return [v for s in starts for i in range(s, s + count // 2) for v in (i, i + 4 * count)]


def _order(numbers: Iterable[int]) -> str:
    """The mask of a shuffle."""
    listed = [f"i32 {n}" for n in numbers]
    return f"<{len(listed)} x i32> <{', '.join(listed)}>"


def _packing(name: str) -> str:
    lanes, vectors = block().lanes, block().vectors
    row = f"<{lanes} x i32>"
    head = "ptr noalias %to, ptr noalias %source, i64 %group_step, i64 %groups"
    lines = [
        f"define internal i64 @{name}({head}) noinline align 64 {{",
        "entry:",
        "  br label %group",
        "group:",
        "  %at = phi i64 [ 0, %entry ], [ %next, %group ]",
        "  %here = phi ptr [ %source, %entry ], [ %here.next, %group ]",
        "  %there = phi ptr [ %to, %entry ], [ %there.next, %group ]",
    ]
    held = lanes * FACTOR_BYTES
    for v in range(vectors):
        given: list[tuple[str, list[Lane]]] = []
        for i in range(GROUP):
            at = v * lanes * GROUP_BYTES + i * held
            lines.append(f"  %from{v}.{i} = getelementptr i8, ptr %here, i64 {at}")
            lines.append(f"  %row{v}.{i} = load {row}, ptr %from{v}.{i}, align 4")
            numbers = range(i * lanes, (i + 1) * lanes)
            given.append((f"%row{v}.{i}", [divmod(n, GROUP) for n in numbers]))
        lines += _turned(given, row, lanes, GROUP, f"{v}.")
        for k in range(GROUP):
            at = (k * vectors + v) * held
            lines.append(f"  %to{v}.{k} = getelementptr i8, ptr %there, i64 {at}")
            lines.append(f"  store {row} %column{v}.{k}, ptr %to{v}.{k}, align {held}")
    lines += [
        "  %here.next = getelementptr i8, ptr %here, i64 %group_step",
        f"  %there.next = getelementptr i8, ptr %there, i64 {GROUP * vectors * held}",
        "  %next = add i64 %at, 1",
        "  %more = icmp slt i64 %next, %groups",
        "  br i1 %more, label %group, label %end",
        "end:",
        "  ret i64 0",
        "}",
    ]
    return "\n".join(lines)


def _place(name: str, base: str, by: str) -> list[str]:
    return [f"  %{name}.by = {by}", f"  %{name} = getelementptr i8, ptr %{base}, i64 %{name}.by"]


def _turned(
    given: list[tuple[str, list[Lane]]], row: str, lanes: int, columns: int, mark: str
) -> Iterator[str]:
    """Vectors of elements of so many columns, each with the lanes it holds, as one vector for
    each column, `column0` on, its rows in order. Each stage parts what two vectors hold by one
    bit of the column."""
    for bit in range(columns.bit_length() - 1):
        made: list[tuple[str, list[Lane]]] = []
        # Vectors whose elements agree in the bits that are parted already; the halves that hold
        # neighbouring rows come together.
        waiting: dict[int, list[tuple[str, list[Lane]]]] = {}
        for one in given:
            waiting.setdefault(one[1][0][1] & ((1 << bit) - 1), []).append(one)
        for low, group in waiting.items():
            group.sort(key=lambda one: one[1])
            for pair, (first, second) in enumerate(zip(group[::2], group[1::2], strict=True)):
                both = first[1] + second[1]
                for side in (0, 1):
                    kept = sorted(
                        (i for i, (_, c) in enumerate(both) if c >> bit & 1 == side),
                        key=lambda i: (both[i][1], both[i][0]),
                    )
                    name = f"%turned{mark}{bit}.{low}.{pair}.{side}"
                    if bit == columns.bit_length() - 2:
                        name = f"%column{mark}{both[kept[0]][1]}"
                    source = f"{row} {first[0]}, {row} {second[0]}"
                    yield f"  {name} = shufflevector {source}, {_order(kept)}"
                    made.append((name, [both[i] for i in kept]))
        given = made
