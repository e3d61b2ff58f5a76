"""Process start of the command line, against importing NumPy.

Both sides have their byte code, as installed programs do: the first of several runs writes it.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measure import Row, best_of
from bench.text import kernel_text


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _process(environment: Mapping[str, str], *command: str) -> Callable[[], object]:
    return lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)


def rows() -> Iterator[Row]:
    """`ptoscope --version`, and `ptoscope check` of the 60-line kernel."""
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
        for what, arguments, target in (
            ("ptoscope --version", ("--version",), 1.5),
            ("ptoscope check, 60-line kernel", ("check", str(kernel)), 2.0),
        ):
            ours = _process(environment, tool, *arguments)
            measured, baseline = best_of(ours, numpy, 9, _children)
            yield Row(what, 'python -c "import numpy"', measured, baseline, target)
