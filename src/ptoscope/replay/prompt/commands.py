"""The table of commands, and how a line that somebody typed is carried out."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ptoscope.diagnostics import UsageError, nearest
from ptoscope.replay.elements import FORMS
from ptoscope.replay.prompt import moves, tiles, views
from ptoscope.replay.prompt.session import PromptWords, Session, at_most

LONGEST = 1000
"""Characters of a line that are read."""


class PromptCommand(NamedTuple):
    """One command: its names, the long one first, what it takes, and what it does."""

    names: tuple[str, ...]
    usage: str
    run: Callable[[Session, PromptWords], list[str]]

    @property
    def doc(self) -> str:
        """What it does, in a line."""
        return " ".join((self.run.__doc__ or "").split())


def help_lines(session: Session, words: PromptWords) -> list[str]:
    """This list, or what one command does."""
    at_most(words, 1)
    if words:
        one = find(words[0])
        other = f" (also {', '.join(one.names[1:])})" if one.names[1:] else ""
        return [f"{one.names[0]} {one.usage}".rstrip() + other, f"  {one.doc}"]
    rows = [(", ".join(one.names) + f" {one.usage}".rstrip(), one.doc) for one in COMMANDS]
    width = max(len(left) for left, _ in rows)
    return [
        *(f"{left:<{width}}  {doc}" for left, doc in rows),
        "A name of a value or a memory alone prints it; an empty line repeats the last command.",
    ]


def leave(session: Session, words: PromptWords) -> list[str]:
    """Ends."""
    at_most(words, 0)
    session.done = True
    return []


COMMANDS = (
    PromptCommand(("step", "s"), "[N]", moves.step),
    PromptCommand(("back", "b"), "[N]", moves.back),
    PromptCommand(("next", "n"), "[N | nan | undefined]", moves.following),
    PromptCommand(("previous", "prev", "pv"), "[N]", moves.previous),
    PromptCommand(("goto", "g"), "LINE [N]", moves.goto),
    PromptCommand(("moment", "m"), "N", moves.moment),
    PromptCommand(("block",), "N", moves.block),
    PromptCommand(("core",), "[NAME]", moves.core),
    PromptCommand(("begin",), "", moves.begin),
    PromptCommand(("end", "e"), "", moves.end),
    PromptCommand(("writer", "w"), "BYTE", moves.writer),
    PromptCommand(("reader", "r"), "BYTE", moves.reader),
    PromptCommand(("maker", "k"), "%v", moves.maker),
    PromptCommand(("first", "f"), "nan | undefined", moves.first),
    PromptCommand(("difference", "d"), "", moves.difference),
    PromptCommand(("print", "p"), "[%v [hex | bits]]", views.value),
    PromptCommand(("memory", "x"), "BYTES", views.memory),
    PromptCommand(("tile", "t"), "[NAME [ROW COLUMN]]", tiles.tiles),
    PromptCommand(("map",), "[MEMORY]", views.regions),
    PromptCommand(("flags",), "", views.flags),
    PromptCommand(("where",), "", views.where),
    PromptCommand(("list", "l"), "[LINE]", views.source),
    PromptCommand(("info", "i"), "", views.info),
    PromptCommand(("help", "h", "?"), "[COMMAND]", help_lines),
    PromptCommand(("quit", "q", "exit"), "", leave),
)


def find(name: str) -> PromptCommand:
    """The command of a name; UsageError for what is none."""
    for one in COMMANDS:
        if name in one.names:
            return one
    names = [name for one in COMMANDS for name in one.names if len(name) > 1]
    hint = nearest(name, names) or "`help` lists them"
    raise UsageError(f"there is no command '{name[:40]}'; {hint}")


def perform(session: Session, line: str) -> list[str]:
    """Carries out a line and gives what it says. Never raises for any line: what is wrong is
    said. An empty line repeats the one before."""
    line = line[:LONGEST].strip() or session.last
    if not line:
        return []
    session.last = line
    name, *words = line.split()
    space = name.partition(":")[0]
    try:
        if space in session.run.space_names and (":" in name or words or space[0] != "%"):
            return views.memory(session, [name, *words])
        if name.startswith("%"):
            return views.value(session, [name, *words])
        return find(name).run(session, words)
    except UsageError as error:
        return [str(error)]


def completions(session: Session, line: str, begin: str) -> list[str]:
    """What a word that begins so may be: a command at the start of a line, else a value, a memory
    or a word that some command takes."""
    if not line.strip() or line.lstrip() == begin:
        known = [one.names[0] for one in COMMANDS]
    else:
        known = ["nan", "undefined", *FORMS]
    values = session.moment.names() if len(session.run) else []
    return sorted(
        word for word in {*known, *values, *session.run.space_names} if word.startswith(begin)
    )
