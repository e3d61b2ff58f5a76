"""The load/store document's examples of unaligned and deinterleaving loads."""

from __future__ import annotations

import pytest

from tests.documents.harness import (
    LANES,
    assert_same,
    blank,
    floats,
    run,
)
from tests.documents.test_load_store import ELEMENTS, tile_kernel

UNALIGNED = """\
%align = pto.vldas %ub : !pto.ptr<f32, ub> -> !pto.align
%vec, %align2, %ub2 = pto.vldus %ub, %align : !pto.ptr<f32, ub>, !pto.align -> !pto.vreg<64xf32>, !pto.align, !pto.ptr<f32, ub>
"""  # noqa: E501
PAIRS = """\
%x, %y = pto.vldsx2 %ub[%offset], "DINTLV_B32" : !pto.ptr<f32, ub>, index -> !pto.vreg<64xf32>, !pto.vreg<64xf32>
"""  # noqa: E501
# The stream goes on where the example ends.
NEXT = """\
%next, %align3, %ub3 = pto.vldus %ub2, %align2
: !pto.ptr<f32, ub>, !pto.align -> !pto.vreg<64xf32>, !pto.align, !pto.ptr<f32, ub>
"""


def kept(*names: str) -> str:
    """Kernel text that stores registers one after the other in the second tile."""
    return "\n".join(
        f"%to_{name} = arith.constant {LANES * i} : index\n"
        f"pto.vsts %{name}, %other[%to_{name}], %mask"
        " : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>"
        for i, name in enumerate(names)
    )


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize("base", [0, 1, 7, 8, 301, ELEMENTS - 2 * LANES])
def test_unaligned_load(target: str, base: int) -> None:
    """Both the alignment state and the base advance across the stream."""
    kernel = tile_kernel(UNALIGNED + NEXT + kept("vec", "next"))
    memory, dst, expected = floats(1, ELEMENTS), blank(shape=ELEMENTS), blank(shape=ELEMENTS)
    run(kernel, memory, dst, base, 0, LANES, target=target)
    for i in range(2 * LANES):
        expected[i] = memory[base + i]
    assert_same(dst, expected)


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize(("base", "offset"), [(0, 0), (8, 16), (64, 256), (376, 8)])
def test_interleaved_pairs(target: str, base: int, offset: int) -> None:
    kernel = tile_kernel(PAIRS + kept("x", "y"))
    memory, dst, expected = floats(2, ELEMENTS), blank(shape=ELEMENTS), blank(shape=ELEMENTS)
    run(kernel, memory, dst, base, offset, LANES, target=target)
    for i in range(LANES):
        expected[i] = memory[base + offset + 2 * i]
        expected[LANES + i] = memory[base + offset + 2 * i + 1]
    assert_same(dst, expected)
