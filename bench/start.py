"""Process start of the command line, against importing NumPy.

Both sides have their byte code, as installed programs do: the first of several runs writes it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measure import Goal, Job, Row, best_of, of_children
from bench.text import kernel_text

_NUMPY = 'python -c "import numpy"'
_VERSION = Goal("ptoscope --version", _NUMPY, 1.5)
_CHECK = Goal("ptoscope check, 60-line kernel", _NUMPY, 2.0)


def jobs() -> list[Job]:
    """`ptoscope --version`, and `ptoscope check` of the 60-line kernel."""
    return [Job("start", _rows, (_VERSION, _CHECK))]


def _process(environment: Mapping[str, str], *command: str) -> Callable[[], object]:
    return lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)


def _rows() -> Iterator[Row]:
    tool = str(Path(sys.executable).with_name("ptoscope"))
    with TemporaryDirectory() as folder:
        kernel = Path(folder, "kernel.pto")
        kernel.write_text(kernel_text(4))
        environment = {
            **os.environ,
            "PYTHONPYCACHEPREFIX": str(Path(folder, "bytecode")),
            "PYTHONDONTWRITEBYTECODE": "",
        }
        numpy = _process(environment, sys.executable, "-c", "import numpy")
        for goal, arguments in ((_VERSION, ("--version",)), (_CHECK, ("check", str(kernel)))):
            ours = _process(environment, tool, *arguments)
            measured, baseline = best_of(ours, numpy, 9, of_children)
            yield goal.row(measured, baseline)
