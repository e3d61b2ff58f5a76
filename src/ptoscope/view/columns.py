"""Columns of numbers and bytes for the page: one packed blob and its directory."""

from __future__ import annotations

import base64
import gzip
from typing import Any

import numpy as np

_KINDS = {"uint8": "u1", "int32": "i4", "float64": "f8"}
"""The types that the page knows, by their names in NumPy."""


class Columns:
    """Named arrays of bytes, 32-bit integers and 64-bit floats."""

    def __init__(self) -> None:
        self._blob = bytearray()
        self.directory: dict[str, tuple[str, int, int]] = {}
        """Of each column its type, the byte at which it begins, and how many numbers it has."""

    def add(self, name: str, values: Any, kind: str = "int32") -> None:
        """A column. Numbers that do not fit its type are a mistake of the caller's."""
        array = np.ascontiguousarray(values, dtype=kind)
        # As JavaScript wants them: every column at a multiple of its size.
        self._blob += bytes(-len(self._blob) % 8)
        self.directory[name] = _KINDS[kind], len(self._blob), array.size
        self._blob += array.tobytes()

    def packed(self) -> str:
        """The blob, compressed, as text."""
        return base64.b64encode(gzip.compress(bytes(self._blob), 6, mtime=0)).decode()
