"""Compiled objects on disk.

An entry is one file named by its key, in the folder of `cache_folder`. It is written whole and
then moved into place, so that any number of processes may read and write at once; one that is
damaged or of another make is ignored, and replaced by the next that is written. Nothing here
ever fails a run.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from functools import cache
from pathlib import Path

from ptoscope.native import cache_folder

_MAGIC = cache_folder.MAGIC + b"1\n"
_MOST = 4096
"""Entries that are kept; beyond that the oldest half goes."""


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


def read(name: str) -> bytes | None:
    """What was written under a key, or None."""
    data = None
    with contextlib.suppress(OSError), cache_folder.opened() as folder:
        data = None if folder is None else cache_folder.read_file(folder, name)
    head = len(_MAGIC) + 32
    if data is None or data[: len(_MAGIC)] != _MAGIC or len(data) < head:
        return None
    content = data[head:]
    return content if _seal(name, content) == data[len(_MAGIC) : head] else None


def write(name: str, content: bytes) -> None:
    """Keeps an entry, if there is a place for it."""
    with contextlib.suppress(OSError), cache_folder.opened(make=True) as folder:
        if folder is not None:
            cache_folder.write_file(folder, name, _MAGIC + _seal(name, content) + content)
            cache_folder.trim(folder, _MOST)


def _seal(name: str, content: bytes) -> bytes:
    """Of the name too: an entry copied to another name is not what it says."""
    return hashlib.sha256(name.encode() + content).digest()
