"""The plugin in a suite of its own: the fixture, its failures, `--pto-junit`, and no trace of it in
suites that do not use it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.testing.kernels import RACY, ROOT, SCALARS, SOFTMAX, UNDEFINED

pytest_plugins = ["pytester"]

PLUGIN = ("-p", "ptoscope.testing.plugin")
SUITE = f"""
import numpy as np
import pytest

x = np.random.default_rng(7).standard_normal((5, 128)).astype(np.float32)

def softmax(x, *_):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)

@pytest.mark.parametrize("rows", [1, 5])
def test_right(pto_check, rows):
    y = np.zeros((rows, 128), np.float32)
    assert pto_check({str(SOFTMAX)!r}, [x[:rows], y, rows], softmax, rtol=1e-5).shape == y.shape

def test_wrong(pto_check):
    wrong = softmax(x)
    wrong[3, 70] += 1
    pto_check({str(SOFTMAX)!r}, [x, np.zeros_like(x), 5], wrong, rtol=1e-5, checks="none")

def test_race(pto_check):
    pto_check("racy.pto", [x, np.zeros_like(x), 5], softmax, rtol=1e-5, checks="races")

def test_undefined(pto_check):
    pto_check("undefined.pto", [x, np.zeros_like(x), 5], {{}}, checks="poison")

class Departs:
    def on(self, target=None):
        import ptoscope
        return ptoscope.load({str(SOFTMAX)!r}, target)

    def eager(self, x, y, rows, *, grid):
        self.on()(x, y, rows, grid=grid, engine="reference")
        y[3] = -y[3]

