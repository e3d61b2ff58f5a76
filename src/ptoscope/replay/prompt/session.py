"""Where somebody who looks into a recorded run stands, and what he is told of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ptoscope.diagnostics import UsageError
from ptoscope.replay.contents import WIDTH
from ptoscope.replay.lines import cut, instruction, made_texts
from ptoscope.replay.moment import Moment
from ptoscope.replay.run import RecordedRun
from ptoscope.tables import counted


class ExpectedArrays(NamedTuple):
    """What arguments should hold in the end, by position, and by how much they may differ."""

    arrays: Mapping[int | str, Any]
    rtol: float = 0.0
    atol: float = 0.0


PromptWords = list[str]
"""What stands behind the name of a command."""


class Session:
    """A recorded run and a moment of it. `width` is how many characters a line may have,
    `expected` what the run should have made, if somebody said so."""

    def __init__(
        self, run: RecordedRun, width: int = WIDTH, expected: ExpectedArrays | None = None
    ) -> None:
        self.run = run
        self.width = width
        self.expected = expected
        self.index = 0
        self.done = False
        """Whether nobody wants to see more."""
        self.last = ""
        """The command before, which an empty line repeats."""

    @property
    def moment(self) -> Moment:
        """Where it stands; UsageError if there is nothing to stand on."""
        if not len(self.run):
            raise UsageError("nothing was executed")
        return self.run[self.index]

    def go(self, moment: Moment | None, otherwise: str) -> list[str]:
        """Moves to a moment and says what is there; UsageError where there is none."""
        if moment is None:
            raise UsageError(otherwise)
        self.index = moment.index
        return self.where()

    def where(self) -> list[str]:
        """The moment: number, line, iterations, the instruction, what it made; at the end of the
        run, what ended it."""
        if not len(self.run):
            return ["nothing was executed", *self._end()]
        moment = self.moment
        around = ", ".join((f"line {moment.line}", moment.pipe, *moment.iteration_texts))
        lines = [
            f"moment {moment.index} of {len(self.run)}: {around}",
            f"  {instruction(moment)}",
            *(f"    {text}" for text in made_texts(moment)),
        ]
        last = moment.index == len(self.run) - 1
        return [*(cut(line, self.width) for line in lines), *(self._end() if last else ())]

    def _end(self) -> list[str]:
        if self.run.left_out:
            return [f"{counted(self.run.left_out, 'later execution')} not recorded"]
        error = self.run.error
        if error is None:
            return ["the end of the run"]
        return ["the run ended here:", *(str(error).split("\n"))]


def number(text: str, what: str) -> int:
    """A number that is written behind a command; UsageError for anything else."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 12:
        raise UsageError(f"'{text[:40]}' is no {what}")
    return int(text)


def at_most(words: PromptWords, count: int) -> None:
    """UsageError for words behind a command that it does not take."""
    if len(words) > count:
        raise UsageError(f"what is '{words[count][:40]}'? `help` says what a command takes")
