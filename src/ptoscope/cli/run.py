"""`ptoscope run`: a kernel on files and numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ptoscope.cli.against import GivenRun, against, departures
from ptoscope.cli.contents import contents, kept
from ptoscope.cli.expect import differences, expectations, positions
from ptoscope.cli.files import (
    ArrayFile,
    BadData,
    read_buffer,
    read_word,
)
from ptoscope.cli.kernels import kernel_word, prepared
from ptoscope.cli.options import Request, count, fails
from ptoscope.cli.output import Result
from ptoscope.cli.progress import run_progress
from ptoscope.cli.saving import check_directory, save
from ptoscope.cli.words import ARRAYS, Word
from ptoscope.diagnostics import Diagnostic, PtoError, UsageError, one_line
from ptoscope.tables import Table, counted

if TYPE_CHECKING:
    from ptoscope.isa.types import Type
    from ptoscope.kernel import Kernel
    from ptoscope.watch import Seen, Watch


def answer(request: Request) -> Result:
    """Runs a kernel and says what became of its arguments."""
    kernel_path, *texts = request.args
    grid = count("grid", request.get("grid") or "1")
    directory = request.get("save")
    given_kernel = kernel_word(kernel_path)
    words, expected = [read_word(text) for text in texts], expectations(request)
    other = against(request)
    asked = _print_requests(request)
    if directory is not None:
        check_directory(directory)
    from ptoscope.engines import choose_engine
    from ptoscope.kernel import stops
    from ptoscope.watch import Seen, told_once, watch

    wanted = request.get("engine")
    choose_engine(wanted)
    threads, max_steps = (_number(request, name) for name in ("threads", "max-steps"))
    findings: list[Diagnostic] = []
    seen = Seen()
    kernel: Kernel | None = None
    try:
        kernel = prepared(given_kernel, request)
        findings = kernel.findings
        schedule, watched = request.get("schedule"), _watch(request, words)
        # Who watches a run wants to see what goes wrong in it.
        forced = request.has("force") or schedule is not None
        if any(stops(d, forced or bool(watched)) for d in findings):
            return Result("run", diagnostics=findings, exit=1)
        if forced and not watched:
            findings = [replace(d, severity="warning") for d in findings]
        needs_reference = watched.needs_reference or schedule is not None
        if needs_reference and wanted == "native":
            raise UsageError("--poison, --check and schedules need the reference engine")
        engine, why = kernel.engine("reference" if needs_reference else wanted)
        positions(kernel, expected)
        if asked:
            # A request that cannot be met is said before anything runs.
            kernel.printing(asked)
        arguments = read_arguments(kernel, words)
        before = [kept(a, word) for a, word in zip(arguments, words, strict=True)]
        passed = [a.seen if isinstance(a, ArrayFile) else a for a in arguments]
        seen = watch(kernel, passed, watched, grid, max_steps, engine)
        findings = seen.with_check(findings)
        options: dict[str, Any] = {"schedule": schedule} if schedule is not None else {}
        options |= {"threads": threads, "max_steps": max_steps, "print": asked}
        with run_progress(kernel, grid):
            kernel(*passed, grid=grid, engine=engine, **options)
        given = GivenRun(arguments, before, words, grid)
        differing = differences(kernel, expected, given)
        findings = [*findings, *kernel.warnings, *differing.findings]
        if other is not None:
            tolerances = expected.rtol, expected.atol
            python = given_kernel if given_kernel.python is not None else None
            findings += departures(kernel, other, request, given, *tolerances, python)
    except PtoError as error:
        findings = told_once([*findings, *error.diagnostics])
        shown, fields = _printed(kernel, grid, asked) if kernel is not None else ([], {})
        page = [*_watched(seen), *shown]
        return Result("run", page, {**seen.as_json(), **fields}, findings, exit=1)
    buffers = {i: a for i, a in enumerate(arguments) if isinstance(a, ArrayFile)}
    saved = save(directory, buffers) if directory is not None else []
    records = [
        {**_signature(kernel, i, words[i]), **contents(a, before[i])}
        for i, a in enumerate(arguments)
    ]
    page: list[str | Table] = [
        f"@{kernel.name} on {kernel.target.name}, revision {kernel.revision}, "
        f"{counted(grid, 'block')}"
    ]
    if why:
        page.append(f"on the reference engine: {why}")
    shown, prints = _printed(kernel, grid, asked)
    page += [*_watched(seen), *shown]
    if records:
        page.append(_table(records))
    if directory is not None:
        page.append(f"saved {counted(len(saved), 'file')} in {one_line(directory)}")
    fields = {
        "entry": kernel.name,
        "target": kernel.target.name,
        "revision": kernel.revision,
        "engine": engine,
        "grid": grid,
        "arguments": records,
        **prints,
        "differences": differing.origins,
        **seen.as_json(),
        "saved": saved,
    }
    if request.has("chosen"):
        table, fields["chosen"] = _chosen(kernel)
        page.append(table)
    wrong = fails(findings, request)
    return Result("run", page, fields, findings, exit=1 if wrong else 0)


def _watched(seen: Seen) -> list[str | Table]:
    """One line for each thing that was watched."""
    return [
        f"{name}: {counted(len(found), 'finding') if found else 'none found'}"
        for name, found in seen.findings.items()
    ]


def _print_requests(request: Request) -> list[str]:
    """What the request asks to be printed, each once."""
    given = request.get("print")
    if given is None:
        return []
    from ptoscope.prints.requests import split_requests

    return list(dict.fromkeys(split_requests(given)))


def _printed(
    kernel: Kernel, grid: int, asked: list[str]
) -> tuple[list[str | Table], dict[str, object]]:
    from ptoscope.cli.prints import printed

    file = kernel.signature.program.file
    return printed(kernel.printed, kernel.prints_left_out, file, grid, asked)


def _watch(request: Request, words: list[Word]) -> Watch:
    """What the request asks to be watched."""
    from ptoscope.watch import ALL_SCHEDULES, Watch

    everything = request.has("check")
    wanted = request.get("schedules")
    orders = count("schedules", wanted) if wanted else (ALL_SCHEDULES if everything else 0)
    undefined = tuple(i for i, word in enumerate(words) if word.kind == "undefined")
    races, poison = (request.has(name) or everything for name in ("races", "poison"))
    return Watch(races, poison, orders, undefined)


def _number(request: Request, name: str) -> int | None:
    given = request.get(name)
    return None if given is None else count(name, given)


def _chosen(kernel: Kernel) -> tuple[str | Table, list[dict[str, Any]]]:
    """What the kernel depends on that no document fixes."""
    from dataclasses import asdict

    from ptoscope.cli.isa import chosen_table
    from ptoscope.evidence import depended_on

    cells = depended_on(kernel.function, kernel.target, kernel.revision)
    table = chosen_table(cells) if cells else "nothing it depends on was chosen"
    return table, [asdict(c) for c in cells]


def read_arguments(kernel: Kernel, words: list[Word]) -> list[Any]:
    """Buffers and numbers in the order of the parameters; PtoError with all that is wrong."""
    from ptoscope.arguments import bind

    program, function = kernel.signature.program, kernel.signature.function
    if len(words) != len(function.params):
        bind(program, function, words)  # raises: the count is wrong
    arguments: list[Any] = []
    wrong: list[Diagnostic] = []
    for position, (slot, word) in enumerate(zip(function.params, words, strict=True)):
        try:
            arguments.append(_argument(function.types[slot], word, position))
        except BadData as error:
            wrong.append(
                program.diagnostic(
                    error.code,
                    function.span,
                    f"argument {position} (%{function.names[slot]}): {error.message}",
                    found=f"{word.text}: {error.found}" if error.found else word.text,
                    expected=error.expected,
                    hint=error.hint,
                )
            )
    if wrong:
        raise PtoError(wrong)
    return arguments


def _argument(kind: Type, word: Word, position: int) -> ArrayFile | int | float:
    from ptoscope.arguments import NOT_AN_ARRAY, WRONG_SCALAR
    from ptoscope.isa.dtypes import I1
    from ptoscope.isa.types import Ptr, Scalar

    if isinstance(kind, Ptr):
        if word.kind == "number":
            raise BadData(NOT_AN_ARRAY, "a pointer parameter needs an array", expected=ARRAYS)
        return read_buffer(word, kind.dtype, position)
    is_truth = isinstance(word.value, bool) and kind != Scalar(I1)
    if word.kind != "number" or is_truth:
        message = f"a parameter of type {kind} needs a number"
        raise BadData(WRONG_SCALAR, message, expected="a number")
    return word.value


def _signature(kernel: Kernel, position: int, word: Word) -> dict[str, Any]:
    function = kernel.signature.function
    slot = function.params[position]
    names, types = function.names, function.types
    return {
        "index": position,
        "name": names[slot],
        "type": str(types[slot]),
        "given": word.text,
    }


def _table(records: list[dict[str, Any]]) -> Table:
    columns = ("arg", "name", "type", "shape", "dtype", "min", "max", "nan", "changed")
    return Table(columns, [_row(record) for record in records])


def _row(record: dict[str, Any]) -> list[str]:
    head = [str(record["index"]), f"%{record['name']}", record["type"]]
    if "value" in record:
        value = _short(record["value"])
        return [*head, "scalar", record["type"], value, value, "0", "no"]
    shape = "x".join(map(str, record["shape"])) or "scalar"
    changed = f"yes ({record['changed_elements']})" if record["changed"] else "no"
    extremes = (_short(record["min"]), _short(record["max"]))
    return [*head, shape, record["dtype"], *extremes, str(record["nan"]), changed]


def _short(value: int | float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
