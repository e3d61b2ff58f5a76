"""Vector and scalar accesses that leave their memory or stand at the wrong address."""

from __future__ import annotations

import numpy as np
import pytest

from tests.machine.harness import fault, kernel, run, scope

V = "!pto.vreg<64xf32>"
UB = "!pto.ptr<f32, ub>"
M = "!pto.mask<b32>"
KIB = {"a5": 256, "cpu": 256, "a2a3": 192}
TARGETS = list(KIB)

LOAD = scope(f"%v = pto.vlds %ub[%at] : {UB} -> {V}")
STORE = scope(
    f"%v = pto.vlds %ub[%c0] : {UB} -> {V}\npto.vsts %v, %ub[%at], %mask : {V}, {UB}, {M}"
)
ACCESSES = {"pto.vlds %ub[%at]": LOAD, "pto.vsts": STORE}


def _float(size: int = 8) -> np.ndarray:
    return np.zeros(size, dtype=np.float32)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("access", ACCESSES)
def test_outside_ub(access: str, target: str) -> None:
    """The last register of UB is the last legal one, the first the first."""
    text = kernel("%at: index", ACCESSES[access])
    last = KIB[target] * 1024 // 4 - 64
    run(text, (last,), target)
    run(text, (0,), target)
    said = fault(text, access, (last + 8,), target)
    assert said.code == "PTO0901"
    address = (last + 8) * 4
    assert str(address) in said.message
    assert f"{address} to {address + 255}" in said.found
    assert f"{KIB[target] * 1024 - 1} ({KIB[target]} KiB)" in said.expected
    assert fault(text, access, (-8,), target).code == "PTO0901"
    assert fault(text, access, (2**40,), target).code == "PTO0901"


