"""The example of a page: the kernel in its three levels, and what it does to its arguments."""

from __future__ import annotations

from ptoscope import ir
from ptoscope.docs.example import Example, example
from ptoscope.docs.markdown import code, table, tabs, word
from ptoscope.isa.record import Record
from ptoscope.kernel import load

SHOWN = 12
"""Elements of each argument that a page shows."""
LEVELS: dict[ir.Level, str] = {"ssa": "SSA", "dps": "Destination-passing", "asm": "Assembly"}


def shown_example(record: Record) -> Example:
    """The example of a page: on A5 where it has the instruction."""
    return example(record, "a5" if "a5" in record.targets else record.targets[-1])


def example_section(record: Record) -> str:
    """The section, after running the kernel."""
    found = shown_example(record)
    module = ir.parse(found.text)
    kernels = [
        (title, code(ir.print_module(module, level=level), "mlir"))
        for level, title in LEVELS.items()
    ]
    name = f"{found.record.short}.pto"
    arguments = " ".join(f"zeros:{b.count}" for b in found.buffers)
    parts = [
        f"On {found.target.title}; [{name}]({name}) is this file.",
        tabs(kernels),
        code(f"ptoscope run {name} {arguments}".rstrip(), "sh"),
    ]
    if found.buffers:
        before, after = outcome(found)
        rows = [
            (
                word(f"%{b.name}"),
                f"lanes of a b{b.mask_bits} mask" if b.mask_bits else word(str(b.dtype)),
                word(" ".join(was)) if not b.is_result else "",
                word(" ".join(now)) if b.is_result else "unchanged",
            )
            for b, was, now in zip(found.buffers, before, after, strict=True)
        ]
        parts += [
            f"Arguments, the first {SHOWN} elements of each; results hold -1 before the run:",
            table(("argument", "type", "before", "after"), rows),
        ]
    return "\n\n".join(parts)


def outcome(found: Example) -> tuple[list[list[str]], list[list[str]]]:
    """The first elements of every argument before and after a run."""
    arrays = [b.array() for b in found.buffers]
    before = [b.shown(a, SHOWN) for b, a in zip(found.buffers, arrays, strict=True)]
    load(found.text, found.target.name)(*arrays)
    return before, [b.shown(a, SHOWN) for b, a in zip(found.buffers, arrays, strict=True)]
