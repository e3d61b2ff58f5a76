"""What a spelling is: how a text is written in it, with an example and a mistake."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.fuzz.spelling.facts import Facts, Line

PARAMETERS = (
    "%n: i64, %j: index, %i: i32, %f: f32, %v: !pto.vreg<64xf32>, %m: !pto.mask<b32>, "
    "%p: !pto.ptr<f32, ub>, %g: !pto.ptr<f32, gm>"
)
"""The values that examples use."""


@dataclass(frozen=True)
class Spelling:
    """A form of the language that random programs do not begin with.

    `good` is a text in it, of which `canonical` is a line when it is printed; `bad` is a mistake
    that can be made in it, which is said with `code`. Both are files, or else bodies of a
    function with PARAMETERS.
    """

    name: str
    good: str
    canonical: str
    bad: str
    code: str


@dataclass(frozen=True)
class LineSpelling(Spelling):
    """Another way to write one operation; the program is the same. `rewrite` takes the number
    of the operation among those without a body, and gives None where there is no other way."""

    rewrite: Callable[[Facts, Line, int], str | None]


@dataclass(frozen=True)
class TextSpelling(Spelling):
    """Another way to build a kernel; what it does is the same. `rewrite` gives None for a text
    that can not be built so. What is `opened` before it is checked and run leaves no trace
    there."""

    rewrite: Callable[[Facts], list[Line] | None]
    opened: bool = False
    most: int = 1
    """So often it is applied."""


def as_file(text: str) -> str:
    """The text of an example as a file."""
    if "func.func" in text:
        return text
    return f"func.func @k({PARAMETERS}) {{\n{text}\nreturn\n}}\n"
