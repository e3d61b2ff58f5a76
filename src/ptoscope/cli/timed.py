"""A kernel that a command line names, run for its cycles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptoscope.cli.files import ArrayFile
from ptoscope.cli.options import Request, count
from ptoscope.cli.run import read_arguments
from ptoscope.cli.words import Word

if TYPE_CHECKING:
    from ptoscope.kernel import Kernel
    from ptoscope.machine.prints import Prints
    from ptoscope.timing import Timing


def timed(kernel: Kernel, words: list[Word], request: Request, prints: Prints) -> Timing:
    """The run on the arguments of a command line, by the model and figures that it names."""
    from ptoscope.timing import time_kernel
    from ptoscope.timing.figures import parse_setting

    setting, limit = request.get("set"), request.get("max-steps")
    return time_kernel(
        kernel,
        [a.seen if isinstance(a, ArrayFile) else a for a in read_arguments(kernel, words)],
        count("grid", request.get("grid") or "1"),
        request.get("model"),
        dict(map(parse_setting, setting.split(","))) if setting else None,
        request.get("calibration"),
        count("max-steps", limit) if limit else None,
        request.get("engine"),
        prints,
    )
