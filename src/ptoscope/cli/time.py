"""`ptoscope time`: how many cycles, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

from ptoscope.cli import time_compare
from ptoscope.cli.files import kernel_name, read_word
from ptoscope.cli.kernels import kernel_word, prepared
from ptoscope.cli.options import Request, count
from ptoscope.cli.output import Result
from ptoscope.cli.saving import write_file
from ptoscope.cli.timed import timed
from ptoscope.diagnostics import PtoError
from ptoscope.isa.cost import FigureSource
from ptoscope.isa.sync_costs import NOT_COUNTED
from ptoscope.tables import Table, counted

if TYPE_CHECKING:
    from ptoscope.timing import Timing
    from ptoscope.timing.critical import PathStep
    from ptoscope.timing.holds import Hold
    from ptoscope.timing.loops import TimedLoop
    from ptoscope.timing.reasons import PipeUse, Reasons

_SHOWN = 6
"""Rows of the shorter tables; --json has all."""


def answer(request: Request) -> Result:
    """Times a run on real arguments, or compares two."""
    if request.has("compare"):
        return time_compare.answer(request)
    kernel_path, *texts = request.args
    grid = count("grid", request.get("grid") or "1")
    given, words = kernel_word(kernel_path), [read_word(text) for text in texts]
    from ptoscope.cli.prints import printed
    from ptoscope.engines import choose_engine
    from ptoscope.kernel import stops
    from ptoscope.machine.prints import Prints

    findings: list[Any] = []
    prints = Prints()
    try:
        kernel = prepared(given, request)
        findings = kernel.findings
        if any(stops(d, request.has("force")) for d in findings):
            return Result("time", diagnostics=findings, exit=1)
        timing = timed(kernel, words, request, prints)
    except PtoError as error:
        shown, fields = printed(*prints.kept(), kernel_name(given.path), grid)
        return Result("time", shown, fields, [*findings, *error.diagnostics], exit=1)
    shown, said = printed(*prints.kept(), kernel.signature.program.file, grid)
    title, *rest = _page(timing, kernel.name, grid)
    page = [title, *shown, *rest]
    written = request.get("trace")
    if written is not None:
        page.append(_export(timing, written))
    engine = timing.trace.engine
    if engine != choose_engine(request.get("engine")):
        page.append(f"on the {engine} engine: the native one cannot run this kernel")
    fields = {"entry": kernel.name, "grid": grid, "engine": engine, **said, **timing.as_json()}
    fields["trace"] = written
    return Result("time", page, fields, findings)


def _export(timing: Timing, path: str) -> str:
    from ptoscope.timing.export import chrome_text

    text, notice = chrome_text(timing)
    write_file(path, text.encode())
    return f"trace in {path}{'; ' + notice if notice else ''}"


def _page(timing: Timing, name: str, grid: int) -> list[str | Table]:
    reasons, total = timing.reasons, timing.total_cycles
    others = "".join(f"; {n}: {t.total_cycles}" for n, t in timing.others.items())
    blocks = counted(grid, "block")
    page: list[str | Table] = [
        f"@{name} on {timing.model.target}, {blocks}: {total} cycles "
        f"({timing.model.name} model{others})",
        *([str(timing.range)] if timing.range else []),
        timing.table().table(),
        _pipes(reasons.pipes),
    ]
    if reasons.path:
        page.append(f"critical path, most cycles first: {_path(reasons.path)}")
    if reasons.loops:
        page.append(_loops(reasons.loops[:_SHOWN]))
    page += _holds(reasons.holds)
    page += _advice(reasons)
    by_source = _figures(timing)
    assumed = by_source.pop("assumed", "")
    page += [f"figures ({source}): {named}" for source, named in by_source.items()]
    if assumed:
        share = reasons.assumed_cycles / total if total else 0.0
        page.append(f"{share:.0%} of the total rests on assumed figures: {assumed}")
    page.append(f"not counted: {'; '.join(NOT_COUNTED[timing.model.target])}")
    return page


def _path(path: list[PathStep]) -> str:
    """Its lines with what their cycles were."""
    cycles: Counter[int] = Counter()
    parts: dict[int, Counter[str]] = {}
    for step in path:
        cycles[step.line] += step.cycles
        parts.setdefault(step.line, Counter())[step.what] += step.cycles
    return ", ".join(
        f"line {line} {most} ({_parts(parts[line])})" for line, most in cycles.most_common(_SHOWN)
    )


def _parts(parts: Counter[str]) -> str:
    if len(parts) == 1:
        return next(iter(parts))
    return ", ".join(f"{what} {cycles}" for what, cycles in parts.items())


def _holds(holds: list[Hold]) -> list[str]:
    """What stopped the dispatch of the vector core, and what helps."""
    if not holds:
        return []
    causes = ", ".join(f"{h.cause} {h.share:.0%} (line {h.line})" for h in holds[:_SHOWN])
    total = counted(sum(hold.cycles for hold in holds), "cycle")
    helps = [f"{hold.cause}: {hold.helps}" for hold in holds if hold.helps]
    return [f"dispatch of the vector core stopped in {total}: {causes}", *helps]


def _advice(reasons: Reasons) -> list[str]:
    """What the run shows that would make it shorter: each was scheduled so."""
    found: dict[str, None] = {}
    for wait in reasons.waits:
        if wait.removable:
            fewer = counted(wait.fewer, "cycle")
            found[f"nothing needs the synchronisation of {_lines(wait.lines)}: {fewer} fewer"] = (
                None
            )
    for one in reasons.double_buffers[:_SHOWN]:
        named = (f"{name} (line {line})" for name, line in zip(one.names, one.lines, strict=True))
        fewer = counted(one.fewer, "cycle")
        found[
            f"double-buffering {_and(list(named))} in the loop of line {one.loop}: "
            f"up to {fewer} fewer, {one.bytes} more bytes of UB"
        ] = None
    if reasons.waits and not reasons.advised:
        found["the run is too long to look for waits that nothing needs and for second buffers"] = (
            None
        )
    return list(found)


def _lines(lines: list[int]) -> str:
    return f"line{'s' if len(lines) > 1 else ''} {_and([str(line) for line in lines])}"


def _and(names: list[str]) -> str:
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]


def _pipes(pipes: list[PipeUse]) -> Table:
    """Cycles of the pipes; of a cluster core by core."""
    rows = [(p.core, p.pipe, str(p.busy), str(p.waiting), str(p.idle)) for p in pipes]
    return _with_cores(("core", "pipe", "busy", "waiting", "idle"), rows)


def _loops(loops: list[TimedLoop]) -> Table:
    rows = [
        (
            loop.core,
            str(loop.line),
            str(loop.iterations),
            f"{loop.cycles_per_iteration:.1f}",
            f"{loop.bound:.1f}",
            loop.by,
        )
        for loop in loops
    ]
    return _with_cores(("core", "loop", "iterations", "cycles an iteration", "bound", "by"), rows)


def _with_cores(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Table:
    """A table whose first column is the core, which a block of one core does without."""
    if any(row[0] for row in rows):
        return Table(columns, list(rows))
    return Table(columns[1:], [row[1:] for row in rows])


def _figures(timing: Timing) -> dict[str, str]:
    """By source the figures that the run used, by the names that --set takes, with what the
    documents call them."""
    found: dict[str, list[str]] = {}
    for name, (_, _, figure) in sorted(timing.figures.items()):
        document = f" ({figure.name})" if figure.name else ""
        found.setdefault(figure.source, []).append(f"{name} {figure.value:g}{document}")
    return {
        source: ", ".join(found[source]) for source in get_args(FigureSource) if source in found
    }
