"""`ptoscope calibrate`: figures of a model, fitted to what was measured."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ptoscope.cli.options import Request, count
from ptoscope.cli.output import Result
from ptoscope.cli.points import read_points, read_rows
from ptoscope.cli.progress import progress
from ptoscope.cli.saving import check_file, write_file
from ptoscope.diagnostics import PtoError, one_line
from ptoscope.tables import Table, counted

if TYPE_CHECKING:
    from ptoscope.timing.calibrate import Calibration, ErrorSize, FittedPoint


def answer(request: Request) -> Result:
    """Fits figures to the points of a file."""
    (path,) = request.args
    output = request.get("output")
    if output is not None:
        check_file(output)
    given_rounds, setting = request.get("rounds"), request.get("set")
    from ptoscope.timing import choose_model
    from ptoscope.timing.calibrate import ROUNDS, calibrate, group_count
    from ptoscope.timing.figures import Overrides, parse_setting

    rounds = count("rounds", given_rounds) if given_rounds else ROUNDS
    settings = dict(map(parse_setting, setting.split(","))) if setting else None
    figures = Overrides.of(settings, request.get("calibration")).values
    if request.get("target") is not None:
        choose_model(request.options["target"], request.get("model"))
    fit = request.get("fit")
    leave: Any = request.get("leave-out")
    try:
        file = read_rows(path)
        with progress(len(file.rows)) as told:
            points = read_points(file, request, figures, told)
    except PtoError as error:
        return Result("calibrate", diagnostics=error.diagnostics, exit=1)
    with progress(rounds * group_count(points, leave)) as told:
        found = calibrate(
            points,
            [name.strip() for name in fit.split(",")] if fit else None,
            rounds,
            leave,
            lambda error: told(f"error {error:.2%}"),
        )
    page = _page(found)
    if output is not None:
        write_file(output, found.file_text().encode())
        page.append(f"{counted(len(found.values), 'figure')} in {one_line(output)}")
    return Result("calibrate", page, {**_fields(found), "output": output})


def _page(found: Calibration) -> list[str | Table]:
    points = counted(len(found.points), "point")
    free = counted(len(found.figures), "free figure")
    page: list[str | Table] = [
        f"{points} on {found.target} ({found.model} model), {free}",
        _errors(found),
        _figures(found),
        _points(found),
    ]
    for figure in found.figures:
        if not figure.determined:
            page.append(f"no point determines {figure.name}: near its value it changes no cycles")
    seen: set[str] = set()
    for figure in found.figures:
        if figure.alike and figure.name not in seen:
            together = (figure.name, *figure.alike)
            seen.update(together)
            page.append(f"the points tell only together: {', '.join(together)}")
    return page


def _errors(found: Calibration) -> Table:
    sizes: dict[str, ErrorSize] = {"before": found.before, "after": found.after}
    if found.left_out is not None:
        sizes["left out"] = found.left_out
    rows = [(name, f"{size.mean:.2%}", f"{size.worst:.2%}") for name, size in sizes.items()]
    return Table(("error", "mean", "worst"), rows)


def _figures(found: Calibration) -> Table:
    rows = [
        (
            figure.name,
            f"{figure.before:g}",
            f"{figure.after:g}" if figure.after != figure.before else "",
            figure.source,
            str(figure.points),
        )
        for figure in found.figures
    ]
    return Table(("figure", "before", "after", "source", "points"), rows)


def _points(found: Calibration) -> Table:
    left = found.left_out is not None
    columns = ("point", "measured", "before", "after", *(("left out",) if left else ()), "rests on")
    changed = {figure.name for figure in found.figures if figure.after != figure.before}
    return Table(columns, [_row(point, left, changed) for point in found.points])


def _row(point: FittedPoint, left: bool, changed: set[str]) -> tuple[str, ...]:
    """With the figures that changed; --json has the others that it rests on, too."""
    out = point.left_out
    return (
        point.name,
        f"{point.measured:g}",
        _cycles(point, point.before),
        _cycles(point, point.after),
        *(("" if out is None else _cycles(point, out),) if left else ()),
        ", ".join(name for name in point.figures if name in changed),
    )


def _cycles(point: FittedPoint, cycles: int) -> str:
    return f"{cycles} ({point.error(cycles):+.1%})"


def _fields(found: Calibration) -> dict[str, object]:
    left = found.left_out
    return {
        "target": found.target,
        "model": found.model,
        "error_before": found.before._asdict(),
        "error_after": found.after._asdict(),
        "error_left_out": left._asdict() if left is not None else None,
        "values": found.values,
        "figures": [{**asdict(f), "determined": f.determined} for f in found.figures],
        "points": [
            {
                **asdict(p),
                "error_before": p.error(p.before),
                "error_after": p.error(p.after),
                "error_left_out": p.error(p.left_out) if p.left_out is not None else None,
            }
            for p in found.points
        ],
    }
