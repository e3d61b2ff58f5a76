"""Arrays that other libraries lend through DLPack, those with elements that NumPy lacks too."""

from __future__ import annotations

import ctypes
from typing import Any, Protocol

import numpy as np


class HasDLPack(Protocol):
    """An array of another library, which NumPy sees through DLPack."""

    def __dlpack__(self) -> object: ...


def borrowed(owner: HasDLPack) -> np.ndarray[tuple[int, ...], np.dtype[Any]]:
    """The elements of an array, in the memory of their owner. They may be written where the owner
    says so; an owner that speaks the DLPack of before versions cannot say it. BufferError and
    what else NumPy raises where they cannot be seen, as those in the memory of a device."""
    try:
        return np.from_dlpack(owner)  # type: ignore[arg-type]
    except (BufferError, RuntimeError):
        found = _narrow_floats(owner)
        if found is None:
            raise
        return found


class _Tensor(ctypes.Structure):
    """DLTensor of the DLPack specification."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Versioned(ctypes.Structure):
    """DLManagedTensorVersioned, of version 1."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


_CPU = 1
_READ_ONLY = 1
_MAJOR = 1
_CAPSULE, _VERSIONED_CAPSULE = b"dltensor", b"dltensor_versioned"
_NARROW = {
    (4, 16): "bfloat16",
    (10, 8): "float8_e4m3fn",
    (12, 8): "float8_e5m2",
}
"""The types of ml_dtypes by DLPack's code and width of the element."""

_is_capsule = ctypes.pythonapi.PyCapsule_IsValid
_is_capsule.argtypes, _is_capsule.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_int
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.argtypes, _pointer.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_void_p


def _narrow_floats(owner: Any) -> Any:
    """The array, if it is of floats that NumPy lacks, in the memory of the processor."""
    try:
        capsule = owner.__dlpack__(max_version=(_MAJOR, 0))
    except TypeError:
        capsule = owner.__dlpack__()
    read_only = True
    if _is_capsule(capsule, _VERSIONED_CAPSULE):
        versioned = _Versioned.from_address(_pointer(capsule, _VERSIONED_CAPSULE))
        if versioned.major != _MAJOR:
            return None
        tensor, read_only = versioned.tensor, bool(versioned.flags & _READ_ONLY)
    elif _is_capsule(capsule, _CAPSULE):
        # It begins with the tensor.
        tensor = _Tensor.from_address(_pointer(capsule, _CAPSULE))
    else:
        return None
    name = _NARROW.get((tensor.code, tensor.bits))
    if name is None or tensor.lanes != 1 or tensor.device_type != _CPU:
        return None
    import ml_dtypes

    return np.asarray(_Lent(capsule, tensor, read_only)).view(getattr(ml_dtypes, name))


class _Lent:
    """What an array of NumPy lies on: whoever has that keeps the capsule, which, as nobody else
    takes it over, gives the memory back to its owner when it ends."""

    def __init__(self, capsule: object, tensor: _Tensor, read_only: bool) -> None:
        self._capsule = capsule
        size = tensor.bits // 8
        shape = tuple(tensor.shape[: tensor.ndim])
        # Without strides it is dense.
        strides = tuple(tensor.strides[: tensor.ndim]) if tensor.strides else None
        self.__array_interface__ = {
            "version": 3,
            "shape": shape,
            "typestr": f"<u{size}",
            "data": ((tensor.data or 0) + tensor.byte_offset, read_only),
            "strides": None if strides is None else tuple(stride * size for stride in strides),
        }
