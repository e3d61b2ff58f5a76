"""Commands that go to another moment."""

from __future__ import annotations

from collections.abc import Callable

from ptoscope.diagnostics import UsageError
from ptoscope.ranges import parse_range
from ptoscope.replay.lines import cut
from ptoscope.replay.moment import Moment
from ptoscope.replay.prompt.session import PromptWords, Session, at_most, number

_EMPTY = "nothing was executed"
_MISSING = {
    "nan": "nothing that is NaN is made",
    "undefined": "nothing with undefined bits is made",
}


def step(session: Session, words: PromptWords) -> list[str]:
    """The next instruction, or so many further."""
    return _along(session, words, 1)


def back(session: Session, words: PromptWords) -> list[str]:
    """The instruction before, or so many before."""
    return _along(session, words, -1)


def _along(session: Session, words: PromptWords, way: int) -> list[str]:
    at_most(words, 1)
    count = number(words[0], "number of moments") if words else 1
    here, last = session.moment.index, len(session.run) - 1
    there = min(max(here + way * count, 0), last)
    if there == here and count:
        raise UsageError("this is the last moment" if here == last else "this is the first moment")
    return session.go(session.run[there], "")


def following(session: Session, words: PromptWords) -> list[str]:
    """The next execution of this line; with `nan` or `undefined`, the next that makes one."""
    if words and words[0] in _MISSING:
        at_most(words, 1)
        return _first(session, words[0], session.moment)
    return _again(session, words, 1, "after")


def previous(session: Session, words: PromptWords) -> list[str]:
    """The execution of this line before."""
    return _again(session, words, -1, "before")


def _again(session: Session, words: PromptWords, way: int, when: str) -> list[str]:
    at_most(words, 1)
    count = number(words[0], "number of executions") if words else 1
    here = session.moment
    found = session.run.executions(here.line)
    # From a moment inside of an execution on, its end is not the next one.
    own = int(found.searchsorted(here.index))
    place = own + way * count
    there = session.run[int(found[place])] if 0 <= place < len(found) else None
    often = "" if count == 1 else f" {count} times"
    return session.go(there, f"line {here.line} is not executed{often} {when} this")


def goto(session: Session, words: PromptWords) -> list[str]:
    """An execution of a line in this block: the first, or the one of a number, from 0."""
    if not words:
        raise UsageError("goto needs a line")
    at_most(words, 2)
    line = number(words[0], "line")
    which = number(words[1], "number of an execution") if len(words) > 1 else 0
    return session.go(session.run.at(line, which, session.moment.block), "")


def moment(session: Session, words: PromptWords) -> list[str]:
    """The moment of a number, negative from the end."""
    at_most(words, 1)
    if not words:
        return session.where()
    index, size = number(words[0], "number of a moment"), len(session.run)
    if not -size <= index < size:
        raise UsageError(f"there are moments 0 to {size - 1}" if size else _EMPTY)
    return session.go(session.run[index], "")


def block(session: Session, words: PromptWords) -> list[str]:
    """The first moment of a block."""
    if not words:
        raise UsageError("block needs its number")
    at_most(words, 1)
    wanted = number(words[0], "number of a block")
    found = (session.run.blocks == wanted).nonzero()[0]
    first = session.run[int(found[0])] if len(found) else None
    return session.go(first, f"nothing of block {wanted} was recorded")


def core(session: Session, words: PromptWords) -> list[str]:
    """The next moment of another core of the block (`core vector 1`), by default of any; its last
    one if there is none after this."""
    run, here = session.run, session.moment
    names = [one.short for one in run.recording.trace.cores]
    if len(names) < 2:
        raise UsageError("a block of this kernel has one core")
    wanted = " ".join(words)
    if wanted and wanted not in names:
        raise UsageError(f"there is no core '{wanted[:40]}'; there are {', '.join(names)}")
    mine = int(run.cores[here.index])
    good = run.cores == names.index(wanted) if wanted else run.cores != mine
    good = good & (run.blocks == here.block)
    found = good.nonzero()[0]
    later = found[found > here.index]
    there = later[0] if len(later) else found[-1] if len(found) else None
    missing = f"{wanted or 'another core'} executes nothing in this block"
    return session.go(None if there is None else run[int(there)], missing)


def begin(session: Session, words: PromptWords) -> list[str]:
    """The first moment of the run."""
    at_most(words, 0)
    return session.go(session.run[0] if len(session.run) else None, _EMPTY)


def end(session: Session, words: PromptWords) -> list[str]:
    """The last moment of the run, and what ended it."""
    at_most(words, 0)
    return session.go(session.run[-1] if len(session.run) else None, _EMPTY)


def writer(session: Session, words: PromptWords) -> list[str]:
    """Who wrote a byte (`ub:0x100`) last, up to here; again, the one before."""
    return _access(session, words, session.run.writer, "wrote")


def reader(session: Session, words: PromptWords) -> list[str]:
    """Who read a byte last, up to here; again, the one before."""
    return _access(session, words, session.run.reader, "read")


def _access(
    session: Session,
    words: PromptWords,
    last: Callable[[str, int, Moment | None], Moment | None],
    did: str,
) -> list[str]:
    if not words:
        raise UsageError("which byte? write ub:0x100")
    wanted = parse_range(":".join(words))
    memory = session.run.recording.spaces[session.run.space(wanted.space)]
    byte, _ = wanted.of(len(memory.before))
    here: Moment | None = session.moment
    found = last(wanted.space, byte, here)
    if found == here:
        here = session.moment.previous()
        found = None if here is None else last(wanted.space, byte, here)
    place = f"{wanted.space}:{byte:#x}"
    return session.go(found, f"nobody {did} {place} before")


def maker(session: Session, words: PromptWords) -> list[str]:
    """Who made what a value holds; again, who made it before."""
    if not words:
        raise UsageError("who made what? write %v")
    at_most(words, 1)
    found = session.moment.maker(words[0])
    if found == session.moment:
        before = session.moment.previous()
        found = None if before is None else before.maker(words[0])
    otherwise = f"no instruction made {words[0]}: the launch or a loop gave it"
    return session.go(found, otherwise)


def first(session: Session, words: PromptWords) -> list[str]:
    """Where a NaN, or undefined bits, were made first."""
    if not words or words[0] not in _MISSING:
        raise UsageError(f"first what? There are {', '.join(_MISSING)}")
    at_most(words, 1)
    return _first(session, words[0], None)


def _first(session: Session, what: str, after: Moment | None) -> list[str]:
    search = session.run.first_nan if what == "nan" else session.run.first_undefined
    return session.go(search(after), _MISSING[what] + (" after this" if after else ""))


def difference(session: Session, words: PromptWords) -> list[str]:
    """The first element that is not what --expect says: what made it, and to who wrote it."""
    at_most(words, 0)
    if session.expected is None:
        raise UsageError("nothing is expected; --expect 1=y.npy says what should be there")
    found = session.run.first_difference(*session.expected)
    if found is None:
        raise UsageError("nothing differs from what is expected")
    writer = found.origin.links[0].moment
    made = [cut(line, session.width) for line in str(found).split("\n")]
    return [*made, *(session.go(writer, "") if writer is not None else ())]
