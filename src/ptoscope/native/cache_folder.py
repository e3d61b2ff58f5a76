"""The folder of compiled objects: what in it may be run, and what may be removed.

Whoever can write a file that is run from here can have code run by this user. So the folder is
made for this user alone and carries a tag; before each use it is opened without following a
link and looked at, and its files are reached through what was opened, not through a path that
may have changed meanwhile. Only files of this user, that nobody else may write, are read. Only
files with a name and a content of this package are removed.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

NAME = "ptoscope-objects"
MAGIC = b"ptoscope object "
"""How every file of the folder begins, whatever its make."""

_TAG = "CACHEDIR.TAG"
# The first line is what programs that make backups look for.
_TAGGED = b"Signature: 8a477f597d28d172789f06886806bc55\n# Compiled kernels of ptoscope.\n"
_OURS = re.compile(r"[0-9a-f]{64}\.ptoscope(-new-[0-9a-f]{16})?")
_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
_CLOSED = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC if sys.platform != "win32" else 0

_said: set[str] = set()
"""Folders that were refused and told of."""


class CacheWarning(UserWarning):
    """The cache of compiled kernels is not used, and why."""


def root() -> Path | None:
    """Where the folder is: PTOSCOPE_CACHE, or the user's cache directory. None for nowhere: if
    PTOSCOPE_CACHE is empty, there is no home, or the system cannot say whose a file is."""
    if sys.platform == "win32":
        return None
    named = os.environ.get("PTOSCOPE_CACHE")
    if named is not None:
        return Path(named) if named else None
    try:
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / "ptoscope"
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ptoscope"
    except RuntimeError:
        return None


@contextlib.contextmanager
def opened(make: bool = False) -> Iterator[int | None]:
    """A descriptor of the folder; None if it is not there, or not to be trusted, which is said
    once. With `make`, it is made where there is none. OSError if it cannot be."""
    place = root()
    if place is None:
        yield None
        return
    folder = place / NAME
    if make and not os.path.lexists(folder):
        _create(folder)
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | _CLOSED)
    except OSError:
        if folder.is_symlink():
            _say(folder, "it is a link")
        yield None
        return
    try:
        wrong = _distrusted(os.fstat(handle)) or _untagged(handle)
        if wrong:
            _say(folder, wrong)
        yield None if wrong else handle
    finally:
        os.close(handle)


def check() -> None:
    """Says now, and not at the first use, that the folder is not to be trusted."""
    with contextlib.suppress(OSError), opened():
        pass


def read_file(folder: int, key: str) -> bytes | None:
    """The contents of a file that only this user may have written, or None."""
    try:
        handle = os.open(_file(key), os.O_RDONLY | _CLOSED, dir_fd=folder)
    except OSError:
        return None
    with open(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or _distrusted(status):
            return None
        return file.read()


def write_file(folder: int, key: str, data: bytes) -> None:
    """Writes a file whole and then moves it into place; OSError leaves nothing behind."""
    temporary = f"{_file(key)}-new-{secrets.token_hex(8)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CLOSED
    handle = os.open(temporary, flags, 0o600, dir_fd=folder)
    try:
        with open(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, _file(key), src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        os.unlink(temporary, dir_fd=folder)
        raise


def trim(folder: int, most: int) -> None:
    """Of more files than `most`, the oldest are removed until half as many are left."""
    found: list[tuple[float, str]] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if _OURS.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with contextlib.suppress(FileNotFoundError):
                    found.append((entry.stat(follow_symlinks=False).st_mtime, entry.name))
    if len(found) <= most:
        return
    found.sort()
    for _, name in found[: len(found) - most // 2]:
        if _begins_as_ours(folder, name):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)


def _file(key: str) -> str:
    return f"{key}.ptoscope"


def _create(folder: Path) -> None:
    """Makes the folder with its tag at once: whoever finds it finds it whole."""
    if not folder.parent.is_dir():
        folder.parent.parent.mkdir(parents=True, exist_ok=True)
        folder.parent.mkdir(mode=0o700, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{NAME}-", dir=folder.parent))
    try:
        with open(made / _TAG, "xb") as file:
            file.write(_TAGGED)
        os.rename(made, folder)
    except BaseException as error:
        (made / _TAG).unlink(missing_ok=True)
        made.rmdir()
        # Another process may have been faster.
        if not isinstance(error, OSError) or not folder.is_dir():
            raise


def _distrusted(status: os.stat_result) -> str:
    """Why what is here may be another's work; empty if it is not."""
    if status.st_uid != os.geteuid():
        return f"it belongs to user {status.st_uid}"
    if status.st_mode & _OTHERS_MAY_WRITE:
        return f"others may write to it (mode {stat.S_IMODE(status.st_mode):o})"
    return ""


def _untagged(folder: int) -> str:
    try:
        handle = os.open(_TAG, os.O_RDONLY | _CLOSED, dir_fd=folder)
    except OSError:
        return f"it has no {_TAG} of ptoscope, so something else made it"
    with open(handle, "rb") as file:
        same = stat.S_ISREG(os.fstat(handle).st_mode) and file.read(len(_TAGGED) + 1) == _TAGGED
    return "" if same else f"its {_TAG} is not of ptoscope, so something else made it"


def _begins_as_ours(folder: int, name: str) -> bool:
    try:
        handle = os.open(name, os.O_RDONLY | _CLOSED, dir_fd=folder)
    except OSError:
        return False
    with open(handle, "rb") as file:
        return stat.S_ISREG(os.fstat(handle).st_mode) and file.read(len(MAGIC)) == MAGIC


def _say(folder: Path, wrong: str) -> None:
    if str(folder) in _said:
        return
    _said.add(str(folder))
    warnings.warn(
        f"compiled kernels are not kept: {folder}: {wrong}; remove it, or name another "
        "directory with PTOSCOPE_CACHE",
        CacheWarning,
        stacklevel=2,
    )
