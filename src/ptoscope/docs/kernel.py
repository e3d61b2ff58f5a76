"""The scaffold of an example kernel: parameters, areas of UB, copies and hand-offs."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from ptoscope.docs.buffers import BufferFill, ExampleBuffer
from ptoscope.docs.line import line
from ptoscope.docs.values import NoExample
from ptoscope.ir.forms.syntax import compiled
from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import I1, I8, I16, I64, INDEX, UI8, DType
from ptoscope.isa.order.rules import BARRIER, GET, SET, OrderRule
from ptoscope.isa.parts import MEMORIES, SCALAR_PIPE
from ptoscope.isa.record import AttrValue, Form, Record
from ptoscope.isa.sync import set_flag
from ptoscope.isa.targets import BLOCK_BYTES, Target
from ptoscope.isa.types import Mask, Ptr, Scalar, Type, VReg, granularity

AREA = 2048
"""Bytes of UB for each pointer: the widest stride reaches so far."""
MASK_BYTES = 32


class ExampleOrder:
    """How pipes are ordered: by flags, or by the instruction that the example is about."""

    def __init__(self, record: Record, form: int) -> None:
        self._record = record
        rule = record.order
        if rule is None or not rule.by_pipes or rule.between_cores:
            self._signals = _instructions(SET, set_flag)
        else:
            self._signals = _instructions(rule, record)
        about_buffers = rule is not None and rule.account == GET.account
        self._buffers = _instructions(GET, record) if about_buffers else []
        self._form = form if record.name in (*self._signals, *self._buffers) else 0

    def hand_off(self, kernel: ExampleKernel, src: str, dst: str) -> list[str]:
        """Lines after which the second pipe may use what the first one made."""
        if self._buffers or src == dst == "PIPE_V":
            return []
        if self._record.order is BARRIER:
            form = self._record.forms[0]
            return [line(self._record, form, {}, {}, {"pipe": "PIPE_ALL"})]
        if src == dst:
            return [f'pto.pipe_barrier "{src}"']
        event: AttrValue = "EVENT_ID0"
        attrs: dict[str, AttrValue] = {"src": src, "dst": dst, "event": event}
        return [self._line(kernel, name, attrs) for name in self._signals]

    def around(self, kernel: ExampleKernel, pipe: str, lines: list[str]) -> list[str]:
        """Lines of one pipe between the acquisition and the release of a buffer."""
        if not self._buffers or not lines:
            return lines
        attrs: dict[str, AttrValue] = {"pipe": pipe, "id": 0, "mode": 0}
        get, release = (self._line(kernel, name, attrs) for name in self._buffers)
        return [get, *lines, release]

    def _line(self, kernel: ExampleKernel, name: str, attrs: dict[str, AttrValue]) -> str:
        form = TABLE[name].forms[self._form]
        operands = {o.name: (kernel.constant(0, I64), Scalar(I64)) for o in form.operands}
        given = {attr.name: attrs[attr.name] for attr in form.attrs}
        return line(TABLE[name], form, operands, {}, given)


def _instructions(rule: OrderRule, record: Record) -> list[str]:
    """Those of the account of a rule that are written as one of them is: what gives a signal and
    what takes it, for example."""
    alike = [r for r in TABLE.values() if r.forms == record.forms]
    return [r.name for r in alike if r.order is not None and r.order.account == rule.account]


class ExampleCopy(NamedTuple):
    """A copy between a buffer of the caller and the memory that the instruction works on."""

    note: str
    pipe: str
    text: str


class ExampleKernel:
    """A kernel as it grows: `before` runs first, `scope` inside a vecscope, `body` outside."""

    def __init__(self, target: Target, order: ExampleOrder) -> None:
        self.target = target
        self.order = order
        self.buffers: list[ExampleBuffer] = []
        self.before: list[str] = []
        self.scope: list[str] = []
        self.body: list[str] = []
        self.cube: list[str] = []
        """What the matrix core runs, where there is one; the first vector core runs the rest."""
        self.loops = 0
        """Loops of i16 around what is in the vecscope, of one iteration each."""
        self._constants: dict[str, str] = {}
        self._pointers: list[str] = []
        self._in: list[ExampleCopy] = []
        self._out: list[ExampleCopy] = []
        self._areas = 0
        self._masks: dict[tuple[int, str], str] = {}

    def place(self, record: Record) -> list[str]:
        """Where the lines of an instruction go."""
        inside = record.where == "vecscope" or record.pipe.startswith("=")
        return self.scope if inside or self.region(record.forms[0]) else self.body

    def region(self, form: Form) -> bool:
        """Whether a form has a body."""
        return compiled(form).region

    def constant(self, value: int, dtype: DType) -> str:
        """The name of a constant."""
        text = f"{value}.0" if dtype.is_float else str(value)
        text = ("true" if value else "false") if dtype.name == "i1" else text
        suffix = "" if dtype is INDEX else f"_{dtype}"
        name = f"%{text}" if dtype.name == "i1" else f"%c{value}{suffix}"
        kind = "" if dtype.name == "i1" else f" : {dtype}"
        self._constants.setdefault(name, f"{name} = arith.constant {text}{kind}")
        return name

    @property
    def constants(self) -> list[str]:
        """The lines that define them."""
        return [*self._constants.values()]

    # Memory.

    def memory(self, name: str, kind: Ptr, *, written: bool) -> str:
        """A pointer to an area that holds data, copied back if it is written."""
        fill: BufferFill = "blank" if written else "count"
        buffer = ExampleBuffer(f"{name}_gm", kind.dtype, AREA // kind.dtype.bytes, fill, written)
        self.buffers.append(buffer)
        if kind.space == "gm":
            return f"%{buffer.name}"
        self._area(name, kind)
        spaces = ["gm", "ub"] if kind.space == "ub" else ["gm", "ub", kind.space]
        names = [f"%{buffer.name}", f"%{name}"]
        if kind.space != "ub":
            self._area(f"{name}_ub", Ptr(kind.dtype, "ub"))
            names.insert(1, f"%{name}_ub")
        steps = list(pairwise(zip(names, spaces, strict=True)))
        self._in += [self._copy(buffer, source, target) for source, target in steps]
        if written:
            self._out += [self._copy(buffer, target, source) for source, target in steps[::-1]]
        return f"%{name}"

    def load(self, name: str, kind: VReg, fill: BufferFill, place: list[str]) -> str:
        """A vector from GM."""
        buffer = ExampleBuffer(f"{name}_gm", kind.dtype, kind.lanes, fill)
        self.buffers.append(buffer)
        pointer = self._area(f"{name}_ub", Ptr(kind.dtype, "ub"))
        self._in.append(self._copy(buffer, (f"%{buffer.name}", "gm"), (f"%{name}_ub", "ub")))
        start = self.constant(0, INDEX)
        place.append(f"%{name} = pto.vlds %{name}_ub[{start}] : {pointer} -> {kind}")
        return f"%{name}"

    def mask(self, name: str, bits: int, pattern: str, place: list[str]) -> str:
        """A mask of a pattern: the one there is, else a new one of this name."""
        if (bits, pattern) not in self._masks:
            self._masks[bits, pattern] = name
            place.append(f'{name} = pto.pset_b{bits} "{pattern}" : {Mask(bits)}')
        return self._masks[bits, pattern]

    def store(
        self, name: str, value: str, kind: VReg, place: list[str], first: int | None = None
    ) -> None:
        """A vector to GM: every lane of it, or what the `first` lanes of its mask govern."""
        bits = granularity(kind.dtype.bits)
        pattern, gate = (
            (f"PAT_VL{first}", f"%first_b{bits}") if first else ("PAT_ALL", f"%all_b{bits}")
        )
        gate = self.mask(gate, bits, pattern, place)
        buffer = ExampleBuffer(f"{name}_gm", kind.dtype, kind.lanes, "blank", True)
        pointer = self._result(name, buffer, first and first * bits // (8 * kind.dtype.bytes))
        start = self.constant(0, INDEX)
        place.append(
            f"pto.vsts {value}, %{name}_ub[{start}], {gate} : {kind}, {pointer}, {Mask(bits)}"
        )

    def store_mask(self, name: str, value: str, kind: Mask, place: list[str]) -> None:
        """The whole predicate register to GM."""
        buffer = ExampleBuffer(f"{name}_gm", UI8, MASK_BYTES, "blank", True, kind.bits)
        pointer = self._result(name, buffer)
        start = self.constant(0, INDEX)
        place.append(f'pto.psts {value}, %{name}_ub[{start}], "NORM" : {kind}, {pointer}, index')

    def store_number(self, name: str, value: str, kind: Scalar, place: list[str]) -> None:
        """A scalar to GM."""
        dtype = kind.dtype
        if dtype is INDEX:
            place.append(f"{value}_i64 = arith.index_cast {value} : index to i64")
            value, dtype = f"{value}_i64", I64
        if dtype is I1:
            place.append(f"{value}_i8 = arith.extui {value} : i1 to i8")
            value, dtype = f"{value}_i8", I8
        self.buffers.append(ExampleBuffer(f"{name}_gm", dtype, 1, "blank", True))
        start = self.constant(0, INDEX)
        place.append(f"pto.store_scalar {value}, %{name}_gm[{start}] : {Ptr(dtype, 'gm')}, {dtype}")

    def _result(self, name: str, buffer: ExampleBuffer, first: int | None = None) -> Ptr:
        self.buffers.append(buffer)
        pointer = self._area(f"{name}_ub", Ptr(buffer.dtype, "ub"))
        there = (f"%{name}_ub", "ub")
        self._out.append(self._copy(buffer, there, (f"%{buffer.name}", "gm"), first))
        return pointer

    def _area(self, name: str, kind: Ptr) -> Ptr:
        at = self.constant(self._areas * AREA, I64)
        self._areas += 1
        self._pointers.append(f"%{name} = pto.castptr {at} : i64 -> {kind}")
        return kind

    def _copy(
        self,
        buffer: ExampleBuffer,
        source: tuple[str, str],
        target: tuple[str, str],
        first: int | None = None,
    ) -> ExampleCopy:
        """All of a buffer, or its first elements, from one pointer to another; each has a name
        and a memory. NoExample where no instruction copies so."""
        ends = (source[1], target[1])
        record = next((r for r in TABLE.values() if _copies(r, ends)), None)
        if record is None:
            raise NoExample(f"no copy goes from {ends[0]} to {ends[1]}")
        size = (first or buffer.count) * buffer.dtype.bytes
        row = -(-size // BLOCK_BYTES) * BLOCK_BYTES if first else size
        numbers = {"len_burst": size, "n_burst": 1, "src_stride": row, "dst_stride": size}
        pointers = {"src": source, "dst": target}
        form = record.forms[0]
        operands: dict[str, tuple[str, Type]] = {
            o.name: (pointers[o.name][0], Ptr(buffer.dtype, pointers[o.name][1]))
            if o.name in pointers
            else (self.constant(numbers.get(o.name, 0), I64), Scalar(I64))
            for o in form.operands
        }
        rows: dict[str, tuple[str, Type]] = {
            o.name: (self.constant(numbers[o.name], I64), Scalar(I64))
            for o in form.groups[0].operands
        }
        text = line(record, form, operands, {}, {}, [(form.groups[0].keyword, rows)])
        title = " to ".join(MEMORIES[space].title for space in ends)
        return ExampleCopy(f"{title}.", record.pipe, text)

    # Text.

    def text(self, record: Record, form: Form) -> str:
        """The whole file."""
        pipe = "PIPE_V" if self.scope or record.pipe.startswith("=") else record.pipe
        body = [*self.body, *self._scope(record, form)]
        order = self.order
        steps = [*_steps(self._in), ("The instruction.", pipe, body), *_steps(self._out)]
        phases: list[list[str]] = []
        last = ""
        for note, unit, lines in steps:
            if last and unit != SCALAR_PIPE:
                phases.append(order.hand_off(self, last, unit))
            phases.append(_noted(note, order.around(self, unit, lines)))
            last = unit
        lines = [row for phase in (self.before, *phases) for row in phase]
        if self.cube:
            lines = self._for_two_cores(lines)
        lines = [*self._constants.values(), *self._pointers, *lines]
        parameters = ", ".join(f"%{b.name}: {Ptr(b.dtype, 'gm')}" for b in self.buffers)
        inner = "\n".join(f"    {row}" for row in lines)
        return (
            f'module attributes {{pto.target_arch = "{self.target.name}"}} {{\n'
            f"  func.func @example({parameters}) attributes {{pto.aicore}} {{\n"
            f"{inner}\n"
            "    pto.barrier #pto.pipe<PIPE_ALL>\n    return\n  }\n}\n"
        )

    def _for_two_cores(self, lines: list[str]) -> list[str]:
        zero = self.constant(0, I64)
        return [
            "// The matrix core.",
            "pto.section.cube {",
            *self.cube,
            "}",
            "// The first of the two vector cores.",
            "pto.section.vector {",
            "%core = pto.get_subblock_idx",
            f"%is_first = arith.cmpi eq, %core, {zero} : i64",
            "scf.if %is_first {",
            *lines,
            "}",
            "}",
        ]

    def _scope(self, record: Record, form: Form) -> list[str]:
        if not self.scope:
            return []
        inner = [f"  {row}" for row in self._looped(self.scope)]
        if not (self.region(form) and form.operands):
            return ["pto.vecscope {", *inner, "}"]
        # A strict scope sees only what is passed to it.
        outside = [row.split(" = ")[0] for row in (*self._constants.values(), *self._pointers)]
        used = [n for n in outside if any(f"{n}[" in r or f"[{n}]" in r for r in self.scope)]
        kinds = [self._kind(n) for n in used]
        arguments = ", ".join(f"{n}_in: {k}" for n, k in zip(used, kinds, strict=True))
        for name in used:
            inner = [
                r.replace(f"{name}[", f"{name}_in[").replace(f"[{name}]", f"[{name}_in]")
                for r in inner
            ]
        return [
            f"{record.name}({', '.join(used)}) {{",
            f"^bb0({arguments}):",
            *inner,
            f"}} : ({', '.join(kinds)}) -> ()",
        ]

    def _looped(self, lines: list[str]) -> list[str]:
        for level in range(self.loops):
            low, high = self.constant(0, I16), self.constant(1, I16)
            head = f"scf.for %i{level} = {low} to {high} step {high} : i16 {{"
            lines = [head, *(f"  {row}" for row in lines), "}"]
        return lines

    def _kind(self, name: str) -> str:
        row = next(
            r for r in (*self._constants.values(), *self._pointers) if r.startswith(f"{name} = ")
        )
        return row.rpartition("-> " if "-> " in row else " : ")[2]


def _copies(record: Record, ends: tuple[str, str]) -> bool:
    """Whether it copies rows from one memory to the other, and says how many itself."""
    path, groups = record.path, record.forms[0].groups
    return path is not None and (path.source, path.target) == ends and bool(groups)


def _steps(copies: list[ExampleCopy]) -> list[tuple[str, str, list[str]]]:
    """The copies of each pipe together, with their note, in order of the way they go."""
    kinds = dict.fromkeys((copy.note, copy.pipe) for copy in copies)
    return [(*kind, [c.text for c in copies if (c.note, c.pipe) == kind]) for kind in kinds]


def _noted(note: str, lines: list[str]) -> list[str]:
    return [f"// {note}", *lines] if lines else []