def test_engines(pto_check):
    pto_check(Departs(), [x, np.zeros_like(x), 5], {{}}, checks="none")
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """The suite above. Of all plugins only those that are named are loaded."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(test_suite=SUITE)
    for name, text in (("racy", RACY), ("undefined", UNDEFINED)):
        Path(f"{name}.pto").write_text(text, "utf-8")
    return pytester


def cases(path: str) -> dict[tuple[str, str], str]:
    """By test and case of the file what became of it, with the message."""
    (found,) = ElementTree.parse(path).getroot()
    assert found.get("name") == "test_suite.py"
    assert found.get("tests") == str(len(found))
    assert found.get("failures") == str(len(found.findall("*/failure")))
    told: dict[tuple[str, str], str] = {}
    for case in found:
        test = case.get("classname", "").removeprefix("test_suite.py::")
        failure = case.find("failure")
        message = "" if failure is None else f"{failure.get('type')}: {failure.get('message')}"
        assert failure is None or "error[PTO" in (failure.text or "")
        told[test, case.get("name", "")] = message
    return told


def check_cases(path: str) -> None:
    found = cases(path)
    right = [
        ("check", "a5"),
        ("results", "a5-native"),
        ("results", "a5-reference"),
        ("agreement", "a5-native"),
        ("races", "a5-native"),
        ("poison", "a5-reference"),
        ("schedules", "a5-reference"),
    ]
    for check, where in right:
        assert found["test_right[1]", f"@row_softmax {check}[{where}]"] == ""
        assert found["test_right[5]", f"@row_softmax {check}[{where}]"] == ""
    wrong = found["test_wrong", "@row_softmax results[a5-native]"]
    assert wrong.startswith("results: pto.vdiv: element [3, 70] of %y (argument 1) is ")
    assert found["test_wrong", "@row_softmax agreement[a5-native]"] == ""
    assert "PIPE_V reads UB" in found["test_race", "@row_softmax races[a5-native]"]
    poison = found["test_undefined", "@row_softmax poison[a5-reference]"]
    assert poison.startswith("poison: pto.mte_ub_gm: undefined data reaches GM")
    assert "on the eager engine" in found["test_engines", "@row_softmax agreement[a5-eager]"]
    assert found["test_engines", "@row_softmax results[a5-eager]"] == ""
    assert len(found) == 2 * 7 + 3 + 4 + 4 + 5


def test_what_a_suite_says(suite: pytest.Pytester) -> None:
    result = suite.runpytest_subprocess(*PLUGIN, "--pto-junit", "out/checks.xml")
    result.assert_outcomes(passed=2, failed=4)
    result.stdout.fnmatch_lines(
        [
            '*pto_check(*wrong, rtol=1e-5, checks="none")',
            "E *CheckFailed: @row_softmax on a5: 2 of 3 checks failed: results (native), *",
            "E *row_softmax.pto:91:17: error?PTO0808?: pto.vdiv: element ?3, 70? of %y *",
            "E *91 |           %y1 = pto.vdiv %e1, %sum, %all",
            "E *   |                 ^^^^^^^^",
            "E *found: lane 6 of %y1 = * (at %row = 0, %lo = 384); 1 of 640 elements differs, *",
            "E *expected: * within rtol 1e-05; off by 1 (* ulp)",
            "E *hint: it comes from: bytes 1816 to 1819 of %y = *",
            "E *CheckFailed: @row_softmax on a5: 1 of 4 checks failed: races (native)",
            "E *racy.pto:64:17: error?PTO0701?: pto.vlds: PIPE_V reads UB bytes 0 to 255, *",
            "E *CheckFailed: @row_softmax on a5: 1 of 4 checks failed: poison (reference)",
            "E *undefined.pto:101:7: error?PTO0711?: pto.mte_ub_gm: undefined data reaches GM*",
            "E *CheckFailed: @row_softmax on a5: 1 of 5 checks failed: agreement (eager)",
            "E *pto.vdiv: element ?0, 3? of %y (argument 1) is -* on the eager engine and *",
        ]
    )
    # Of the traceback only the test's own lines are shown.
    assert "verify.py" not in result.stdout.str()
    check_cases("out/checks.xml")


def test_processes_of_xdist_report_to_one_file(suite: pytest.Pytester) -> None:
    result = suite.runpytest_subprocess(*PLUGIN, "-p", "xdist", "-n", "2", "--pto-junit=c.xml")
    result.assert_outcomes(passed=2, failed=4)
    check_cases("c.xml")


def test_examples_of_hypothesis_are_one_case(suite: pytest.Pytester) -> None:
    Path("scalars.pto").write_text(SCALARS.replace("TYPE", "i32"), "utf-8")
    suite.makepyfile(
        test_suite="""
        from hypothesis import given, settings
        from ptoscope.testing import arrays, shapes
        import numpy as np

        @settings(max_examples=20, deadline=None, derandomize=True)
        @given(arrays("i32", shapes((1, 4))))
        def test_first(pto_check, x):
            pto_check("scalars.pto", [x, np.zeros(1, np.int32)], [0], checks="none")
        """
    )
    result = suite.runpytest_subprocess(*PLUGIN, "-p", "hypothesispytest", "--pto-junit=c.xml")
    result.assert_outcomes(failed=1)
    # Of the example that hypothesis shows, the last and smallest one; pytest
    # repeats it in its summary where the environment says `CI`.
    (shown,) = set(re.findall(r"x=array\(\[(-?\d+)", result.stdout.str()))
    told = f"results: pto.load_scalar: element [0] of %y (argument 1) is {shown}, expected 0"
    assert cases("c.xml") == {
        ("test_first", "@scalars results[a5-native]"): told,
        ("test_first", "@scalars results[a5-reference]"): told,
        ("test_first", "@scalars agreement[a5-native]"): "",
    }


def test_pytest_finds_the_plugin_and_loads_little(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an installed package: its entry points, and a suite that does not use it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (point,) = project["entry-points"]["pytest11"].items()
    package = pytester.mkdir("installed") / "ptoscope-0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: ptoscope\nVersion: 0\n")
    (package / "entry_points.txt").write_text(f"[pytest11]\n{point[0]} = {point[1]}\n")
    monkeypatch.syspath_prepend(str(package.parent))
    monkeypatch.setenv("PYTHONPATH", f"{package.parent}:{ROOT / 'src'}")
    pytester.makepyfile(
        """
        import sys

        def test_nothing(request):
            assert request.config.pluginmanager.has_plugin("ptoscope")
            loaded = {name for name in sys.modules if name.startswith("ptoscope")}
            assert loaded == {
                "ptoscope",
                "ptoscope.diagnostics",
                "ptoscope.testing",
                "ptoscope.testing.plugin",
                "ptoscope.version",
            }
            assert "numpy" not in sys.modules
        """
    )
    quiet = ("-p", "no:hypothesispytest", "-p", "no:xdist")
    result = pytester.runpytest_subprocess(*quiet)
    result.assert_outcomes(passed=1)
    assert pytester.runpytest_subprocess("--fixtures", *quiet).stdout.str().count("pto_check") >= 1
    blocked = pytester.runpytest_subprocess("-p", "no:ptoscope", "--pto-junit=x", *quiet)
    assert "unrecognized arguments: --pto-junit=x" in blocked.stderr.str()


def test_a_file_that_cannot_be_written(suite: pytest.Pytester) -> None:
    Path("taken").write_text("")
    result = suite.runpytest_subprocess(*PLUGIN, "--pto-junit=taken/c.xml")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --pto-junit taken/c.xml: *"])
