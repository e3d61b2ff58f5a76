"""A kernel recorded on the arguments of a command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ptoscope.cli.files import ArrayFile, read_word
from ptoscope.cli.kernels import KernelWord, kernel_word, prepared
from ptoscope.cli.options import Request, count
from ptoscope.cli.run import read_arguments

if TYPE_CHECKING:
    from ptoscope.cli.words import Word
    from ptoscope.diagnostics import Diagnostic
    from ptoscope.kernel import Kernel
    from ptoscope.replay.run import RecordedRun


class RecordedCommand(NamedTuple):
    """What was recorded: the kernel, what the check says of it, its arguments, and the run; None
    where the check found errors."""

    kernel: Kernel
    findings: list[Diagnostic]
    arguments: list[Any]
    run: RecordedRun | None

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """All findings, the fault of the run among them."""
        error = None if self.run is None else self.run.error
        return [*self.findings, *(() if error is None else error.diagnostics)]


def recorded(request: Request) -> RecordedCommand:
    """Records the kernel of a request; see `record`."""
    kernel_path, *texts = request.args
    return record(kernel_word(kernel_path), [read_word(text) for text in texts], request)


def record(given: KernelWord, words: list[Word], request: Request) -> RecordedCommand:
    """Records a kernel on arguments, as the options of a request say. PtoError for a
    kernel that cannot be read and for wrong arguments."""
    grid, limit = count("grid", request.get("grid") or "1"), request.get("max-steps")
    max_steps = count("max-steps", limit) if limit else None
    from ptoscope.diagnostics import PtoError
    from ptoscope.kernel import stops

    kernel = prepared(given, request)
    findings = kernel.findings
    if any(stops(d, request.has("force")) for d in findings):
        return RecordedCommand(kernel, findings, [], None)
    undefined = [i for i, word in enumerate(words) if word.kind == "undefined"]
    try:
        arguments = read_arguments(kernel, words)
        passed = [a.seen if isinstance(a, ArrayFile) else a for a in arguments]
        run = kernel.record(*passed, grid=grid, max_steps=max_steps, undefined=undefined)
    except PtoError as error:
        raise PtoError([*findings, *error.diagnostics]) from None
    return RecordedCommand(kernel, findings, arguments, run)
