"""What the functions do that a host program calls: files, memory, the device."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ptoscope.cases.host.texts import formatted, put_text, text_of
from ptoscope.cases.host.tokens import Unreadable
from ptoscope.cases.host.types import number_type
from ptoscope.cases.host.values import Element, HostAddress, HostMemory, Pointer, Variable

HARMLESS: Any = object()
"""Stands for functions and streams without effect on files, memory and kernels."""

CONSTANTS: dict[str, Any] = {
    "nullptr": None,
    "NULL": None,
    "true": 1,
    "false": 0,
    "ACL_SUCCESS": 0,
    "ACL_ERROR_NONE": 0,
    "ACL_MEMCPY_HOST_TO_HOST": 0,
    "ACL_MEMCPY_HOST_TO_DEVICE": 1,
    "ACL_MEMCPY_DEVICE_TO_HOST": 2,
    "ACL_MEMCPY_DEVICE_TO_DEVICE": 3,
    "ACL_MEM_MALLOC_HUGE_FIRST": 0,
    "ACL_MEM_MALLOC_HUGE_ONLY": 1,
    "ACL_MEM_MALLOC_NORMAL_ONLY": 2,
    "EXIT_SUCCESS": 0,
    "EXIT_FAILURE": 1,
    **{name: HARMLESS for name in ("cout", "cerr", "clog", "endl", "stderr", "stdout")},
    "__FILE__": "",
    "__LINE__": 0,
}

_NO_EFFECT = {
    *("aclInit", "aclFinalize", "aclrtSetDevice", "aclrtResetDevice", "aclrtDestroyStream"),
    *("aclrtSynchronizeStream", "aclrtSynchronizeDevice", "aclrtFree", "aclrtFreeHost"),
    *("aclrtDestroyContext", "printf", "fprintf", "puts", "fflush", "free"),
}

LibraryFunction = Callable[..., Any]


class Library:
    """The functions, on the files of one directory.

    `written` are the files the program wrote, each with the element type of its contents as
    a kernel saw them; `notes` is what should be known about the run.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory.resolve()
        self.written: dict[str, Any] = {}
        self.notes: list[str] = []

    def find(self, name: str) -> LibraryFunction | None:
        """The function of a name: called with the place and the arguments, where a named
        variable is passed as such."""
        if name in _NO_EFFECT:
            return HARMLESS
        return getattr(self, f"call_{name.replace('::', '_')}", None)

    def path(self, name: Any, where: str) -> Path:
        """A file of the directory."""
        if not isinstance(name, str):
            raise Unreadable(f"{where}: cannot tell which file is meant")
        try:
            path = (self.directory / name).resolve()
        except (OSError, ValueError, RuntimeError):
            raise Unreadable(f"{where}: {name!r} is no name of a file") from None
        if not path.is_relative_to(self.directory):
            raise Unreadable(f"{where}: {name} is outside of the working directory")
        return path

    def read(self, name: Any, where: str) -> bytes:
        path = self.path(text_of(_plain(name)), where)
        if not path.is_file():
            raise Unreadable(f"{where}: golden.py wrote no {path.name}")
        try:
            return path.read_bytes()
        except OSError as error:
            raise Unreadable(f"{where}: cannot read {path.name}: {error.strerror}") from None

    def call_ReadFile(self, where: str, name: Any, size: Any, into: Any, most: Any) -> int:
        data, limit = self.read(name, where), _count(most, where)
        if not data or len(data) > limit:
            # The function refuses, and it is for the program to look at its answer.
            problem = f"{len(data)} bytes, where the host program takes 1 to {limit}"
            self.notes.append(f"{where}: {text_of(_plain(name))} is not read: {problem}")
            return 0
        if isinstance(size, Variable):
            size.set(len(data))
        if isinstance(target := _plain(into), HostAddress):
            _fill_variable(target.variable, data, where)
        else:
            _pointer(target, where).bytes(len(data), where)[:] = np.frombuffer(data, np.uint8)
        return 1

    def call_WriteFile(self, where: str, name: Any, source: Any, size: Any) -> int:
        pointer = _pointer(source, where)
        path = self.path(text_of(_plain(name)), where)
        data = pointer.bytes(_count(size, where), where).tobytes()
        if path.exists() and not path.is_file():
            raise Unreadable(f"{where}: {path.name} is not a file")
        try:
            path.write_bytes(data)
        except OSError as error:
            raise Unreadable(f"{where}: cannot write {path.name}: {error.strerror}") from None
        self.written[str(path.relative_to(self.directory))] = pointer.memory.dtype
        return 1

    def call_filesystem_file_size(self, where: str, name: Any) -> int:
        return len(self.read(name, where))

    def call_aclrtMallocHost(self, where: str, into: Any, size: Any) -> int:
        _address(into, where).set(Pointer(HostMemory.host(_count(size, where))))
        return 0

    def call_aclrtMalloc(self, where: str, into: Any, size: Any, policy: Any) -> int:
        _address(into, where).set(Pointer(HostMemory.device(_count(size, where))))
        return 0

    def call_malloc(self, where: str, size: Any) -> Pointer:
        return Pointer(HostMemory.host(_count(size, where)))

    def call_aclrtMemcpy(
        self, where: str, into: Any, most: Any, source: Any, size: Any, kind: Any
    ) -> int:
        if _count(size, where) > _count(most, where):
            raise Unreadable(f"{where}: the copy is larger than its destination")
        self.call_memcpy(where, into, source, size)
        return 0

    def call_aclrtMemcpyAsync(
        self, where: str, into: Any, most: Any, source: Any, size: Any, kind: Any, stream: Any
    ) -> int:
        # One stream, in order: an asynchronous copy is done at once.
        return self.call_aclrtMemcpy(where, into, most, source, size, kind)

    def call_memcpy(self, where: str, into: Any, source: Any, size: Any) -> Any:
        count = _count(size, where)
        origin, target = _pointer(source, where), _plain(into)
        data = origin.bytes(count, where)
        if isinstance(target, HostAddress):
            _fill_variable(target.variable, data.tobytes(), where)
        else:
            pointer = _pointer(target, where)
            pointer.bytes(count, where)[:] = data
            pointer.memory.dtype = origin.memory.dtype or pointer.memory.dtype
        return target

    def call_memset(self, where: str, into: Any, value: Any, size: Any) -> Any:
        _pointer(into, where).bytes(_count(size, where), where)[:] = _plain(value) & 0xFF
        return into

    def call_aclrtMemset(self, where: str, into: Any, most: Any, value: Any, size: Any) -> int:
        self.call_memset(where, into, value, size)
        return 0

    def call_fill_n(self, where: str, into: Any, count: Any, value: Any) -> Any:
        pointer = _pointer(into, where)
        for number in range(_count(count, where)):
            Element(pointer.moved(number, where)).set(_plain(value), where)
        return None

    def call_fill(self, where: str, first: Any, last: Any, value: Any) -> None:
        start, end = _pointer(first, where), _pointer(last, where)
        if start.memory is not end.memory or start.element is None:
            raise Unreadable(f"{where}: cannot tell what is filled")
        self.call_fill_n(where, start, (end.offset - start.offset) // start.element.size, value)

    def call_snprintf(self, where: str, into: Any, size: Any, pattern: Any, *values: Any) -> int:
        text = formatted(_plain(pattern), [_plain(value) for value in values], where)
        return put_text(_pointer(into, where), _count(size, where), text, where)

    def call_aclrtCreateStream(self, where: str, into: Any) -> int:
        _address(into, where).set(1)
        return 0

    def call_getenv(self, where: str, name: Any) -> None:
        """No variable of the environment changes what a case does."""

    def call_aclGetRecentErrMsg(self, where: str) -> None:
        """There is none."""

    def call_min(self, where: str, left: Any, right: Any) -> Any:
        return min(_plain(left), _plain(right))

    def call_max(self, where: str, left: Any, right: Any) -> Any:
        return max(_plain(left), _plain(right))


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Variable) else value


def _count(value: Any, where: str) -> int:
    count = _plain(value)
    if not isinstance(count, int) or not 0 <= count < 1 << 40:
        raise Unreadable(f"{where}: cannot tell how many bytes are meant")
    return count


def _pointer(value: Any, where: str) -> Pointer:
    pointer = _plain(value)
    if not isinstance(pointer, Pointer):
        raise Unreadable(f"{where}: the pointer points to no memory")
    return pointer


def _address(value: Any, where: str) -> Variable:
    address = _plain(value)
    if not isinstance(address, HostAddress):
        raise Unreadable(f"{where}: cannot tell which variable is set")
    return address.variable


def _fill_variable(variable: Variable, data: bytes, where: str) -> None:
    kind = number_type(variable.type)
    if kind is None or len(data) != kind.size:
        raise Unreadable(f"{where}: {len(data)} bytes do not fit the variable")
    variable.value = kind.decode(data)
