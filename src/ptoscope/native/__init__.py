"""The native engine: kernels as machine code, through LLVM."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ptoscope.diagnostics import PtoError, UsageError
from ptoscope.native import cache
from ptoscope.native.compiled import Compiled
from ptoscope.once import MakingLock

if TYPE_CHECKING:
    from ptoscope.arguments import Argument
    from ptoscope.diagnostics import Diagnostic
    from ptoscope.isa.targets import Revision, Target
    from ptoscope.machine.faults import Fault
    from ptoscope.machine.launch import Follow
    from ptoscope.machine.prints import Prints
    from ptoscope.native.compile import CompiledModule
    from ptoscope.native.cpu import CpuFeatures
    from ptoscope.native.launch import Launch
    from ptoscope.native.log import Log
    from ptoscope.native.packing import Packed
    from ptoscope.native.side_exits import SideExit
    from ptoscope.program import Function, Program


LEAST_ELIDED, _MOST_DIGITS = 2048, 18
"""Bytes of a copy that is left out where arrays are large, and digits of another such number."""
_LARGE_ARRAYS = 1 << 20
"""Bytes of all arrays of a launch from which on it is worth to compile again: to leave copies out
takes more code."""
_LARGE_TEXT, _LARGE_VECTORS = 512 << 10, 4 << 20
"""Bytes of LLVM text, and of its vectors, from which on a module is not optimised: the time
that takes grows with the square of what is between two jumps."""
_MOST_TEXT, _MOST_VECTORS = 64 << 20, 256 << 20
"""Those that are compiled at all, in about a minute."""


class NotCovered(Exception):
    """A kernel, or a machine, that this engine cannot run; says why."""


def default_threads() -> int:
    """As many as this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def key(text: str, target: str, revision: str, entry: str) -> str:
    """The name in the cache of a kernel text, compiled so for this machine."""
    machine = f"{_jit().host()} {machine_features()}"
    return cache.key("kernel", text, target, revision, entry, machine, str(asked_least()))


def lower(
    function: Function, target: Target, revision: Revision, least: int | None = None
) -> CompiledModule:
    """A checked function as LLVM text for this machine; NotCovered for what is not compiled.
    `least` is how many bytes a copy has that may be left out, by default what is asked for."""
    from ptoscope.native.compile import Compiler

    least = asked_least() or 0 if least is None else least
    return Compiler(function, target, revision, machine_features(), least).module()


def machine_features() -> CpuFeatures:
    """What of this machine matters to generated code; NotCovered without LLVM, and on a kind of
    processor that nobody has tried."""
    from ptoscope.native.cpu import LEVELS

    host = _jit().host()
    if host.architecture not in LEVELS:
        known = " and ".join(LEVELS)
        raise NotCovered(f"this processor is a {host.architecture}; it runs on {known}")
    return host.cpu_features


def asked_least() -> int | None:
    """How many bytes a copy has at least that may be left out (see `elision`), as somebody has
    said, 0 where none may be; None where nobody has."""
    asked = os.environ.get("PTOSCOPE_ELIDE", "")
    if not asked:
        return None
    if not asked.isdecimal() or len(asked) > _MOST_DIGITS:
        raise UsageError(f"PTOSCOPE_ELIDE is '{asked[:60]}'; it is a number of bytes, 0 for none")
    return int(asked)


def compile_program(
    function: Function, target: Target, revision: Revision, least: int | None = None
) -> Compiled:
    """A checked function as machine code; NotCovered if this engine cannot run it. `least` as in
    `lower`."""
    return assemble(lower(function, target, revision, least))


def assemble(module: CompiledModule) -> Compiled:
    """A module as machine code for this machine; NotCovered if it is too large."""
    for size, most, what in (
        (len(module.text) + len(module.cold_text), _MOST_TEXT, "of code to compile"),
        (module.frame_bytes, _MOST_VECTORS, "of vectors"),
    ):
        if size > most:
            megabytes = f"{size >> 20} MB {what}, more than {most >> 20}"
            raise NotCovered(f"it has {megabytes}: put what repeats into loops")
    is_large = len(module.text) > _LARGE_TEXT or module.frame_bytes > _LARGE_VECTORS
    object_code = _jit().object_code
    texts = (module.text, is_large), (module.cold_text, True)
    return Compiled(
        tuple(object_code(text, quickly=quickly) for text, quickly in texts if text),
        module.registers,
        module.uses_stamps,
        module.frame_bytes,
        module.ub_top,
        module.cores,
        module.uses_matrix,
        module.side_exits,
    )


