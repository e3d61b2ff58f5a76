"""Loads and stores of one vecscope: on A5 only a mem_bar orders those of the same bytes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ptoscope.check.analysis.nodes import Barrier, Bytes, Touch
from ptoscope.check.flow import Values
from ptoscope.check.sync_races import Rows, overlap
from ptoscope.check.sync_unroll import Event
from ptoscope.program import Op

Kind = str
"""VLD, VST, LD or ST, as the types of mem_bar call them."""
_FAMILIES = {"V": ("VLD", "VST"), "S": ("LD", "ST")}


def kind_of(touch: Touch) -> Kind:
    """What a mem_bar calls an access."""
    return ("" if touch.scalar else "V") + ("ST" if touch.writes else "LD")


def ordered_kinds(token: str) -> tuple[tuple[Kind, ...], tuple[Kind, ...]]:
    """The kinds before and after that a type of mem_bar orders."""
    before, after = token.split("_")
    if after == "ALL":
        return _FAMILIES[before[0]], _FAMILIES[before[1]]
    return (before,), (after,)


class Hazard:
    """Two accesses of the same bytes, and the mem_bar that would order them."""

    def __init__(self, early: Event, late: Event, first: int, last: int) -> None:
        self.early, self.late = early, late
        self.first, self.last = first, last
        assert isinstance(early.node, Touch)
        assert isinstance(late.node, Touch)
        self.barrier = f"{kind_of(early.node)}_{kind_of(late.node)}"


class ScopeOrder:
    """One execution of a vecscope."""

    def __init__(self, events: list[Event], values: Values) -> None:
        self._values = values
        self._accesses: list[tuple[Event, Touch, Rows]] = []
        self._fenced: list[int] = []
        """For each access, those that a barrier completes before it."""
        self._by_op: dict[int, list[int]] = defaultdict(list)
        self._memo: dict[tuple[int, int], bool] = {}
        self._origins: dict[int, set[int]] = {}
        fences: dict[Kind, int] = defaultdict(int)
        done: dict[Kind, int] = defaultdict(int)
        for event in events:
            node = event.node
            if isinstance(node, Barrier) and node.memory:
                first, then = ordered_kinds(node.pipe)
                for kind in then:
                    for earlier in first:
                        fences[kind] |= done[earlier]
            elif isinstance(node, Touch) and node.space == "ub":
                kind, i = kind_of(node), len(self._accesses)
                self._accesses.append((event, node, node.may.rows()))
                self._fenced.append(fences[kind])
                self._by_op[id(node.op)].append(i)
                done[kind] |= 1 << i

    def hazards(self) -> Iterator[Hazard]:
        """Accesses in the wrong order are possible: one for each two instructions."""
        seen: set[tuple[int, int]] = set()
        alike: dict[tuple[Bytes, bool, bool], list[int]] = defaultdict(list)
        """Earlier accesses of the same bytes and kind: whether they meet is known of all."""
        met: dict[tuple[int, int], bool] = {}
        for late, (event, node, rows) in enumerate(self._accesses):
            mine = alike[node.may, node.writes, node.scalar]
            near: list[int] = []
            for (_, writes, scalar), others in alike.items():
                if not others or not (writes or node.writes) or (scalar and node.scalar):
                    continue
                pair = id(others), id(mine)
                if pair not in met:
                    met[pair] = overlap(self._accesses[others[0]][2], rows) is not None
                if met[pair]:
                    near += others
            mine.append(late)
            for early in sorted(near, reverse=True):
                other, touch, touched = self._accesses[early]
                places = id(touch.op), id(node.op)
                if places not in seen and self._may_clash(early, late):
                    shared = overlap(touched, rows)
                    if shared is not None and not self._ordered(early, late):
                        seen.add(places)
                        yield Hazard(other, event, *shared)
                if touch.writes and touch.may == node.may:
                    # What lies before a store of all these bytes is that store's affair.
                    break

    def _may_clash(self, early: int, late: int) -> bool:
        """Whether two accesses need an order, if they touch the same bytes."""
        touch, node = self._accesses[early][1], self._accesses[late][1]
        return (
            (node.writes or touch.writes)
            and not (node.scalar and touch.scalar)
            and not self._fenced[late] >> early & 1
            # An instruction may overwrite in a turn what it stored in the one before: the
            # suite relies on these stores to stay in order.
            and touch.op is not node.op
            and not _same_data(touch, node)
            and touch.may.start.variable == node.may.start.variable
        )

    def _ordered(self, early: int, late: int) -> bool:
        """Whether one access is complete before the other begins: by a barrier, or because
        what the later one uses was made from what the earlier one loaded."""
        known = self._memo.get((early, late))
        if known is None:
            self._memo[early, late] = False
            known = self._memo[early, late] = self._reached(early, late)
        return known

    def _reached(self, early: int, late: int) -> bool:
        fenced = self._fenced[late]
        if fenced >> early & 1:
            return True
        used = self._used(self._accesses[late][1].op)
        loads = [i for op in used for i in self._by_op.get(op, ()) if i < late]
        if early in loads:
            return True
        earlier = [i for i in range(early + 1, late) if fenced >> i & 1 or i in loads]
        return any(self._ordered(early, i) for i in earlier)

    def _used(self, op: Op) -> set[int]:
        """The operations whose results go into the operands of one."""
        known = self._origins.get(id(op))
        if known is None:
            known = self._origins[id(op)] = makers(self._values, op)
        return known


def _same_data(early: Touch, late: Touch) -> bool:
    """Two stores of one value to one place: in any order the same."""
    return (
        early.writes
        and late.writes
        and early.op.name == late.op.name
        and early.op.operands[:1] == late.op.operands[:1]
        and early.op.attrs == late.op.attrs
        and early.may.start == late.may.start
    )


def makers(values: Values, op: Op) -> set[int]:
    """The ids of the operations whose results go, by any way, into the operands of one."""
    found: set[int] = set()
    seen: set[int] = set()
    stack = list(op.operands)
    while stack:
        slot = stack.pop()
        if slot in seen:
            continue
        seen.add(slot)
        stack.extend(values.joined.get(slot, ()))
        maker = values.made.get(slot)
        if maker is not None and slot not in values.joined:
            found.add(id(maker))
            stack.extend(maker.operands)
    return found
