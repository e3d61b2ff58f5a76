"""The processes of a case: limited, and found and ended to the last one.

A process that leaves its group and outlives its parent becomes a child of the nearest ancestor
that adopts orphans (Linux). The process of a case does, so all that its scripts start stays
below it as long as it lives; the server and the command do too, for what is left when one of
the others is killed. Elsewhere the process group has to do.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import sys
import time
from collections.abc import Collection, Iterator

MOST_MEMORY = 8 << 30
"""Bytes of address space that a process of a case may have; less on a machine with less than
twice as much memory."""
MOST_FILE_BYTES = 1 << 32
"""What a script may write to one file: endless output must not fill the disk."""

_PATIENCE = 5.0
"""Seconds that processes which do not end are waited for."""
_SET_DEATH_SIGNAL, _SET_CHILD_SUBREAPER = 1, 36


def _ask_linux(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def end_with_parent() -> None:
    """Asks for an end together with the parent process, where the system can do that."""
    _ask_linux(_SET_DEATH_SIGNAL, int(signal.SIGKILL))


def adopt_orphans(adopt: bool = True) -> None:
    """From now on descendants whose parent ends become children of this process."""
    _ask_linux(_SET_CHILD_SUBREAPER, int(adopt))


def limit_resources() -> None:
    """If memory or disk run out, it is this process and those it starts that notice first."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    memory = min(MOST_MEMORY, max(physical // 2, 1 << 30))
    limits = {resource.RLIMIT_FSIZE: MOST_FILE_BYTES, resource.RLIMIT_AS: memory}
    for kind, most in limits.items():
        with contextlib.suppress(OSError, ValueError):
            hard = resource.getrlimit(kind)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (most, most))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


def children(spared: Collection[int] = ()) -> set[int]:
    """The children of this process but those spared, ended ones that nobody has collected
    among them."""
    return {pid for pid, (parent, _) in _table() if parent == os.getpid()} - set(spared)


def end_descendants(ancestor: int, spared: Collection[int] = ()) -> bool:
    """Ends all that a process has started, and what those have, but the spared ones and theirs.
    Whether there were any. They are stopped before they are ended: what is stopped starts
    nothing new. Nobody may collect them meanwhile: one that was missed because it started the
    next and ended while the others were looked at is seen by what it leaves behind."""
    stopped: set[int] = set()
    before: set[int] = set()
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        found = _descendants(ancestor, spared)
        living = {pid for pid, state in found.items() if state not in "ZX"}
        fresh = living - stopped
        for pid in fresh or living:
            send_signal(pid, signal.SIGSTOP if fresh else signal.SIGKILL)
        stopped |= fresh
        if not living and found.keys() == before:
            break
        before = set(found)
        if not fresh:
            time.sleep(0.001)
    return bool(before)


def send_signal(pid: int, number: int) -> None:
    """Sends a signal, if there is anybody to get it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _descendants(ancestor: int, spared: Collection[int]) -> dict[int, str]:
    """What a process has started, and what those have, each with its state."""
    below: dict[int, list[tuple[int, str]]] = {}
    for pid, (parent, state) in _table():
        below.setdefault(parent, []).append((pid, state))
    found: dict[int, str] = {}
    waiting = [ancestor]
    while waiting:
        new = [entry for entry in below.get(waiting.pop(), ()) if entry[0] not in spared]
        found.update(new)
        waiting += [pid for pid, _ in new]
    return found


def _table() -> Iterator[tuple[int, tuple[int, str]]]:
    """Every process with its parent and its state; nothing where the system does not say."""
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdecimal():
                with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
                    # The name, which may hold anything, is in parentheses.
                    state, parent, *_ = file.read().rpartition(b")")[2].split()
                    yield int(name), (int(parent), state.decode())
