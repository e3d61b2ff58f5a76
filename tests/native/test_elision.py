"""Copies that are left out: nobody can tell. Random programs over tiles that meet in UB and GM in
every way, on arrays that may be one and the same, give the bits of the reference engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoscope
from ptoscope.diagnostics import PtoError, UsageError

_ROW, _BLOCK, _LANES = 256, 32, 64
_GM_ELEMENTS, _UB_BLOCKS = 8192, 1024
_GM, _UB = "!pto.ptr<f32, gm>", "!pto.ptr<f32, ub>"
_VREG, _MASK = "!pto.vreg<64xf32>", "!pto.mask<b32>"
_BARRIER = "pto.barrier #pto.pipe<PIPE_ALL>"


class _Text:
    """A kernel that is put together line by line."""

    def __init__(self) -> None:
        self._count = 0
        self._constants: dict[tuple[int, str], str] = {}
        self._pointers: dict[int, str] = {}
        self._first: list[str] = []
        self.lines: list[str] = []

    def number(self, value: int, kind: str = "i64") -> str:
        key = value, kind
        if key not in self._constants:
            self._constants[key] = f"%c{value}_{kind}".replace("-", "m")
            name = self._constants[key]
            self._first.append(f"{name} = arith.constant {value} : {kind}")
        return self._constants[key]

    def pointer(self, block: int) -> str:
        """One to a block of UB, the same each time."""
        if block not in self._pointers:
            at = self.number(block * _BLOCK)
            self._pointers[block] = f"%ub{block}"
            self._first.append(f"%ub{block} = pto.castptr {at} : i64 -> {_UB}")
        return self._pointers[block]

    def fresh(self) -> str:
        self._count += 1
        return f"%v{self._count}"

    def gm(self, array: str, at: int) -> str:
        name = self.fresh()
        place = self.fresh()
        moved = self.number(at, "index")
        self.lines.append(f"{place} = arith.addi %moved, {moved} : index")
        self.lines.append(f"{name} = pto.addptr %{array}, {place} : {_GM} -> {_GM}")
        return name

    def kernel(self, iterations: int, step: int) -> str:
        bounds = [self.number(n, "index") for n in (0, iterations, 1, step)]
        first, body = "\n  ".join(self._first), "\n    ".join(self.lines)
        low, high, by, moves = bounds
        return f"""
