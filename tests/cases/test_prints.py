"""What the kernels of a case print is told with the case."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Cli, make_case

PRINTS = '%shown = arith.constant 7 : i32\n    pto.print ins("n %d", %shown : i32)\n    return'


def printing(directory: Path, name: str, compare: str | None = None) -> Path:
    """The case that passes, and prints."""
    case = make_case(directory, name, **({} if compare is None else {"compare": compare}))
    path = case / "kernel.pto"
    path.write_text(path.read_text("utf-8").replace("return", PRINTS), encoding="utf-8")
    return case


@pytest.mark.parametrize("check", [(), ("--check", "all")], ids=["plain", "checked"])
def test_prints_are_told(cli: Cli, tmp_path: Path, check: tuple[str, ...]) -> None:
    line = 1 + printing(tmp_path, "loud").joinpath("kernel.pto").read_text().split("\n").index(
        '    pto.print ins("n %d", %shown : i32)'
    )
    assert f"loud: line {line}: n 7\n" in cli("cases", tmp_path, *check).out
    said = cli("cases", tmp_path, "--json", *check).case("loud")
    assert (said["verdict"], said["prints_left_out"]) == ("pass", 0)
    (one,) = said["printed"]
    assert (one["text"], one["values"], one["line"], one["launch"]) == ("n 7", [7], line, 1)


def test_prints_of_a_case_that_fails(cli: Cli, tmp_path: Path) -> None:
    printing(tmp_path, "wrong", "import sys\nsys.exit(1)\n")
    done = cli("cases", tmp_path)
    assert done.code == 1
    assert "  line " in done.out
    assert ": n 7\n" in done.out


def test_a_quiet_case_has_none(cli: Cli, tmp_path: Path) -> None:
    make_case(tmp_path, "quiet")
    assert cli("cases", tmp_path, "--json").case("quiet")["printed"] == []
