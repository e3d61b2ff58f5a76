"""The types of host code: their sizes, and what a number becomes in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from ptoscope.cases.host.tree import TypeName


class NumberType(NamedTuple):
    """A type of numbers, as NumPy has it."""

    dtype: np.dtype[Any]

    @property
    def size(self) -> int:
        return self.dtype.itemsize

    def convert(self, value: Any) -> Any:
        """What a number becomes when it is stored: integers wrap, fractions are cut."""
        if not isinstance(value, (int, float)):
            return value
        if self.dtype == np.bool_:
            return int(bool(value))
        if self.dtype.kind in "iu":
            bits = 8 * self.size
            wrapped = int(value) % (1 << bits)
            signed = self.dtype.kind == "i" and wrapped >> (bits - 1)
            return wrapped - (1 << bits) if signed else wrapped
        with np.errstate(all="ignore"):
            return float(np.array(value).astype(self.dtype))

    def decode(self, data: bytes) -> Any:
        value = np.frombuffer(data, self.dtype)[0]
        return float(value) if self.dtype.kind not in "iub" else int(value)

    def encode(self, value: Any) -> bytes:
        return np.array(self.convert(value)).astype(self.dtype).tobytes()


QUALIFIERS = {
    *("const", "constexpr", "static", "inline", "volatile", "register", "struct", "extern"),
    *("__gm__", "__ubuf__", "__restrict__", "__restrict", "thread_local", "typename"),
}

_NAMES: dict[str, Any] = {
    "bool": np.bool_,
    "char": np.int8,
    "signed char": np.int8,
    "unsigned char": np.uint8,
    "float": np.float32,
    "double": np.float64,
    "size_t": np.uint64,
    "ssize_t": np.int64,
    "ptrdiff_t": np.int64,
    "intptr_t": np.int64,
    "uintptr_t": np.uint64,
    "half": np.float16,
    "__fp16": np.float16,
    "_Float16": np.float16,
    "float16_t": np.float16,
    "bfloat16_t": ml_dtypes.bfloat16,
    "__bf16": ml_dtypes.bfloat16,
    # Host code holds the bits of these and does no arithmetic with them.
    "aclFloat16": np.uint16,
    "aclError": np.int32,
    **{f"{s}int{w}_t": f"{s}int{w}" for s in ("", "u") for w in (8, 16, 32, 64)},
    **{f"{base}{tail}": np.int16 for base in ("short", "signed short") for tail in ("", " int")},
    **{f"unsigned short{tail}": np.uint16 for tail in ("", " int")},
    **{name: np.int32 for name in ("int", "signed", "signed int")},
    **{name: np.uint32 for name in ("unsigned", "unsigned int")},
    **{
        f"{sign}{base}{tail}": np.uint64 if sign == "unsigned " else np.int64
        for sign in ("", "signed ", "unsigned ")
        for base in ("long", "long long")
        for tail in ("", " int")
    },
}
NUMBER_TYPES = {name: NumberType(np.dtype(kind)) for name, kind in _NAMES.items()}
_OTHERS = ("void", "auto", "aclrtStream", "aclrtContext")


def is_type(name: str, aliases: Mapping[str, TypeName]) -> bool:
    """Whether a name is known to be a type (or the beginning of one)."""
    return name in NUMBER_TYPES or name in _OTHERS or name in aliases or name == "signed"


def number_type(kind: TypeName) -> NumberType | None:
    """The type of numbers, None for a pointer and for a type that is not known."""
    return None if kind.pointers else NUMBER_TYPES.get(kind.name)


def element(kind: TypeName) -> NumberType | None:
    """What a pointer points to."""
    return NUMBER_TYPES.get(kind.name) if kind.pointers == 1 else None


def size_of(kind: TypeName) -> int | None:
    """The bytes of a type, None where it is not known."""
    if kind.pointers or kind.name in ("aclrtStream", "aclrtContext"):
        return 8
    known = NUMBER_TYPES.get(kind.name)
    return known.size if known else None
