"""Pairs about buffers, the scalar unit, other instructions of PIPE_V, and blocks."""

from __future__ import annotations

from ..check.pipes import G, P, both, copy_in, copy_out, load, loop, sets, waits
from .kernels import EARLY, LATE, Pair
from .pairs_flags import plus, read, write


def get(pipe: str, buffer: int = 0, mode: int = 0) -> str:
    return f'pto.get_buf "PIPE_{pipe}", {buffer}, {mode}'


def release(pipe: str, buffer: int = 0, mode: int = 0) -> str:
    return f'pto.rls_buf "PIPE_{pipe}", {buffer}, {mode}'


def _computed(name: str, pipe: str, buffer: str, mode: str = "%l0") -> str:
    return f'pto.{name} "PIPE_{pipe}", {buffer}, {mode} : i64, i64'


_FILLED = [get("MTE2"), copy_in() + EARLY, release("MTE2")]
BUFFERS = {
    "a buffer that is not acquired": Pair(
        [*_FILLED, plus(get("V")), read(), plus(release("V"))], "PTO0701", "RAW"
    ),
    "another buffer is acquired": Pair(
        [
            *_FILLED,
            plus(f"{get('V', 1)}\n{read()}\n{release('V', 1)}", "-"),
            plus(f"{get('V')}\n{read()}\n{release('V')}"),
        ],
        "PTO0701",
        "RAW",
    ),
    "mode 1 does not wait": Pair(
        [*_FILLED, plus(get("V", 0, 1), "-"), plus(get("V")), read(), release("V")],
        "PTO0701",
        "RAW",
    ),
    "a release before the last copy": Pair(
        [
            get("MTE2"),
            plus(release("MTE2"), "-"),
            copy_in() + EARLY,
            plus(release("MTE2")),
            get("V"),
            read(),
            release("V"),
        ],
        "PTO0701",
        "RAW",
    ),
    "a computed buffer that is not the same": Pair(
        [
            _computed("get_buf", "MTE2", "%l4"),
            copy_in() + EARLY,
            _computed("rls_buf", "MTE2", "%l4"),
            plus(_computed("get_buf", "V", "%l2"), "-"),
            plus(_computed("get_buf", "V", "%l4")),
            read(),
            plus(_computed("rls_buf", "V", "%l2"), "-"),
            plus(_computed("rls_buf", "V", "%l4")),
        ],
        "PTO0701",
        "RAW",
    ),
    "the next iteration does not acquire": Pair(
        [
            loop(
                plus(get("MTE2", 1)),
                copy_in() + LATE,
                plus(release("MTE2", 1)),
                both("MTE2", "V"),
                get("V", 1),
                read(EARLY),
                release("V", 1),
            )
        ],
        "PTO0701",
        "WAR",
        2,
    ),
    "a release that leaves out who still holds the buffer": Pair(
        [
            get("V"),
            read(EARLY),
            get("MTE3", 0, 1),
            plus(release("MTE3", 0, 0), "-"),
            plus(release("MTE3", 0, 1)),
            get("MTE2"),
            copy_in() + LATE,
            release("MTE2"),
            release("V"),
        ],
        "PTO0701",
        "WAR",
    ),
    "a release that does not wait for who holds the buffer and is held up": Pair(
        [
            get("V"),
            waits("S", "V"),
            read(EARLY),
            get("MTE3", 0, 1),
            plus(release("MTE3", 0, 0), "-"),
            plus(release("MTE3", 0, 1)),
            get("MTE2"),
            copy_in() + LATE,
            release("MTE2"),
            sets("S", "V"),
            release("V"),
        ],
        "PTO0701",
        "WAR",
    ),
    "a flag that is set before the other holders are done": Pair(
        [
            get("V"),
            read(EARLY),
            get("MTE3", 0, 1),
            plus(release("MTE3", 0, 0), "-"),
            plus(release("MTE3", 0, 1)),
            both("MTE3", "MTE2"),
            copy_in() + LATE,
            release("V"),
        ],
        "PTO0701",
        "WAR",
    ),
    "a release that comes too late for an acquisition before it": Pair(
        [
            get("MTE2"),
            waits("S", "MTE2"),
            release("MTE2"),
            get("MTE3"),
            copy_out("%a") + EARLY,
            release("MTE3"),
            get("V", 0, 1),
            plus(both("MTE3", "V")),
            write(),
            release("V"),
            sets("S", "MTE2"),
        ],
        "PTO0701",
        "WAR",
    ),
    "a computed mode that does not wait": Pair(
        [
            *_FILLED,
            plus(_computed("get_buf", "V", "%l0", "%l1"), "-"),
            plus(_computed("get_buf", "V", "%l0", "%l0")),
            read(),
            release("V"),
        ],
        "PTO0701",
        "RAW",
    ),
}