func.func @kernel(%x: {_GM}, %y: {_GM}, %out: {_GM}) attributes {{pto.aicore}} {{
  {first}
  scf.for %i = {low} to {high} step {by} {{
    %moved = arith.muli %i, {moves} : index
    {body}
  }}
  return
}}
"""


_BLOCKS = st.sampled_from([0, 8, 64, 256, 300, 512]) | st.integers(0, _UB_BLOCKS // 2)
_PLACES = st.sampled_from([0, 64, 512, 2048]) | st.integers(0, 4096)
_SIZES = st.sampled_from([32, 256, 1000, 2048, 4096, 4352, 8192, 9236])
_ARRAYS = st.sampled_from(["x", "y", "out"])
_COPY_IN = st.tuples(st.just("in"), _ARRAYS, _PLACES, _BLOCKS, _SIZES)
_COPY_OUT = st.tuples(st.just("out"), _ARRAYS, _PLACES, _BLOCKS, _SIZES)
_SCOPE = st.tuples(
    st.just("scope"),
    st.sampled_from(["up", "down", "half", "twice", "masked"]),
    st.integers(1, 36),
    _BLOCKS,
    _BLOCKS,
    _BLOCKS,
)
_OTHER = st.tuples(
    st.sampled_from(["gather", "dual", "word", "scalar", "store", "to_gm", "ub_ub"]),
    _BLOCKS,
    _BLOCKS,
)
_TILE = st.tuples(st.just("tile"), _ARRAYS, _ARRAYS, _PLACES, _PLACES, _BLOCKS, _BLOCKS, _SIZES)
_PROGRAMS = st.lists(_COPY_IN | _COPY_OUT | _SCOPE | _OTHER | _TILE, min_size=2, max_size=7)


def _copy_in(text: _Text, array: str, place: int, block: int, size: int) -> None:
    source, one, length = text.gm(array, place), text.number(1), text.number(size)
    text.lines.append(
        f"pto.mte_gm_ub {source}, {text.pointer(block)}, {text.number(0)}, {length} "
        f"nburst({one}, {length}, {length}) : {_GM}, {_UB}, i64, i64, i64, i64, i64"
    )
    text.lines.append(_BARRIER)


def _copy_out(text: _Text, array: str, place: int, block: int, size: int) -> None:
    target, one, length = text.gm(array, place), text.number(1), text.number(size)
    text.lines.append(
        f"pto.mte_ub_gm {text.pointer(block)}, {target}, {length} "
        f"nburst({one}, {length}, {length}) : {_UB}, {_GM}, i64, i64, i64, i64"
    )
    text.lines.append(_BARRIER)


def _scope(text: _Text, how: str, rows: int, one: int, two: int, to: int) -> None:
    """Sums of two tiles row by row: in order, from the end on, by half rows, all of it twice, or
    with a mask for most of it."""
    lhs, rhs, out = (text.pointer(block) for block in (one, two, to))
    end, step = rows * _LANES, _LANES // 2 if how == "half" else _LANES
    low, high, by = (text.number(n, "index") for n in (0, end, step))
    last, count = text.number(end - _LANES, "index"), text.number(end - 11, "i32")
    a, b, total, at = (text.fresh() for _ in range(4))
    index = f"{at} = arith.addi %k, {low} : index"
    if how == "down":
        index = f"{at} = arith.subi {last}, %k : index"
    mask = "%some" if how == "masked" else "%all"
    loop = f"""scf.for %k = {low} to {high} step {by} iter_args(%left = {count}) -> (i32) {{
          %some, %next = pto.plt_b32 %left : i32 -> {_MASK}, i32
          {index}
          {a} = pto.vlds {lhs}[{at}] : {_UB} -> {_VREG}
          {b} = pto.vlds {rhs}[{at}] : {_UB} -> {_VREG}
          {total} = pto.vadd {a}, {b}, %all : {_VREG}, {_VREG}, {_MASK} -> {_VREG}
          pto.vsts {total}, {out}[{at}], {mask} : {_VREG}, {_UB}, {_MASK}
          scf.yield %next : i32
        }}"""
    loops = [f"{text.fresh()} = {loop}"]
    if how == "twice":
        turns = [text.number(n, "index") for n in (0, 2, 1)]
        loops = [f"scf.for %turn = {turns[0]} to {turns[1]} step {turns[2]} {{", *loops, "}"]
    all_lanes = f'%all = pto.pset_b32 "PAT_ALL" : {_MASK}'
    text.lines += ["pto.vecscope {", all_lanes, *loops, "}", _BARRIER]


def _gather(text: _Text, source: int, to: int) -> None:
    start, zero = text.number(0, "i32"), text.number(0, "index")
    text.lines += [
        "pto.vecscope {",
        f'%all = pto.pset_b32 "PAT_ALL" : {_MASK}',
        f"%order = pto.vci {start} : i32 -> !pto.vreg<64xi32>",
        f"%lanes = arith.constant {_LANES} : index",
        f"%found = pto.vgather2 {text.pointer(source)}, %order, %lanes"
        f" : {_UB}, !pto.vreg<64xi32>, index -> {_VREG}",
        f"pto.vsts %found, {text.pointer(to)}[{zero}], %all : {_VREG}, {_UB}, {_MASK}",
        "}",
        _BARRIER,
    ]


def _dual(text: _Text, source: int, to: int) -> None:
    zero = text.number(0, "index")
    text.lines += [
        "pto.vecscope {",
        f'%all = pto.pset_b32 "PAT_ALL" : {_MASK}',
        f'%low, %high = pto.vldsx2 {text.pointer(source)}[{zero}], "DINTLV_B32"'
        f" : {_UB}, index -> {_VREG}, {_VREG}",
        f'pto.vstsx2 %high, %low, {text.pointer(to)}[{zero}], "INTLV_B32", %all'
        f" : {_VREG}, {_VREG}, {_UB}, index, {_MASK}",
        "}",
        _BARRIER,
    ]


def _word(text: _Text, to: int) -> None:
    """A mask, in eight bytes."""
    zero, at, word = text.number(0, "i32"), text.number(to * _BLOCK), text.fresh()
    text.lines += [
        f"{word} = pto.castptr {at} : i64 -> !pto.ptr<i64, ub>",
        "pto.vecscope {",
        f'%all = pto.pset_b32 "PAT_ALL" : {_MASK}',
        f'pto.pst %all, {word}, {zero}, "NORM" : {_MASK}, !pto.ptr<i64, ub>, i32',
        "}",
        _BARRIER,
    ]


def _other(text: _Text, what: str, one: int, two: int) -> None:
    value, at = text.fresh(), text.number(3, "index")
    source, to = text.pointer(one), text.pointer(two)
    load = f"{value} = pto.load_scalar {source}[{at}] : {_UB} -> f32"
    match what:
        case "gather":
            _gather(text, one, two)
        case "word":
            _word(text, two)
        case "dual":
            _dual(text, one, two)
        case "scalar":
            text.lines += [load, f"pto.store_scalar {value}, {to}[{at}] : {_UB}, f32", _BARRIER]
        case "store":
            seven = "%seven = arith.constant 7.0 : f32"
            text.lines += [seven, f"pto.store_scalar %seven, {to}[{at}] : {_UB}, f32", _BARRIER]
        case "to_gm":
            text.lines += [load, f"pto.store_scalar {value}, %x[{at}] : {_GM}, f32", _BARRIER]
        case _:
            blocks, one_burst, none = (text.number(n) for n in (9, 1, 0))
            text.lines.append(
                f"pto.mte_ub_ub {source}, {to}, {blocks} nburst({one_burst}, {none}, {none})"
                f" : {_UB}, {_UB}, i64, i64, i64, i64"
            )
            text.lines.append(_BARRIER)


def _tile(text: _Text, *given: Any) -> None:
    """What kernels do: copy in, compute, copy out."""
    source, target, place, to, block, out, size = given
    _copy_in(text, source, place, block, size)
    _scope(text, "up", max(size // _ROW, 1), block, block, out)
    _copy_out(text, target, to, out, size)


_WRITE = {"in": _copy_in, "out": _copy_out, "scope": _scope, "tile": _tile}


def _program(steps: list[Any], iterations: int, step: int) -> str:
    text = _Text()
    for what, *rest in steps:
        if what in _WRITE:
            _WRITE[what](text, *rest)
        else:
            _other(text, what, *rest)
        # Names of a vecscope are its own; those outside are fresh.
    kernel = text.kernel(iterations, step)
    for name in ("seven",):
        kernel = _renamed(kernel, name)
    return kernel


def _renamed(text: str, name: str) -> str:
    """Each definition of a name outside of vecscopes gets a number of its own."""
    pieces = text.split(f"%{name} = ")
    out = pieces[0]
    for number, piece in enumerate(pieces[1:]):
        out += f"%{name}{number} = " + piece.replace(f"%{name},", f"%{name}{number},")
    return out


def _arrays(shared: int | None) -> list[Any]:
    """Three arrays: apart, or %out so many elements behind %x in one."""
    random = np.random.default_rng(1)
    size = _GM_ELEMENTS
    memory = random.integers(-999, 999, 2 * size).astype(np.float32)
    y = random.integers(-999, 999, size).astype(np.float32)
    if shared is None:
        return [memory[:size], y, memory[size:]]
    return [memory[:size], y, memory[shared : shared + size]]


def _results(text: str, shared: int | None, engine: str) -> Any:
    arrays = _arrays(shared)
    kernel: Any = ptoscope.load(text, force=True, revision="micro")
    try:
        kernel(*arrays, engine=engine)
    except PtoError as error:
        return str(error)
    return [array.tobytes() for array in arrays]


def _agrees(text: str, shared: int | None) -> Any:
    reference = _results(text, shared, "reference")
    assert _results(text, shared, "native") == reference
    return reference


@pytest.fixture(params=["0", "1", "256", ""])
def least(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PTOSCOPE_ELIDE", request.param)
    return request.param


_RUNS = {"iterations": st.integers(1, 3), "step": st.sampled_from([0, 64, 128])}
_SHARED = st.none() | st.sampled_from([0, 8, 64, 512])
_X, _OUT = 0, 300
"""Blocks of UB for what comes and what goes."""


def _named(*steps: Any) -> str:
    return _program(list(steps), 1, 0)


_DIRECTED = {
    "the source is written before the tile is read": (
        ("in", "x", 0, _X, 8192),
        ("in", "y", 0, _OUT, 8192),
        ("out", "x", 64, _OUT, 4096),
        ("scope", "up", 32, _X, _X, _OUT),
        ("out", "out", 0, _OUT, 8192),
    ),
    "a scalar of the source is written before the tile is read": (
        ("in", "x", 0, _X, 8192),
        ("to_gm", _X, _X),
        ("scope", "up", 32, _X, _X, _OUT),
        ("out", "out", 0, _OUT, 8192),
    ),
    "a second tile covers a part of the first": (
        ("in", "x", 0, _X, 8192),
        ("in", "y", 0, _X + 100, 2048),
        ("scope", "up", 32, _X, _X, _OUT),
        ("out", "out", 0, _OUT, 8192),
    ),
    "a smaller tile replaces a part of the first": (
        ("in", "x", 0, _X, 8192),
        ("in", "y", 0, _X, 2048),
        ("scope", "up", 32, _X, _X, _OUT),
        ("out", "out", 0, _OUT, 8192),
    ),
    "results go to where the next rows come from": (
        ("tile", "x", "x", 0, 512, _X, _OUT, 9236),
        ("tile", "x", "out", 0, 0, _X, _OUT, 9236),
    ),
    "results are stored twice": (
        ("in", "x", 0, _X, 8192),
        ("scope", "twice", 32, _X, _OUT, _OUT),
        ("out", "out", 0, _OUT, 8192),
    ),
    "rows of results overlap": (
        ("in", "x", 0, _X, 8192),
        ("scope", "half", 32, _X, _OUT, _OUT),
        ("out", "out", 0, _OUT, 8192),
    ),
    "results are stored from the end on": (
        ("in", "x", 0, _X, 8192),
        ("scope", "down", 32, _X, _OUT, _OUT),
        ("out", "out", 0, _OUT, 8192),
    ),
    "another place is stored to than is copied": (
        ("in", "x", 0, _X, 8192),
        ("scope", "up", 32, _X, _X, _OUT + 8),
        ("out", "out", 0, _OUT, 8192),
    ),
    "results replace the tile": (
        ("in", "x", 0, _X, 8192),
        ("scope", "up", 36, _X, _X, _X),
        ("out", "out", 0, _X, 9236),
    ),
    "the tile is copied out again": (
        ("in", "x", 0, _X, 8192),
        ("out", "out", 64, _X, 8192),
        ("in", "x", 0, _X, 8192),
        ("out", "x", 64, _X, 8192),
        ("in", "y", 0, _X, 4096),
        ("out", "out", 2048, _X, 8192),
    ),
    "some lanes of the last row are not stored": (
        ("in", "x", 0, _X, 8192),
        ("scope", "masked", 32, _X, _X, _OUT),
        ("out", "out", 0, _OUT, 8192),
    ),
    "a tile is written, then only a part of the next": (
        ("in", "x", 0, _X, 8192),
        ("scope", "up", 32, _X, _X, _OUT),
        ("out", "out", 0, _OUT, 8192),
        ("scope", "up", 2, _X, _X, _OUT),
        ("out", "out", 2048, _OUT, 8192),
    ),
    "the next tile begins before the last, and is not stored up to it": (
        ("in", "x", 0, _X, 8192),
        ("scope", "up", 8, _X, _X, _OUT + 64),
        ("out", "out", 4096, _OUT + 64, 2048),
        ("in", "y", 0, _OUT, 1024),
        ("scope", "up", 2, _X, _X, _OUT),
        ("out", "out", 0, _OUT, 8192),
    ),
    "a word is stored where a tile is to be": (
        ("word", _X, _OUT),
        ("out", "out", 0, _OUT, 8192),
    ),
    "others look at the tile": (
        ("in", "x", 0, _X, 8192),
        ("gather", _X + 8, _OUT),
        ("in", "y", 0, _X, 8192),
        ("dual", _X, _OUT + 8),
        ("in", "x", 64, _X, 8192),
        ("scalar", _X, _OUT + 24),
        ("in", "x", 128, _X, 8192),
        ("ub_ub", _X, _OUT + 32),
        ("in", "y", 128, _X, 8192),
        ("store", _X, _X),
        ("out", "out", 2048, _X, 8192),
        ("out", "out", 0, _OUT, 4096),
    ),
}


@pytest.mark.parametrize("shared", [None, 0, 8, 512])
@pytest.mark.parametrize("what", list(_DIRECTED))
def test_what_meets(what: str, shared: int | None, least: str) -> None:
    found = _agrees(_named(*_DIRECTED[what]), shared)
    assert not isinstance(found, str), found


@settings(max_examples=60, deadline=None)
@given(steps=_PROGRAMS, shared=_SHARED, **_RUNS)
def _random_programs(steps: list[Any], iterations: int, step: int, shared: int | None) -> None:
    _agrees(_program(steps, iterations, step), shared)


def test_random_programs(least: str) -> None:
    _random_programs()


@pytest.mark.parametrize("offset", [0, 1, 4, 16])
def test_arrays_that_no_cache_holds(offset: int) -> None:
    """Results go past the cache, if the array begins at a multiple of 16 bytes."""
    tile, count = 8192, 1 << 22
    steps = [("tile", "x", "out", 0, 0, _X, _OUT, tile)]
    memory = np.zeros(count + 64, np.float32)
    first = -(memory.ctypes.data // 4) % 16
    out = memory[first + offset : first + offset + count]
    x = np.random.default_rng(0).random(count, dtype=np.float32)
    kernel: Any = ptoscope.load(_program(steps, count * 4 // tile, tile // 4), revision="micro")
    kernel(x, np.zeros(1, np.float32), out, engine="native")
    assert np.array_equal(out, x + x)
    assert memory[: first + offset].max(initial=0) == memory[first + offset + count :].max() == 0


def test_a_wrong_number_of_bytes_is_said_to_be_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTOSCOPE_ELIDE", "some")
    with pytest.raises(UsageError, match="PTOSCOPE_ELIDE is 'some'"):
        _results(_named(*_DIRECTED["rows of results overlap"]), None, "native")
