"""Files that commands write: whole or not at all, and which one could not be written, and why."""

from __future__ import annotations

import contextlib
import os
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ptoscope.bounded_files import open_to_write
from ptoscope.cli.words import pieces
from ptoscope.diagnostics import UsageError

if TYPE_CHECKING:
    from ptoscope.cli.files import ArrayFile


def check_directory(path: str) -> None:
    """UsageError if files cannot be written to a directory that may not exist yet."""
    try:
        at = Path(path)
        if at.exists() and not at.is_dir():
            raise UsageError(f"cannot write {path}: it is not a directory")
        while not at.exists():
            at = at.parent
        if not at.is_dir() or not os.access(at, os.W_OK | os.X_OK):
            raise UsageError(f"cannot write {path}: {at} is not a writable directory")
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None


def check_file(path: str) -> None:
    """UsageError if a file cannot be written."""
    at = Path(path)
    directory = at.parent
    with _naming(path):
        is_directory = at.is_dir()
        writable = directory.is_dir() and os.access(directory, os.W_OK | os.X_OK)
    if is_directory or not writable:
        reason = "it is a directory" if is_directory else f"{directory} is not a writable directory"
        raise UsageError(f"cannot write {path}: {reason}")


def write_file(path: str, data: bytes) -> None:
    """Writes a file; a link stays a link, the mode stays. UsageError if it cannot be written."""
    with _naming(path):
        at = Path(os.path.realpath(path))
        if at.exists() and not at.is_file():
            # A pipe or a device has nothing that could be left half written.
            with open_to_write(at) as file:
                file.write(data)
            return
        with _instead_of(at) as file:
            file.write(data)


def save(directory: str, buffers: Mapping[int, ArrayFile]) -> list[str]:
    """Writes every buffer as arg<i>.npy and arg<i>.bin, all of them or none."""
    root = Path(directory)
    with _naming(directory):
        made = not root.exists()
        root.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    try:
        with _naming(directory), tempfile.TemporaryDirectory(prefix=".ptoscope-", dir=root) as name:
            scratch = Path(name)
            for position, buffer in buffers.items():
                npy, raw = root / f"arg{position}.npy", root / f"arg{position}.bin"
                with _naming(npy), open(scratch / npy.name, "wb") as file:
                    write_npy(file, buffer)
                with _naming(raw), open(scratch / raw.name, "wb") as file:
                    file.write(buffer.seen.view("u1"))
                written += [npy, raw]
            for path in written:
                if path.is_dir():
                    raise UsageError(f"cannot write {path}: it is a directory")
            for path in written:
                with _naming(path):
                    os.replace(scratch / path.name, path)
    except UsageError:
        if made:
            with contextlib.suppress(OSError):
                root.rmdir()
        raise
    return [str(path) for path in written]


def write_npy(file: BinaryIO, buffer: ArrayFile) -> None:
    """Writes an array as .npy, as it was given, with the present contents."""
    import numpy as np

    given, dtype = buffer.given, buffer.dtype
    with warnings.catch_warnings():
        # NumPy warns where it writes metadata of a type as plain bytes.
        warnings.simplefilter("ignore")
        header: Any = np.lib.format.header_data_from_array_1_0(given.view(dtype))
        np.lib.format.write_array_header_1_0(file, header)
    flat = given.reshape(-1)
    for piece in pieces(flat.size):
        file.write(flat[piece].astype(dtype, copy=False).view(np.uint8))


@contextlib.contextmanager
def _instead_of(path: Path) -> Iterator[BinaryIO]:
    """A file that takes the place of another when the block ends, and is removed if it fails."""
    handle, scratch = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with open(handle, "wb") as file:
            yield file
        mask = os.umask(0)
        os.umask(mask)
        mode = path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~mask
        os.chmod(scratch, mode)
        os.replace(scratch, path)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(scratch)


@contextlib.contextmanager
def _naming(path: str | Path) -> Iterator[None]:
    """UsageError with the path and the reason where the system refuses."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise _unwritable(str(path), error) from None


def _unwritable(path: str, error: Exception) -> UsageError:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return UsageError(f"cannot write {path}: {reason}")
