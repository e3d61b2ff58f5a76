"""Arrays of other libraries through DLPack: torch and jax, of which NumPy plays the part here."""

from __future__ import annotations

import ctypes
import gc
import weakref
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptoscope
from ptoscope.dlpack import borrowed
from tests.test_kernel import copy_kernel

BF16, E4M3FN, E5M2, COMPLEX = 4, 10, 12, 5
"""Codes of types in the DLPack specification."""


class Tensor:
    """An array with DLPack and nothing else, of version 1."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


class OldTensor(Tensor):
    """The same before there were versions: it cannot say whether it may be written."""

    def __dlpack__(self, **options: Any) -> Any:
        if options:
            raise TypeError("__dlpack__() takes no keyword arguments")
        return self.array.__dlpack__()


class NarrowTensor(Tensor):
    """Unsigned integers that are said to be of another type, of the same width. By the layout of
    the specification that code stands at byte 20 of a tensor, which stands at byte 32 of a
    managed one with a version, and at the beginning of one without."""

    def __init__(self, array: np.ndarray, code: int, versions: bool = True) -> None:
        super().__init__(array)
        self.code, self.versions = code, versions

    def __dlpack__(self, **options: Any) -> Any:
        if options and not self.versions:
            raise TypeError("__dlpack__() takes no keyword arguments")
        capsule = self.array.__dlpack__(**options)
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.argtypes, pointer.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_void_p
        name, at = (b"dltensor_versioned", 52) if self.versions else (b"dltensor", 20)
        ctypes.memset(pointer(capsule, name) + at, self.code, 1)
        return capsule


class DeviceTensor(Tensor):
    """One in the memory of a device, which lends it to nobody here."""

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0

    def __dlpack__(self, **options: Any) -> Any:
        raise BufferError("the tensor is on cuda:0")


def said(*arguments: Any, dtype: str = "f32") -> ptoscope.Diagnostic:
    """What a copy of 32 bytes says of its arguments."""
    with pytest.raises(ptoscope.PtoError) as caught:
        ptoscope.load(copy_kernel(dtype))(*arguments, 32)
    (finding,) = caught.value.diagnostics
    return finding


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_owners_see_the_results(engine: str) -> None:
    src, dst = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    ptoscope.load(copy_kernel())(Tensor(src), Tensor(dst), 32, engine=engine)
    assert np.array_equal(dst, np.arange(8))


def test_owners_of_strided_arrays_see_the_results() -> None:
    memory = np.zeros((8, 3), np.float32)
    src = np.arange(16, dtype=np.float32)
    ptoscope.load(copy_kernel())(Tensor(src[::2]), Tensor(memory[:, 1]), 32)
    assert np.array_equal(memory[:, 1], np.arange(0, 16, 2))
    assert not memory[:, ::2].any()


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_what_may_not_be_written_is_read_and_refused_as_a_result(engine: str) -> None:
    fixed = np.arange(8, dtype=np.float32)
    fixed.flags.writeable = False
    kernel, result = ptoscope.load(copy_kernel()), np.zeros(8, np.float32)
    kernel(Tensor(fixed), result, 32, engine=engine)
    assert np.array_equal(result, fixed)
    with pytest.raises(ptoscope.PtoError) as caught:
        kernel(-result, Tensor(fixed), 32, engine=engine)
    (finding,) = caught.value.diagnostics
    assert (finding.code, finding.message) == (
        "PTO0909",
        "pto.mte_ub_gm: writes to %dst, a read-only array",
    )
    assert "such as a copy" in finding.hint
    assert np.array_equal(fixed, np.arange(8))


def test_what_does_not_say_whether_it_may_be_written_is_read_only() -> None:
    """As arrays of jax, which never may."""
    src, dst = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    ptoscope.load(copy_kernel())(OldTensor(src), dst, 32)
    assert np.array_equal(dst, src)
    finding = said(src, OldTensor(dst))
    assert finding.code == "PTO0909"
    assert "its .numpy()" in finding.hint


@pytest.mark.parametrize(
    ("dtype", "code", "bits", "expected"),
    [
        ("bf16", BF16, np.uint16, ml_dtypes.bfloat16),
        ("f8e4m3", E4M3FN, np.uint8, ml_dtypes.float8_e4m3fn),
        ("f8e5m2", E5M2, np.uint8, ml_dtypes.float8_e5m2),
    ],
)
def test_floats_that_numpy_lacks(dtype: str, code: int, bits: Any, expected: type) -> None:
    numbers = np.arange(32 // np.dtype(bits).itemsize).astype(expected)
    memory = np.zeros((numbers.size, 2), bits)
    src, dst = NarrowTensor(numbers.view(bits), code), NarrowTensor(memory[:, 1], code)
    assert borrowed(src).dtype == expected
    ptoscope.load(copy_kernel(dtype))(src, dst, 32)
    assert np.array_equal(memory[:, 1].view(expected), numbers)
    assert not memory[:, 0].any()


def test_floats_that_numpy_lacks_may_be_read_only() -> None:
    bits = np.arange(16, dtype=np.uint16)
    old = NarrowTensor(bits, BF16, versions=False)
    assert not borrowed(old).flags.writeable
    assert np.array_equal(borrowed(old).view(np.uint16), bits)
    assert said(np.zeros(16, ml_dtypes.bfloat16), old, dtype="bf16").code == "PTO0909"
    bits.flags.writeable = False
    assert not borrowed(NarrowTensor(bits, BF16)).flags.writeable


def test_an_array_of_no_elements() -> None:
    assert borrowed(NarrowTensor(np.zeros((3, 0), np.uint16), BF16)).shape == (3, 0)


def test_the_owner_stays_as_long_as_its_elements_are_seen() -> None:
    array = np.arange(16, dtype=np.uint16)
    owner = weakref.ref(array)
    seen = borrowed(NarrowTensor(array, BF16))[4:]
    del array
    gc.collect()
    assert owner() is not None
    del seen
    gc.collect()
    assert owner() is None


def test_other_elements_than_the_pointer_are_refused() -> None:
    result = np.zeros(8, np.float32)
    assert said(Tensor(np.zeros(8)), result).found == "float64 array of shape (8,)"
    bf16 = NarrowTensor(np.zeros(16, np.uint16), BF16)
    assert said(bf16, result).found == "bfloat16 array of shape (16,)"


@pytest.mark.parametrize(
    ("tensor", "found"),
    [
        (DeviceTensor(np.zeros(8, np.float32)), "the tensor is on cuda:0"),
        (NarrowTensor(np.zeros(8, np.uint16), COMPLEX), "Unsupported dtype in DLTensor."),
    ],
    ids=["device", "type"],
)
def test_what_cannot_be_shared_is_refused_clearly(tensor: Tensor, found: str) -> None:
    finding = said(tensor, np.zeros(8, np.float32))
    assert (finding.code, finding.found) == ("PTO0803", found)
    assert finding.message == "argument 0 (%src): the array cannot be shared"
    assert finding.expected == "an array of float32 in the memory of this computer"
    assert ".detach().cpu().numpy()" in finding.hint
