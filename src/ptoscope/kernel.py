"""Kernels for Python: load a text, call it with arrays."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ptoscope.arguments import (
    Argument,
    KernelArgument,
    bind,
    blocks,
    in_order,
    whole,
    whole_if_given,
)
from ptoscope.diagnostics import Diagnostic, PtoError, UsageError
from ptoscope.engines import on_engine
from ptoscope.isa.targets import TARGETS, Revision, Target
from ptoscope.machine.prints import Printed, Prints
from ptoscope.once import MakingLock
from ptoscope.program import Function, Program
from ptoscope.signature import Signature
from ptoscope.sources import (
    Loadable,
    asked_revision,
    choose_entry,
    choose_sums,
    choose_target,
    parse,
    read,
)

if TYPE_CHECKING:
    from ptoscope.machine.launch import Follow
    from ptoscope.prints.requests import PrintRequest
    from ptoscope.replay.run import RecordedRun
    from ptoscope.timing import Timing
    from ptoscope.view.page import Page
    from ptoscope.watch import Seen

Made = TypeVar("Made")


def load(
    source: Loadable,
    target: str | None = None,
    revision: str | None = None,
    *,
    entry: str | None = None,
    force: bool = False,
) -> Kernel:
    """Reads, checks and prepares a kernel.

    A PathLike, or a string without a newline, is a path; any other string is kernel text. So is
    what other front ends' objects give: that of their method `mlir_text()`, else their `text`.
    `target` defaults to the module's `pto.target_arch`, else a5; `revision` to its
    `pto.revision`, else to the first in which the text is legal: "manual", then "micro", with a
    warning among the findings. `entry` names the function where there are several. Raises
    PtoError with every error found; with `force`, a kernel
    whose only errors are in its addresses or its synchronisation can be run all the same.
    """
    file, text = read(source)
    return sound(prepare(text, file, target, revision, entry), force)


def sound(kernel: Kernel, force: bool = False) -> Kernel:
    """The kernel; PtoError with all findings that keep it from running."""
    errors = [d for d in kernel.findings if stops(d, force)]
    if errors:
        raise PtoError(errors)
    return kernel


def stops(finding: Diagnostic, force: bool = False) -> bool:
    """Whether a finding keeps a kernel from running. What addresses and synchronisation do
    wrong can be watched; what is wrong with operations and their types cannot run at all."""
    can_run = finding.code.startswith(("PTO05", "PTO06"))
    return finding.severity == "error" and not (force and can_run)


def prepare(
    text: str, file: str, target: str | None, revision: str | None, entry: str | None = None
) -> Kernel:
    """A kernel text, checked. One that was compiled before is neither read nor checked again.
    Raises PtoError for a text that cannot be read as a kernel."""
    key = _cache_key(text, target, revision, entry)
    found = _find(key, text, file) if key else None
    if found is not None:
        return found
    program = parse(text, file, target, revision)
    kernel = Kernel(program, choose_target(program, target), asked_revision(program, revision))
    if not any(stops(d, force=True) for d in kernel.findings):
        kernel.function = choose_entry(program, entry)
        kernel.cache_key = key
    return kernel


def from_program(program: Program, target: Target, revision: Revision, text: str) -> Kernel:
    """The kernel of a program that was built; `text` is its canonical text, by which its machine
    code is kept. The program's only function runs."""
    from ptoscope import native

    kernel = Kernel(program, target, revision)
    kernel.built_text = text
    if not any(stops(d, force=True) for d in kernel.findings):
        kernel.cache_key = _cache_key(f"// built\n{text}", target.name, revision, kernel.name)
        data = native.cache.read(kernel.cache_key) if kernel.cache_key else None
        if data is not None:
            kernel._compiled, _ = native.Compiled.unpacked(data)
    return kernel


def _rebuilt(
    program: Program, target: str, revision: Revision, text: str, *requests: str
) -> Kernel:
    kernel = from_program(program, TARGETS[target], revision, text)
    return kernel.printing(requests) if requests else kernel


def _prepare_printing(
    text: str, file: str, target: str, revision: str, entry: str, *requests: str
) -> Kernel:
    return prepare(text, file, target, revision, entry).printing(requests)


def _summing(how: str, make: Callable[..., Kernel], given: tuple[Any, ...]) -> Kernel:
    return make(*given).accumulating(how)


