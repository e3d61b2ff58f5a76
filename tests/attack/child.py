"""The process in which attempts run, from both sides.

The child says the seed of an attempt before it begins, so that whoever started it knows which
one ended the process or never ends.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import random
import selectors
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import tests.attack

_PARTS = ("child", "guard", "__main__")
ATTACKERS = sorted(
    module.name
    for module in pkgutil.iter_modules(tests.attack.__path__)
    if module.name not in _PARTS and not module.name.startswith("test_")
)
_START_SECONDS = 60
"""What a child may take to begin."""


class Child:
    """Attempts of one attacker, a module."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._name = module.rpartition(".")[2]
        self._limit = float(importlib.import_module(module).SECONDS)

    def run(self, first: int, seconds: float) -> tuple[int, str]:
        """Attempts from a seed on, for about so long: the next seed, and what went wrong with
        the last one; empty if nothing did."""
        command = [sys.executable, "-m", __name__, self._module, str(first), str(seconds)]
        with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**os.environ, "PTOSCOPE_CACHE": cache},
                start_new_session=True,
            )
            try:
                seed, hangs = self._follow(process, first)
            finally:
                if process.poll() is None:
                    # Attempts start processes of their own, which are in its group.
                    os.killpg(process.pid, signal.SIGKILL)
                status = process.wait()
                assert process.stdout is not None
                process.stdout.close()
            errors.seek(0)
            said = errors.read()[-4000:].decode(errors="replace")
        if hangs:
            return seed + 1, f"{self._name}, seed {seed}: not done after {self._limit:g} s"
        if status < 0:
            crash = signal.Signals(-status).name
            return seed + 1, f"{self._name}, seed {seed}: {crash}\n{said}"
        if status:
            return seed + 1, f"{self._name}, seed {seed}: exit status {status}\n{said}"
        return seed, ""

    def _follow(self, process: subprocess.Popen[bytes], first: int) -> tuple[int, bool]:
        """The seed that was last begun (the next one, where all were done), and whether it
        took too long."""
        assert process.stdout is not None
        seed, limit = first, float(_START_SECONDS)
        with selectors.DefaultSelector() as waiting:
            waiting.register(process.stdout, selectors.EVENT_READ)
            while waiting.select(limit):
                line = process.stdout.readline()
                if not line:
                    process.wait()
                    return seed, False
                seed, limit = int(line), self._limit
        return seed, True


def main(module: str, first: int, seconds: float) -> int:
    """What the child does; the exit status says whether an attempt raised an exception."""
    # Nobody else writes to standard output: it belongs to the protocol.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    attempt = importlib.import_module(module).attempt
    end = time.monotonic() + seconds
    seed = first
    print(seed, file=out, flush=True)
    while True:
        try:
            attempt(random.Random(seed))
        except Exception:
            traceback.print_exc()
            return 1
        seed += 1
        print(seed, file=out, flush=True)
        if time.monotonic() >= end:
            return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
