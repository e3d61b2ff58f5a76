"""`check --fix` and `check --diff`: fixes applied to files, or shown."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import ptoscope

from .conftest import Cli

EXAMPLES = Path(__file__).parents[2] / "examples"
SYNCHRONISATION = r"^ *pto\.(set_flag|wait_flag|get_buf|rls_buf|barrier)\b.*\n"


def bare(name: str) -> str:
    """An example without any synchronisation."""
    text = (EXAMPLES / f"{name}.pto").read_text(encoding="utf-8")
    return re.sub(SYNCHRONISATION, "", text, flags=re.MULTILINE)


@pytest.mark.parametrize(
    "name", ["vector_add", "row_softmax", "clamp", "bias_scale", "double_buffer_flags"]
)
def test_a_kernel_without_synchronisation_gets_all_of_it(cli: Cli, write, name: str) -> None:
    path = write("k.pto", bare(name))
    assert cli("check", path).code == 1
    outcome = cli("check", path, "--fix")
    assert (outcome.code, outcome.err) == (0, "")
    assert re.search(r"k\.pto: \d+ fixes applied\n.*ok, 0 errors, 0 warnings\n", outcome.out)
    assert cli("check", path).code == 0


def test_the_fixed_kernel_is_right_in_every_order(cli: Cli, write) -> None:
    path = write("k.pto", bare("vector_add"))
    cli("check", path, "--fix")
    x, y = np.random.default_rng(0).standard_normal((2, 20_000), np.float32)
    kernel = ptoscope.load(path)
    out = np.zeros_like(x)
    kernel(x, y, out, 20_000)
    assert (out == x + y).all()
    seen = kernel.watch(x, y, np.zeros_like(x), 20_000, schedules=4)
    assert [d for d in seen.diagnostics if d.severity == "error"] == []


def test_diff_shows_the_change_and_writes_nothing(cli: Cli, write) -> None:
    text = bare("vector_add")
    path = Path(write("k.pto", text))
    outcome = cli("check", path, "--diff")
    assert path.read_text(encoding="utf-8") == text
    assert '+      pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]\n' in outcome.out
    assert re.search(r"fixes to apply\nk.pto: wrong, \d+ errors, 0 warnings\n", outcome.out)
    # The file as it is has errors, whatever the fixes would do.
    as_it_is = cli("check", path)
    assert (outcome.code, outcome.err) == (1, as_it_is.err)
    record = cli("check", path, "--diff", "--json").json["files"][0]
    assert record["fixes"] > 1
    cli("check", path, "--fix")
    added = [line[1:] for line in record["diff"].splitlines() if re.match(r"\+ ", line)]
    left = path.read_text(encoding="utf-8").splitlines()
    for line in added:
        left.remove(line)
    assert sorted(left) == sorted(text.splitlines())


def test_a_file_that_is_right_is_not_written(cli: Cli, write) -> None:
    path = Path(write("k.pto", (EXAMPLES / "vector_add.pto").read_text(encoding="utf-8")))
    before = path.stat().st_mtime_ns
    outcome = cli("check", path, "--fix")
    assert (outcome.code, path.stat().st_mtime_ns) == (0, before)
    assert "0 fixes applied" in outcome.out


def test_a_file_keeps_its_ends_of_lines_and_its_mark(cli: Cli, tmp_path: Path) -> None:
    plain, other = tmp_path / "plain.pto", tmp_path / "other.pto"
    text = bare("vector_add")
    plain.write_bytes(text.encode())
    other.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert cli("check", plain, other, "--fix").code == 0
    fixed = plain.read_text(encoding="utf-8")
    assert fixed != text
    assert other.read_bytes() == b"\xef\xbb\xbf" + fixed.replace("\n", "\r\n").encode()


def test_what_cannot_be_fixed_is_told(cli: Cli, write) -> None:
    text = bare("vector_add").replace("return\n", "pto.no_such_thing\n    return\n", 1)
    path = Path(write("k.pto", text))
    outcome = cli("check", path, "--fix")
    assert outcome.code == 1
    assert "PTO0002" in outcome.err
    assert path.read_text(encoding="utf-8") == text


def test_standard_input_is_not_written(cli: Cli) -> None:
    assert cli("check", "-", "--fix").code == 2


def test_fixes_are_not_for_all_targets(cli: Cli, write) -> None:
    path = write("k.pto", bare("vector_add"))
    assert cli("check", path, "--fix", "--all-targets").code == 2