_SCALAR = f"%s = pto.load_scalar %a[%i0] : {P} -> f32"
_ONE = "%one = arith.constant 1.0 : f32"
SCALARS = {
    "a scalar load of what is still stored": Pair(
        [write(EARLY), plus(both("V", "S")), _SCALAR + LATE], "PTO0701", "RAW"
    ),
    "a scalar load of what is still copied in": Pair(
        [copy_in() + EARLY, plus(both("MTE2", "S")), _SCALAR + LATE], "PTO0701", "RAW"
    ),
    "a scalar store over what is still copied out": Pair(
        [
            _ONE,
            copy_out("%a") + EARLY,
            plus(both("MTE3", "S")),
            f"pto.store_scalar %one, %a[%i0] : {P}, f32{LATE}",
        ],
        "PTO0701",
        "WAR",
    ),
    "a scalar load from GM of what is still copied out": Pair(
        [
            copy_out() + EARLY,
            plus("pto.barrier #pto.pipe"),
            f"%s = pto.load_scalar %y[%i0] : {G} -> f32{LATE}",
        ],
        "PTO0701",
        "RAW",
    ),
}

_BLOCK = "%k = pto.get_block_idx\n%j = arith.index_cast %k : i64 to index"
_OWN = f"%j64 = arith.muli %j, %i64 : index\n%mine = pto.addptr %y, %j64 : {G} -> {G}"
OTHERS = {
    "a strict vecscope loads too early": Pair(
        [
            copy_in() + EARLY,
            plus(both("MTE2", "V")),
            "pto.strict_vecscope(%a, %i0) {",
            f"^bb0(%p: {P}, %o: index):",
            load("%v", "%p", "%o") + LATE,
            f"}} : ({P}, index) -> ()",
        ],
        "PTO0701",
        "RAW",
    ),
    "a copy inside UB of what is still copied in": Pair(
        [
            copy_in() + EARLY,
            plus(both("MTE2", "V")),
            f"pto.mte_ub_ub %a, %b, %l4 nburst(%l1, %l0, %l0) : {P}, {P}, i64, i64, i64, i64{LATE}",
        ],
        "PTO0701",
        "RAW",
    ),
    "a sort of what is still copied in": Pair(
        [
            "%numbers = pto.castptr %l8192 : i64 -> !pto.ptr<ui32, ub>",
            copy_in() + EARLY,
            plus(both("MTE2", "V")),
            f"pto.vbitsort %b, %a, %numbers, %l2 : {P}, {P}, !pto.ptr<ui32, ub>, i64{LATE}",
        ],
        "PTO0701",
        "RAW",
    ),
    "rows that lie between others": Pair(
        [
            plus(copy_in("%a", "%l128", "%l4", "%l128") + EARLY, "-"),
            plus(copy_in("%a", "%l128", "%l4", "%l256") + EARLY),
            f"%between = pto.addptr %a, %i32 : {P} -> {P}",
            copy_out("%between", "%l128") + LATE,
        ],
        "PTO0701",
        "RAW",
    ),
    "the third of rows that lie apart": Pair(
        [
            copy_in("%a", "%l128", "%l4", "%l256") + EARLY,
            f"%third = pto.addptr %a, %i128 : {P} -> {P}",
            f"%beside = pto.addptr %third, %i32 : {P} -> {P}",
            plus(copy_out("%third", "%l128") + LATE, "-"),
            plus(copy_out("%beside", "%l128") + LATE),
        ],
        "PTO0701",
        "RAW",
    ),
    "a block writes what another one reads": Pair(
        [
            _BLOCK,
            _OWN,
            f"%next = pto.addptr %mine, %i64 : {G} -> {G}",
            plus(copy_in().replace("%x", "%next") + EARLY, "-"),
            plus(copy_in().replace("%x", "%mine") + EARLY),
            "pto.barrier #pto.pipe",
            copy_out(to="%mine") + LATE,
        ],
        "PTO0704",
        "WAR",
        2,
        3,
    ),
    "all blocks write the same bytes": Pair(
        [
            _BLOCK,
            _OWN,
            plus(copy_out() + EARLY[:0], "-"),
            plus(copy_out(to="%mine")),
        ],
        "PTO0704",
        "WAW",
        2,
        3,
    ),
    "a block reads what another one writes": Pair(
        [
            _BLOCK,
            _OWN,
            copy_out(to="%mine") + EARLY,
            "pto.barrier #pto.pipe",
            plus(copy_in().replace("%x", "%y") + LATE, "-"),
            plus(copy_in().replace("%x", "%mine") + LATE),
        ],
        "PTO0704",
        "RAW",
        2,
        3,
    ),
}
