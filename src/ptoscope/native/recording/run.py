"""Runs a kernel as machine code that keeps a log."""

from __future__ import annotations

from ptoscope import native
from ptoscope.arguments import Argument
from ptoscope.diagnostics import PtoError
from ptoscope.isa.parts import core_ids
from ptoscope.machine.prints import Prints
from ptoscope.native.log import Log
from ptoscope.native.recording.core import RecordingCompiler
from ptoscope.native.recording.decode import decode
from ptoscope.program import Launchable
from ptoscope.trace.places import Outline
from ptoscope.trace.recorder import Recorder
from ptoscope.trace.spaces import list_spaces
from ptoscope.trace.trace import NONE, Trace


class TracedKernel:
    """A compiled kernel. NotCovered if this machine cannot run it."""

    def __init__(self, kernel: Launchable) -> None:
        self._kernel = kernel
        self._outline = Outline(kernel.function)
        features = native.machine_features()
        compiler = RecordingCompiler(
            self._outline, kernel.function, kernel.target, kernel.revision, features
        )
        module = compiler.module()
        self._marks, self._sites = list(compiler.core.marks), compiler.core.sites
        side_exits = module.side_exits
        self._code = native.NativeKernel(
            native.assemble(module),
            kernel.target,
            lambda: side_exits,
            lambda: kernel.program,
            lambda: kernel.function,
        )

    def run(
        self,
        arguments: list[Argument],
        grid: int,
        limit: int | None,
        prints: Prints | None = None,
    ) -> Trace:
        """Runs all blocks, one after the other, up to the first that faults. `prints` takes
        what they print."""
        kernel, log = self._kernel, Log()
        launch = self._code.prepare(arguments, grid, limit, log, prints)
        failed = self._code.run(launch, threads=1)
        recorder = Recorder(self._outline.segments)
        extents = list_spaces(arguments)
        ids = core_ids(kernel.function.cores)
        decode(recorder, self._marks, log.rows(), log.ends, extents, kernel.target, ids)
        error = last = None
        if failed is not None:
            block, fault = failed
            error = PtoError([fault.diagnostic(kernel.program, block, grid)])
            last = recorder.last_place(self._sites.get(fault.site, NONE), fault.core)
        return recorder.finish(kernel.function, grid, self._outline.places, error, last)
