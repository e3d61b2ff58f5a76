"""No record without a complete page; links resolve; lane maps say what the engine does."""

from __future__ import annotations

import html.parser
import os
import re
import subprocess
import sys
from pathlib import Path
from posixpath import dirname, join, normpath

import pytest

from ptoscope import ir
from ptoscope.docs import maps, site
from ptoscope.docs.example_section import shown_example
from ptoscope.docs.markdown import slug
from ptoscope.docs.page import page
from ptoscope.docs.syntax import assembly, dps, ssa
from ptoscope.isa import INSTRUCTIONS, TABLE
from ptoscope.isa.record import Record

ROOT = Path(__file__).parents[2]
SECTIONS = (
    "Syntax",
    "Operands",
    "Types",
    "Meaning",
    "Example",
    "Predicate behaviour",
    "Pointer space",
    "Pipe and hand-off",
    "Target profiles",
    "Constraints",
    "Cost",
    "Evidence",
)
records = pytest.mark.parametrize("record", INSTRUCTIONS.values(), ids=lambda r: r.short)


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return site.pages()


def _sections(text: str) -> dict[str, str]:
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], (p.strip() for p in parts[2::2]), strict=True))


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text).replace("&lt;", "<")


@records
def test_every_record_has_every_section(record: Record, pages: dict[str, str]) -> None:
    text = pages[f"instructions/{record.short}.md"]
    sections = _sections(text)
    assert [t for t in SECTIONS if not sections.get(t)] == []
    assert record.doc in _unescaped(text)
    for evidence in record.evidence:
        row = f"| {evidence.source} | {evidence.note}"
        assert row in _unescaped(sections["Evidence"]).replace("\\|", "|")
    figures = [*record.cost.a5.values(), *record.cost.a2a3.values()]
    assert all(str(n) in sections["Cost"] for n in figures)
    if record.cost.latency is not None and not record.cost.latency.assumed:
        assert f"A5: {record.cost.latency.cycles} cycles" in sections["Cost"]
    assert record.cpp in sections["Syntax"]
    for step in re.split(r";|, see ", record.formula):
        assert step.strip() in sections["Meaning"]
    for form in record.forms:
        for way in (ssa, dps, assembly):
            assert way(record, form) in sections["Syntax"]
        for operand in (*form.operands, *form.results):
            assert f"`%{operand.name}`" in sections["Operands"]
    for name in ("cpu", "a2a3", "a5"):
        row = next(r for r in sections["Target profiles"].splitlines() if _title(name) in r)
        assert ("| yes |" in row) == (name in record.targets)


def _title(target: str) -> str:
    return {"cpu": "CPU", "a2a3": "A2/A3", "a5": "A5"}[target]


@records
def test_the_example_reads_the_same_in_every_form(record: Record, pages: dict[str, str]) -> None:
    text = shown_example(record).text
    module = ir.parse(text)
    assert ir.print_module(module) == text
    shown = pages[f"instructions/{record.short}.md"]
    assert pages[f"instructions/{record.short}.pto"] == text
    for level in ir.LEVELS:
        printed = ir.print_module(module, level=level)
        assert ir.print_module(ir.parse(printed)) == text
        indented = "\n".join(f"    {row}".rstrip() for row in printed.splitlines())
        assert indented in shown


