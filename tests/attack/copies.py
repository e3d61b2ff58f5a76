"""Every copy instruction, its numbers anywhere up to the edges of what is a number.

Both engines run it, the native one between guard pages: they give the same bytes or the same
fault, and nothing around the array changes.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

import ptoscope
from ptoscope import PtoError
from ptoscope.kernel import Kernel
from tests.attack.guard import GuardedArray, guard_ub
from tests.attack.matrix_copies import NAMES, matrix_copy, run_matrix_copy

SECONDS = 30

_G, _P = "!pto.ptr<f32, gm>", "!pto.ptr<f32, ub>"
_SIZE = 4096
_FILL = 0x3C


class CopyForm(NamedTuple):
    """One way to write a copy: its lines, and the numbers it takes, each with one that is
    legal. `from` and `to` are the element of the array and the address in UB."""

    lines: tuple[str, ...]
    numbers: dict[str, int]


def _i64(count: int) -> str:
    return ", ".join(["i64"] * count)


def _loops(way: str, gm_first: bool) -> tuple[str, ...]:
    first, second = ("gm", "ub") if gm_first else ("ub", "gm")
    return (
        f"pto.set_loop_size_{way} %count1, %count2 : i64, i64",
        f"pto.set_loop1_stride_{way} %{first}1, %{second}1 : i64, i64",
        f"pto.set_loop2_stride_{way} %{first}2, %{second}2 : i64, i64",
    )


_ENDS = {"from": 0, "to": 64}
_ROWS = {"length": 32, "rows": 2, "gm0": 64, "ub0": 32}
_AROUND = {"count1": 2, "gm1": 128, "ub1": 64, "count2": 2, "gm2": 256, "ub2": 128}
_PADDING = {"left": 1, "right": 2}
_BLOCKS = {"other": 8192, "length": 2, "rows": 3, "gap0": 1, "gap1": 2}
_LOOP_TYPES = f"loop {_i64(3)}, loop {_i64(3)}"

FORMS = {
    "mte_gm_ub": CopyForm(
        (
            "pto.mte_gm_ub %gm, %ub, %zero, %length nburst(%rows, %gm0, %ub0)"
            " loop(%count1, %gm1, %ub1) loop(%count2, %gm2, %ub2) pad(%fill, %left, %right)"
            f" : {_G}, {_P}, {_i64(5)}, {_LOOP_TYPES}, pad f32, i64, i64",
        ),
        {**_ENDS, **_ROWS, **_AROUND, **_PADDING},
    ),
    "mte_gm_ub, not padded": CopyForm(
        (
            "pto.mte_gm_ub %gm, %ub, %zero, %length nburst(%rows, %gm0, %ub0)"
            " loop(%count1, %gm1, %ub1) loop(%count2, %gm2, %ub2)"
            f" : {_G}, {_P}, {_i64(5)}, {_LOOP_TYPES}",
        ),
        {**_ENDS, **_ROWS, **_AROUND},
    ),
    "mte_ub_gm": CopyForm(
        (
            "pto.mte_ub_gm %ub, %gm, %length nburst(%rows, %ub0, %gm0)"
            " loop(%count1, %ub1, %gm1) loop(%count2, %ub2, %gm2)"
            f" : {_P}, {_G}, {_i64(4)}, {_LOOP_TYPES}",
        ),
        {**_ENDS, **_ROWS, **_AROUND},
    ),
    "mte_gm_ub, one run": CopyForm(
        (
            "pto.mte_gm_ub %gm, %ub, %zero, %length nburst(%rows, %gm0, %ub0)"
            f" : {_G}, {_P}, {_i64(5)}",
        ),
        {**_ENDS, **_ROWS, "gm0": 32},
    ),
    "mte_ub_gm, one run": CopyForm(
        (f"pto.mte_ub_gm %ub, %gm, %length nburst(%rows, %ub0, %gm0) : {_P}, {_G}, {_i64(4)}",),
        {**_ENDS, **_ROWS, "gm0": 32},
    ),
    "copy_gm_to_ubuf": CopyForm(
        (
            *_loops("outtoub", gm_first=True),
            "pto.copy_gm_to_ubuf %gm, %ub, %zero, %rows, %length, %left, %right, %padded, %zero,"
            f" %gm0, %ub0 : {_G}, {_P}, {_i64(5)}, i1, {_i64(3)}",
        ),
        {**_ENDS, **_ROWS, **_AROUND, **_PADDING, "padding": 1},
    ),
    "copy_ubuf_to_gm": CopyForm(
        (
            *_loops("ubtoout", gm_first=False),
            "pto.copy_ubuf_to_gm %ub, %gm, %zero, %rows, %length, %zero, %gm0, %ub0"
            f" : {_P}, {_G}, {_i64(6)}",
        ),
        {**_ENDS, **_ROWS, **_AROUND},
    ),
    "mte_ub_ub": CopyForm(
        (
            "pto.mte_ub_ub %ub, %elsewhere, %length nburst(%rows, %gap0, %gap1)"
            f" : {_P}, {_P}, {_i64(4)}",
        ),
        {"to": 64, **_BLOCKS},
    ),
    "copy_ubuf_to_ubuf": CopyForm(
        (
            "pto.copy_ubuf_to_ubuf %ub, %elsewhere, %zero, %rows, %length, %gap0, %gap1"
            f" : {_P}, {_P}, {_i64(5)}",
        ),
        {"to": 64, **_BLOCKS},
    ),
}
"""Every copy instruction of a vector core."""
EVERY = (*FORMS, *NAMES)


def legal_numbers(name: str) -> dict[str, int]:
    """The numbers of a copy that is legal."""
    return FORMS[name].numbers if name in FORMS else matrix_copy(name).numbers


EDGES = tuple(
    value
    for bits in (31, 32, 63)
    for edge in ((1 << bits), -(1 << bits))
    for step in (-64, -32, -4, -1, 0, 1, 32)
    if -(1 << 63) <= (value := edge + step) < 1 << 63
)
"""Numbers about 2**31, 2**32 and 2**63, on both sides of 0."""
_OTHERS = (
    *((1 << bits) + step for bits in (16, 21, 40, 44, 59, 62) for step in (-1, 0, 1, 32)),
    *(-(1 << bits) + step for bits in (40, 44, 59, 62) for step in (-32, 0, 32)),
    *(-1, -32, -64, 7),
)


@cache
def _kernel(name: str) -> Kernel:
    """What is in UB goes to the array at the end, so that it is seen."""
    form = FORMS[name]
    numbers = ", ".join(f"%{n}: i64" for n in form.numbers)
    zeros = [f"%{n} = arith.constant 0 : i64" for n in ("from", "other") if n not in form.numbers]
    padded = ["%padded = arith.cmpi ne, %padding, %zero : i64"] if "padding" in form.numbers else []
    once = "nburst(%one, %zero, %zero)"
    lines = [
        f"func.func @copy(%x: {_G}, %seen: {_G}, {numbers}) {{",
        "%zero = arith.constant 0 : i64",
        "%one = arith.constant 1 : i64",
        "%bytes = arith.constant 16384 : i64",
        f"%size = arith.constant {_SIZE} : i64",
        "%fill = arith.constant 1.5 : f32",
        *zeros,
        *padded,
        "%at = arith.index_cast %from : i64 to index",
        f"%gm = pto.addptr %x, %at : {_G} -> {_G}",
        f"%ub = pto.castptr %to : i64 -> {_P}",
        f"%elsewhere = pto.castptr %other : i64 -> {_P}",
        f"%all = pto.castptr %zero : i64 -> {_P}",
        # Something is in UB before, so that a copy inside it or out of it shows.
        f"pto.mte_gm_ub %x, %all, %zero, %size {once} : {_G}, {_P}, {_i64(5)}",
        'pto.pipe_barrier "PIPE_ALL"',
        *form.lines,
        'pto.pipe_barrier "PIPE_ALL"',
        f"pto.mte_ub_gm %all, %seen, %bytes {once} : {_P}, {_G}, {_i64(4)}",
        "return",
        "}",
    ]
    return ptoscope.load("\n".join(lines) + "\n", force=True)


@cache
def _array() -> GuardedArray:
    guard_ub()
    return GuardedArray(_SIZE)


def _run(name: str, numbers: dict[str, int], engine: str) -> tuple[str, bytes]:
    """The fault, or the bytes of the array and of UB."""
    if name not in FORMS:
        return run_matrix_copy(name, numbers, engine)
    array = _array()
    array.fill(_FILL)
    data = array.bytes.view(np.float32)
    data[::2] = np.arange(_SIZE // 8)
    seen = np.zeros(4096, np.float32)
    try:
        _kernel(name)(data, seen, *numbers.values(), engine=engine)
        said = ""
    except PtoError as error:
        said = str(error.diagnostics[0])
    assert array.untouched_around(_FILL), f"{name}: bytes around the array have changed"
    return said, b"" if said else data.tobytes() + seen.tobytes()


def compare(name: str, numbers: dict[str, int]) -> str:
    """Runs a copy on both engines; the fault, if there was one."""
    native, reference = (_run(name, numbers, engine) for engine in ("native", "reference"))
    assert native == reference, f"{name} {numbers}: {native[0]!r}, not {reference[0]!r}"
    return native[0]


def edge_cases(name: str) -> Iterator[dict[str, int]]:
    """The legal copy, and each number of it at every edge."""
    legal = legal_numbers(name)
    yield legal
    for which, value in itertools.product(legal, EDGES):
        yield {**legal, which: value}


def attempt(rng: random.Random) -> None:
    """One copy with one number or several at some edge."""
    name = rng.choice(EVERY)
    numbers = dict(legal_numbers(name))
    for which in rng.sample(list(numbers), min(len(numbers), rng.choice((1, 1, 2, 3, 5)))):
        pool = rng.choice((EDGES, _OTHERS, (0, 1, 32, 64, 96)))
        numbers[which] = rng.choice(pool)
    if rng.random() < 0.3:
        numbers |= {n: 1 for n in numbers if n == "rows" or n.startswith("count")}
    if not _endless(numbers):
        compare(name, numbers)


def _endless(numbers: dict[str, int]) -> bool:
    """Whether this may be a legal copy of more rows than one can wait for."""
    counts = [numbers.get(n, 1) for n in ("rows", "count1", "count2")]
    return all(0 <= n < 1 << 21 for n in counts) and math.prod(counts) > 1 << 17
