"""Compiled objects on disk.

An entry is one file named by its key. It is written whole and then moved into place, so that
any number of processes may read and write at once; one that is damaged or of another make is
ignored, and replaced by the next that is written. Nothing here ever fails a run.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from functools import cache
from pathlib import Path

_MAGIC = b"ptoscope object 1\n"
_MOST = 4096
"""Entries that are kept; beyond that the oldest half goes."""


def directory() -> Path | None:
    """Where entries are kept: PTOSCOPE_CACHE, or the user's cache directory. None if
    PTOSCOPE_CACHE is empty."""
    named = os.environ.get("PTOSCOPE_CACHE")
    if named is not None:
        return Path(named) if named else None
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "ptoscope"


@cache
def _make() -> str:
    """The version of this package, and of its files: a working copy changes between releases."""
    import llvmlite

    from ptoscope.version import __version__

    newest, size = 0, 0
    for folder, _, files in os.walk(Path(__file__).parent.parent):
        for name in files:
            if name.endswith(".py"):
                status = os.stat(os.path.join(folder, name))
                newest, size = max(newest, status.st_mtime_ns), size + status.st_size
    return f"{__version__} {llvmlite.__version__} {sys.version} {newest} {size}"


def key(*parts: str) -> str:
    """The name of an entry that depends on these texts, and on the version of this package."""
    digest = hashlib.sha256()
    for part in (_make(), *parts):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def _place(name: str) -> Path | None:
    try:
        folder = directory()
    except RuntimeError:
        # No home directory.
        return None
    return None if folder is None else folder / name[:2] / name[2:]


def read(name: str) -> bytes | None:
    """What was written under a key, or None."""
    place = _place(name)
    if place is None:
        return None
    try:
        data = place.read_bytes()
    except OSError:
        return None
    head = len(_MAGIC) + 32
    if data[: len(_MAGIC)] != _MAGIC or len(data) < head:
        return None
    content = data[head:]
    return content if _seal(name, content) == data[len(_MAGIC) : head] else None


def write(name: str, content: bytes) -> None:
    """Keeps an entry, if there is a place for it."""
    place = _place(name)
    if place is None:
        return
    with contextlib.suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=place.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_MAGIC + _seal(name, content) + content)
            os.replace(temporary, place)
        except BaseException:
            os.unlink(temporary)
            raise
        _trim(place.parent.parent)


def _seal(name: str, content: bytes) -> bytes:
    """Of the name too: an entry copied to another name is not what it says."""
    return hashlib.sha256(name.encode() + content).digest()


def _trim(folder: Path) -> None:
    entries = [entry for part in os.scandir(folder) if part.is_dir() for entry in os.scandir(part)]
    if len(entries) > _MOST:
        entries.sort(key=lambda entry: entry.stat().st_mtime)
        for entry in entries[: len(entries) - _MOST // 2]:
            os.unlink(entry.path)