@pytest.mark.parametrize("access", ACCESSES)
@pytest.mark.parametrize(("target", "alignment"), [("a5", 32), ("a2a3", 32), ("cpu", 4)])
def test_misaligned_norm(access: str, target: str, alignment: int) -> None:
    """32 bytes on A5 and A2/A3, the element on the CPU."""
    text = kernel("%at: index", ACCESSES[access])
    run(text, (alignment // 4,), target)
    if alignment == 32:
        for offset in (1, 4, 7, 9):
            said = fault(text, access, (offset,), target)
            assert said.code == "PTO0903"
            assert f"address {offset * 4} is not a multiple of 32" in said.message
    else:
        for offset in range(8):
            run(text, (offset,), target)


@pytest.mark.parametrize("target", TARGETS)
def test_an_odd_base_is_misaligned_on_every_target(target: str) -> None:
    text = kernel(
        "%base: i64",
        f"%p = pto.castptr %base : i64 -> {UB}\n" + scope(f"%v = pto.vlds %p[%c0] : {UB} -> {V}"),
    )
    assert fault(text, "pto.vlds", (2,), target).code == "PTO0903"


def test_a_broadcast_needs_only_its_element() -> None:
    line = f'%v = pto.vlds %p[%c0] {{dist = "BRC_B32"}} : {UB} -> {V}'
    text = kernel("%base: i64", f"%p = pto.castptr %base : i64 -> {UB}\n" + scope(line))
    run(text, (4,))
    run(text, (256 * 1024 - 4,))
    assert fault(text, "pto.vlds", (2,)).code == "PTO0903"
    assert fault(text, "pto.vlds", (256 * 1024,)).code == "PTO0901"


@pytest.mark.parametrize("target", TARGETS)
def test_inactive_lanes_at_the_end_of_ub_cannot_fault(target: str) -> None:
    """A tail store may reach over the end of UB with lanes that are not active."""
    text = kernel(
        "%at: index, %count: i32",
        scope(
            f"%v = pto.vlds %ub[%c0] : {UB} -> {V}\npto.vsts %v, %ub[%at], %mask : {V}, {UB}, {M}",
            f"%mask, %rest = pto.plt_b32 %count : i32 -> {M}, i32",
        ),
    )
    near_end = KIB[target] * 1024 // 4 - 8
    for count in (0, 1, 8):
        run(text, (near_end, count), target)
    said = fault(text, "pto.vsts", (near_end, 9), target)
    assert said.code == "PTO0901"
    run(text, (2**40, 0), target)
    run(text, (-8, 0), target)


def test_the_loop_iteration_is_named() -> None:
    text = kernel(
        "%n: index",
        f"""pto.vecscope {{
        scf.for %row = %c0 to %n step %c1 {{
        %width = arith.constant 64 : index
        %tile = arith.muli %row, %width : index
        scf.for %part = %c0 to %c2 step %c1 {{
        %half = arith.constant 4096 : index
        %far = arith.muli %part, %half : index
        %at = arith.addi %tile, %far : index
        %v = pto.vlds %ub[%at] : {UB} -> {V}
        }}
        }}
        }}""",
    )
    run(text, (900,))
    said = fault(text, "pto.vlds", (1000,))
    # 64 * row + 4096 + 64 elements are more than 65536 from row 960 on.
    assert "%row = 960, %part = 1" in said.message


@pytest.mark.parametrize("grid", [2, 4])
def test_the_block_is_named(grid: int) -> None:
    text = kernel(
        "%x: !pto.ptr<f32, gm>",
        """%block = pto.get_block_idx
        %i = arith.index_cast %block : i64 to index
        %v = pto.load_scalar %x[%i] : !pto.ptr<f32, gm> -> f32""",
    )
    run(text, (_float(grid),), grid=grid)
    said = fault(text, "pto.load_scalar", (_float(grid - 1),), grid=grid)
    assert f"block {grid - 1} of {grid}" in said.message


LOAD_SCALAR = "%v = pto.load_scalar %x[%i] : !pto.ptr<f32, gm> -> f32"
STORE_SCALAR = """%f = arith.constant 1.0 : f32
    pto.store_scalar %f, %x[%i] : !pto.ptr<f32, gm>, f32"""


@pytest.mark.parametrize(
    ("line", "verb"), [(LOAD_SCALAR, "reads"), (STORE_SCALAR, "writes")], ids=["load", "store"]
)
def test_outside_an_array(line: str, verb: str) -> None:
    """The message names the array and the element."""
    text = kernel("%first: !pto.ptr<f32, gm>, %x: !pto.ptr<f32, gm>, %i: index", line)
    run(text, (_float(), _float(5), 4))
    for index in (5, 6, 1000, -1, -5):
        said = fault(text, "_scalar", (_float(), _float(5), index))
        assert said.code == "PTO0902"
        assert f"{verb} element {index} of %x, which has 5 elements" in said.message
    assert fault(text, "_scalar", (_float(), _float(0), 0)).code == "PTO0902"


def test_a_number_is_no_gm_pointer() -> None:
    text = kernel(
        "%address: i64",
        """%p = pto.castptr %address : i64 -> !pto.ptr<f32, gm>
        %v = pto.load_scalar %p[%c0] : !pto.ptr<f32, gm> -> f32""",
    )
    for address in (0, 4096, -4, 2**62):
        said = fault(text, "pto.load_scalar", (address,))
        assert said.code == "PTO0902"
        assert "belongs to no pointer argument" in said.message


def test_scalar_access_is_aligned_to_its_element() -> None:
    text = kernel(
        "%x: !pto.ptr<ui8, gm>, %i: index",
        """%byte = pto.addptr %x, %i : !pto.ptr<ui8, gm> -> !pto.ptr<ui8, gm>
        %p = pto.castptr %byte : !pto.ptr<ui8, gm> -> !pto.ptr<i32, gm>
        %v = pto.load_scalar %p[%c0] : !pto.ptr<i32, gm> -> i32""",
    )
    run(text, (np.zeros(16, np.uint8), 12))
    assert fault(text, "pto.load_scalar", (np.zeros(16, np.uint8), 2)).code == "PTO0903"


def test_a_read_only_array_may_be_read_and_not_written() -> None:
    array = _float()
    array.flags.writeable = False
    run(kernel("%x: !pto.ptr<f32, gm>, %i: index", LOAD_SCALAR), (array, 0))
    text = kernel("%x: !pto.ptr<f32, gm>, %i: index", STORE_SCALAR)
    said = fault(text, "pto.store_scalar", (array, 0))
    assert said.code == "PTO0909"
    assert "%x" in said.message
