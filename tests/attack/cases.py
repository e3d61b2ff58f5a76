"""Hostile case folders beside an honest one.

Whatever the scripts, the host code and the kernel of a case do, the command ends with a verdict
for each case, the honest one passes, no process and no scratch of any is left, and none of their
folders has changed.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

from ptoscope.cases.outcome import VERDICTS
from ptoscope.cli.main import main

SECONDS = 180

_HONEST = Path(__file__).parents[1] / "cases" / "suite" / "verdicts" / "passes"
_FILES = {path.name: path.read_text(encoding="utf-8") for path in _HONEST.iterdir()}
_LIMIT = 5

_DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open({mark!r}, "a").write(f"{{os.getpid()}}\\n")
        time.sleep(1000)
    os._exit(0)
"""
_SCRIPTS = (
    "import sys; sys.exit(1 << 32)\n",
    "import os; os._exit(3)\n",
    "import os; os.kill(os.getpid(), 11)\n",
    "import os; os.kill(os.getppid(), 9)\nimport time; time.sleep(100)\n",
    "while True: pass\n",
    "print('x' * 10_000_000)\n",
    "raise ValueError('x' * 10_000_000)\n",
    "x = bytearray(1 << 40)\n",
    "import sys; sys.setrecursionlimit(10**9)\ndef f(): f()\nf()\n",
    'import os\nfor n in range(3, 100):\n  try: os.write(n, b\'{"verdict": "pass"}\\n\')\n'
    "  except OSError: pass\n",
    "import os; os.mkdir('a'); os.chmod('a', 0); os.symlink('/', 'root'); os.mkfifo('v2.bin')\n",
    "import os; os.symlink('loop', 'loop'); os.makedirs('/'.join(['d'] * 100))\n",
    "import signal, time\nfor n in range(1, 65):\n  try: signal.signal(n, signal.SIG_IGN)\n"
    "  except (OSError, ValueError): pass\ntime.sleep(100)\n",
    "import builtins, os, sys; builtins.open = os.read = os.write = sys.exit = None\n",
    "import atexit, os; atexit.register(os.abort)\n",
    "import threading, time; threading.Thread(target=time.sleep, args=(100,)).start()\n",
    "import os, sys; os.close(1); os.close(2); sys.stdout = None\n",
    "\x00",
    "def (\n",
)
_HOST = (
    "int main() { while (1) {} }\n",
    "int main() { return main(); }\n",
    'int main() { char b[4]; return WriteFile("../../../../../../tmp/x", b, 4); }\n',
    'int main() { char b[4]; return WriteFile("v\\0.bin", b, 4); }\n',
    "int main() { void *p = malloc(1099511627775); return 0; }\n",
    "int main() { int n = 1 << 2000000000; return n; }\n",
    "#if 9**9**9\n#endif\nint main() { return 0; }\n",
    '#include "main.cpp"\n#include "main.cpp"\nint main() { return 0; }\n',
    "#define A B B\n#define B A A\nint main() { return A; }\n",
    "int main() { return " + "(" * 50_000 + "1" + ")" * 50_000 + "; }\n",
    "int main() { double<<<4000000000, nullptr, nullptr>>>(nullptr, nullptr); }\n",
    "int main() {",
)
_KERNELS = (
    "",
    "(" * 100_000,
    "module {\n" * 5000,
    _FILES["kernel.pto"].replace("%bytes = arith.constant 256", "%bytes = arith.constant -1"),
    _FILES["kernel.pto"].replace("pto.vadd", "pto.mad"),
    _FILES["kernel.pto"].replace("PIPE_MTE2", "PIPE_V"),
)


def attempt(rng: random.Random) -> None:
    """A few hostile cases at once."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        scratch, cases, mark = root / "scratch", root / "cases", root / "pids"
        scratch.mkdir()
        mark.touch()
        _write(cases / "honest", {})
        for number in range(rng.randrange(1, 5)):
            _write(cases / f"hostile{number}", _changes(rng, mark))
        before = _listing(cases)
        argv = ["cases", str(cases), "--json", "--timeout", str(_LIMIT)]
        argv += ["--jobs", str(rng.choice((1, 2, 8)))]
        argv += rng.choice(([], [], ["--check", "all"], ["--strict"]))
        out, err = io.StringIO(), io.StringIO()
        with (
            patch.object(tempfile, "tempdir", str(scratch)),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            status = main(argv)
        record = json.loads(out.getvalue())
        verdicts = {c["case"]: c["verdict"] for c in record["cases"]}
        assert "internal error" not in out.getvalue(), record
        assert verdicts["honest"] == "pass", record
        assert set(verdicts.values()) <= set(VERDICTS), verdicts
        assert status == int(set(verdicts.values()) != {"pass"}), (status, verdicts)
        assert max(len(line) for line in out.getvalue().split("\n")) < 10_000
        assert list(scratch.iterdir()) == []
        assert _listing(cases) == before
        for pid in mark.read_text().split():
            assert _ended(int(pid)), pid


def _changes(rng: random.Random, mark: Path) -> dict[str, str]:
    """Other files than those of the honest case."""
    changed: dict[str, str] = {}
    for script in rng.sample(("golden.py", "compare.py"), k=rng.choice((1, 1, 2))):
        parts = [_FILES[script].replace("sys.exit", "print"), rng.choice(_SCRIPTS)]
        if rng.random() < 0.4:
            parts.insert(rng.randrange(2), _DAEMON.format(mark=str(mark)))
        changed[script] = "\n".join(parts)
    if rng.random() < 0.4:
        changed["main.cpp"] = rng.choice(_HOST)
    if rng.random() < 0.2:
        changed["kernel.pto"] = rng.choice(_KERNELS)
    return changed


def _write(case: Path, changed: dict[str, str]) -> None:
    case.mkdir(parents=True)
    for name, text in {**_FILES, **changed}.items():
        (case / name).write_text(text, encoding="utf-8")


def _listing(directory: Path) -> dict[str, bytes]:
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    return {str(path.relative_to(directory)): path.read_bytes() for path in files}


def _ended(pid: int) -> bool:
    """Whether a process is gone, or only waits to be collected; it may take a moment."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return not os.path.exists(f"/proc/{pid}")
        if state in "ZX":
            return True
        time.sleep(0.05)
    return False
