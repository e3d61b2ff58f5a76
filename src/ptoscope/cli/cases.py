"""`ptoscope cases`: runs case directories and says which pass."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ptoscope.cli.options import Request, count
from ptoscope.cli.output import Result
from ptoscope.cli.progress import progress
from ptoscope.cli.saving import check_directory, check_file, write_file
from ptoscope.diagnostics import UsageError
from ptoscope.tables import Table

if TYPE_CHECKING:
    from ptoscope.cases.outcome import Outcome


def answer(request: Request) -> Result:
    """Runs every case below the directories; exit 0 only if all pass."""
    jobs = _positive(request, "jobs", _cores())
    keep, junit_path = request.get("keep"), request.get("junit")
    if keep is not None:
        check_directory(keep)
    if junit_path is not None:
        check_file(junit_path)
    limit = _seconds(request)
    from ptoscope.cases.find import find_cases

    cases = find_cases(request.args, request.get("filter"))
    from ptoscope.cases import report
    from ptoscope.cases.options import Options
    from ptoscope.cases.run.pool import run_cases
    from ptoscope.engines import choose_engine
    from ptoscope.native import cache_folder

    # Said here: what the processes of cases say about it goes to their logs.
    cache_folder.check()
    engine = request.get("engine")
    choose_engine(engine)
    check = request.get("check")
    target, revision = request.get("target"), request.get("revision")
    strict, accumulate = request.has("strict"), request.get("accumulate")
    options = Options(target, revision, engine, check, strict, accumulate)
    started = time.perf_counter()
    with _progress(len(cases)) as done:
        outcomes = run_cases(cases, options, jobs, limit, keep, done)
    seconds = time.perf_counter() - started
    if junit_path is not None:
        write_file(junit_path, report.junit(outcomes, seconds))
    counts, families = report.count(outcomes), report.count_families(outcomes)
    page: list[str | Table] = [
        Table(("family", "case", "verdict", "time"), report.case_rows(outcomes)),
        "",
        Table(
            ("family", *(k for k in counts if k != "exact")),
            report.family_rows(families),
        ),
    ]
    texts = {o: report.explanation(o) for o in outcomes}
    notes = [text for o, text in texts.items() if text and o.passed]
    page += ["", *notes] if notes else []
    for outcome, text in texts.items():
        page += ["", text] if text and not outcome.passed else []
    page += ["", report.summary(counts, seconds, report.revisions(outcomes))]
    fields = {
        "revision": report.revisions(outcomes),
        "engine": choose_engine(engine),
        "jobs": jobs,
        "seconds": round(seconds, 4),
        "cases": [o.as_json() for o in outcomes],
        "counts": counts,
        "families": families,
    }
    findings = [d for o in outcomes for d in o.findings]
    passed = all(o.passed for o in outcomes)
    return Result("cases", page, fields, findings, exit=0 if passed else 1)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _positive(request: Request, name: str, default: int) -> int:
    text = request.get(name)
    if text is None:
        return default
    return count(name, text)


def _seconds(request: Request) -> float:
    from ptoscope.cases.options import LIMIT

    text = request.get("timeout")
    if text is None:
        return LIMIT
    with contextlib.suppress(ValueError):
        seconds = float(text)
        if 0 < seconds < float("inf"):
            return seconds
    raise UsageError(f"--timeout needs a number of seconds, not '{text}'")


@contextlib.contextmanager
def _progress(total: int) -> Iterator[Callable[[Outcome], None]]:
    """A bar that also says how many cases did not pass."""
    failed = 0
    with progress(total) as advance:

        def done(outcome: Outcome) -> None:
            nonlocal failed
            failed += not outcome.passed
            told = f"{failed} did not pass  " if failed else ""
            advance(f"{told}{outcome.case.title}")

        yield done
