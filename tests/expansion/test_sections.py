"""Sections: which cores run a kernel, and sections that no core would run."""

from __future__ import annotations

import pytest

import ptoscope
from ptoscope.diagnostics import PtoError

_PRODUCT = """
    %a = pto.castptr %zero : i64 -> !pto.ptr<f16, l0a>
    %b = pto.castptr %zero : i64 -> !pto.ptr<f16, l0b>
    %c = pto.castptr %zero : i64 -> !pto.ptr<f32, l0c>
    pto.mad %a, %b, %c, %size, %size, %size
        : !pto.ptr<f16, l0a>, !pto.ptr<f16, l0b>, !pto.ptr<f32, l0c>, i64, i64, i64
"""


def _kernel(body: str) -> str:
    return f"""
module attributes {{pto.target_arch = "a5"}} {{
  func.func @kernel(%x: !pto.ptr<f32, gm>) attributes {{pto.aicore}} {{
    %zero = arith.constant 0 : i64
    %size = arith.constant 16 : i64
    {body}
    return
  }}
}}
"""


def _section(kind: str, body: str) -> str:
    return f"pto.section.{kind} {{{body}\n}}\n"


@pytest.mark.parametrize(
    ("body", "cores"),
    [
        ("", ("vector",)),
        (_section("vector", ""), ("vector",)),
        (_PRODUCT, ("cube",)),
        (_section("cube", _PRODUCT), ("cube", "vector", "vector")),
        (_section("cube", _PRODUCT) + _section("vector", ""), ("cube", "vector", "vector")),
    ],
)
def test_the_cores_of_a_kernel(body: str, cores: tuple[str, ...]):
    assert ptoscope.load(_kernel(body)).function.cores == cores


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (_section("vector", _PRODUCT), "pto.mad stands where a vector core runs it"),
        (_PRODUCT + _section("vector", ""), "pto.mad stands where a vector core runs it"),
    ],
)
def test_a_section_of_vector_cores_is_not_dropped_for_a_product(body: str, said: str):
    with pytest.raises(PtoError, match=said) as caught:
        ptoscope.load(_kernel(body))
    assert {found.code for found in caught.value.diagnostics} == {"PTO0304"}


@pytest.mark.parametrize(("outer", "inner"), [("cube", "vector"), ("vector", "cube")])
def test_a_section_in_one_of_other_cores(outer: str, inner: str):
    with pytest.raises(PtoError, match="so that no core executes it") as caught:
        ptoscope.load(_kernel(_section(outer, _section(inner, ""))))
    (found,) = caught.value.diagnostics
    assert (found.code, found.line) == ("PTO0015", 6)
