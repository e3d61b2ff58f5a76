"""Which core runs what: sections, kinds of kernels, and instructions that only one kind has."""

from __future__ import annotations

import pytest

from ptoscope.diagnostics import PtoError
from ptoscope.kernel import prepare

VECTOR = "pto.vecscope { }"
BOTH = "%block = pto.get_block_idx"


def found(body: str, kind: str = "") -> list[tuple[str, int, str]]:
    """Code, line and what was found, in a kernel with a body from line 3 on."""
    said = f"attributes {{pto.kernel_kind = #pto.kernel_kind<{kind}>}} " if kind else ""
    text = (
        f"module {said}{{\nfunc.func @kernel() attributes {{pto.aicore}} {{\n{body}\nreturn\n}}\n}}"
    )
    kernel = prepare(text, "k.pto", "a5", "manual")
    return [(d.code, d.line, d.found) for d in kernel.findings]


WRONG = [("PTO0304", 3, "an instruction of a vector core")]


@pytest.mark.parametrize(
    ("kind", "body", "expected"),
    [
        ("", VECTOR, []),
        ("vector", VECTOR, []),
        ("cube", VECTOR, WRONG),
        ("cube", BOTH, []),
        ("", f"pto.section.vector {{ {VECTOR} }}", []),
        ("", f"pto.section.vector {{ {VECTOR} }}\npto.section.cube {{ {BOTH} }}", []),
        ("", f"pto.section.cube {{ {VECTOR} }}", WRONG),
        # Outside of sections all cores of a cluster run it, the matrix core among them.
        ("", f"{VECTOR}\npto.section.cube {{ {BOTH} }}", WRONG),
        ("", f"{BOTH}\npto.section.cube {{ }}", []),
        ("tensor", BOTH, [("PTO0304", 2, "#pto.kernel_kind<tensor>")]),
    ],
)
def test_an_instruction_of_another_core(
    kind: str, body: str, expected: list[tuple[str, int, str]]
) -> None:
    assert found(body, kind) == expected


def test_inside_a_branch_of_a_section() -> None:
    inside = f"%yes = arith.constant true\nscf.if %yes {{\n{VECTOR}\n}}"
    assert found(f"pto.section.vector {{\n{inside}\n}}\npto.section.cube {{ }}") == []
    assert found(f"pto.section.cube {{\n{inside}\n}}") == [
        ("PTO0304", 6, "an instruction of a vector core")
    ]


def test_a_text_that_is_not_whole_says_nothing_of_cores() -> None:
    text = f"func.func @kernel() {{ pto.section.cube {{ {VECTOR}\npto.unknown }} return }}"
    with pytest.raises(PtoError) as raised:
        prepare(text, "k.pto", "a5", "manual")
    assert [d.code for d in raised.value.diagnostics] == ["PTO0002"]
