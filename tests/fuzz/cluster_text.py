"""The text of a kernel for a cluster as it grows: what the matrix core does, step after step, and
what a vector core does before and after it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from ptoscope.docs.line import NamedValues, line
from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import I1, I32, I64, DType
from ptoscope.isa.record import AttrValue, Form, Record
from ptoscope.isa.targets import Target
from ptoscope.isa.types import Ptr, Scalar, Type
from tests.fuzz.data import Array

REGION = 8192
"""Bytes of L1 for each tile."""
Place = tuple[str, Ptr]
"""A pointer: its name and its type."""
_BARRIER = "pto.barrier #pto.pipe<PIPE_ALL>"


class ClusterText:
    """One kernel."""

    def __init__(self, rng: random.Random, target: Target) -> None:
        self.rng, self.target = rng, target
        self.head: list[str] = []
        self.cube: list[str] = []
        self.before: list[str] = []
        """What vector core 0 does before the matrix core, and after it."""
        self.after: list[str] = []
        self.parameters: list[Array] = []
        self._areas: dict[str, int] = {}
        self._last = ""

    # Values.

    def number(self, value: int, dtype: DType = I64) -> str:
        name = f"%c{value}_{dtype}".replace("-", "m")
        written = ("true" if value else "false") if dtype is I1 else f"{value} : {dtype}"
        row = f"{name} = arith.constant {written}"
        if row not in self.head:
            self.head.append(row)
        return name

    def array(self, dtype: DType, count: int) -> Place:
        name = f"g{len(self.parameters)}"
        self.parameters.append(Array(name, dtype, count))
        return f"%{name}", Ptr(dtype, "gm")

    def place(self, space: str, dtype: DType, size: int = REGION) -> Place:
        at = self._areas.get(space, 0)
        self._areas[space] = at + size
        name = f"%{space}_{at}_{dtype}"
        kind = Ptr(dtype, space)
        self.head.append(f"{name} = pto.castptr {self.number(at)} : i64 -> {kind}")
        return name, kind

    # Lines.

    def step(
        self,
        name: str,
        operands: Mapping[str, Place],
        numbers: Mapping[str, int],
        attrs: Mapping[str, AttrValue] | None = None,
        clauses: Sequence[tuple[str, NamedValues]] = (),
        form: int = 0,
    ) -> None:
        """An instruction of the matrix core, after all that it did before."""
        record = TABLE[f"pto.{name}"]
        self.cube += self.handed_on(record.pipe)
        self.cube.append(self.line(record, record.forms[form], operands, numbers, attrs, clauses))

    def handed_on(self, pipe: str) -> list[str]:
        last, self._last = self._last, pipe
        if not last:
            return []
        if self.rng.random() < 0.3:
            return [_BARRIER]
        if last == pipe:
            return [f"pto.barrier #pto.pipe<{pipe}>"]
        event = f'["{last}", "{pipe}", "EVENT_ID{self.rng.randrange(8)}"]'
        return [f"pto.set_flag{event}", f"pto.wait_flag{event}"]

    def line(
        self,
        record: Record,
        form: Form,
        operands: Mapping[str, Place],
        numbers: Mapping[str, int],
        attrs: Mapping[str, AttrValue] | None = None,
        clauses: Sequence[tuple[str, NamedValues]] = (),
    ) -> str:
        def value(name: str) -> tuple[str, Type]:
            if name in operands:
                return operands[name]
            dtype = {"smallc0_en": I1, "raw_value": I32}.get(name, I64)
            return self.number(numbers.get(name, 0), dtype), Scalar(dtype)

        given = {o.name: value(o.name) for o in form.operands}
        groups = [
            (g.keyword, {o.name: value(o.name) for o in g.operands})
            for g in form.groups
            if g.arity == "one"
        ]
        loops = [
            (g.keyword, {o.name: value(o.name) for o in g.operands})
            for g in form.groups
            if g.keyword == "loop" and self.rng.random() < 0.3
        ]
        return line(record, form, given, {}, attrs or {}, [*groups, *loops, *clauses])

    def float(self, value: int) -> str:
        name = f"%f{len(self.head)}"
        self.head.append(f"{name} = arith.constant {value / 8!r} : f32")
        return name

    def signal(self, gives: bool, number: int) -> list[str]:
        """A signal from one core to another, after everything before it, in one of the ways."""
        value, zero = self.number(number), self.number(0)
        on_a5 = self.target.name == "a5"
        names = (
            ("set_intra_block", "wait_intra_core") if on_a5 else ("set_cross_core", "wait_flag_dev")
        )
        name, pipe = names[not gives], "PIPE_MTE3" if gives else "PIPE_MTE2"
        after = [] if gives else [_BARRIER]
        match self.rng.randrange(4):
            case 0:
                return [_BARRIER, f"pto.{name} {zero}, {value} : i64, i64"]
            case 1 if on_a5:
                return [_BARRIER, f'pto.{name} "{pipe}", {value} : i64, i64', *after]
            case 1 if not gives:
                return [_BARRIER, f"pto.{name} {value} : i64"]
            case 2:
                written = str(number)
            case _:
                written = value
        return [_BARRIER, f"pto.sync.{'set' if gives else 'wait'} <{pipe}>, {written}", *after]

    def text(self) -> str:
        cube, vector = list(self.cube), list(self.before)
        # On A2/A3 nothing is handed on, but both sides may meet.
        meets = self.target.name == "a2a3" and self.rng.random() < 0.5
        first, last = bool(self.before) or meets, bool(self.after)
        if first:
            cube = [*self.signal(False, 1), *cube]
            vector += self.signal(True, 1)
        if last:
            cube += self.signal(True, 3)
            vector += [*self.signal(False, 3), *self.after]
        body = ["pto.section.cube {", *cube, "}"]
        if vector and not meets:
            zero = self.number(0)
            head = [
                "%core = pto.get_subblock_idx",
                f"%first = arith.cmpi eq, %core, {zero} : i64",
                "scf.if %first {",
            ]
            vector = [*head, *vector, "}"]
        if vector:
            body += ["pto.section.vector {", *vector, "}"]
        parameters = ", ".join(f"%{p.name}: {Ptr(p.dtype, 'gm')}" for p in self.parameters)
        inner = "\n".join(f"    {row}" for row in [*self.head, *body])
        return (
            f'module attributes {{pto.target_arch = "{self.target.name}"}} {{\n'
            f"  func.func @fuzz({parameters}) attributes {{pto.aicore}} {{\n"
            f"{inner}\n    return\n  }}\n}}\n"
        )
