"""`ptoscope demo`: the bundled kernel, run, compared, checked, broken and explained."""

from __future__ import annotations

from ptoscope.cli.isa import describe, find
from ptoscope.cli.options import Request
from ptoscope.cli.output import Result

EXPLAINED = "vcmax"


def answer(request: Request) -> Result:
    """Runs the demonstration; exit 1 if the kernel's result is not NumPy's."""
    from ptoscope import demo

    target, revision = request.get("target"), request.get("revision")
    compared = demo.compare(target, revision)
    broken = [(m, demo.findings(m, target, revision)) for m in demo.MISTAKES]
    page, record = describe(find(EXPLAINED), request)
    text = [
        f"A row softmax, {demo.ROWS} x {demo.COLUMNS} f32 on {demo.GRID} blocks, from "
        f"{demo.PATH.name}:",
        "",
        *(f"    {line}" for line in demo.excerpt()),
        "",
        f"It checks clean and runs in {compared.seconds:.2f} s. Its largest relative error against",
        f"NumPy in f64 is {compared.error:.1e}: {'ok' if compared.ok else 'WRONG'} "
        f"(NumPy's own in f32: {compared.numpy_error:.1e}).",
        "",
        "What ptoscope says about mistakes in it:",
    ]
    for mistake, findings in broken:
        text += ["", f"  {mistake.title}", ""]
        text += [f"    {line}" for d in findings[:1] for line in str(d).split("\n")]
        if findings[1:]:
            text.append(f"    and {len(findings) - 1} more")
    text += ["", f"What it knows about one instruction (ptoscope isa {EXPLAINED}):", ""]
    text += [f"    {line}".rstrip() for line in page.split("\n")]
    text += ["", "Next: ptoscope isa, ptoscope run KERNEL ARG..., ptoscope --help"]
    fields = {
        "kernel": demo.PATH.read_text(encoding="utf-8"),
        "rows": demo.ROWS,
        "columns": demo.COLUMNS,
        "grid": demo.GRID,
        "seconds": compared.seconds,
        "max_relative_error": compared.error,
        "numpy_f32_error": compared.numpy_error,
        "broken": [
            {"change": mistake.title, "diagnostics": [d.as_json() for d in findings]}
            for mistake, findings in broken
        ],
        "instructions": [record],
    }
    return Result("demo", ["\n".join(text)], fields, exit=0 if compared.ok else 1)
