"""Differences: the first one, and distances in units in the last place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ptoscope.cases.difference import ArrayDifference, compare_outputs
from ptoscope.isa.dtypes import dtype


def compared(
    tmp_path: Path, expected: Any, got: Any, kind: str | None
) -> tuple[bool | None, list[ArrayDifference], str]:
    (tmp_path / "v1.bin").write_bytes(got.tobytes())
    (tmp_path / "golden_v1.bin").write_bytes(expected.tobytes())
    return compare_outputs(tmp_path, {"v1.bin": dtype(kind) if kind else None})


@pytest.mark.parametrize(
    ("kind", "array", "expected", "got", "ulp"),
    [
        ("f32", np.float32, 1.0, np.nextafter(np.float32(1), np.float32(2)), 1),
        ("f32", np.float32, -0.0, 1e-45, 1),
        ("f32", np.float32, -1e-45, 1e-45, 2),
        ("f32", np.float32, np.inf, np.finfo(np.float32).max, 1),
        ("f32", np.float32, np.nan, 1.0, None),
        ("f16", np.float16, 1.0, 1.0 + 3 * 2.0**-10, 3),
        ("bf16", ml_dtypes.bfloat16, 1.0, 1.0 + 2 * 2.0**-7, 2),
        ("f8e4m3", ml_dtypes.float8_e4m3fn, 1.0, 1.125, 1),
        ("f64", np.float64, 1.0, -1.0, 2 * 0x3FF0000000000000),
        ("i32", np.int32, -5, 7, 12),
        ("ui64", np.uint64, 0, 2**64 - 1, 2**64 - 1),
        (None, np.uint8, 1, 255, 254),
    ],
)
def test_distances(
    tmp_path: Path, kind: str | None, array: Any, expected: float, got: float, ulp: int | None
):
    right = np.array([0, expected, 0], array)
    wrong = np.array([0, got, 0], array)
    same, (difference,), odd = compared(tmp_path, right, wrong, kind)
    assert (same, odd) == (False, "")
    assert (difference.index, difference.ulp, difference.differing) == (1, ulp, 1)
    assert difference.elements == 3
    assert "element 1 of 3" in str(difference)


def test_the_first_and_the_farthest(tmp_path: Path):
    expected = np.arange(10, dtype=np.int16)
    got = expected.copy()
    got[[3, 7]] += [1, 100]
    _, (difference,), _ = compared(tmp_path, expected, got, "i16")
    assert (difference.index, difference.expected, difference.got) == (3, "3", "4")
    assert (difference.ulp, difference.largest_ulp, difference.differing) == (1, 100, 2)


def test_two_nans_differ_only_in_bits(tmp_path: Path):
    expected = np.array([0x7FC00000], np.uint32).view(np.float32)
    got = np.array([0x7FC00001], np.uint32).view(np.float32)
    assert compared(tmp_path, expected, got, "f32") == (False, [], "")
    assert compared(tmp_path, expected, expected, "f32") == (True, [], "")


def test_lengths_and_names(tmp_path: Path):
    same, differences, odd = compared(tmp_path, np.zeros(4, "u1"), np.zeros(3, "u1"), "ui8")
    assert (same, differences) == (False, [])
    assert odd == "v1.bin has 3 bytes, golden_v1.bin has 4"
    (tmp_path / "out_low.bin").write_bytes(b"a")
    assert compare_outputs(tmp_path, {"out_low.bin": None, "x.bin": None})[0] is None
    (tmp_path / "golden_low.bin").write_bytes(b"a")
    assert compare_outputs(tmp_path, {"out_low.bin": None})[0] is True
