"""Atomic stores: what is in GM after copies that update it, on both engines."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptoscope
from ptoscope.engines import ENGINES
from tests.machine.atomic_kernels import ROW, accumulating, atomic
from tests.machine.runs import run_as

ELEMENTS = {
    "f32": ("f32", np.float32),
    "f16": ("f16", np.float16),
    "bf16": ("bf16", ml_dtypes.bfloat16),
    "s32": ("i32", np.int32),
    "s16": ("i16", np.int16),
    "s8": ("i8", np.int8),
}
BLOCKS = 7
engines = pytest.mark.parametrize("engine", ENGINES)


def rows(kind: str, seed: int = 0) -> Any:
    """A row for each block, of numbers that leave the range of a type when they are added."""
    _, dtype = ELEMENTS[kind]
    numbers = np.random.default_rng(seed).standard_normal((BLOCKS, ROW))
    if kind.startswith("s"):
        most = np.iinfo(dtype).max
        return np.clip(numbers * most / 2, -most, most).astype(dtype)
    return (numbers * 3).astype(dtype)


def expected(kind: str, operation: str, x: Any, y: Any) -> Any:
    """Block after block; a sum is rounded, or wraps, each time."""
    total = y.copy()
    for row in x:
        with np.errstate(over="ignore"):
            if operation == "add":
                total = (total + row).astype(total.dtype)
            else:
                pick = np.maximum if operation == "max" else np.minimum
                total = pick(total, row)
    return total


@engines
@pytest.mark.parametrize("operation", ["add", "max", "min"])
@pytest.mark.parametrize("kind", ELEMENTS)
def test_blocks_update_one_row(kind: str, operation: str, engine: str) -> None:
    element, dtype = ELEMENTS[kind]
    text = accumulating(*atomic(kind, operation), element=element, size=np.dtype(dtype).itemsize)
    kernel = ptoscope.load(text)
    assert kernel.findings == []
    x, y = rows(kind), rows(kind, 1)[0]
    wanted = expected(kind, operation, x, y)
    kernel(x, y, grid=BLOCKS, engine=engine)
    assert y.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("kind", ["f32", "s32"])
def test_threads_do_not_change_the_result(kind: str) -> None:
    """Each update is whole, and sums that are rounded are made in the order of the blocks."""
    element, _ = ELEMENTS[kind]
    loop = ("scf.for %i = %c0 to %c3 step %c1 {", *atomic(kind, "add"), "}")
    kernel = ptoscope.load(accumulating(*loop, element=element))
    x = np.concatenate([rows(kind, seed) for seed in range(9)])
    found: set[bytes] = set()
    for threads in (1, 2, 8, 8, 8):
        y = rows(kind, 99)[0]
        kernel(x, y, grid=len(x), engine="native", threads=threads)
        found.add(y.tobytes())
    y = rows(kind, 99)[0]
    kernel(x, y, grid=len(x), engine="reference")
    assert found == {y.tobytes()}


@engines
def test_a_fault_of_a_block_ends_those_that_wait_for_it(engine: str) -> None:
    """Block 0 stores more than %y has."""
    numbers = (
        "%first = arith.cmpi eq, %block, %zero : i64",
        "%far = arith.constant 65520 : i64",
        "%length = arith.select %first, %far, %size : i64",
    )
    text = accumulating(*numbers, *atomic("f32", "add")).replace("%y, %size", "%y, %length")
    kernel, x, y = ptoscope.load(text), np.zeros((9, ROW), np.float32), np.zeros(ROW, np.float32)
    with pytest.raises(ptoscope.PtoError) as raised:
        kernel(x, y, grid=9, engine=engine)
    (said,) = raised.value.diagnostics
    assert (said.code, "block 0 of 9" in said.message) == ("PTO0902", True)


@pytest.mark.parametrize("order", ["program", "lazy", "eager", "seed:1"])
def test_a_copy_takes_along_what_is_set_when_it_is_issued(order: str) -> None:
    stores = ("pto.set_atomic_s32", "store", "pto.set_atomic_none")
    text = accumulating(*stores, element="i32")
    x, y = np.arange(ROW, dtype=np.int32), np.full(ROW, 100, np.int32)
    run_as(ptoscope.load(text), order, [x, y], 1)
    assert y.tolist() == [100 + i for i in range(ROW)]


@engines
def test_without_a_type_a_store_is_plain(engine: str) -> None:
    """Also one that had a type: the operation alone stays set."""
    text = accumulating("pto.set_atomic_min", "pto.set_atomic_s8", "pto.set_atomic_none", "store")
    x, y = np.full(ROW, 7, np.float32), np.zeros(ROW, np.float32)
    ptoscope.load(text)(x, y, engine=engine)
    assert (y == 7).all()


@engines
def test_a_block_sets_for_itself(engine: str) -> None:
    branch = ("%is = arith.cmpi eq, %block, %zero : i64", "scf.if %is {", "pto.set_atomic_f32", "}")
    text = accumulating(*branch, "store", "pto.set_atomic_none")
    x = np.array([[1] * ROW, [5] * ROW], np.float32)
    y = np.full(ROW, 100, np.float32)
    ptoscope.load(text)(x, y, grid=2, engine=engine, threads=1)
    assert (y == 5).all()


@engines
def test_the_control_register_holds_what_is_set(engine: str) -> None:
    """As the compiler lowers it: the type in bits 6 to 8, the operation in bits 9 and 10."""
    lines = (
        "pto.set_atomic_bf16",
        "pto.set_atomic_max",
        "%bits = pto.get_ctrl : i64",
        "pto.set_ctrl %zero : i64",
        "store",
        'pto.pipe_barrier "PIPE_MTE3"',
        "%sum = arith.constant 256 : i64",
        "pto.set_ctrl %sum : i64",
        "store",
        "pto.set_ctrl %zero : i64",
        "%low = arith.trunci %bits : i64 to i32",
        "pto.barrier #pto.pipe<PIPE_ALL>",
        "pto.store_scalar %low, %x[%c0] : !pto.ptr<i32, gm>, i32",
    )
    x, y = np.full(ROW, 3, np.int32), np.full(ROW, 100, np.int32)
    ptoscope.load(accumulating(*lines, element="i32"))(x, y, engine=engine)
    assert x[0] == 6 << 6 | 1 << 9
    assert (y == 6).all()


@engines
@pytest.mark.parametrize(
    ("length", "stride", "code"), [(6, 8, "PTO0914"), (8, 6, "PTO0903"), (8, 8, "")]
)
def test_whole_elements_are_updated(length: int, stride: int, code: str, engine: str) -> None:
    text = accumulating(*atomic("f32", "add"))
    out = text.replace(
        "%ub, %y, %size nburst(%one, %size, %size)", "%ub, %y, %len nburst(%c, %b, %s)"
    )
    numbers = {"len": length, "c": 2, "b": 32, "s": stride}
    constants = "".join(f"    %{n} = arith.constant {v} : i64\n" for n, v in numbers.items())
    kernel = ptoscope.load(out.replace("    %zero =", f"{constants}    %zero =", 1))
    x, y = np.ones(ROW, np.float32), np.ones(ROW, np.float32)
    if not code:
        kernel(x, y, engine=engine)
        assert y[:5].tolist() == [2, 2, 2, 2, 1]
        return
    with pytest.raises(ptoscope.PtoError) as raised:
        kernel(x, y, engine=engine)
    assert raised.value.diagnostics[0].code == code
