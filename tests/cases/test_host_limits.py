"""Host code of any size and nesting is read in a time that grows with its size, or refused."""

from __future__ import annotations

import time

import pytest

from ptoscope.cases.host.preprocessor import read_tokens
from ptoscope.cases.host.tokens import Unreadable

SIZE, MANY = 200_000, 40_000
SECONDS = 20
"""More than any of these takes by far; where one begins again at every character it takes
minutes."""


def doubling(count: int, last: str) -> str:
    """Macros of which each gives the next one twice what it was given."""
    lines = [f"#define A{n}(x) A{n + 1}(x x)" for n in range(count)]
    return "\n".join([*lines, f"#define A{count}(x) {last}", "#define Q(x) #x", "A0(1)", ""])


REFUSED = {
    "comments": ("/* '" * (SIZE // 4), "f:1: the comment is not closed"),
    "a late comment": ("int a;\n/* x\n" + "\n" * SIZE, "f:2: the comment is not closed"),
    "quotes": ('"\\' * (SIZE // 2), 'f:1: " is not closed'),
    "characters": ("'\\" * (SIZE // 2), "f:1: ' is not closed"),
    "a quote in a line": ('int a;\nchar *s = "abc;\n', 'f:2: " is not closed'),
    "arguments that double": (doubling(40, "x"), "more than 1000000 lines and tokens"),
    "quoted arguments": (doubling(18, "Q(x) Q(x) Q(x) Q(x)"), "more than 1000000 lines and tokens"),
    "powers": ("#if 9**9**9\n#endif\n", "more than integers and their operators"),
    "shifts": ("#if 1 << 99999999999\n#endif\n", "cannot read the condition"),
    "products": ("#if " + "*".join(["99999"] * MANY) + "\n#endif\n", "cannot read the condition"),
    "parentheses": ("#if " + "(" * SIZE + "\n#endif\n", "cannot read the condition"),
    "arguments": ("#define F(x) x\n" + "F(" * (SIZE // 2), "a macro's parenthesis is not closed"),
}
READ = {
    "conditions": ("#if 1\n" * MANY + "x\n" + "#endif\n" * MANY, ["x"]),
    "conditions that do not hold": ("#if 0\n" * MANY + "x\n" + "#endif\n" * MANY + "y\n", ["y"]),
    "a continued line": ("\\\n" * SIZE + "x\n", ["x"]),
    "strings": ('""' * SIZE, ['""'] * SIZE),
    "a digit separator": ("int a = 1'000'000; // don't\n", ["int", "a", "=", "1'000'000", ";"]),
    "a quote in a comment": ('x /* " \' */ y // "\n', ["x", "y"]),
    "a comment in a quote": ('x "/*" \'"\' y\n', ["x", '"/*"', "'\"'", "y"]),
}


def tokens(text: str) -> list[str]:
    """Those of a file, read in time."""
    begin = time.process_time()
    try:
        return [token.text for token in read_tokens(text, "f", lambda _: None)]
    finally:
        assert time.process_time() - begin < SECONDS


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    text, message = REFUSED[name]
    with pytest.raises(Unreadable) as error:
        tokens(text)
    assert message in str(error.value)


@pytest.mark.parametrize("name", READ)
def test_read(name: str) -> None:
    text, expected = READ[name]
    assert tokens(text) == expected
