"""Witnesses of synchronisation: what a kernel does with it, without it, and with the wrong one.

A kernel whose pipes are ordered gives the same result in every legal order of the pipes; one
that is not leaves its result to chance; one that waits for what nobody does cannot end.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ptoscope.isa.record import Record
from tests.check.pipes import P, both, copy_in, copy_out, kernel, load, scope, sets, store, waits
from tests.machine.harness import prepared
from tests.witness.programs import always, sometimes
from tests.witness.registry import Trial, program

X = np.arange(1, 129, dtype=np.float32)
Y = np.zeros(128, np.float32)
ARGUMENTS = (X, Y, 1, 1, 0)
MOVED = [X.tobytes(), np.concatenate([X[:64], Y[64:]]).tobytes()]
ALL = "pto.barrier #pto.pipe<PIPE_ALL>"


def through(in_to_v: str, v_to_out: str) -> str:
    """A register from %x through the vector core to %y."""
    return kernel(copy_in(), in_to_v, scope(), v_to_out, copy_out())


def _dynamic(name: str, src: str, dst: str, event: int) -> str:
    return f"%e{name}{src}{event} = arith.constant {event} : i32\n" + (
        f'pto.{name}["PIPE_{src}", "PIPE_{dst}", %e{name}{src}{event}]'
    )


@program("pto.set_flag", "pto.wait_flag")
def _flags(record: Record) -> Iterator[Trial]:
    for event in range(8):
        other = (event + 3) % 8
        text = through(both("MTE2", "V", event), both("V", "MTE3", other))
        yield always(f"events {event} and {other}", text, ARGUMENTS, MOVED)
    again = (scope(), both("V", "MTE2"), copy_in("%d"), both("V", "MTE3"), copy_out())
    text = kernel(copy_in(), both("MTE2", "V"), *again)
    yield always("the buffer is free again", text, ARGUMENTS, MOVED)
    for event in (0, 1, 7):
        pair = "\n".join(_dynamic(name, "MTE2", "V", event) for name in ("set_flag", "wait_flag"))
        yield always(f"number {event}", through(pair, both("V", "MTE3")), ARGUMENTS, MOVED)
        mixed = sets("MTE2", "V", event) + "\n" + _dynamic("wait_flag", "MTE2", "V", event)
        yield always(f"mixed {event}", through(mixed, both("V", "MTE3")), ARGUMENTS, MOVED)
    for event in (-1, 8):
        for name in ("set_flag", "wait_flag"):
            yield always(
                f"{name} {event}", kernel(_dynamic(name, "MTE2", "V", event)), ARGUMENTS, "PTO0905"
            )
    # A flag is counted, belongs to an ordered pair of pipes, and is taken by its wait.
    yield always("nobody sets it", kernel(waits("V", "MTE3")), ARGUMENTS, "PTO0904")
    yield always(
        "the pair the other way",
        kernel(sets("V", "MTE2"), waits("MTE2", "V")),
        ARGUMENTS,
        "PTO0904",
    )
    twice = kernel(sets("MTE2", "V"), sets("MTE2", "V"), waits("MTE2", "V"), waits("MTE2", "V"))
    nothing = [X.tobytes(), Y.tobytes()]
    yield always("two sets, two waits", twice, ARGUMENTS, nothing)
    once = kernel(sets("MTE2", "V"), waits("MTE2", "V"), waits("MTE2", "V"))
    yield always("one set, two waits", once, ARGUMENTS, "PTO0904")
    # The counter of a flag has four bits.
    held = kernel(*[sets("MTE2", "V")] * 15, *[waits("MTE2", "V")] * 15)
    yield always("15 sets", held, ARGUMENTS, nothing)
    over = kernel(*[sets("MTE2", "V")] * 16, *[waits("MTE2", "V")] * 16)
    yield always("16 sets", over, ARGUMENTS, "PTO0917", ("program",))
    # A wait that the scalar unit or another pipe does holds no other pipe.
    yield sometimes(
        "V does not wait", through(both("MTE2", "MTE3"), both("V", "MTE3")), ARGUMENTS, MOVED
    )


def _buffer(name: str, pipe: str, number: int, mode: int, dynamic: bool) -> str:
    if not dynamic:
        return f'pto.{name} "PIPE_{pipe}", {number}, {mode}'
    key = f"{name}{pipe}{number}{mode}"
    return (
        f"%n{key} = arith.constant {number} : i64\n%m{key} = arith.constant {mode} : i64\n"
        f'pto.{name} "PIPE_{pipe}", %n{key}, %m{key} : i64, i64'
    )


def _guarded(first: int, second: int, dynamic: bool, get: int = 0, release: int = 0) -> str:
    """The manual's kernel: one id for the input buffer, one for the output buffer."""

    def held(pipe: str, number: int, mode: int, line: str) -> str:
        return "\n".join(
            (
                _buffer("get_buf", pipe, number, mode, dynamic),
                line,
                _buffer("rls_buf", pipe, number, release, dynamic),
            )
        )

    work = held("V", second, 0, scope())
    return kernel(
        held("MTE2", first, 0, copy_in()),
        _buffer("get_buf", "V", first, get, dynamic).replace("%n", "%w").replace("%m", "%k"),
        work,
        _buffer("rls_buf", "V", first, release, dynamic).replace("%n", "%w").replace("%m", "%k"),
        held("MTE3", second, get, copy_out()),
    )


