"""`ptoscope time --compare`: two kernels on the same arguments, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptoscope.cli.files import read_word
from ptoscope.cli.kernels import kernel_word, names_kernel, prepared
from ptoscope.cli.options import Request, count
from ptoscope.cli.output import Result
from ptoscope.cli.timed import timed
from ptoscope.diagnostics import Diagnostic, PtoError, UsageError
from ptoscope.tables import Table, counted

if TYPE_CHECKING:
    from ptoscope.kernel import Kernel
    from ptoscope.timing import Timing


def answer(request: Request) -> Result:
    """Times two kernels and compares them."""
    first, *texts = request.args
    if not texts or not names_kernel(texts[0]):
        found = f"'{texts[0]}' is an argument" if texts else "there is one"
        raise UsageError(
            f"--compare takes two kernels, and {found}: time --compare A.pto B.pto ..."
        )
    if request.has("trace"):
        raise UsageError("--trace writes the schedule of one kernel; leave out --compare")
    second, *texts = texts
    grid = count("grid", request.get("grid") or "1")
    given, words = [kernel_word(one) for one in (first, second)], [read_word(t) for t in texts]
    from ptoscope.kernel import stops
    from ptoscope.machine.prints import Prints

    findings: list[Diagnostic] = []
    timings: list[Timing] = []
    try:
        kernels = [prepared(one, request) for one in given]
        findings = [finding for kernel in kernels for finding in kernel.findings]
        if any(stops(d, request.has("force")) for d in findings):
            return Result("time", diagnostics=findings, exit=1)
        _check(kernels, [one.name for one in given])
        timings += [timed(kernel, words, request, Prints()) for kernel in kernels]
    except PtoError as error:
        return Result("time", diagnostics=[*findings, *error.diagnostics], exit=1)
    found = timings[0].compare(timings[1])
    page: list[str | Table] = []
    sides: dict[str, Any] = {}
    for letter, word, kernel, timing in zip("AB", given, kernels, timings, strict=True):
        page.append(f"{letter}: @{kernel.name} of {word.name}, {timing.total_cycles} cycles")
        sides[letter.lower()] = {
            "file": word.name,
            "entry": kernel.name,
            "total_cycles": timing.total_cycles,
            "engine": timing.trace.engine,
        }
    model = timings[0].model
    page.append(f"on {model.target}, {counted(grid, 'block')} ({model.name} model)")
    page.append(found.table())
    fields = {"grid": grid, "target": model.target, "model": model.name, **sides, **found.as_json()}
    return Result("time", page, fields, findings)


def _check(kernels: list[Kernel], names: list[str]) -> None:
    """UsageError if two kernels do not take the same arguments or are not timed alike."""
    one, two = ([str(k.function.types[slot]) for slot in k.function.params] for k in kernels)
    if one != two:
        raise UsageError(
            f"{names[0]} takes ({', '.join(one)}), and {names[1]} takes ({', '.join(two)}): "
            "kernels are compared on the same arguments"
        )
    targets = [kernel.target.name for kernel in kernels]
    if targets[0] != targets[1]:
        raise UsageError(
            f"{names[0]} is for {targets[0]}, and {names[1]} for {targets[1]}: name one by --target"
        )
