"""Which names leave loops and branches."""

from __future__ import annotations

import ast
import textwrap

from ptoscope.lang.flow import Flow


def leaving(text: str) -> list[tuple[str, ...]]:
    """The names that leave each loop, branch and `with` of a body, in the order of its lines."""
    whole = "def f():\n" + textwrap.indent(textwrap.dedent(text), "    ")
    function = ast.parse(whole).body[0]
    assert isinstance(function, ast.FunctionDef)
    found = Flow(function).leaving
    return [found[node] for node in sorted(found, key=lambda n: (n.lineno, n.col_offset))]  # type: ignore[attr-defined]


def test_what_is_read_after_a_loop_leaves_it() -> None:
    assert leaving("for i in n:\n    a = i\n    b = i\nuse(a)") == [("a",)]


def test_what_the_next_iteration_reads_leaves_it() -> None:
    assert leaving("for i in n:\n    use(a)\n    a = i") == [("a",)]
    assert leaving("for i in n:\n    a += i") == [("a",)]


def test_what_an_iteration_sets_before_it_reads_it_stays_inside() -> None:
    assert leaving("for i in n:\n    a = i\n    use(a)") == [()]


def test_the_condition_of_a_while_is_read_again() -> None:
    assert leaving("while a < n:\n    a = a + 1\n    b = a") == [("a",)]


def test_a_branch_gives_what_is_read_later() -> None:
    assert leaving("if c:\n    a = 1\n    b = 2\nelse:\n    a = 3\nuse(a)") == [("a",)]


def test_a_value_that_an_outer_loop_reads_again_leaves_inner_ones() -> None:
    text = """
        for i in n:
            use(a)
            for j in m:
                if c:
                    a = j
    """
    assert leaving(text) == [("a",), ("a",), ("a",)]


def test_a_new_value_hides_the_old_one() -> None:
    assert leaving("for i in n:\n    a = i\na = 2\nuse(a)") == [()]


def test_subscripts_read_their_names() -> None:
    assert leaving("for i in n:\n    x[a] = i\n    a = i") == [("a",)]


def test_what_is_only_printed_is_not_needed() -> None:
    assert leaving("for i in n:\n    a = i\nprint(a)") == [()]
