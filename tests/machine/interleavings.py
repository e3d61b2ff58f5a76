"""Small programs over the pipes of a core, and all that they may legally do.

The search knows nothing of the engine: the scalar unit issues one instruction after the
other, every pipe executes what it was given, and each step that the rules allow is tried.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.check.pipes import G, copy_in, copy_out, kernel, load, scope, sets, store, waits

CELLS = 3
LANES = 64
SLOTS = ("%a", "%b")
PIPES = ("MTE2", "V", "MTE3")
X = tuple(10.0 * (k + 1) for k in range(CELLS))
Y = tuple(-1.0 - k for k in range(CELLS))


@dataclass(frozen=True)
class Op:
    """`kind` on `pipe`; `a` and `b` are cells and slots, or the other pipe and an id, or a
    buffer and a mode."""

    kind: str
    pipe: str
    a: Any = 0
    b: Any = 0

    def text(self) -> str:
        match self.kind:
            case "in":
                return copy_in(SLOTS[self.b]).replace("%x,", f"%x{self.a},")
            case "out":
                return copy_out(SLOTS[self.a], to=f"%y{self.b}")
            case "again":
                return copy_in(SLOTS[self.b]).replace("%x,", f"%y{self.a},")
            case "add":
                add = (
                    "%w = pto.vadds %v, %one, %m : !pto.vreg<64xf32>, f32, !pto.mask<b32>"
                    " -> !pto.vreg<64xf32>"
                )
                return scope(load(at=SLOTS[self.a]), add, store("%w", SLOTS[self.b]))
            case "set":
                return sets(self.pipe, self.a, self.b)
            case "wait":
                return waits(self.a, self.pipe, self.b)
            case "get" | "rls":
                return f'pto.{self.kind}_buf "PIPE_{self.pipe}", {self.a}, {self.b}'
            case "fence":
                return f'pto.pipe_barrier "PIPE_{self.pipe}"'
            case _:
                return "pto.barrier #pto.pipe<PIPE_ALL>"


def text(ops: list[Op]) -> str:
    """The kernel of a program; in revision micro where a pipe acquires what it holds: the manual
    forbids that."""
    head = ["%one = arith.constant 1.0 : f32"]
    for array in "xy":
        for cell in range(CELLS):
            offset = f"%at_{array}{cell} = arith.constant {cell * LANES} : index"
            move = f"%{array}{cell} = pto.addptr %{array}, %at_{array}{cell} : {G} -> {G}"
            head += [offset, move]
    body = kernel(*head, *(op.text() for op in ops), params="%n: index")
    micro = 'module attributes {pto.revision = "micro"}'
    return f"{micro} {{\n{body}}}\n" if acquires_again(ops) else body


def acquires_again(ops: list[Op]) -> bool:
    """Returns True if a pipe acquires a buffer that it holds already."""
    held: Counter[tuple[str, int]] = Counter()
    for op in ops:
        if op.kind == "get" and held[op.pipe, op.a]:
            return True
        held[op.pipe, op.a] += {"get": 1, "rls": -1}.get(op.kind, 0)
    return False


def arguments() -> tuple[Any, Any, int]:
    return np.repeat(np.array(X, np.float32), LANES), np.repeat(np.array(Y, np.float32), LANES), 0


def outcome(y: Any) -> tuple[float, ...]:
    """What the cells of a result hold, each the same number in every lane."""
    rows = y.reshape(CELLS, LANES)
    assert (rows == rows[:, :1]).all()
    return tuple(float(v) for v in rows[:, 0])


def draw(seed: int) -> list[Op]:
    """A random program: some work, some synchronisation, not always in balance."""
    rng = random.Random(f"interleavings {seed}")
    ops: list[Op] = []
    for _ in range(rng.randint(2, 4)):
        cell, slot = rng.randrange(CELLS), rng.randrange(len(SLOTS))
        ops.append(
            rng.choice(
                (
                    Op("in", "MTE2", cell, slot),
                    Op("out", "MTE3", slot, cell),
                    Op("out", "MTE3", slot, cell),
                    Op("again", "MTE2", cell, slot),
                    Op("add", "V", slot, rng.randrange(len(SLOTS))),
                )
            )
        )
    for _ in range(rng.randint(0, 3)):
        src, dst = rng.sample((*PIPES, "S"), 2)
        event = rng.randrange(2)
        first, second = sorted(rng.randrange(len(ops) + 1) for _ in "ab")
        pair = [Op("set", src, dst, event), Op("wait", dst, src, event)]
        if rng.random() < 0.1:
            pair.reverse()
        ops.insert(second, pair[1])
        ops.insert(first, pair[0])
    for _ in range(rng.choice((0, 0, 1, 2))):
        at = rng.randrange(len(ops))
        if ops[at].pipe != "S":
            held = ops[at].pipe, rng.randrange(2)
            ops[at : at + 1] = [Op("get", *held), ops[at], Op("rls", *held)]
    if rng.random() < 0.3:
        ops.insert(rng.randrange(len(ops) + 1), Op(rng.choice(("all", "fence")), "MTE3"))
    if rng.random() < 0.4:
        # Two pipes hold a buffer, one of them releases it, somebody acquires it after that.
        holder, releaser = rng.sample(PIPES, 2)
        mode = rng.choice((0, 1, 1, 1))
        held = [Op("get", holder, 2, 1), Op("get", releaser, 2, 1)]
        held += [Op("rls", releaser, 2, mode), Op("get", rng.choice(PIPES), 2, 0)]
        places = sorted(rng.randrange(len(ops) + 1) for _ in held)
        for place, op in reversed(list(zip(places, held, strict=True))):
            ops.insert(place, op)
    if rng.random() < 0.5:
        at = rng.randrange(len(ops) + 1)
        ops[at:at] = _overtaking(rng)
    return ops


def _overtaking(rng: random.Random) -> list[Op]:
    """Two copies to one cell, and between them what orders them or does not."""
    cell, mode = rng.randrange(CELLS), rng.randrange(2)
    signal = [Op("set", "MTE3", "V", 2), Op("wait", "V", "MTE3", 2)]
    answer = [Op("set", "V", "MTE3", 3), Op("wait", "MTE3", "V", 3)]
    held = [Op("get", "MTE3", 3, 1)], [Op("rls", "MTE3", 3, mode)]
    between = rng.choice(
        (
            signal,
            [*signal, *answer],
            answer,
            held[1],
            [*held[1], *signal],
            [*held[1], Op("get", "MTE3", 3, 0)],
            [*signal, Op("fence", "MTE3")],
        )
    )
    first, second = rng.sample(range(len(SLOTS)), 2)
    copies = Op("out", "MTE3", first, cell), Op("out", "MTE3", second, cell)
    before = held[0] if held[1][0] in between else []
    return [Op("in", "MTE2", cell, first), *before, copies[0], *between, copies[1]]


Cells = tuple[float, ...]
Queues = tuple[tuple[int, ...], ...]
State = tuple[int, Queues, Cells, Cells, frozenset[Any]]
"""How many are issued, what is queued on each pipe, UB, GM, how often each flag is set."""


def outcomes(ops: list[Op]) -> set[Cells]:
    """Every result that some legal order gives; empty if the program cannot end."""
    start: State = 0, ((),) * len(PIPES), (0.0,) * len(SLOTS), Y, frozenset()
    seen: set[State] = {start}
    open_states: list[State] = [start]
    ends: set[Cells] = set()
    while open_states:
        state = open_states.pop()
        issued, queues, _, y, _ = state
        if issued == len(ops) and not any(queues):
            ends.add(y)
        for following in (*_issues(ops, state), *_executions(ops, state)):
            if following not in seen:
                seen.add(following)
                open_states.append(following)
    return ends


def _issues(ops: list[Op], state: State) -> list[State]:
    issued, queues, ub, y, flags = state
    if issued == len(ops):
        return []
    op = ops[issued]
    if op.kind == "all":
        return [] if any(queues) else [(issued + 1, queues, ub, y, flags)]
    if op.pipe == "S":
        done = _execute(ops, issued, ub, y, flags, queues)
        return [] if done is None else [(issued + 1, queues, *done)]
    longer = tuple(
        (*queue, issued) if pipe == op.pipe else queue
        for pipe, queue in zip(PIPES, queues, strict=True)
    )
    return [(issued + 1, longer, ub, y, flags)]


def _executions(ops: list[Op], state: State) -> list[State]:
    issued, queues, ub, y, flags = state
    found: list[State] = []
    for which, queue in enumerate(queues):
        for place in _first(ops, queue):
            done = _execute(ops, queue[place], ub, y, flags, queues)
            if done is not None:
                rest = (*queue[:place], *queue[place + 1 :])
                found.append((issued, (*queues[:which], rest, *queues[which + 1 :]), *done))
    return found


def _first(ops: list[Op], queue: tuple[int, ...]) -> list[int]:
    """What may come first on a pipe: the first, or a copy to GM with nothing before it but
    copies to GM, whatever raises a flag, and whatever releases a buffer."""
    kinds = [ops[number].kind for number in queue]
    return [
        place
        for place, kind in enumerate(kinds)
        if place == 0 or (kind == "out" and set(kinds[:place]) <= {"out", "set", "rls"})
    ]


def _execute(
    ops: list[Op],
    number: int,
    ub: Cells,
    y: Cells,
    flags: frozenset[Any],
    queues: Queues,
) -> tuple[Cells, Cells, frozenset[Any]] | None:
    """Memory and flags after an instruction; None if it has to wait."""
    op = ops[number]
    match op.kind:
        case "in":
            return _with(ub, op.b, X[op.a]), y, flags
        case "again":
            return _with(ub, op.b, y[op.a]), y, flags
        case "out":
            return ub, _with(y, op.b, ub[op.a]), flags
        case "add":
            return _with(ub, op.b, ub[op.a] + 1), y, flags
        case "set" | "wait":
            key = (op.pipe, op.a, op.b) if op.kind == "set" else (op.a, op.pipe, op.b)
            counts = Counter(dict(flags))
            counts[key] += 1 if op.kind == "set" else -1
            return None if counts[key] < 0 else (ub, y, frozenset((+counts).items()))
        case "get":
            earlier = (n for queue in queues for n in queue if n < number)
            waits = any(ops[n].kind == "rls" and ops[n].a == op.a for n in earlier)
            waits = waits and op.b == 0
            return None if waits else (ub, y, flags)
        case "rls" if op.b == 1:
            earlier = {ops[n].pipe for queue in queues for n in queue if n < number}
            return None if earlier & holders(ops, number) else (ub, y, flags)
        case _:
            return ub, y, flags


def holders(ops: list[Op], number: int) -> set[str]:
    """The pipes other than its own that hold the buffer of a release when it is issued."""
    held: Counter[str] = Counter()
    for op in ops[:number]:
        if op.a == ops[number].a:
            held[op.pipe] += {"get": 1, "rls": -1}.get(op.kind, 0)
    return set(+held) - {ops[number].pipe}


def _with(values: Cells, at: int, value: float) -> Cells:
    return (*values[:at], value, *values[at + 1 :])
