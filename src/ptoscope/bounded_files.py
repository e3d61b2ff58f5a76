"""Files that may be anything: read and written so that nothing waits or grows without an end.

All errors are OSError, as those of the system: `strerror` is the reason.
"""

from __future__ import annotations

import errno
import os
import select
import stat
import time
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

MOST_TEXT = 64 << 20
"""The most bytes of a kernel or of a table."""
PATIENCE = 10.0
"""Seconds until the other end of a named pipe has to be opened."""

_PIECE = 1 << 20
_RETRY = 0.02
_OPEN = os.O_NONBLOCK | os.O_CLOEXEC


def unreadable(status: os.stat_result) -> str:
    """Returns why a file of this kind is not read; "" for files, pipes and the terminal."""
    mode = status.st_mode
    if stat.S_ISDIR(mode):
        return "it is a directory"
    if stat.S_ISSOCK(mode):
        return "it is a socket"
    if stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and not _is_terminal(status)):
        return "it is a device"
    return ""


def _is_terminal(status: os.stat_result) -> bool:
    """Returns True for the terminal that is standard input."""
    return os.isatty(0) and os.fstat(0).st_rdev == status.st_rdev


def open_to_read(path: str | Path, most: int = MOST_TEXT) -> BinaryIO:
    """Opens a file, a pipe or the terminal; what is no file is read, up to its end. OSError for
    another kind of file, for a named pipe that has no writer within `PATIENCE`, and for more than
    `most` bytes."""
    # A device is not opened at all: that may already do something.
    _refuse(os.stat(path))
    file = open(os.open(path, os.O_RDONLY | _OPEN), "rb")  # noqa: SIM115 - it is returned
    try:
        status = os.fstat(file.fileno())
        _refuse(status)
        if status.st_size > most:
            raise _too_large(f"{status.st_size} bytes", most)
        if stat.S_ISREG(status.st_mode):
            return file
        first = _first_bytes(file.fileno()) if stat.S_ISFIFO(status.st_mode) else b""
        os.set_blocking(file.fileno(), True)
        content = BytesIO(first + read_all(file, most))
    except BaseException:
        file.close()
        raise
    file.close()
    return content


def read_file(path: str | Path, most: int = MOST_TEXT) -> bytearray:
    """Returns the content of a file as `open_to_read` opens it."""
    with open_to_read(path, most) as file:
        return read_all(file, most)


def read_all(file: BinaryIO, most: int = MOST_TEXT) -> bytearray:
    """Returns the rest of an open file; OSError for more than `most` bytes."""
    raw = bytearray()
    while more := file.read(_PIECE):
        raw += more
        if len(raw) > most:
            raise _too_large(f"at least {len(raw)} bytes", most)
    return raw


def open_to_write(path: str | Path) -> BinaryIO:
    """Opens a pipe or a character device to write to it. OSError for another kind of file, and
    for a named pipe that has no reader within `PATIENCE`."""
    status = os.stat(path)
    mode = status.st_mode
    if not (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)):
        _refuse(status)
    end = time.monotonic() + PATIENCE
    while True:
        try:
            handle = os.open(path, os.O_WRONLY | _OPEN)
            break
        except OSError as error:
            if error.errno != errno.ENXIO or not stat.S_ISFIFO(mode):
                raise
        if time.monotonic() > end:
            raise OSError(errno.ENXIO, f"nothing reads from the pipe (waited {PATIENCE:g} s)")
        time.sleep(_RETRY)
    os.set_blocking(handle, True)
    return open(handle, "wb")


def free_memory() -> int:
    """Returns how many bytes of memory this machine has to spare; 2**62 where it does not say."""
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
    except OSError:
        return 1 << 62
    sizes = {name: rest.split() for name, _, rest in (line.partition(":") for line in lines)}
    return int(sizes["MemAvailable"][0]) << 10 if "MemAvailable" in sizes else 1 << 62


def _refuse(status: os.stat_result) -> None:
    reason = unreadable(status)
    if reason:
        raise OSError(errno.EINVAL, reason)


def _first_bytes(handle: int) -> bytes:
    """Waits until a pipe has bytes, has a writer, which may take its time, or has had one. Returns
    what was read meanwhile."""
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    end = time.monotonic() + PATIENCE
    while not poll.poll(1000 * _RETRY):
        try:
            if first := os.read(handle, 1):
                return first
        except BlockingIOError:
            return b""
        if time.monotonic() > end:
            raise OSError(errno.ENXIO, f"nothing writes to the pipe (waited {PATIENCE:g} s)")
    return b""


def _too_large(found: str, most: int) -> OSError:
    return OSError(errno.EFBIG, f"it has {found}, and at most {most} can be read")