@program("pto.get_buf", "pto.rls_buf")
def _buffers(record: Record) -> Iterator[Trial]:
    for dynamic in (False, True):
        for first, second in ((0, 1), (5, 31), (30, 2)):
            text = _guarded(first, second, dynamic)
            yield always(f"ids {first} and {second}", text, ARGUMENTS, MOVED)
        text = _guarded(3, 4, dynamic, get=1)
        yield sometimes("mode 1 does not wait", text, ARGUMENTS, MOVED)
        name = "dynamic" if dynamic else "written"
        lone = kernel(_buffer("rls_buf", "V", 6, 0, dynamic))
        yield always(f"a release without its get, {name}", lone, ARGUMENTS, "PTO0905")
        pipes = kernel(
            _buffer("get_buf", "MTE2", 6, 0, dynamic), _buffer("rls_buf", "V", 6, 0, dynamic)
        )
        yield always(f"a release by another pipe, {name}", pipes, ARGUMENTS, "PTO0905")
    for number, mode in ((32, 0), (-1, 0), (0, 2), (0, -1)):
        for name in ("get_buf", "rls_buf"):
            text = kernel(
                f"%id = arith.constant {number} : i64\n%mode = arith.constant {mode} : i64",
                f'pto.{name} "PIPE_V", %id, %mode : i64, i64',
            )
            yield always(f"{name} of {number} in mode {mode}", text, ARGUMENTS, "PTO0905")
    yield from _deferred()


def _deferred() -> Iterator[Trial]:
    """Mode 1 of a release waits for what all pipes that hold the id were given."""
    get = [_buffer("get_buf", pipe, 5, 1, False) for pipe in ("MTE2", "V")]
    for mode, sure in ((1, True), (0, False)):
        lines = (
            *get,
            copy_in(),
            _buffer("rls_buf", "V", 5, mode, False),
            scope(),
            both("V", "MTE3"),
            copy_out(),
        )
        make = always if sure else sometimes
        yield make(f"a release in mode {mode}", kernel(*lines), ARGUMENTS, MOVED)


@program("pto.barrier", "pto.pipe_barrier")
def _barriers(record: Record) -> Iterator[Trial]:
    def written(pipe: str) -> str:
        if record.name == "pto.barrier":
            return f"pto.barrier #pto.pipe<PIPE_{pipe}>"
        return f'pto.pipe_barrier "PIPE_{pipe}"'

    yield always("all pipes", through(written("ALL"), written("ALL")), ARGUMENTS, MOVED)
    yield sometimes("one pipe only", through(written("V"), both("V", "MTE3")), ARGUMENTS, MOVED)
    # Two copies of one pipe to one place of GM keep their order behind a barrier of the pipe.
    copies = [copy_in("%a", "%l512"), both("MTE2", "MTE3"), copy_out("%a")]
    second = f"%a2 = pto.addptr %a, %i64 : {P} -> {P}"
    last = [X.tobytes(), np.concatenate([X[64:], Y[64:]]).tobytes()]
    for pipe, sure in (("MTE3", True), ("ALL", True), ("MTE2", False), ("V", False), ("S", False)):
        text = kernel(second, *copies, written(pipe), copy_out("%a2"))
        make = always if sure else sometimes
        yield make(f"copies around a barrier of {pipe}", text, ARGUMENTS, last)


# What each kind of memory barrier orders: accesses before it, accesses after it.
_EVERY = {"VV_ALL": ("V", "V"), "VS_ALL": ("V", ""), "SV_ALL": ("", "V")}


def _orders(kind: str, before: str, after: str) -> bool:
    if kind in _EVERY:
        return tuple("V" if word[0] == "V" else "" for word in (before, after)) == _EVERY[kind]
    return kind == f"{before}_{after}"


_ACCESS = {
    "VLD": load("%vN"),
    "VST": store("%zN", "%a"),
    "LD": f"%sN = pto.load_scalar %a[%i0] : {P} -> f32",
    "ST": f"pto.store_scalar %one, %a[%i0] : {P}, f32",
}


@program("pto.mem_bar")
def _memory_barriers(record: Record) -> Iterator[Trial]:
    """A race of two accesses in a scope is there unless a barrier of their kinds is between."""
    kinds = record.forms[0].attr("type").values
    assert len(kinds) == 12
    for before, after in (
        ("VST", "VLD"),
        ("VLD", "VST"),
        ("VST", "VST"),
        ("VST", "LD"),
        ("ST", "VLD"),
    ):
        for kind in ("", *kinds):
            yield _raced(before, after, kind, _orders(kind, before, after))


