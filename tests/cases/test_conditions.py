"""`#if` of host code: what a C++ preprocessor says, or an error."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from ptoscope.cases.host import preprocessor
from ptoscope.cases.host.preprocessor import read_tokens
from ptoscope.cases.host.program import read_files
from ptoscope.cases.host.tokens import Unreadable
from tests.cases.test_host import run

HOLDS = {
    "1": True,
    "0": False,
    "UNKNOWN": False,
    "true": True,
    "2 * 3 == 6": True,
    "-7 / 2 == -3": True,
    "-7 % 2 == -1": True,
    "1 << 4 == 16": True,
    "010 == 8 && 0x10 == 16 && 0b11 == 3": True,
    "1'000 == 1000": True,
    "1 ? 0 : 1": False,
    "!defined(X) && (defined Y || 1)": True,
    "1 < 2 < 2": True,
    "3 > 2 > 1": False,
    "!0 + !0 == 2": True,
    "~0 == -1": True,
    "(2 | 1) ^ 3": False,
    "'A' == 65": True,
    "2u * 3ul == 6": True,
    "1 || 1 / 0": True,
    "defined(X) && 1 / 0": False,
    "1 // 2 == 0": True,
}
"""By the rules of C++: integers of intmax_t, division towards zero, names that are left are 0."""

REFUSED = (
    "2**3 == 8",
    "9**9**9",
    "9**9**9**9",
    "1 / 0",
    "1 << 100000000000",
    "1 << 64",
    "1 << -1",
    "9223372036854775807 + 1",
    "-1 < 0u",
    "0u - 1",
    "1.5",
    '"text"',
    "(int)1",
    "1, 2",
    "X = 1",
    "X++",
    "1 not 0",
    "1 if 1 else 0",
    "",
    "(1",
    "1 2",
    "[1]",
    "f(1)",
    "lambda: 0",
    "()",
    "!" * 100_000 + "1",
    "(" * 100_000 + "1" + ")" * 100_000,
    "1" + "+1" * 100_000,
)


def chosen(condition: str) -> bool:
    text = f"#if {condition}\nyes\n#else\nno\n#endif\n"
    (token,) = read_tokens(text, "main.cpp", lambda name: None)
    return token.text == "yes"


@pytest.mark.parametrize("condition", HOLDS)
def test_a_condition_is_what_the_preprocessor_says(condition: str) -> None:
    assert chosen(condition) is HOLDS[condition]


@pytest.mark.parametrize("condition", REFUSED, ids=lambda text: text[:20])
def test_what_is_no_condition_is_refused_at_once(condition: str) -> None:
    start = time.process_time()
    with pytest.raises(Unreadable, match=r"main\.cpp:1: ") as raised:
        chosen(condition)
    assert time.process_time() - start < 5
    assert len(str(raised.value)) < 300


def test_macros_that_double_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preprocessor, "_MOST", 5000)
    text = "".join(f"#define A{i} A{i + 1} A{i + 1}\n" for i in range(60)) + "A0\n"
    with pytest.raises(Unreadable, match="more than 5000 lines and tokens"):
        read_tokens(text, "main.cpp", lambda name: None)


def test_headers_that_double_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preprocessor, "_MOST", 5000)

    def include(name: str) -> str:
        number = int(name.removesuffix(".h"))
        return f'#include "{number + 1}.h"\n' * 2 if number < 60 else ""

    with pytest.raises(Unreadable, match="more than 5000 lines and tokens"):
        read_tokens('#include "0.h"\n', "main.cpp", include)


def test_a_declaration_may_not_be_nested_for_ever(tmp_path: Path) -> None:
    source = tmp_path / "main.cpp"
    source.write_text(f"int x = {'(' * 20_000}1{')' * 20_000};\n", encoding="utf-8")
    with pytest.raises(Unreadable, match=r"main\.cpp: it is nested too deeply"):
        read_files([source])


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("int n = 1 << 4000000000000;", "cannot work out 1 << 4000000000000"),
        ("int n = 1 << -1;", "cannot work out 1 << -1"),
        ("auto n = 3; n" + " * 0xffffffffffffffff" * 100 + ";", "more than 1024 bits"),
    ],
)
def test_numbers_do_not_grow_for_ever(tmp_path: Path, body: str, reason: str) -> None:
    with pytest.raises(Unreadable, match=r"main\.cpp:") as raised:
        run(tmp_path, body)
    assert reason in str(raised.value)
