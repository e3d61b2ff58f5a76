"""One case from beginning to end, in a process that may be ended at any time."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ptoscope.arguments import array_dtype
from ptoscope.cases.difference import compare_outputs
from ptoscope.cases.find import COMPARE, GOLDEN, KERNEL, LAUNCH, MAIN
from ptoscope.cases.host.interpreter import Interpreter
from ptoscope.cases.host.library import Library
from ptoscope.cases.host.program import HostFiles, read_files
from ptoscope.cases.host.tokens import Unreadable
from ptoscope.cases.host.types import number_type
from ptoscope.cases.host.values import HostMemory, Pointer
from ptoscope.cases.options import Options
from ptoscope.cases.outcome import passed_in
from ptoscope.cases.run.kernels import HOST_CODE, Kernels, Unsupported
from ptoscope.cases.run.script import run_script
from ptoscope.diagnostics import Diagnostic, PtoError, UsageError
from ptoscope.isa.targets import OTHER_REVISIONS
from ptoscope.isa.types import Scalar
from ptoscope.sources import asked_revision
from ptoscope.watch import told_once

Answer = dict[str, Any]
"""The fields of Outcome (see report) that the run of a case decides."""


_FAILURES = (Unsupported, PtoError, Unreadable, UsageError, MemoryError)


def run_case(case: Path, scratch: Path, options: Options, stage: Callable[[str], None]) -> Answer:
    """Runs a case on files in `scratch`; `stage` is told what is about to run."""
    for name in (KERNEL, GOLDEN, COMPARE):
        if not (case / name).is_file():
            return _answer("error", f"there is no {name}")
    stage(f"reading {KERNEL}")
    try:
        kernels = Kernels(case / KERNEL, options, stage)
    except _FAILURES as error:
        return _failure(error, None)
    answer = _run_loaded(case, scratch, kernels, stage)
    if answer["verdict"] in ("pass", "unsupported") or _is_named(kernels):
        return answer
    return _passes_in_another(case, scratch, options, stage) or answer


def _run_loaded(
    case: Path, scratch: Path, kernels: Kernels, stage: Callable[[str], None]
) -> Answer:
    answer = _run_kernels(case, scratch, kernels, stage)
    prints = {"printed": kernels.printed, "prints_left_out": kernels.prints_left_out}
    return {**answer, **prints, "revision": kernels.revision}


def _is_named(kernels: Kernels) -> bool:
    """Returns True if the command or the module of the kernel names the revision."""
    return asked_revision(kernels.program, kernels.options.revision) is not None


def _passes_in_another(
    case: Path, scratch: Path, options: Options, stage: Callable[[str], None]
) -> Answer | None:
    """The answer of a case that did not pass, if it passes in another revision than the default:
    its kernel may mean that one, and does not say so."""
    for revision in OTHER_REVISIONS:
        again = scratch / revision
        (again / "work").mkdir(parents=True)
        try:
            kernels = Kernels(case / KERNEL, options._replace(revision=revision), stage)
            answer = _run_loaded(case, again, kernels, stage)
        except _FAILURES:
            answer = {"verdict": "error"}
        if answer["verdict"] == "pass":
            told = f"its module does not name revision {revision}, in which alone it passes"
            return {**answer, "verdict": passed_in(revision), "detail": told}
        shutil.rmtree(again)
    return None


def _failure(error: Exception, kernels: Kernels | None) -> Answer:
    """What is said of a case that could not be run to its end."""
    match error:
        case Unsupported(what=what):
            return _answer("unsupported", what, unsupported=what)
        case PtoError():
            # 09: faults of a run; all others are about the text or the arguments.
            is_fault = error.diagnostics[0].code.startswith("PTO09")
            found = told_once([*error.diagnostics, *_errors(kernels)])
            detail = _first_line(error.diagnostics)
            return _answer("fault" if is_fault else "error", detail, findings=found)
        case MemoryError():
            return _answer("error", "there is not enough memory")
        case _:
            return _answer("error", str(error))


def _run_kernels(
    case: Path, scratch: Path, kernels: Kernels, stage: Callable[[str], None]
) -> Answer:
    work, options = scratch / "work", kernels.options
    # Scripts run elsewhere; messages name the kernel as the caller did.
    scripts = case.absolute()
    try:
        stage("reading the host code")
        files = host_files(case)
        stage(GOLDEN)
        ending = run_script(scripts / GOLDEN, work, scratch / "golden.log")
        if not ending.ok:
            return _answer("error", f"{GOLDEN}: {ending}", output=ending.output)
        stage(HOST_CODE)
        library = Library(work)
        try:
            run_host(files, kernels, library)
        except Unreadable as error:
            raise Unreadable("; ".join([str(error), *library.notes])) from None
        stage("comparing the outputs with the golden files")
        same, differences, odd = compare_outputs(work, library.written)
        stage(COMPARE)
        ending = run_script(scripts / COMPARE, work, scratch / "compare.log")
    except _FAILURES as error:
        return _failure(error, kernels)
    notes = list(library.notes)
    notes += [f"touches memory beyond its arrays: {text}" for text in dict.fromkeys(kernels.beyond)]
    fields: Answer = {"exact": same, "notes": notes, "output": ending.output}
    fields["differences"] = [asdict(d) | {"text": str(d)} for d in differences]
    strange = _warnings(kernels)
    fields["findings"] = _errors(kernels) + (strange if options.strict else [])
    if options.check and not options.strict:
        fields["notes"] += [f"line {d.line}: {d.message}" for d in strange]
    if ending.ok:
        return _judged(fields)
    if ending.crashed:
        return _answer("error", f"{COMPARE}: {ending}", **fields)
    where = [str(d) for d in differences] or [odd or "no output differs from a golden file"]
    fields["compare"] = f"{COMPARE}: {ending}"
    fields["notes"] += [f"line {d.line}: {d.message}" for d in kernels.remarks]
    return _answer("fail", "; ".join(where), **fields)


def _seen(kernels: Kernels | None) -> list[Diagnostic]:
    """What was seen while the launches ran."""
    launches = [] if kernels is None else kernels.seen
    return told_once(d for seen in launches for d in seen.diagnostics)


def _is_error(finding: Diagnostic) -> bool:
    return finding.severity == "error"


def _errors(kernels: Kernels | None) -> list[Diagnostic]:
    outside = [] if kernels is None else kernels.outside
    return told_once([*outside, *(d for d in _seen(kernels) if _is_error(d))])


def _warnings(kernels: Kernels) -> list[Diagnostic]:
    """What is no error: of the text, of the launches, and of what was seen while they ran."""
    return told_once([*kernels.warnings, *(d for d in _seen(kernels) if not _is_error(d))])


def _judged(fields: Answer) -> Answer:
    """Of a case that passes: by what was seen while it ran, the worst first; last come
    warnings, which are among the findings only where they count."""
    findings: list[Diagnostic] = fields["findings"]
    for verdict, codes in (("fault", "PTO09"), ("race", "PTO070"), ("undefined", "PTO071")):
        found = [d for d in findings if _is_error(d) and d.code.startswith(codes)]
        if found:
            return _answer(verdict, _first_line(found), **fields)
    strange = [d for d in findings if d.severity == "warning"]
    if strange:
        return _answer("fail", f"a warning: {_first_line(strange)}", **fields)
    return _answer("pass", "", **fields)


def run_host(files: HostFiles | None, kernels: Kernels, library: Library) -> None:
    """Does what the host code says; without any, the files v1.bin, v2.bin, ... are the
    arguments in order, and one block runs."""
    if files is None:
        kernel = kernels.entry(None)
        function = kernel.signature.function
        types = [function.types[slot] for slot in function.params]
        values = [
            _argument(library, number, kind if isinstance(kind, Scalar) else None)
            for number, kind in enumerate(types, 1)
        ]
        kernels.launch(kernel.name, 1, values, KERNEL)
        _write_back(library, values)
        return
    host = Interpreter(files, library, kernels.launch)
    main = files.functions.get("main")
    if main is not None:
        status = host.enter(main, [0, None] if main.parameters else [], MAIN)
        if isinstance(status, int) and status:
            raise Unreadable(f"{MAIN}: main returns {status}")
    else:
        _call_launcher(files, host, library)
    if not kernels.launches:
        raise Unreadable("the host code launches no kernel")


def host_files(case: Path) -> HostFiles | None:
    """The host code of a case, None if it has none."""
    present = [case / name for name in (LAUNCH, MAIN) if (case / name).is_file()]
    files = read_files(present) if present else None
    if files is not None and (case / MAIN).is_file() and "main" not in files.functions:
        raise Unreadable(f"{MAIN}: there is no main()")
    return files


def _call_launcher(files: HostFiles, host: Interpreter, library: Library) -> None:
    """The one function that launches, on v1.bin, v2.bin, ...: there is no main.cpp."""
    launchers = [f for f in files.functions.values() if any(t.text == "<<<" for t in f.body)]
    if len(launchers) != 1:
        names = ", ".join(f.name for f in launchers) or "none"
        raise Unreadable(f"no {MAIN}, and not one function of {LAUNCH} that launches: {names}")
    (launcher,) = launchers
    values: list[Any] = []
    given: list[Any] = []
    for parameter in launcher.parameters:
        if parameter.name == "stream" or parameter.type.name == "aclrtStream":
            given.append(None)
            continue
        value = _argument(library, len(values) + 1, number_type(parameter.type))
        values.append(value)
        given.append(value)
    host.enter(launcher, given, LAUNCH)
    _write_back(library, values)


def _argument(library: Library, number: int, kind: Any) -> Any:
    """The contents of v<number>.bin as device memory, or as a number of a type."""
    name = f"v{number}.bin"
    data = library.read(name, f"argument {number}")
    if kind is None:
        memory = HostMemory.device(len(data))
        memory.data[: len(data)] = np.frombuffer(data, np.uint8)
        return Pointer(memory)
    dtype = array_dtype(kind.dtype) if isinstance(kind, Scalar) else kind.dtype
    if len(data) != dtype.itemsize:
        problem = f"{name} has {len(data)} bytes, a number of this type {dtype.itemsize}"
        raise Unreadable(f"argument {number}: {problem}")
    value = np.frombuffer(data, dtype)[0]
    return float(value) if dtype.kind not in "iub" else int(value)


def _write_back(library: Library, values: list[Any]) -> None:
    for number, value in enumerate(values, 1):
        if isinstance(value, Pointer):
            library.call_WriteFile(LAUNCH, f"v{number}.bin", value, value.memory.size)


def _answer(
    verdict: str, detail: str, findings: Sequence[Diagnostic] = (), **fields: Any
) -> Answer:
    return {
        "verdict": verdict,
        "detail": detail,
        "findings": [asdict(d) for d in findings],
        **fields,
    }


def _first_line(findings: Sequence[Diagnostic]) -> str:
    first = findings[0]
    more = f" (and {len(findings) - 1} more)" if findings[1:] else ""
    where = f"line {first.line}: " if first.line else ""
    return f"{where}{first.code} {first.message}{more}"
