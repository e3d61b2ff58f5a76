"""All pages on disk: hand-written ones copied, the others made from the table."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

from ptoscope.docs.example_section import shown_example
from ptoscope.docs.markdown import prose, slug, table
from ptoscope.docs.page import arith_page, page, short_types
from ptoscope.evidence import chosen
from ptoscope.isa import INSTRUCTIONS, TABLE
from ptoscope.isa.record import Record

ARITH = "arith"
_HAND_WRITTEN = (".md", ".css", ".js", ".png")


def pages() -> dict[str, str]:
    """Every generated file by its path in the site."""
    found: dict[str, str] = {}
    for group, members in _groups():
        found[f"groups/{slug(group)}/index.md"] = _group_page(group, members)
        for record in members:
            found[f"instructions/{record.short}.md"] = page(record)
            found[f"instructions/{record.short}.pto"] = shown_example(record).text
    found["instructions/arith.md"] = arith_page(_arith())
    found["groups/index.md"] = _groups_page()
    found["chosen.md"] = _chosen_page()
    return found


def write(source: Path, out: Path) -> int:
    """Writes the pages and the configuration of the site; gives how many files changed.

    `source` holds the hand-written part. Files that are no longer made are removed.
    """
    folder = out / "pages"
    files = {folder / name: text.encode() for name, text in pages().items()}
    for path in sorted(source.rglob("*")):
        if path.suffix in _HAND_WRITTEN:
            files[folder / path.relative_to(source)] = path.read_bytes()
    inherited = Path(os.path.relpath(source / "mkdocs.yml", out)).as_posix()
    settings = f"INHERIT: {inherited}\ndocs_dir: pages\nsite_dir: site\n{_navigation()}"
    files[out / "mkdocs.yml"] = settings.encode()
    changed = 0
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_bytes() != content:
            path.write_bytes(content)
            changed += 1
    for path in folder.rglob("*"):
        if path.is_file() and path not in files:
            path.unlink()
            changed += 1
    return changed


def _groups() -> list[tuple[str, list[Record]]]:
    """Groups in the order of the table."""
    names = dict.fromkeys(r.group for r in INSTRUCTIONS.values())
    return [(n, [r for r in INSTRUCTIONS.values() if r.group == n]) for n in names]


def _arith() -> list[Record]:
    return [r for n, r in TABLE.items() if n not in INSTRUCTIONS]


def _title(group: str) -> str:
    return f"{group[0].upper()}{group[1:]}"


def _navigation() -> str:
    lines = [
        "nav:",
        "  - Reference: index.md",
        "  - How to read a page: reading.md",
        "  - What is chosen: chosen.md",
        "  - The matrix unit: matrix.md",
        "  - Cycles: cycles.md",
        "  - How cycles are modelled: timing.md",
        "  - Calibration: calibration.md",
        "  - How fast it is: performance.md",
        "  - Looking into a kernel: debugging.md",
        "  - Testing a kernel: testing.md",
        "  - Kernels in Python, step by step: tutorial.md",
        "  - Kernels in Python: python.md",
        "  - All groups: groups/index.md",
    ]
    for group, members in _groups():
        lines += [f'  - "{_title(group)}":', f"      - groups/{slug(group)}/index.md"]
        lines += [f"      - {r.short}: instructions/{r.short}.md" for r in members]
    return "\n".join([*lines, "  - arith: instructions/arith.md", ""])


def _group_page(group: str, members: list[Record]) -> str:
    rows = [
        (
            f"[{r.short}](../../instructions/{r.short}.md)",
            prose(r.doc),
            short_types(r),
            ", ".join(r.targets),
        )
        for r in members
    ]
    columns = ("instruction", "what it does", "element types", "targets")
    return f"# {_title(group)}\n\n{table(columns, rows)}\n"


def _groups_page() -> str:
    rows = [
        (
            f"[{_title(group)}]({slug(group)}/index.md)",
            ", ".join(f"[{r.short}](../instructions/{r.short}.md)" for r in members),
        )
        for group, members in _groups()
    ]
    rows.append(("[arith](../instructions/arith.md)", f"{len(_arith())} scalar operations"))
    return f"# All groups\n\n{table(('group', 'instructions'), rows)}\n"


def _chosen_page() -> str:
    """Everything that no document says."""
    parts = [
        "# What is chosen",
        "Cells of behaviour that no document fixes. `ptoscope isa --chosen` prints this list, and "
        "`ptoscope run --chosen` those that a kernel depends on.",
    ]
    cells = [cell for record in TABLE.values() for cell in chosen(record)]
    for name, members in itertools.groupby(cells, key=lambda c: c.instruction):
        short = name.partition(".")[2]
        to = short if name in INSTRUCTIONS else ARITH
        rows = [(prose(c.cell), prose(c.why)) for c in members]
        parts += [f"## [{name}](instructions/{to}.md)", table(("cell", "why"), rows)]
    return "\n\n".join(parts) + "\n"
