"""Writes outside of arrays fail a case where everything is checked, warnings where asked."""

from __future__ import annotations

from pathlib import Path

from .conftest import SUITE, Cli, make_case

SMALL = """#include "acl/acl.h"
int main() {
  float *x, *y; size_t n = 256; char data[256];
  aclrtMalloc((void **)&x, 256, 0);
  aclrtMalloc((void **)&y, YSIZE, 0);
  ReadFile("./v1.bin", n, data, n);
  aclrtMemcpy(x, XSIZE, data, XSIZE, 0);
  double<<<1, nullptr, nullptr>>>(x, y);
  char out[256];
  memcpy(out, y, YSIZE);
  WriteFile("./v2.bin", out, 256);
  return 0;
}
"""
CONTENT = "import sys\nsys.exit(0)\n"


def beyond(directory: Path, name: str, x: int, y: int) -> Path:
    """The case that passes, on arrays of fewer bytes than the 256 that it reads and writes."""
    text = SMALL.replace("XSIZE", str(x)).replace("YSIZE", str(y))
    text = text.replace("&x, 256", f"&x, {x}")
    return make_case(directory, name, main=text, launch=None, compare=CONTENT)


def test_a_write_outside_fails_where_everything_is_checked(cli: Cli, tmp_path: Path) -> None:
    beyond(tmp_path, "writes", 256, 128)
    beyond(tmp_path, "reads", 128, 256)
    beyond(tmp_path, "both", 128, 128)
    plain = cli("cases", tmp_path, "--json")
    assert set(plain.verdicts.values()) == {"pass"}, plain.out
    checked = cli("cases", tmp_path, "--json", "--check", "all")
    assert checked.verdicts == {"writes": "fault", "reads": "pass", "both": "fault"}, checked.out
    for name in ("writes", "both"):
        record = checked.case(name)
        assert "PTO0902 pto.mte_ub_gm: writes after the end of %y" in record["detail"]
        (finding,) = record["diagnostics"]
        assert (finding["found"], finding["expected"]) == (
            "up to byte 255 of %y",
            "bytes 0 to 127",
        )
    assert len(checked.case("reads")["notes"]) == 1


UNUSED_FLAG = 'pto.set_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID7"]\n    return'


def strange(directory: Path) -> Path:
    """A kernel that leaves a flag set, which check and the run warn of."""
    case = make_case(directory, "strange")
    path = case / "kernel.pto"
    path.write_text(path.read_text("utf-8").replace("return", UNUSED_FLAG), encoding="utf-8")
    return path


def test_warnings_fail_a_strict_run_of_cases(cli: Cli, tmp_path: Path) -> None:
    strange(tmp_path)
    assert cli("cases", tmp_path, "--json").verdicts == {"strange": "pass"}
    noted = cli("cases", tmp_path, "--json", "--check", "all")
    assert noted.verdicts == {"strange": "pass"}
    assert [note for note in noted.case("strange")["notes"] if "pto.set_flag" in note]
    strict = cli("cases", tmp_path, "--json", "--strict")
    record = strict.case("strange")
    assert (strict.code, record["verdict"]) == (1, "fail")
    assert record["detail"].startswith("a warning: line ")
    assert record["rerun"].endswith("strange --strict")
    assert cli("cases", SUITE / "verdicts", "--filter", "passes", "--strict").code == 0


def test_warnings_fail_a_strict_check_and_run(cli: Cli, tmp_path: Path) -> None:
    kernel = strange(tmp_path)
    assert cli("check", kernel).code == 0
    strict = cli("check", kernel, "--strict", "--json")
    assert (strict.code, strict.json["ok"], strict.json["files"][0]["ok"]) == (1, False, False)
    assert cli("check", kernel, "--strict").out.startswith(f"{kernel}: wrong, 0 errors, 1 warning")
    arguments = ("run", kernel, "zeros:64", "zeros:64")
    assert cli(*arguments).code == 0
    ended = cli(*arguments, "--strict", "--json")
    assert (ended.code, ended.json["ok"]) == (1, False)
    assert ended.json["arguments"][1]["name"] == "y"
    clean = SUITE / "verdicts" / "passes" / "kernel.pto"
    assert cli("check", clean, "--strict").code == 0
    assert cli("run", clean, "zeros:64", "zeros:64", "--strict").code == 0
