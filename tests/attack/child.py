"""The process in which attempts run, from both sides.

The child says the seed of an attempt before it begins, so that whoever started it knows which
one ended the process or never ends.
"""

from __future__ import annotations

import contextlib
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

_PARTS = ("child", "cold", "guard", "matrix_copies", "__main__")
ATTACKERS = sorted(
    module.name
    for module in pkgutil.iter_modules(tests.attack.__path__)
    if module.name not in _PARTS and not module.name.startswith("test_")
)
_START_SECONDS = 60
"""What a child may take to begin."""
_DONE = b"done\n"
"""What a child says at its end: one that ends without it was ended by an attempt."""


class Child:
    """Attempts of one attacker, a module; `seed` is that of the one that was begun last."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._name = module.rpartition(".")[2]
        self._limit = float(importlib.import_module(module).SECONDS)
        self.seed = 0

    def run(self, first: int, seconds: float) -> tuple[int, str]:
        """Attempts from a seed on, for about so long: the next seed, and what went wrong with
        the last one; empty if nothing did."""
        command = [sys.executable, "-m", __name__, self._module, str(first), str(seconds)]
        with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                command,
                bufsize=0,  # a line that was read ahead would not be selected
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**os.environ, "PTOSCOPE_CACHE": cache},
                start_new_session=True,
            )
            try:
                seed, done = self._follow(process, first)
            finally:
                hangs = process.poll() is None
                # Attempts start processes of their own, which are in its group.
                with contextlib.suppress(ProcessLookupError):
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
        if status or not done:
            return seed + 1, f"{self._name}, seed {seed}: exit status {status}\n{said}"
        return seed, ""

    def _follow(self, process: subprocess.Popen[bytes], first: int) -> tuple[int, bool]:
        """The seed that was last begun, or the next one, and True, where the child says that
        it has done all."""
        assert process.stdout is not None
        self.seed, limit = first, float(_START_SECONDS)
        with selectors.DefaultSelector() as waiting:
            waiting.register(process.stdout, selectors.EVENT_READ)
            while waiting.select(limit):
                line = process.stdout.readline()
                if not line or line == _DONE:
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.wait(limit)
                    return self.seed, line == _DONE
                self.seed, limit = int(line), self._limit
        return self.seed, False


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
            out.write(_DONE.decode())
            out.flush()
            return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
