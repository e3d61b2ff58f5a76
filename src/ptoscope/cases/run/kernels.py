"""The kernels of a case: loaded once, launched on the memory of the host program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ptoscope.arguments import array_dtype, bind, blocks, copies
from ptoscope.cases.host.tokens import Unreadable
from ptoscope.cases.host.values import Pointer
from ptoscope.cases.options import Options
from ptoscope.cases.run.beyond import writes_beyond
from ptoscope.check.revisions import ambiguous
from ptoscope.diagnostics import Diagnostic, PtoError, UsageError
from ptoscope.isa.targets import Revision, Target
from ptoscope.isa.types import Ptr, Type
from ptoscope.kernel import Kernel, prepare, stops
from ptoscope.machine.faults import OUT_OF_GM
from ptoscope.program import Program
from ptoscope.sources import asked_revision, choose_entry, choose_target, parse, read
from ptoscope.tracing import trace
from ptoscope.watch import EVERYTHING, Seen, watch

HOST_CODE = "the host code"
"""What runs between the launches."""

UNKNOWN_OPERATION = "PTO0002"
NOT_MODELLED = "PTO0914"


class Unsupported(Exception):
    """The kernel needs what is not modelled: `what`, and the finding that says so."""

    def __init__(self, what: str, finding: Diagnostic) -> None:
        super().__init__(what)
        self.what, self.finding = what, finding


class Kernels:
    """The functions of one kernel file. Loading raises PtoError or Unsupported. `stage` is told
    which of them is about to run, and when the host code goes on."""

    def __init__(
        self, path: Path, options: Options, stage: Callable[[str], None] = lambda name: None
    ) -> None:
        self.options = options
        self._stage = stage
        try:
            first = _load(path, options)
            errors = [d for d in first.findings if stops(d, force=bool(options.check))]
            if errors:
                raise PtoError(errors)
        except PtoError as error:
            raise _unsupported(error) or error from None
        self._first = first
        self.target: Target = first.target
        self.revision: Revision = first.revision
        self.kernels = {first.name: first}
        self.launches = 0
        self.seen: list[Seen] = []
        """What was watched, launch by launch."""
        self.printed: list[dict[str, object]] = []
        """What launches printed, with the number of the launch and a line for people."""
        self.prints_left_out = 0
        """How many prints are not among them."""
        self.beyond: list[str] = []
        """Where kernels touched memory after the arrays they were given."""
        self.outside: list[Diagnostic] = []
        """Their writes there, where everything is checked."""
        self.warnings: list[Diagnostic] = [
            replace(d, severity="warning") for d in first.findings if d.severity != "note"
        ]
        """What check and the launches found strange. Errors of a text that is run all the same
        are among it: what they do is for the run to show."""

    @property
    def program(self) -> Program:
        """The whole file; read now, if the machine code was kept."""
        return self._first.program

    @property
    def remarks(self) -> list[Diagnostic]:
        """What may explain another result than expected."""
        return [] if self.options.revision else ambiguous(self.program, self.target)

    def entry(self, name: str | None) -> Kernel:
        """The kernel of a name, or the only one; UsageError if there is none."""
        known = self.kernels.get(name or "")
        if known is not None:
            return known
        function = choose_entry(self.program, name)
        kernel = self.kernels.get(function.name)
        if kernel is None:
            kernel = Kernel(self.program, self.target, self.revision)
            kernel.function = function
            self.kernels[function.name] = kernel
        return kernel

    def launch(self, name: str, grid: int, values: list[Any], where: str) -> None:
        """Runs a kernel on host values. Raises PtoError for a fault; Unreadable if the
        arguments are not what the kernel takes."""
        try:
            kernel = self.entry(name)
            blocks(kernel.target, grid)
        except UsageError as error:
            raise Unreadable(f"{where}: {error}") from None
        function = kernel.signature.function
        types = [function.types[slot] for slot in function.params]
        if len(values) != len(types):
            problem = f"@{name} takes {len(types)} arguments, the launch passes {len(values)}"
            raise Unreadable(f"{where}: {problem}")
        for kind, value in zip(types, values, strict=True):
            _check_argument(kind, value, where)
        self.launches += 1
        pointers = [v for v in values if isinstance(v, Pointer)]
        before = {p.memory: p.memory.data[: p.memory.size].copy() for p in pointers}
        self._mark(types, values)
        seen, printed, left_out = len(self.seen), len(self.printed), self.prints_left_out
        try:
            self._run(kernel, _arguments(types, values, False), grid)
        except PtoError as error:
            finding = error.diagnostics[0]
            if finding.code != OUT_OF_GM:
                raise _unsupported(error) or error from None
            for memory, data in before.items():
                memory.data[: memory.size] = data
            # On the device the rest of the page can be read and written.
            del self.seen[seen:], self.printed[printed:]
            self.prints_left_out = left_out
            given = _arguments(types, values, True)
            self.outside += self._writes_beyond(kernel, given, values, grid)
            self._run(kernel, given, grid)
            self.beyond.append(f"line {finding.line}: {finding.message}")

    def _run(self, kernel: Kernel, arguments: list[Any], grid: int) -> None:
        launched = f"@{kernel.name}, launch {self.launches}"
        if self.options.check:
            self._stage(f"{launched}, watched")
            # Such kernels are small: compiling one to be traced takes longer than running it.
            seen = watch(kernel, arguments, EVERYTHING, grid, engine="reference")
            for name, found in seen.findings.items():
                # A fault is told by the run itself.
                seen.findings[name] = [d for d in found if not d.code.startswith("PTO09")]
            self.seen.append(seen)
        self._stage(launched)
        try:
            kernel(*arguments, grid=grid, engine=self.options.engine)
        finally:
            self.printed += [
                {**one.as_json(), "launch": self.launches, "told": f"line {one.told(grid)}"}
                for one in kernel.printed
            ]
            self.prints_left_out += kernel.prints_left_out
        self.warnings += kernel.warnings
        self._stage(HOST_CODE)

    def _writes_beyond(
        self, kernel: Kernel, given: list[Any], values: list[Any], grid: int
    ) -> list[Diagnostic]:
        """Of a launch that is about to run on arrays with their slack."""
        if not self.options.check:
            return []
        pointers = {i: v for i, v in enumerate(values) if isinstance(v, Pointer)}
        sizes: dict[int, int] = {}
        for position, pointer in pointers.items():
            # With their slack the arrays of one allocation share memory: they are one space.
            shared = [(i, p.offset) for i, p in pointers.items() if p.memory is pointer.memory]
            if position == min(i for i, _ in shared):
                sizes[position] = pointer.memory.size - min(offset for _, offset in shared)
        bound = bind(kernel.program, kernel.function, given)
        record = trace(kernel, copies(bound), grid, engine="reference")
        return writes_beyond(record, kernel.program, sizes)

    def _mark(self, types: list[Type], values: list[Any]) -> None:
        for kind, value in zip(types, values, strict=True):
            if isinstance(kind, Ptr):
                value.memory.dtype = kind.dtype


def _load(path: Path, options: Options) -> Kernel:
    """The kernel of a file, or its first function where a launch has to say which. One that was
    compiled before is neither read nor checked again."""
    file, text = read(path)
    try:
        kernel = prepare(text, file, options.target, options.revision)
    except UsageError:
        program = parse(text, file, options.target, options.revision)
        target = choose_target(program, options.target)
        kernel = Kernel(program, target, asked_revision(program, options.revision))
    return kernel.accumulating(options.accumulate)


def _unsupported(error: PtoError) -> Unsupported | None:
    """The same finding as Unsupported, if all that is wrong is that something is not ours."""
    findings = error.diagnostics
    if findings[0].code == NOT_MODELLED:
        return Unsupported(findings[0].message, findings[0])
    if any(d.code != UNKNOWN_OPERATION for d in findings):
        return None
    first = findings[0]
    return Unsupported(first.found or first.message, first)


def _check_argument(kind: Type, value: Any, where: str) -> None:
    if not isinstance(kind, Ptr):
        if not isinstance(value, (int, float)):
            raise Unreadable(f"{where}: a parameter of type {kind} needs a number")
    elif not isinstance(value, Pointer) or not value.memory.on_device:
        raise Unreadable(f"{where}: a pointer parameter needs memory of the device")


def _arguments(types: list[Type], values: list[Any], with_slack: bool) -> list[Any]:
    given: list[Any] = []
    for kind, value in zip(types, values, strict=True):
        if not isinstance(kind, Ptr):
            given.append(value)
            continue
        memory, width = value.memory, kind.dtype.bytes
        end = len(memory.data) if with_slack else memory.size
        # A last element that is not whole is there all the same, with its page.
        whole = min(-(-(end - value.offset) // width) * width, len(memory.data) - value.offset)
        data = memory.data[value.offset : value.offset + whole // width * width]
        given.append(data.view(array_dtype(kind.dtype)))
    return given
