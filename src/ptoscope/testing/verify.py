"""`pto_check`: a kernel compared with NumPy on every engine and target, and watched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ptoscope.diagnostics import UsageError
from ptoscope.engines import ENGINES
from ptoscope.replay.apart import tolerance
from ptoscope.testing.compare import Tolerance
from ptoscope.testing.given import ExpectedResults
from ptoscope.testing.outcome import TEXT, CheckFailed
from ptoscope.testing.subject import Arguments, Subject, Subjects
from ptoscope.testing.target import EAGER, CheckPlan, Examination
from ptoscope.watch import POISON, RACES, SCHEDULES

CHECKS = (TEXT, RACES, POISON, SCHEDULES)


def pto_check(
    kernel: Subject,
    args: Arguments,
    expected: ExpectedResults,
    *,
    rtol: float = 0.0,
    atol: float = 0.0,
    checks: str | Iterable[str] = "all",
    targets: Iterable[str] | None = None,
    engines: str | Iterable[str] = "all",
    grid: int = 1,
    undefined: Sequence[int | str] = (),
    strict: bool = False,
    in_place: bool = False,
) -> Any:
    """Runs a kernel and fails the test if it is not what is expected; gives what the expected
    arguments ended as.

    `kernel` is a path, a text, what `ptoscope.load` gave, or a kernel of Python. `args` are one
    per parameter, in order or by name; they stay as they are unless `in_place`. `expected` maps
    positions or names to arrays, or is the array of the last pointer, or a function of the
    arguments that gives either; elements may differ by `rtol` of it and `atol`. A mapping gives a
    mapping of results back, an array one array.

    It runs on each of `targets` (its own by default) and `engines` ("native", "reference", and of
    a kernel of Python "eager"), which have to agree bit for bit. `checks` are "check" (findings of
    the text), "races", "poison" (undefined data, also of the arguments named in `undefined`) and
    "schedules" (other legal orders); "all" or "none" of them. Warnings count if `strict`.

    Raises CheckFailed with the first element that differs and the line that made it, and with all
    findings; PtoError for wrong arguments, and UsageError for what cannot be asked.
    """
    __tracebackhide__ = True
    plan = CheckPlan(
        Tolerance(tolerance("rtol", rtol), tolerance("atol", atol)),
        _chosen("checks", checks, CHECKS),
        _chosen("engines", engines, (*ENGINES, EAGER)),
        engines == "all",
        grid,
        tuple(undefined),
        strict,
    )
    subjects = Subjects(kernel, args)
    names = [None] if targets is None else list(targets)
    if not names:
        raise UsageError("targets are empty: nothing would be checked")
    examined: list[Examination] = []
    for target in names:
        examined.append(Examination(subjects, target, expected, plan))
    outcomes = [outcome for one in examined for outcome in one.outcomes]
    if any(outcome.failed for outcome in outcomes):
        raise CheckFailed(outcomes)
    if in_place:
        examined[0].write_back()
    return examined[0].outputs()


Check = Callable[..., Any]
"""`pto_check`, as a test takes it."""


def _chosen(what: str, given: str | Iterable[str], known: tuple[str, ...]) -> tuple[str, ...]:
    """Names of a list, all or none of them; UsageError for another one."""
    if given == "all":
        return known
    names = () if given == "none" else (given,) if isinstance(given, str) else tuple(given)
    wrong = [name for name in names if name not in known]
    if wrong:
        raise UsageError(f"{what}: there is no '{wrong[0]}'; there are {', '.join(known)}")
    if what == "engines" and not names:
        raise UsageError("engines: the kernel has to run on one at least")
    return names