def _raced(before: str, after: str, kind: str, ordered: bool) -> Trial:
    bar = f'pto.mem_bar "{kind}"' if kind else ""
    text = kernel(
        "%one = arith.constant 1.0 : f32",
        copy_in("%a"),
        copy_in("%c"),
        copy_in("%d"),
        ALL,
        scope(
            load("%z1", "%c"),
            load("%z2", "%d"),
            _ACCESS[before].replace("N", "1"),
            bar,
            _ACCESS[after].replace("N", "2"),
        ),
    )

    def run(record: Record) -> str:
        seen = prepared(text).watch(*ARGUMENTS, poison=False, schedules=0)
        raced = any(d.code.startswith("PTO07") for d in seen.diagnostics)
        return "" if raced != ordered else f"{'a' if raced else 'no'} race"

    return Trial(f"{before} {kind or 'nothing'} {after}", run)


@program("pto.set_flag_dyn", "pto.wait_flag_dyn")
def _flags_by_number(record: Record) -> Iterator[Trial]:
    """The flags of set_flag and wait_flag, by the numbers of their events."""
    names = ("set_flag_dyn", "wait_flag_dyn")
    for event in range(8):
        pair = "\n".join(_dynamic(name, "MTE2", "V", event) for name in names)
        yield always(f"number {event}", through(pair, both("V", "MTE3")), ARGUMENTS, MOVED)
        mixed = sets("MTE2", "V", event) + "\n" + _dynamic(names[1], "MTE2", "V", event)
        yield always(f"waited {event}", through(mixed, both("V", "MTE3")), ARGUMENTS, MOVED)
        mixed = _dynamic(names[0], "MTE2", "V", event) + "\n" + waits("MTE2", "V", event)
        yield always(f"set {event}", through(mixed, both("V", "MTE3")), ARGUMENTS, MOVED)
    for name in names:
        for event in (-1, 8):
            text = kernel(_dynamic(name, "MTE2", "V", event))
            yield always(f"{name} {event}", text, ARGUMENTS, "PTO0905")
    set_one, wait_one = (_dynamic(name, "MTE2", "V", 1) for name in names)
    other = _dynamic(names[1], "MTE2", "V", 2)
    yield always("nobody sets it", kernel(wait_one), ARGUMENTS, "PTO0904")
    yield always("another event", kernel(set_one, other), ARGUMENTS, "PTO0904")
    back = _dynamic(names[0], "V", "MTE2", 1)
    yield always("the pair the other way", kernel(back, wait_one), ARGUMENTS, "PTO0904")
    yield always("one set, two waits", kernel(set_one, wait_one, waits("MTE2", "V", 1)),
                 ARGUMENTS, "PTO0904")  # fmt: skip


@program("pto.vecscope", "pto.strict_vecscope")
def _scopes(record: Record) -> Iterator[Trial]:
    """A body runs on PIPE_V, in order with other bodies, with the values it was launched with."""
    strict = scope().replace("pto.vecscope {", "pto.strict_vecscope(%a, %b, %i0) {\n")
    strict = strict.replace("{\n\n", "{\n^bb0(%p: ADDRESS, %q: ADDRESS, %o: index):\n")
    strict = strict.replace("ADDRESS", P).replace("%a[%i0]", "%p[%o]").replace("%b[%i0]", "%q[%o]")
    strict += f" : ({P}, {P}, index) -> ()"
    body = scope() if record.name == "pto.vecscope" else strict
    before, after = both("MTE2", "V"), both("V", "MTE3")
    yield always("a body", kernel(copy_in(), before, body, after, copy_out()), ARGUMENTS, MOVED)
    two = (scope(load(at="%a"), store(at="%c")), body.replace("%a", "%c"))
    yield always("two bodies", kernel(copy_in(), before, *two, after, copy_out()), ARGUMENTS, MOVED)
    yield sometimes("no wait", kernel(copy_in(), body, after, copy_out()), ARGUMENTS, MOVED)


_QUERIES = ("get_block_idx", "get_block_num", "get_subblock_idx", "get_subblock_num")


@program(*(f"pto.{name}" for name in _QUERIES))
def _launch(record: Record) -> Iterator[Trial]:
    """Each block writes its own number, how many there are, and the same of its one subblock."""
    lines = ["%me = pto.get_block_idx", "%row = arith.muli %me, %four : i64"]
    for k, name in enumerate(_QUERIES):
        lines += [
            f"%v{k} = pto.{name}",
            f"%k{k} = arith.constant {k} : i64",
            f"%at{k} = arith.addi %row, %k{k} : i64",
            f"pto.store_scalar %v{k}, %out[%at{k}] : !pto.ptr<i64, gm>, i64",
        ]
    body = "\n".join(lines)
    four = "%four = arith.constant 4 : i64"
    text = f"func.func @q(%out: !pto.ptr<i64, gm>) {{\n{four}\n{body}\nreturn\n}}\n"
    for grid in (1, 3):
        wanted = np.array([[i, grid, 0, 1] for i in range(grid)], np.int64).tobytes()
        empty = np.full(4 * grid, -7, np.int64)
        yield always(f"{grid} blocks", text, (empty,), [wanted], ("program",), grid=grid)
