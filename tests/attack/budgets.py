"""Texts below 100 KB that analyses explode on: `check` may take 10 s of a processor and 1 GB.

Each attempt writes one text, most of it of one or two things that analyses follow (numbers, loops,
branches, signals, copies, vector code, streams, calls), with constants from tiny to huge, and
checks it in a process of its own. No limit may be passed and no internal error said.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path

from ptoscope.cli import check
from ptoscope.cli.main import main

SECONDS = 90
LOADED = check
"""Loaded before the first process begins, so that none of them has to."""

TIME, MEMORY = 10, 1 << 30
"""Seconds of a processor and bytes that a check may take."""
_LONGEST = 95_000
"""Characters of a text before the ends of its bodies."""
_ADDRESSES = 3 << 30
"""Bytes of addresses after which the process is refused memory: the machine has other work."""

_G, _U = "!pto.ptr<f32, gm>", "!pto.ptr<f32, ub>"
_V, _M, _S = "!pto.vreg<64xf32>", "!pto.mask<b32>", "!pto.align"
_I = "!pto.vreg<64xi32>"
_EDGES = (
    *(0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 64, 100, 128, 255, 256, 257, 1000, 1024, 4096),
    *(65536, 262_143, 1_000_003, 2_000_000_000, (1 << 31) - 1, 1 << 40, (1 << 62) + 1),
    *((1 << 63) - 1, -1, -2, -64, -(1 << 31), -(1 << 63)),
)
_TINY = (0, 1, 2, 3, 4, 8, 32, 64, 256)
_PIPES = ("PIPE_MTE2", "PIPE_V", "PIPE_MTE3", "PIPE_S")
_ARITH = (
    *("addi", "subi", "muli", "divsi", "divui", "remsi", "remui", "andi", "ori", "xori"),
    *("shli", "shrui", "shrsi", "minsi", "maxsi", "minui", "maxui"),
)


class _Names:
    """The names that a line may use, by their type."""

    def __init__(self, outer: _Names | None = None) -> None:
        self._own: dict[str, list[str]] = (
            {} if outer is None else {kind: list(names) for kind, names in outer._own.items()}
        )

    def add(self, kind: str, name: str) -> None:
        self._own.setdefault(kind, []).append(name)

    def any(self, kind: str, rng: random.Random, near: float) -> str:
        """A name of a type: with `near` the chance of one of the last, so that chains are made."""
        names = self._own[kind]
        return rng.choice(names[-3:] if rng.random() < near else names)

    def has(self, kind: str) -> bool:
        return kind in self._own


class Text:
    """One text: kinds of lines are drawn by `weights`, until it is `size` characters long."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._lines: list[str] = []
        self._length = 0
        self._number = 0
        self._near = rng.choice((0.0, 0.5, 0.9, 1.0))
        self._edges = rng.choice((_EDGES, _TINY, (*_TINY, *_EDGES)))
        self._deepest = rng.choice((1, 2, 3, 5, 10, 30, 60))
        self._wide = rng.choice((2, 5, 30, 300))
        self._ops = rng.choice(
            (_ARITH, ("addi", "muli"), ("remui", "divui", "addi"), ("addi", "subi"))
        )
        self._kinds: dict[str, Callable[[_Names, int], None]] = {
            "constant": self._constant,
            "number": self._arith,
            "compare": self._compare,
            "select": self._select,
            "cast": self._cast,
            "pointer": self._pointer,
            "flag": self._flag,
            "pair": self._pair,
            "buffer": self._buffer,
            "copy": self._copy,
            "strides": self._strides,
            "loop": self._loop,
            "carry": self._carrying_loop,
            "while": self._while,
            "branch": self._branch,
            "scope": self._scope,
            "scalar": self._scalar,
        }
        self._inside: dict[str, Callable[[_Names, int], None]] = {
            "load": self._load,
            "store": self._store,
            "add": self._vadd,
            "bar": self._mem_bar,
            "stream": self._stream,
            "prefix": self._prefix,
            "gather": self._gather,
            "constant": self._constant,
            "number": self._arith,
            "pointer": self._pointer,
            "loop": self._loop,
            "carry": self._carrying_loop,
            "branch": self._branch,
            "compare": self._compare,
        }
        self._in_scope = False
        self._helpers = 0
        self._size = 0

    def made(self) -> str:
        """The text."""
        rng = self._rng
        size = int(1000 * (_LONGEST / 1000) ** rng.random())
        functions = rng.choice((1, 1, 1, 2, 5, 40))
        if rng.random() < 0.1:
            self._call_chain(size // 3)
        for number in range(functions):
            self._draw()
            self._size = size * (number + 1) // functions
            self._function(f"kernel{number}")
        return "".join(self._lines)

    def _draw(self) -> None:
        """Chooses what this function is made of: mostly a few kinds."""
        rng = self._rng
        few = rng.choice((1, 2, 4))
        self._outside = _weights(list(self._kinds), few, rng)
        self._within = _weights(list(self._inside), few, rng)

    # Lines.

    def _say(self, line: str) -> None:
        self._lines.append(f"{line}\n")
        self._length += len(line) + 1

    def _new(self) -> str:
        self._number += 1
        return f"%v{self._number}"

    def _pick(self, names: _Names, kind: str) -> str:
        return names.any(kind, self._rng, self._near)

    def _function(self, name: str) -> None:
        params = ", ".join(
            [f"%x: {_G}", f"%y: {_G}", *(f"%n{i}: index" for i in range(4)), "%q: i1", "%k: i32"]
        )
        self._say(f"func.func @{name}({params}) attributes {{pto.aicore}} {{")
        names = _Names()
        for kind in (_G, _G):
            names.add(kind, "%x" if not names.has(kind) else "%y")
        for i in range(4):
            names.add("index", f"%n{i}")
        names.add("i1", "%q")
        names.add("i32", "%k")
        for kind in ("index", "i64", "i32"):
            for value in (0, 1, 2, 64, 256):
                self._constant(names, 0, kind, value)
        for at in (0, 256, 4096, 8192):
            self._castptr(names, at)
        self._say("// body")
        self._body(names, 0, self._size, 1 << 30)
        self._say("return\n}")

    def _body(self, names: _Names, depth: int, end: int, most: int) -> None:
        """Adds lines until the text has a length, at most a number of them."""
        while most > 0 and self._length < end:
            most -= 1
            table, kinds = (
                (self._within, self._inside) if self._in_scope else (self._outside, self._kinds)
            )
            kind = self._rng.choices(list(table), list(table.values()))[0]
            kinds[kind](names, depth)

    # Numbers.

    def _constant(self, names: _Names, _: int, kind: str = "", value: int | None = None) -> None:
        kind = kind or self._rng.choice(("index", "i64", "i32"))
        if value is None:
            value = self._rng.choice(self._edges)
            if kind == "i32":
                value %= 1 << 31
        name = self._new()
        self._say(f"{name} = arith.constant {value} : {kind}")
        names.add(kind, name)

    def _castptr(self, names: _Names, at: int) -> None:
        address, pointer = self._new(), self._new()
        self._say(f"{address} = arith.constant {at} : i64")
        self._say(f"{pointer} = pto.castptr {address} : i64 -> {_U}")
        names.add(_U, pointer)

    def _arith(self, names: _Names, _: int) -> None:
        kind, op = self._rng.choice(("index", "index", "i64", "i32")), self._rng.choice(self._ops)
        name, one, two = self._new(), self._pick(names, kind), self._pick(names, kind)
        self._say(f"{name} = arith.{op} {one}, {two} : {kind}")
        names.add(kind, name)

    def _compare(self, names: _Names, _: int) -> None:
        kind = self._rng.choice(("index", "i64", "i32"))
        test = self._rng.choice(("slt", "sle", "eq", "ne", "ult", "sge"))
        name, one, two = self._new(), self._pick(names, kind), self._pick(names, kind)
        self._say(f"{name} = arith.cmpi {test}, {one}, {two} : {kind}")
        names.add("i1", name)

    def _select(self, names: _Names, _: int) -> None:
        kind = self._rng.choice(("index", "i64", "i32"))
        name, one, two = self._new(), self._pick(names, kind), self._pick(names, kind)
        self._say(f"{name} = arith.select {self._pick(names, 'i1')}, {one}, {two} : {kind}")
        names.add(kind, name)

    def _cast(self, names: _Names, _: int) -> None:
        start, end = self._rng.choice((("index", "i64"), ("i64", "index"), ("index", "i32")))
        name = self._new()
        self._say(f"{name} = arith.index_cast {self._pick(names, start)} : {start} to {end}")
        names.add(end, name)

    def _pointer(self, names: _Names, _: int) -> None:
        kind, name = self._rng.choice((_G, _U)), self._new()
        if kind == _U and self._rng.random() < 0.3:
            self._say(f"{name} = pto.castptr {self._pick(names, 'i64')} : i64 -> {_U}")
        else:
            base, offset = self._pick(names, kind), self._pick(names, "index")
            self._say(f"{name} = pto.addptr {base}, {offset} : {kind} -> {kind}")
        names.add(kind, name)

    # What pipes do.

    def _id(self, names: _Names) -> str:
        if self._rng.random() < 0.8:
            return f'"EVENT_ID{self._rng.randrange(8)}"'
        return self._pick(names, "i64")

    def _flag(self, names: _Names, _: int) -> None:
        src, dst = self._rng.sample(_PIPES, 2)
        what = self._rng.choice(("set", "wait"))
        self._say(f'pto.{what}_flag["{src}", "{dst}", {self._id(names)}]')

    def _pair(self, names: _Names, _: int) -> None:
        if self._rng.random() < 0.1:
            self._say("pto.barrier #pto.pipe<PIPE_ALL>")
            return
        src, dst = self._rng.sample(_PIPES, 2)
        event = self._id(names)
        for what in ("set", "wait"):
            self._say(f'pto.{what}_flag["{src}", "{dst}", {event}]')

    def _buffer(self, names: _Names, _: int) -> None:
        pipe, number = self._rng.choice(_PIPES[:3]), self._rng.randrange(32)
        for what in self._rng.choice((("get", "rls"), ("get",), ("rls",))):
            self._say(f'pto.{what}_buf "{pipe}", {number}, 0')

    def _copy(self, names: _Names, _: int) -> None:
        sizes = [self._pick(names, "i64") for _ in range(9)]
        gm, ub = self._pick(names, _G), self._pick(names, _U)
        extra = self._rng.choice((0, 0, 1, 2))
        loops = "".join(f" loop({', '.join(sizes[3 + 3 * i : 6 + 3 * i])})" for i in range(extra))
        types = "".join(", loop i64, i64, i64" for _ in range(extra))
        length, rows, step = sizes[:3]
        if self._rng.random() < 0.5:
            burst = (
                f"{gm}, {ub}, {self._pick(names, 'i64')}, {length} nburst({rows}, {step}, {step})"
            )
            self._say(f"pto.mte_gm_ub {burst}{loops} : {_G}, {_U}, i64, i64, i64, i64, i64{types}")
        else:
            burst = f"{ub}, {gm}, {length} nburst({rows}, {step}, {step})"
            self._say(f"pto.mte_ub_gm {burst}{loops} : {_U}, {_G}, i64, i64, i64, i64{types}")

    def _strides(self, names: _Names, _: int) -> None:
        which = self._rng.choice(("size", "1", "2"))
        what = "loop_size" if which == "size" else f"loop{which}_stride"
        one, two = self._pick(names, "i64"), self._pick(names, "i64")
        self._say(f"pto.set_{what}_outtoub {one}, {two} : i64, i64")

    def _scalar(self, names: _Names, _: int) -> None:
        kind = self._rng.choice((_G, _U))
        name = self._new()
        pointer, at = self._pick(names, kind), self._pick(names, "index")
        self._say(f"{name} = pto.load_scalar {pointer}[{at}] : {kind} -> f32")
        self._say(f"pto.store_scalar {name}, {pointer}[{at}] : {kind}, f32")

    # Bodies.

    def _most(self) -> int:
        return self._rng.randint(1, self._wide)

    def _loop(self, names: _Names, depth: int) -> None:
        if depth >= self._deepest:
            return
        index = self._new()
        low, high, step = (self._pick(names, "index") for _ in range(3))
        self._say(f"scf.for {index} = {low} to {high} step {step} {{")
        inner = _Names(names)
        inner.add("index", index)
        self._body(inner, depth + 1, self._size, self._most())
        self._say("}")

    def _carrying_loop(self, names: _Names, depth: int) -> None:
        if depth >= self._deepest:
            return
        count = self._rng.choice((1, 1, 2, 8))
        index, results = self._new(), self._new()
        carried = [self._new() for _ in range(count)]
        low, high, step = (self._pick(names, "index") for _ in range(3))
        inits = ", ".join(f"{name} = {self._pick(names, 'index')}" for name in carried)
        types = ", ".join(["index"] * count)
        self._say(
            f"{results}:{count} = scf.for {index} = {low} to {high} step {step} "
            f"iter_args({inits}) -> ({types}) {{"
        )
        inner = _Names(names)
        for name in (index, *carried):
            inner.add("index", name)
        self._body(inner, depth + 1, self._size, self._most())
        yielded = ", ".join(self._pick(inner, "index") for _ in carried)
        self._say(f"scf.yield {yielded} : {types}\n}}")
        for i in range(count):
            names.add("index", f"{results}#{i}")

    def _while(self, names: _Names, depth: int) -> None:
        if depth >= self._deepest:
            return
        self._say(f"scf.while : () -> () {{\nscf.condition({self._pick(names, 'i1')})\n}} do {{")
        self._body(_Names(names), depth + 1, self._size, self._most())
        self._say("scf.yield\n}")

    def _branch(self, names: _Names, depth: int) -> None:
        if depth >= self._deepest:
            return
        self._say(f"scf.if {self._pick(names, 'i1')} {{")
        self._body(_Names(names), depth + 1, self._size, self._most())
        if self._rng.random() < 0.5:
            self._say("} else {")
            self._body(_Names(names), depth + 1, self._size, self._most())
        self._say("}")

    def _scope(self, names: _Names, depth: int) -> None:
        mask, value, state = self._new(), self._new(), self._new()
        self._say(f'pto.vecscope {{\n{mask} = pto.pset_b32 "PAT_ALL" : {_M}')
        self._say(f"{state} = pto.init_align : {_S}")
        self._say(
            f"{value} = pto.vlds {self._pick(names, _U)}[{self._pick(names, 'index')}]"
            f" : {_U} -> {_V}"
        )
        inner = _Names(names)
        inner.add(_M, mask)
        inner.add(_V, value)
        inner.add(_S, state)
        self._in_scope = True
        self._body(inner, depth + 1, self._size, self._most())
        self._in_scope = False
        self._say("}")

    # Vector code.

    def _load(self, names: _Names, _: int) -> None:
        name = self._new()
        at = f"{self._pick(names, _U)}[{self._pick(names, 'index')}]"
        self._say(f"{name} = pto.vlds {at} : {_U} -> {_V}")
        names.add(_V, name)

    def _store(self, names: _Names, _: int) -> None:
        at = f"{self._pick(names, _U)}[{self._pick(names, 'index')}]"
        value, mask = self._pick(names, _V), self._pick(names, _M)
        self._say(f"pto.vsts {value}, {at}, {mask} : {_V}, {_U}, {_M}")

    def _vadd(self, names: _Names, _: int) -> None:
        name, one, two = self._new(), self._pick(names, _V), self._pick(names, _V)
        self._say(
            f"{name} = pto.vadd {one}, {two}, {self._pick(names, _M)} : {_V}, {_V}, {_M} -> {_V}"
        )
        names.add(_V, name)

    def _mem_bar(self, names: _Names, _: int) -> None:
        self._say(f'pto.mem_bar "{self._rng.choice(("VST_VLD", "VLD_VST", "VST_VST"))}"')

    def _prefix(self, names: _Names, _: int) -> None:
        name, rest = self._new(), self._new()
        self._say(f"{name}, {rest} = pto.plt_b32 {self._pick(names, 'i32')} : i32 -> {_M}, i32")
        names.add(_M, name)
        names.add("i32", rest)

    def _stream(self, names: _Names, _: int) -> None:
        state, after, value = self._pick(names, _S), self._new(), self._pick(names, _V)
        base, offset, pointer = self._pick(names, _U), self._pick(names, "i32"), self._new()
        self._say(
            f"{after}, {pointer} = pto.vstus {state}, {offset}, {value}, {base}"
            f" : {_S}, i32, {_V}, {_U} -> {_S}, {_U}"
        )
        names.add(_S, after)
        names.add(_U, pointer)

    def _gather(self, names: _Names, _: int) -> None:
        index, name = self._new(), self._new()
        self._say(f"{index} = pto.vci {self._pick(names, 'i32')} : i32 -> {_I}")
        base, mask = self._pick(names, _U), self._pick(names, _M)
        self._say(f"{name} = pto.vgather2 {base}, {index}, {mask} : {_U}, {_I}, {_M} -> {_V}")
        names.add(_V, name)

    # Calls.

    def _call_chain(self, size: int) -> None:
        """Functions of which each calls the one before several times."""
        rng = self._rng
        depth, times = rng.randint(1, 40), rng.choice((1, 2, 2, 3, 30))
        for number in range(depth):
            if self._length > size:
                break
            self._say(f"func.func private @f{number}(%u: {_U}, %i: index) {{")
            self._say("%one = arith.constant 1 : index\n%j = arith.addi %i, %one : index")
            if number:
                for _ in range(times):
                    self._say(f"func.call @f{number - 1}(%u, %j) : ({_U}, index) -> ()")
            else:
                self._say(f'pto.vecscope {{\n%m = pto.pset_b32 "PAT_ALL" : {_M}')
                self._say(f"%v = pto.vlds %u[%j] : {_U} -> {_V}")
                self._say(f"pto.vsts %v, %u[%i], %m : {_V}, {_U}, {_M}\n}}")
            self._say("return\n}")
            self._helpers = number + 1
        last = self._helpers - 1

        def call(names: _Names, _: int) -> None:
            pointer, number = self._pick(names, _U), self._pick(names, "index")
            self._say(f"func.call @f{last}({pointer}, {number}) : ({_U}, index) -> ()")

        self._kinds["call"] = call


def _weights(kinds: list[str], few: int, rng: random.Random) -> dict[str, float]:
    """Mostly a few kinds, and now and then each of the others."""
    others = rng.choice((0.0, 0.02, 0.3))
    table = dict.fromkeys(kinds, others)
    for kind in rng.sample(kinds, few):
        table[kind] = rng.choice((1.0, 3.0, 10.0))
    if "scope" in table:
        table["scope"] = max(table["scope"], 0.1)
    return table


def attempt(rng: random.Random) -> None:
    """One text, checked in a process of its own."""
    text = Text(rng).made()
    assert len(text) < 100_000
    with tempfile.TemporaryDirectory() as name:
        judge(text, Path(name))


def judge(text: str, directory: Path) -> tuple[float, int]:
    """Checks a text; AssertionError if that takes too long, too much, or fails. Seconds and
    bytes that it took."""
    kernel, said = directory / "kernel.pto", directory / "said"
    kernel.write_text(text)
    child = os.fork()
    if not child:
        _check(kernel, said)
    _, status, used = os.wait4(child, 0)
    seconds, size = used.ru_utime + used.ru_stime, used.ru_maxrss * 1024
    out = said.read_text(errors="replace") if said.exists() else ""
    assert not os.WIFSIGNALED(status), f"{signal.Signals(os.WTERMSIG(status)).name}: {_shown(text)}"
    assert os.waitstatus_to_exitcode(status) in (0, 1), f"{status}: {_shown(text)}"
    for code in ("PTO9999", "PTO0807", "Traceback"):
        assert code not in out, f"{out[max(0, out.find(code) - 300) :][:3000]}"
    assert seconds < TIME, f"{seconds:.1f} s: {_shown(text)}"
    assert size < MEMORY, f"{size >> 20} MB: {_shown(text)}"
    return seconds, size


def _check(kernel: Path, said: Path) -> None:
    """Runs the check in the new process, and never returns."""
    status = 3
    try:
        resource.setrlimit(resource.RLIMIT_AS, (_ADDRESSES, _ADDRESSES))
        resource.setrlimit(resource.RLIMIT_CPU, (3 * TIME, 3 * TIME))
        out = os.open(said, os.O_WRONLY | os.O_CREAT)
        os.dup2(out, 1)
        os.dup2(out, 2)
        status = main(["check", str(kernel)])
    finally:
        os._exit(status)


def _shown(text: str) -> str:
    """Returns how often each operation occurs: the most frequent ones."""
    counts: dict[str, int] = {}
    for line in text.splitlines():
        word = line.partition(" = ")[2] or line
        word = word.split(maxsplit=1)[0] if word.strip() else ""
        counts[word] = counts.get(word, 0) + 1
    most = sorted(counts.items(), key=lambda item: -item[1])[:12]
    return f"{len(text)} characters: " + ", ".join(f"{n} {word}" for word, n in most)
