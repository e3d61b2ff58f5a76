"""Cold processes, whose first calls threads make at once, with and without the cache on disk.

Some fork while their threads run. Whatever the threads do, none crashes or hangs, and each has the
results, prints and warnings of its own calls.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile

from tests.attack.cold import LETTERS

SECONDS = 120


def attempt(rng: random.Random) -> None:
    """One choice of tasks, without a cache; or with an empty one, then with what that wrote."""
    letters = rng.sample(LETTERS, rng.choice((1, 2, 4)))
    tasks = [
        "".join(rng.choices(letters, k=rng.choice((1, 3)))) for _ in range(rng.choice((2, 4, 8)))
    ]
    words = [",".join(tasks), *(["fork"] if rng.random() < 0.5 else [])]
    command = [
        sys.executable,
        "-W",
        "ignore::DeprecationWarning",
        "-m",
        "tests.attack.cold",
        *words,
    ]
    with tempfile.TemporaryDirectory() as folder:
        caches = ("",) if rng.random() < 0.5 else (folder, folder)
        for cache in caches:
            environment = {**os.environ, "PTOSCOPE_CACHE": cache}
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            assert done.returncode == 0, (words, cache, done.returncode, done.stdout, done.stderr)