def test_every_link_resolves(pages: dict[str, str]) -> None:
    hand = {p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").rglob("*.md")}
    pictures = {p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").rglob("*.png")}
    known = set(pages) | hand | pictures
    texts = {**pages, **{n: (ROOT / "docs" / n).read_text(encoding="utf-8") for n in hand}}
    for name, text in texts.items():
        prose = re.sub(r"^```.*?^```|`[^`\n]+`", "", text, flags=re.MULTILINE | re.DOTALL)
        for link in re.findall(r"\]\(([^)#]+)(?:#[\w-]+)?\)", prose):
            assert normpath(join(dirname(name), link)) in known, (name, link)


def test_groups_list_every_instruction(pages: dict[str, str]) -> None:
    for record in INSTRUCTIONS.values():
        group = pages[f"groups/{slug(record.group)}/index.md"]
        assert f"[{record.short}](../../instructions/{record.short}.md)" in group
        assert f"[{record.short}]" in pages["groups/index.md"]
    for name in TABLE:
        if name not in INSTRUCTIONS:
            assert f"`{name}`" in pages["instructions/arith.md"]


def test_every_chosen_cell_is_listed(pages: dict[str, str]) -> None:
    text = _unescaped(pages["chosen.md"]).replace("\\|", "|")
    for record in TABLE.values():
        for evidence in record.evidence:
            if evidence.source == "chosen":
                assert f"| {evidence.cell} | {evidence.note} |".replace("\\|", "|") in text


def _map(name: str, mode: str, register: str) -> maps.LaneMap:
    (found,) = (
        m for m in maps.maps(TABLE[f"pto.{name}"]) if (m.mode, m.register) == (mode, register)
    )
    return found


@pytest.mark.parametrize(
    ("name", "mode", "register", "expected"),
    [
        # The documents' own maps: dst[i] = UB[...].
        ("vlds", "NORM", "result", [0, 1, 2, 3, 4, 5, 6, 7]),
        ("vlds", "BRC_B32", "result", [0] * 8),
        ("vlds", "US_B16", "result", [0, 0, 1, 1, 2, 2, 3, 3]),
        ("vlds", "DS_B8", "result", [0, 2, 4, 6, 8, 10, 12, 14]),
        ("vlds", "UNPK_B16", "result", [0, None, 1, None, 2, None, 3, None]),
        ("vlds", "SPLT4CHN_B8", "result", [0, 4, 8, 12, 16, 20, 24, 28]),
        ("vldsx2", "DINTLV_B32", "low", [0, 2, 4, 6, 8, 10, 12, 14]),
        ("vldsx2", "DINTLV_B32", "high", [1, 3, 5, 7, 9, 11, 13, 15]),
        ("vstsx2", "INTLV_B32", "high", [1, 3, 5, 7, 9, 11, 13, 15]),
        ("vsld", "STRIDE_S3_B16", "result", [0, 3, 6, 9, 12, 15, 18, 21]),
    ],
)
def test_lane_maps(name: str, mode: str, register: str, expected: list[int | None]) -> None:
    assert list(_map(name, mode, register).places[:8]) == expected


def test_merging_stores_are_drawn_for_both_revisions() -> None:
    """Planes of the whole vector in the manual, of each 32-byte block in the micro text."""
    drawn = [m for m in maps.maps(TABLE["pto.vsts"]) if m.mode == "MRG4CHN_B8"]
    assert [m.places[:3] + m.places[64:66] for m in drawn] == [(0, 4, 8, 1, 5), (0, 4, 8, 64, 68)]
    text = page(TABLE["pto.vsts"])
    assert "in revision micro, four channel planes of each block interleaved:" in text


def test_a_map_shows_where_it_turns() -> None:
    assert _map("vlds", "NORM", "result").lanes == list(range(8))
    assert _map("vlds", "BLK", "result").lanes == [*range(8), 30, 31, 32, 33]
    assert _map("vlds", "E2B_B32", "result").lanes == [*range(8), 8, 9]


@pytest.mark.parametrize("name", ["vlds", "vsts", "vldsx2", "vstsx2", "vsld", "vsst"])
def test_every_mode_is_drawn(name: str) -> None:
    record = TABLE[f"pto.{name}"]
    (attr,) = record.forms[0].attrs
    drawn = [mode for modes, _ in maps.grouped(record) for mode in modes]
    assert sorted(drawn) == sorted(attr.values)
    text = page(record)
    for lane_map in [m for _, members in maps.grouped(record) for m in members]:
        picture = maps.svg(lane_map)
        assert picture in text
        html.parser.HTMLParser().feed(picture)
        lines = picture.count("<line")
        assert lines == sum(lane_map.places[i] is not None for i in lane_map.lanes)


def test_writing_twice_changes_nothing(
    tmp_path: Path, pages: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Home\n", encoding="utf-8")
    out = tmp_path / "build" / "docs"
    with monkeypatch.context() as patch:
        patch.setattr(site, "pages", lambda: pages)
        assert site.write(tmp_path / "docs", out) > len(INSTRUCTIONS)
    (out / "pages" / "stale.md").write_text("", encoding="utf-8")
    assert site.write(tmp_path / "docs", out) == 1
    assert not (out / "pages" / "stale.md").exists()
    config = (out / "mkdocs.yml").read_text(encoding="utf-8")
    assert config.startswith("INHERIT: ../../docs/mkdocs.yml\n")
    for record in INSTRUCTIONS.values():
        assert f"instructions/{record.short}.md" in config


def test_the_site_builds_and_needs_no_network(tmp_path: Path) -> None:
    """It is written without the site builder."""
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    out = tmp_path / "build" / "docs"
    code = (
        "import sys; from pathlib import Path; from ptoscope.docs import site; "
        "site.write(Path(sys.argv[1]), Path(sys.argv[2])); "
        "sys.exit(any(m.split('.')[0] in ('mkdocs', 'material', 'markdown') for m in sys.modules))"
    )
    written = subprocess.run([sys.executable, "-c", code, tmp_path / "docs", out], check=False)
    assert written.returncode == 0
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-f", out / "mkdocs.yml"],
        check=True,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    built = out / "site"
    assert (built / "search" / "search_index.js").is_file()
    for name in ("index.html", "instructions/vadd.html", "groups/index.html", "chosen.html"):
        text = (built / name).read_text(encoding="utf-8")
        assert (
            re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(?:https?:)?//[^"]*"', text) == []
        )
    css = "".join(p.read_text(encoding="utf-8") for p in built.rglob("*.css"))
    assert "fonts.googleapis" not in css