def _cache_key(text: str, target: str | None, revision: str | None, entry: str | None) -> str:
    from ptoscope import native

    try:
        return native.key(text, target or "", revision or "", entry or "")
    except native.NotCovered:
        return ""


def _find(key: str, text: str, file: str) -> Kernel | None:
    from ptoscope import native

    data = native.cache.read(key)
    if data is None:
        return None
    compiled, facts = native.Compiled.unpacked(data)
    kernel = Kernel.__new__(Kernel)
    kernel.target = TARGETS[facts["target"]]
    kernel.revision = facts["revision"]
    kernel.findings = [Diagnostic.from_record({**d, "file": file}) for d in facts["findings"]]
    kernel.signature = Signature.from_json(facts, file, text)
    kernel.cache_key = key
    kernel._begin(compiled)
    return kernel


class _LastRun(threading.local):
    """Findings and prints of the last call of a kernel by the running thread."""

    def __init__(self) -> None:
        self.warnings: list[Diagnostic] = []
        self.printed: list[Printed] = []
        self.prints_left_out = 0


class Kernel:
    """A kernel ready to run: call it with one argument per parameter.

    Pointer parameters take NumPy arrays (with ml_dtypes types) or anything with
    `__array_interface__` or DLPack, and are written in place; scalar parameters take numbers.

    Threads may call one kernel at the same time. It is compiled once, and `warnings`, `printed`
    and `prints_left_out` show each thread its own last call.
    """

    def __init__(self, program: Program, target: Target, revision: Revision | None) -> None:
        """Checks a program in a revision; with None, its text decides which."""
        from ptoscope.check.revisions import check_as

        self.target: Target = target
        self.revision: Revision
        self.findings: list[Diagnostic]
        self.revision, self.findings = check_as(program, target, revision)
        self.cache_key: str = ""
        """Where its machine code is kept, once there is some; empty: nowhere."""
        self.signature: Signature = Signature(program, program.functions[0])
        self._begin(None)
        self._program, self._function = program, program.functions[0]

    def _begin(self, compiled: Any) -> None:
        self._program: Program | None = None
        self._function: Function | None = None
        self.built_text: str = ""
        """The canonical text of a kernel that was built; empty where it was read."""
        self._compiled = compiled
        self._walker: Any = None
        self._native: Any = None
        self._packer: Any = None
        """Packs the usual arguments for its machine code."""
        self._prepared: dict[Any, Any] = {}
        self._requests: tuple[PrintRequest, ...] = ()
        self._shown: Kernel | None = None
        self._summed: Kernel | None = None
        self._making = MakingLock()
        """Held while something is made of the kernel."""
        self._last_run = _LastRun()
        self.follow: Follow | None = None
        """Takes, before each run, what says how far the run is."""

    def __repr__(self) -> str:
        function = self.signature.function
        parameters = ", ".join(
            f"%{function.names[slot]}: {function.types[slot]}" for slot in function.params
        )
        on = f"{self.target.name}, revision {self.revision}"
        return f"<Kernel @{self.name}({parameters}) for {on}>"

    def __reduce__(self) -> tuple[Callable[..., Kernel], tuple[Any, ...]]:
        # Machine code stays: another process takes it from the cache, another machine its own.
        face, requests = self.signature.program, tuple(r.text for r in self._requests)
        chosen = self.target.name, self.revision
        whole = face.text, face.file, *chosen, self.name
        made: tuple[Callable[..., Kernel], tuple[Any, ...]] = prepare, whole
        if face.built:
            made = _rebuilt, (self.program, *chosen, self.built_text, *requests)
        elif requests:
            made = _prepare_printing, (*whole, *requests)
        if self.target.accumulate == TARGETS[self.target.name].accumulate:
            return made
        return _summing, (self.target.accumulate, *made)

    @property
    def warnings(self) -> list[Diagnostic]:
        """Findings of this thread's last run that ended without a fault."""
        return self._last_run.warnings

    @property
    def printed(self) -> list[Printed]:
        """Prints of this thread's last run, in the order of its blocks; a fault ends it early."""
        return self._last_run.printed

    @property
    def prints_left_out(self) -> int:
        """The number of prints of that run that are not among them: there were too many."""
        return self._last_run.prints_left_out

    def note_run(self, prints: Prints, warnings: list[Diagnostic] | None = None) -> None:
        """Keeps the prints of a run of this thread and, unless it faulted, its warnings."""
        last = self._last_run
        last.printed, last.prints_left_out = prints.kept()
        if warnings is not None:
            last.warnings = warnings

    @property
    def program(self) -> Program:
        """The whole program; read now, if the kernel came out of the cache."""
        with self._making:
            if self._program is None:
                face = self.signature.program
                self._program = parse(face.text, face.file, self.target.name, self.revision)
            return self._program

    @property
    def text(self) -> str:
        """Its canonical text, without comments; that of a kernel in Python has the lines of Python
        as locations."""
        from ptoscope.expansion import with_sections
        from ptoscope.ir.module import Module
        from ptoscope.ir.printing import print_module

        program = with_sections(self.program)
        return print_module(Module(program), locations=program.built)

    @property
    def function(self) -> Function:
        """The function that runs."""
        with self._making:
            if self._function is None:
                self._function = choose_entry(self.program, self.name)
            return self._function

    @function.setter
    def function(self, function: Function) -> None:
        self._function = function
        self.signature = Signature(self.program, function)
        self._walker = self._native = self._packer = self._compiled = None
        self._prepared.clear()
        self._shown = self._summed = None

    @property
    def name(self) -> str:
        return self.signature.function.name

    def __call__(
        self,
        *arguments: KernelArgument,
        grid: int = 1,
        engine: str | None = None,
        threads: int | None = None,
        max_steps: int | None = None,
        schedule: str | None = None,
        print: Sequence[str] = (),
        accumulate: str | None = None,
        **named: KernelArgument,
    ) -> None:
        """Runs the kernel on `grid` blocks. Arguments may be given by the names of their
        parameters, those that no option has. Raises PtoError for wrong arguments and faults;
        after a fault the contents of pointer arguments are undefined.

        `engine` is "native" or "reference"; without one, the native engine runs what it
        covers, and a warning says why it does not. `threads` is how many blocks the native
        engine runs at once, by default one for each processor. `max_steps` stops a block
        with a fault when its loops have begun so many iterations. `schedule` ("lazy", "eager",
        "seed:N") runs the pipes in another legal order, on the reference engine. `print` are
        requests such as "71:%max": what is printed when a line has been executed, with what the
        kernel prints itself, is `printed`. UsageError for a request that cannot be met.
        `accumulate` is how the matrix unit adds products of floats: "sequential" (default), or
        "exact".
        """
        grid, threads = blocks(self.target, grid), whole_if_given("threads", threads)
        max_steps = whole_if_given("max_steps", max_steps)
        if self._packer is not None and engine in (None, "native"):
            is_usual = schedule is None and accumulate is None and not (print or named)
            packed = self._packer.pack(arguments, self._bind) if is_usual else None
            if packed is not None:
                self._launch(self._native, packed, grid, threads, max_steps)
                return
        bound = self._bind(self._in_order(arguments, named))
        kernel = self.accumulating(accumulate)
        kernel = kernel.printing(print) if print else kernel
        chosen, why = kernel.engine(engine) if schedule is None else ("reference", "")
        if schedule is not None and engine == "native":
            raise UsageError("another schedule needs the reference engine")
        if why:
            warnings.warn(f"on the reference engine: {why}", stacklevel=2)
        if kernel._shows_arrays(bound):
            # What other blocks write meanwhile would be seen: they run one after the other.
            threads = 1
        try:
            if chosen == "native":
                from ptoscope.native.packing import packed as packed_of

                self._launch(kernel._native, packed_of(bound), grid, threads, max_steps)
            else:
                self._interpret(kernel, bound, grid, max_steps, schedule or "program")
        finally:
            for argument in bound:
                argument.write_back()

    def _bind(self, given: Sequence[KernelArgument]) -> list[Argument]:
        return bind(self.signature.program, self.signature.function, given)

    def _launch(
        self, native: Any, packed: Any, grid: int, threads: int | None, max_steps: int | None
    ) -> None:
        prints, found = Prints(), None
        try:
            found = native.launch(packed, grid, threads, max_steps, prints, self.follow)
        finally:
            self.note_run(prints, found)

    def printing(self, requests: Sequence[str]) -> Kernel:
        """This kernel, printing what is asked for whenever it runs: its results, its findings and
        its cycles stay what they are. UsageError for a request that cannot be met."""
        from ptoscope.prints.insertion import with_prints
        from ptoscope.prints.requests import parse_requests

        asked = parse_requests(requests)
        with self._making:
            if self._shown is None or self._shown._requests != asked:
                kernel = self._derived(self.target)
                kernel._function = with_prints(self.function, self.target, asked)
                kernel._requests = asked
                self._shown = kernel
            return self._shown

    def accumulating(self, how: str | None) -> Kernel:
        """This kernel on a matrix unit that adds products so (see `isa.targets.ACCUMULATE`):
        "sequential", or "exact"; None leaves it as it is. UsageError for anything else."""
        target = choose_sums(self.target, how)
        if target == self.target:
            return self
        with self._making:
            if self._summed is None:
                kernel = self._derived(target)
                kernel._function, kernel._requests = self.function, self._requests
                self._summed = kernel
            return self._summed

    def _derived(self, target: Target) -> Kernel:
        """Another kernel of the same program. Its machine code is kept nowhere: that of the cache
        is of this one."""
        kernel = Kernel.__new__(Kernel)
        kernel.target, kernel.revision = target, self.revision
        kernel.findings, kernel.signature = self.findings, self.signature
        kernel.cache_key = ""
        kernel._begin(None)
        kernel._program, kernel.built_text = self.program, self.built_text
        return kernel

    def _shows_arrays(self, bound: list[Argument]) -> bool:
        """Whether it prints bytes of its arrays; UsageError where it asks for what is not there."""
        if not self._requests:
            return False
        from ptoscope.prints.insertion import check_arrays

        return check_arrays(self.function, bound)

    def watch(
        self,
        *arguments: KernelArgument,
        races: bool = True,
        poison: bool = True,
        schedules: int | None = None,
        undefined: Sequence[int] = (),
        grid: int = 1,
        max_steps: int | None = None,
        accumulate: str | None = None,
        **named: KernelArgument,
    ) -> Seen:
        """Looks for races, for undefined data that matters and, in so many other orders of the
        pipes (a few by default), for other results; see `ptoscope.watch`. The arguments stay
        as they are.

        `undefined` are the positions of arrays whose contents count as undefined. A fault of
        the kernel is among what is found; PtoError is for wrong arguments.
        """
        from ptoscope.watch import ALL_SCHEDULES, Watch, watch

        orders = ALL_SCHEDULES if schedules is None else schedules
        what = Watch(races, poison, orders, tuple(undefined))
        kernel = self.accumulating(accumulate)
        return watch(kernel, self._in_order(arguments, named), what, grid, max_steps)

    def prepared(self, make: Callable[[Kernel], Made]) -> Made:
        """`make(self)`, called once: for what is made of a kernel elsewhere and used again."""
        with self._making:
            if make not in self._prepared:
                self._prepared[make] = make(self)
            return self._prepared[make]

    def time(
        self,
        *arguments: KernelArgument,
        grid: int = 1,
        model: str | None = None,
        overrides: Mapping[str, float] | None = None,
        calibration: str | Path | None = None,
        max_steps: int | None = None,
        engine: str | None = None,
        accumulate: str | None = None,
        **named: KernelArgument,
    ) -> Timing:
        """Runs the kernel as a call does, and gives its cycles:
        `total_cycles`, `table()`, `reasons`, `as_json()`.

        `model` is one of the target's ("calibrated", "manual"). `overrides` maps names of
        figures (`vadd.f32.latency`) to numbers; `calibration` is a file of them.
        """
        from ptoscope.timing import time_kernel

        given = self._in_order(arguments, named)
        kernel = self.accumulating(accumulate)
        return time_kernel(kernel, given, grid, model, overrides, calibration, max_steps, engine)

    def record(
        self,
        *arguments: KernelArgument,
        grid: int = 1,
        max_steps: int | None = None,
        most: int | None = None,
        undefined: Sequence[int] = (),
        accumulate: str | None = None,
        **named: KernelArgument,
    ) -> RecordedRun:
        """Runs the kernel as a call does, on the reference engine, and gives the run to look
        into: `run.at(line, iteration)["%v"]`, `run.writer("ub", byte)`, `run.first_nan()`.

        `most` is of how many executions the values are kept, the first ones; `undefined` are the
        positions of arrays whose contents count as undefined. A fault is not raised: it is the
        run's `error`. PtoError is for wrong arguments.
        """
        from ptoscope.replay.run import record_run
        from ptoscope.trace.recording import MOST_STEPS

        given = self._in_order(arguments, named)
        kept = MOST_STEPS if most is None else whole("most", most)
        kernel = self.accumulating(accumulate)
        return record_run(kernel, given, grid, max_steps, kept, undefined)

    def view(
        self,
        *arguments: KernelArgument,
        grid: int = 1,
        max_steps: int | None = None,
        model: str | None = None,
        title: str = "",
        expect: Mapping[int | str, KernelArgument] | None = None,
        rtol: float = 0.0,
        atol: float = 0.0,
        accumulate: str | None = None,
        **named: KernelArgument,
    ) -> Page:
        """Runs the kernel as a call does and gives a page that shows the run: `save` writes it
        to a file, a notebook shows it in place. `expect` is what arguments should end as, by
        position or name (`{1: golden}`), within `rtol` of it and `atol`: the page goes to the
        first element that differs."""
        from ptoscope.view.page import page
        from ptoscope.view.run import view_run

        given = self._in_order(arguments, named)
        kernel = self.accumulating(accumulate)
        run = kernel.record(*given, grid=grid, max_steps=max_steps)
        return page([view_run(kernel, run, self.findings, model, title, expect, rtol, atol)])

    def _in_order(
        self, arguments: Sequence[KernelArgument], named: Mapping[str, KernelArgument]
    ) -> list[KernelArgument]:
        return in_order(self.signature.program, self.signature.function, arguments, named)

    def engine(self, wanted: str | None = None) -> tuple[str, str]:
        """The engine that will run this kernel where one is wanted or none, ready to run; and
        why not the native one, where nobody asked for another. UsageError if the wanted one
        cannot."""
        chosen, why, _ = on_engine(wanted, self._compile)
        return chosen, why

    def _interpret(
        self,
        kernel: Kernel,
        bound: list[Argument],
        grid: int,
        max_steps: int | None,
        schedule: str,
    ) -> None:
        from ptoscope.machine.launch import launch

        walker, program, prints, found = kernel._interpreter(), kernel.program, Prints(), None
        try:
            found = launch(
                program,
                walker,
                kernel.target,
                bound,
                grid,
                max_steps,
                schedule,
                prints=prints,
                follow=self.follow,
            )
        finally:
            self.note_run(prints, found)

    def _interpreter(self) -> Any:
        """Returns the steps that the reference engine runs."""
        from ptoscope.machine.walker import Walker

        with self._making:
            if self._walker is None:
                self._walker = Walker(self.function, self.target, self.revision)
            return self._walker

    def _compile(self) -> None:
        if self._native is None:
            with self._making:
                if self._native is None:
                    self._make_native()

    def _make_native(self) -> None:
        from ptoscope import native

        if self._compiled is None:
            self._compiled = native.compile_program(self.function, self.target, self.revision)
            if self.cache_key:
                native.cache.write(self.cache_key, self._compiled.packed(self._facts()))
        for_large = self._compile_for_large if native.asked_least() is None else None
        self._native = self._loaded(self._compiled, None, for_large)
        if not self._requests:
            from ptoscope.native.packing import Packer

            self._packer = Packer(self.signature.function)

    def _compile_for_large(self) -> Any:
        """The same for large arrays: copies are left out where nobody can tell."""
        from ptoscope import native

        key = native.cache.key("for large arrays", self.cache_key) if self.cache_key else ""
        data = native.cache.read(key) if key else None
        if data is not None:
            return self._loaded(native.Compiled.unpacked(data)[0], native.LEAST_ELIDED, None)
        given = self.function, self.target, self.revision, native.LEAST_ELIDED
        compiled = native.compile_program(*given)
        if key:
            native.cache.write(key, compiled.packed({}))
        return self._loaded(compiled, native.LEAST_ELIDED, None)

    def _loaded(self, compiled: Any, least: int | None, for_large: Callable[[], Any] | None) -> Any:
        from ptoscope import native

        return native.NativeKernel(
            compiled,
            self.target,
            lambda: native.lower(self.function, self.target, self.revision, least).side_exits,
            lambda: self.program,
            lambda: self.function,
            for_large,
        )

    def _facts(self) -> dict[str, Any]:
        """What is kept beside the machine code."""
        findings = [asdict(d) for d in self.findings]
        chosen = {"target": self.target.name, "revision": self.revision}
        return {**self.signature.as_json(), **chosen, "findings": findings}