def _jit() -> Any:
    try:
        from ptoscope.native import jit
    except (ImportError, OSError) as error:
        raise NotCovered(f"LLVM is not there: {error}") from None
    return jit


class NativeKernel:
    """A compiled kernel in memory. `side_exits`, `program` and `function` are asked only when a
    launch needs them: for a fault, for pipes that have to queue, for a warning. `for_large` gives
    one that launches with large arrays are better off with."""

    def __init__(
        self,
        compiled: Compiled,
        target: Target,
        side_exits: Callable[[], tuple[SideExit, ...]],
        program: Callable[[], Program],
        function: Callable[[], Function],
        for_large: Callable[[], NativeKernel] | None = None,
    ) -> None:
        from ptoscope.native import engine
        from ptoscope.native.launch import Launch
        from ptoscope.native.loaded import Loaded

        # Kept here: to import a module again takes longer than a block.
        self._new_launch, self._run = Launch, engine.run
        self._compiled = compiled
        try:
            self._loaded = Loaded(compiled.object_files, compiled.uses_matrix)
        except RuntimeError as error:
            # The code would call a function for what this processor has no instruction for.
            raise NotCovered(f"its code cannot be linked: {error}") from None
        self._target = target
        self._side_exits = side_exits
        self._program = program
        self._function = function
        self._for_large = for_large
        self._large: NativeKernel | None = None
        self._making = MakingLock()
        self._runners: list[Any] = []

    def _find_side_exits(self) -> tuple[SideExit, ...]:
        found = self._compiled.side_exits
        if found is None:
            with self._making:
                found = self._compiled.side_exits
                if found is None:
                    found = self._compiled.side_exits = self._side_exits()
        return found

    def _find_large(self) -> NativeKernel | None:
        """Returns the kernel for launches with large arrays; None where it is not covered."""
        if self._large is None:
            with self._making:
                if self._large is None and self._for_large is not None:
                    try:
                        self._large = self._for_large()
                    except NotCovered:
                        # With more code it is too long.
                        self._for_large = None
        return self._large

    def launch(
        self,
        given: Packed,
        grid: int,
        threads: int | None,
        max_steps: int | None,
        prints: Prints | None = None,
        follow: Follow | None = None,
    ) -> list[Diagnostic]:
        """Runs every block; PtoError if one faults. `prints` takes what they print, `follow` what
        says how many have begun. Gives warnings: flags that are left set and buffers that are
        still held."""
        if self._for_large is not None and sum(given.regions[1::3]) >= _LARGE_ARRAYS:
            large = self._find_large()
            if large is not None:
                return large.launch(given, grid, threads, max_steps, prints, follow)
        launch = self._prepare(given, grid, max_steps, None, prints)
        if follow is not None:
            follow(launch.begun)
        failed = self.run(launch, threads or (default_threads() if grid > 1 else 1))
        if failed is not None:
            block, fault = failed
            if prints is not None:
                prints.end_at(block)
            raise PtoError([fault.diagnostic(self._program(), block, grid)])
        if not launch.left and not launch.held:
            return []
        from ptoscope.machine.deadlock import left_over

        return left_over(self._program(), self._function(), launch.left, grid, launch.held)

    def prepare(
        self,
        arguments: list[Argument],
        grid: int,
        max_steps: int | None,
        log: Log | None = None,
        prints: Prints | None = None,
    ) -> Launch:
        """A launch, not begun. A traced kernel needs a log to write into."""
        from ptoscope.native.packing import packed

        return self._prepare(packed(arguments), grid, max_steps, log, prints)

    def _prepare(
        self,
        given: Packed,
        grid: int,
        max_steps: int | None,
        log: Log | None,
        prints: Prints | None,
    ) -> Launch:
        return self._new_launch(
            self._loaded,
            self._target,
            given,
            grid,
            self._compiled,
            self._find_side_exits,
            max_steps,
            log,
            prints,
        )

    def run(self, launch: Launch, threads: int) -> tuple[int, Fault] | None:
        """Runs a launch; the first block that faulted, and its fault."""
        return self._run(launch, threads, self._runners)
