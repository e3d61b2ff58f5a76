"""The vector-scalar document's snippets do what its loops say."""

from __future__ import annotations

import numpy as np
import pytest

from tests.documents.harness import (
    LANES,
    assert_same,
    blank,
    clamped,
    floats,
    integers,
    registers,
    run,
)

BIAS = """\
%biased = pto.vadds %activation, %bias_scalar, %mask : !pto.vreg<64xf32>, f32, !pto.mask<b32> -> !pto.vreg<64xf32>
"""  # noqa: E501
SCALE = """\
%scaled = pto.vmuls %input, %scale, %mask : !pto.vreg<64xf32>, f32, !pto.mask<b32> -> !pto.vreg<64xf32>
"""  # noqa: E501
CLAMP = """\
%clamped_low = pto.vmaxs %input, %c0, %mask : !pto.vreg<64xf32>, f32, !pto.mask<b32> -> !pto.vreg<64xf32>
%clamped = pto.vmins %clamped_low, %c255, %mask : !pto.vreg<64xf32>, f32, !pto.mask<b32> -> !pto.vreg<64xf32>
"""  # noqa: E501
SHIFT = """\
%shifted = pto.vshrs %data, %c4, %mask : !pto.vreg<64xi32>, i32, !pto.mask<b32> -> !pto.vreg<64xi32>
"""

TARGETS = ["cpu", "a2a3", "a5"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("scalar", [0.1, -0.0, np.inf, np.nan, 3e38])
@pytest.mark.parametrize("active", [0, 40, 64])
def test_bias(target: str, scalar: float, active: int) -> None:
    kernel = registers(BIAS, {"activation": "f32"}, {"biased": "f32"}, {"bias_scalar": "f32"})
    source, dst, expected = floats(1), blank(), blank()
    run(kernel, source, dst, np.float32(scalar), active, target=target)
    with np.errstate(all="ignore"):
        for i in range(active):
            expected[i] = source[i] + np.float32(scalar)
    assert_same(dst, expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("scalar", [1 / 3, -0.0, np.inf, 3e38])
@pytest.mark.parametrize("active", [1, 64])
def test_scale(target: str, scalar: float, active: int) -> None:
    kernel = registers(SCALE, {"input": "f32"}, {"scaled": "f32"}, {"scale": "f32"})
    source, dst, expected = floats(2), blank(), blank()
    run(kernel, source, dst, np.float32(scalar), active, target=target)
    with np.errstate(all="ignore"):
        for i in range(active):
            expected[i] = source[i] * np.float32(scalar)
    assert_same(dst, expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("active", [0, 63, 64])
def test_clamp_to_bytes(target: str, active: int) -> None:
    kernel = registers(
        CLAMP,
        {"input": "f32"},
        {"clamped_low": "f32", "clamped": "f32"},
        {"c0": "f32", "c255": "f32"},
    )
    source, low, high = floats(3), np.float32(0), np.float32(255)
    dst_low, dst, expected_low, expected = blank(), blank(), blank(), blank()
    run(kernel, source, dst_low, dst, low, high, active, target=target)
    expected_low[:active], expected[:active] = (row[:active] for row in clamped(source, low, high))
    assert_same(dst_low, expected_low)
    assert_same(dst, expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("amount", [0, 4, 31])
def test_shift(target: str, amount: int) -> None:
    kernel = registers(SHIFT, {"data": "i32"}, {"shifted": "i32"}, {"c4": "i32"})
    source, dst, expected = integers(4), blank(np.int32), blank(np.int32)
    run(kernel, source, dst, amount, LANES - 1, target=target)
    for i in range(LANES - 1):
        # Python's shift of a negative number is arithmetic, as the document's is for signed.
        expected[i] = int(source[i]) >> amount
    np.testing.assert_array_equal(dst, expected)
