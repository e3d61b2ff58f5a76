"""Runs vector code on many rows of registers and whole predicate registers.

A row of a predicate register is its image: 256 bits, one per byte of a vector register. It
comes in through `plds` and goes out through `psts`, so that bits between lanes are seen.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import ptoscope
from tests.isa.elements import Element
from tests.isa.values import Rows, masks

AREA = 24 * 1024
"""Bytes of UB for each value: eight of them fit every target."""
ROWS = AREA // 256
BITS = 256
WORDS = ("b8", "b16", "b32")


def is_mask(kind: str) -> bool:
    """Whether a value is a predicate register: `b8`, `b16` or `b32`."""
    return kind in WORDS


def written(kind: str) -> str:
    """The type in kernel text."""
    if is_mask(kind):
        return f"!pto.mask<{kind}>"
    return f"!pto.vreg<{Element(kind).lanes}x{kind}>"


def mask_kind(e: Element) -> str:
    """The mask that governs an element type."""
    return f"b{e.granularity}"


def image(lanes: Sequence[int]) -> list[int]:
    """The predicate register of lanes: each is the lowest bit of its group."""
    group = BITS // len(lanes)
    return [0 if i % group else lanes[i // group] for i in range(BITS)]


def lanes_of(bits: Sequence[int], count: int) -> list[int]:
    """What `count` lanes read of a predicate register: the lowest bit of each group."""
    return [bits[i * BITS // count] for i in range(count)]


def noise(rows: int, seed: int = 0) -> Rows:
    """Images with bits anywhere, also between lanes."""
    rng = random.Random(seed)
    return [[rng.getrandbits(1) for _ in range(BITS)] for _ in range(rows)]


def gates(e: Element, rows: int) -> list[Rows]:
    """All, none, tails and random lanes, as images; then bits between the lanes too."""
    kinds = masks(e.lanes, rows)
    return [*([image(m) for m in kind] for kind in kinds), noise(rows, 9)]


def kept(e: Element, rows: Rows, mask: Rows) -> Rows:
    """Inactive lanes as zero."""
    return [
        [v if on else 0 for v, on in zip(row, lanes_of(m, e.lanes), strict=True)]
        for row, m in zip(rows, mask, strict=True)
    ]


@dataclass(frozen=True)
class Code:
    """Vector code that runs on rows: `%i0`, `%i1`, ... come in, `%o0`, `%o1`, ... go out.

    A value is named by its element type, or `b8`, `b16`, `b32` for a predicate register.
    `%s0`, `%s1`, ... are scalars, one per row; `%row` is the number of the row.
    """

    body: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    scalars: tuple[str, ...] = ()
    target: str = "a5"
    revision: str = "manual"

    def text(self) -> str:
        """The kernel."""
        kinds = (*self.inputs, *self.outputs)
        names = [f"%in{i}" for i in range(len(self.inputs))]
        names += [f"%out{i}" for i in range(len(self.outputs))]
        first_out = len(self.inputs)
        params = [f"{n}: !pto.ptr<{_held(k)}, gm>" for n, k in zip(names, kinds, strict=True)]
        params += [f"%p{i}: !pto.ptr<{s}, gm>" for i, s in enumerate(self.scalars)]
        lines = [
            "%c0 = arith.constant 0 : index",
            "%c1 = arith.constant 1 : index",
            "%zero = arith.constant 0 : i64",
            "%n = arith.index_cast %rows : i64 to index",
        ]
        for i, kind in enumerate(kinds):
            lines += [
                f"%at{i} = arith.constant {i * AREA} : i64",
                f"%ub{i} = pto.castptr %at{i} : i64 -> !pto.ptr<{_held(kind)}, ub>",
                f"%len{i} = arith.constant {_bytes(kind)} : i64",
                f"%width{i} = arith.constant {_count(kind)} : index",
            ]
        lines += [
            f"pto.mte_gm_ub {names[i]}, %ub{i}, %zero, %len{i} nburst(%rows, %len{i}, %len{i})"
            f" : !pto.ptr<{_held(k)}, gm>, !pto.ptr<{_held(k)}, ub>, i64, i64, i64, i64, i64"
            for i, k in enumerate(self.inputs)
        ]
        lines += [
            'pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]',
            'pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]',
            "pto.vecscope {",
            "scf.for %row = %c0 to %n step %c1 {",
            *(f"%off{i} = arith.muli %row, %width{i} : index" for i in range(len(kinds))),
            *(_load(i, kind) for i, kind in enumerate(self.inputs)),
            *(
                f"%s{i} = pto.load_scalar %p{i}[%row] : !pto.ptr<{s}, gm> -> {s}"
                for i, s in enumerate(self.scalars)
            ),
            self.body,
            *(_store(i, first_out + i, kind) for i, kind in enumerate(self.outputs)),
            "}",
            "}",
            'pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]',
            'pto.wait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]',
        ]
        lines += [
            f"pto.mte_ub_gm %ub{i}, {names[i]}, %len{i} nburst(%rows, %len{i}, %len{i})"
            f" : !pto.ptr<{_held(k)}, ub>, !pto.ptr<{_held(k)}, gm>, i64, i64, i64, i64"
            for i, k in enumerate(self.outputs, first_out)
        ]
        code = "\n    ".join([*lines, "pto.barrier #pto.pipe<PIPE_ALL>", "return"])
        params.append("%rows: i64")
        return f"module {{\n  func.func @code({', '.join(params)}) {{\n    {code}\n  }}\n}}\n"

    def run(self, *inputs: Rows, scalars: Sequence[Sequence[int]] = ()) -> list[Rows]:
        """The rows that come out, as raw bits; as many at a time as fit UB."""
        found: list[Rows] = [[] for _ in self.outputs]
        total = len(inputs[0]) if inputs else len(scalars[0])
        kernel = _kernel(self)
        for start in range(0, total, ROWS):
            count = min(ROWS, total - start)
            part = slice(start, start + count)
            outs = [np.full(count * _bytes(k), 0xA5, np.uint8) for k in self.outputs]
            kernel(
                *(_pack(r[part], k) for r, k in zip(inputs, self.inputs, strict=True)),
                *(o.view(_storage(k)) for o, k in zip(outs, self.outputs, strict=True)),
                *(
                    np.array(s[part], Element(k).raw).view(Element(k).storage)
                    for s, k in zip(scalars, self.scalars, strict=True)
                ),
                count,
            )
            for rows, out, kind in zip(found, outs, self.outputs, strict=True):
                rows += _unpack(out, count, kind)
        return found


@cache
def _kernel(code: Code) -> Any:
    return ptoscope.load(code.text(), target=code.target, revision=code.revision)


def _held(kind: str) -> str:
    """What memory holds: the bytes of a predicate register, or elements."""
    return "ui8" if is_mask(kind) else kind


def _bytes(kind: str) -> int:
    return 32 if is_mask(kind) else 256


def _count(kind: str) -> int:
    return 32 if is_mask(kind) else Element(kind).lanes


def _storage(kind: str) -> str:
    return Element(_held(kind)).storage


def _load(i: int, kind: str) -> str:
    pointer = f"!pto.ptr<{_held(kind)}, ub>"
    if is_mask(kind):
        return f'%i{i} = pto.plds %ub{i}[%off{i}], "NORM" : {pointer}, index -> {written(kind)}'
    return f"%i{i} = pto.vlds %ub{i}[%off{i}] : {pointer} -> {written(kind)}"


def _store(i: int, area: int, kind: str) -> str:
    pointer = f"!pto.ptr<{_held(kind)}, ub>"
    if is_mask(kind):
        return f'pto.psts %o{i}, %ub{area}[%off{area}], "NORM" : {written(kind)}, {pointer}, index'
    bits = Element(kind).granularity
    return (
        f'%full{i} = pto.pset_b{bits} "PAT_ALL" : !pto.mask<b{bits}>\n'
        f"pto.vsts %o{i}, %ub{area}[%off{area}], %full{i}"
        f" : {written(kind)}, {pointer}, !pto.mask<b{bits}>"
    )


def _pack(rows: Rows, kind: str) -> Any:
    if is_mask(kind):
        return np.packbits(np.array(rows, np.uint8), axis=1, bitorder="little").reshape(-1)
    return np.array(rows, Element(kind).raw).reshape(-1).view(_storage(kind))


def _unpack(out: Any, count: int, kind: str) -> Rows:
    if is_mask(kind):
        return np.unpackbits(out.reshape(count, 32), axis=1, bitorder="little").tolist()
    return out.view(Element(kind).raw).reshape(count, -1).tolist()
