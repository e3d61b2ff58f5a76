"""A small complete kernel for an instruction of the matrix core: two tiles of 16 rows from GM are
multiplied, and the result goes back. The instruction stands on that way: what it reads is filled
before it, and what it writes is used after it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ptoscope.docs import values
from ptoscope.docs.buffers import BufferFill, ExampleBuffer
from ptoscope.docs.kernel import ExampleKernel, ExampleOrder
from ptoscope.docs.line import NamedValues, line
from ptoscope.docs.values import NoExample
from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import F8E4M3, F16, F32, I64, DType
from ptoscope.isa.parts import MEMORIES
from ptoscope.isa.patterns import Bindings, PtrTo
from ptoscope.isa.record import AttrValue, Form, Operand, Record
from ptoscope.isa.targets import Revision, Target
from ptoscope.isa.tiles import BLOCK_BYTES, FRACTAL_ROWS, RESULT_COLUMNS, SCALED
from ptoscope.isa.types import Ptr, Scalar, Type

AREA = 4096
"""Bytes of L1 for each tile."""
_BARRIER = "pto.barrier #pto.pipe<PIPE_ALL>"
_SIDE = FRACTAL_ROWS
_SIDES = {"l0a": "left", "l0b": "right"}


def is_of_matrix(record: Record) -> bool:
    """Whether an instruction reaches a memory of the matrix core."""
    pointers = (o.type for f in record.forms for o in f.operands if isinstance(o.type, PtrTo))
    return any(p.space in MEMORIES and MEMORIES[p.space].core == "cube" for p in pointers)


class _Place(NamedTuple):
    """A pointer of the kernel: its name and what it points to."""

    name: str
    kind: Ptr


class MatrixExample:
    """Writes one example."""

    def __init__(
        self, record: Record, form: int, target: Target, revision: Revision, known: Bindings
    ) -> None:
        self._record, self._form = record, record.forms[form]
        self._target, self._known = target, known
        self._revision: Revision = revision
        self._kernel = ExampleKernel(target, ExampleOrder(record, form))
        self._pointers: list[str] = []
        self._areas: dict[str, int] = {}
        self._first: list[str] = []
        """What the vector core does before the matrix core."""
        self._cube: list[str] = []
        self._last: list[str] = []
        """What the vector core does after the matrix core."""
        self._here = self._cube
        element = known.get("T")
        self._element = element if isinstance(element, DType) else F32
        self._scaled = self._element is F8E4M3
        legal = record.types["T"].legal(target, revision)
        self._loads_scales = self._target_of_path in _SIDES and all(d.bits == 8 for d in legal)
        self._operands: dict[str, _Place] = {}
        self._products = 0
        self._k = 2 * SCALED if self._scaled else _SIDE

    @property
    def _target_of_path(self) -> str:
        return self._record.path.target if self._record.path is not None else ""

    @property
    def buffers(self) -> tuple[ExampleBuffer, ...]:
        return tuple(self._kernel.buffers)

    # The way of a tile.

    def text(self) -> str:
        """The whole file."""
        made: dict[str, _Place] = {}
        reads = [o for o in self._form.operands if isinstance(o.type, PtrTo) and o.name != "dst"]
        for operand in reads:
            made[operand.name] = self._filled(self._kind(operand))
        target = self._kind(next(o for o in self._form.operands if o.name == "dst"))
        if self._loads_scales:
            # Those of a tile that is there.
            made["dst"] = self._operand(target.space, target.dtype)
        elif "+=" in self._record.formula:
            made["dst"] = self._product()
        else:
            made["dst"] = self._there("result", target)
        if self._record.path is not None and self._record.path.source == "ub":
            self._here = self._first
        self._shown(made)
        self._here = self._cube
        self._used(made["dst"])
        return self._file()

    def _filled(self, kind: Ptr) -> _Place:
        """A pointer to something that is there when the instruction comes."""
        dtype = kind.dtype
        match kind.space:
            case "gm":
                return self._array("source", dtype)
            case "l1" if self._loads_scales:
                return self._in_l1("source", dtype, "scales", _SIDE * self._k // SCALED)
            case "l1":
                return self._in_l1("source", dtype)
            case "ub":
                place = self._there("source_ub", kind)
                operands = {"src": self._array("source", dtype), "dst": place}
                written = self._line("mte_gm_ub", operands, self._rows(dtype))
                self._first += [written, _BARRIER]
                return place
            case "l0a":
                return self._operand("l0a", dtype)
            case "l0b":
                return self._operand("l0b", dtype)
            case "l0c":
                return self._product()
            case "bt":
                return self._loaded("bt", "bias", "mte_l1_bt", 4 * _SIDE // BLOCK_BYTES)
            case _:
                raise NoExample(f"nothing is read from {kind.space}")

    def _used(self, place: _Place) -> None:
        """The result, or what is made of it, in GM."""
        match place.kind.space:
            case "gm":
                return
            case "l1":
                self._operand("l0a", place.kind.dtype, place)
                self._drained(self._product())
            case "l0a" | "l0b" as space:
                if not self._loads_scales:
                    self._operands[space] = place
                    self._scales(space, place)
                self._drained(self._product())
            case "bt":
                self._drained(self._product(place))
            case "fb":
                self._drained(self._product(), place)
            case "l0c":
                self._drained(place)
            case "ub":
                self._here = self._last
                operands = {"src": place, "dst": self._array("result", place.kind.dtype, True)}
                self._add(self._line("mte_ub_gm", operands, self._rows(place.kind.dtype)))
            case other:
                raise NoExample(f"nothing shows what is in {other}")

    def _product(self, bias: _Place | None = None) -> _Place:
        """That of both tiles, perhaps with a bias."""
        known = [place.kind.dtype for place in self._operands.values()]
        dtype = known[0] if known else self._factor()
        left, right = (self._operand(space, dtype) for space in _SIDES)
        result = bias.kind.dtype if bias else self._sum(dtype)
        self._products += 1
        name = "product" if self._products == 1 else f"product_{self._products}"
        place = self._there(name, Ptr(result, "l0c"))
        operands = {"lhs": left, "rhs": right, "dst": place}
        if bias is not None:
            operands["bias"] = bias
        instruction = f"mad{'_mx' if self._scaled else ''}{'_bias' if bias else ''}"
        sizes = {"m": _SIDE, "n": _SIDE, "k": self._k}
        self._add(self._line(instruction, operands, sizes))
        return place

    def _factor(self) -> DType:
        """What is multiplied where the instruction does not say."""
        factors = TABLE["pto.mad"].types["T"].legal(self._target, self._revision)
        return self._element if self._scaled or self._element in factors else F32

    def _sum(self, dtype: DType) -> DType:
        pairs = TABLE["pto.mad_mx" if self._scaled else "pto.mad"].pairs
        return next(u for t, u in pairs if t is dtype)

    def _drained(self, place: _Place, scales: _Place | None = None) -> None:
        source = place.kind.dtype
        target = self._array("result", source if scales is None else F16, True)
        numbers = {"m": _SIDE, "n": _SIDE, "src_stride": _SIDE, "dst_stride": RESULT_COLUMNS}
        attrs: dict[str, AttrValue] = {"layout": "nz2nd"}
        clauses: list[tuple[str, NamedValues]] = []
        if scales is not None:
            attrs["pre_quant_mode"] = "qf322f16_pre_vec"
            clauses = [("pre_quant", {"scale": scales})]
        self._add(self._line("mte_l0c_gm", {"src": place, "dst": target}, numbers, attrs, clauses))

    def _operand(self, space: str, dtype: DType, source: _Place | None = None) -> _Place:
        """A tile of L0A or L0B, with its scales where it has some."""
        if source is None and space in self._operands:
            return self._operands[space]
        name = f"{_SIDES[space]}_again" if space in self._operands else _SIDES[space]
        place = self._there(name, Ptr(dtype, space))
        if source is None:
            source = self._in_l1(name, dtype, "first" if space == "l0a" else "second")
        sizes = {"m": _SIDE, "n": _SIDE, "k": self._k}
        self._add(self._line(f"mte_l1_{space}", {"src": source, "dst": place}, sizes))
        self._operands[space] = place
        self._scales(space, place)
        return place

    def _scales(self, space: str, place: _Place) -> None:
        if self._scaled and not (self._loads_scales and space == self._target_of_path):
            name = f"{_SIDES[space]}_scales"
            scales = self._in_l1(name, place.kind.dtype, "scales", _SIDE * self._k // SCALED)
            sizes = {"m": _SIDE, "n": _SIDE, "k": self._k}
            self._add(self._line(f"mte_l1_{space}_mx", {"src": scales, "dst": place}, sizes))

    def _loaded(self, space: str, name: str, instruction: str, length: int) -> _Place:
        """A table of the matrix core, as many bytes as a row of results has."""
        element = self._known.get("U")
        dtype = element if isinstance(element, DType) else F32
        place = self._there(name, Ptr(dtype, space))
        source = self._in_l1(f"{name}_l1", dtype, "second", _SIDE)
        numbers = {"len_burst": length, "n_burst": 1}
        self._add(self._line(instruction, {"src": source, "dst": place}, numbers))
        return place

    # What there is.

    def _array(
        self,
        name: str,
        dtype: DType,
        is_result: bool = False,
        fill: BufferFill = "first",
        count: int | None = None,
    ) -> _Place:
        """An array of the caller: a tile, where nothing else is said."""
        fill = "blank" if is_result else fill
        size = self._count(dtype) if count is None else count
        size = _SIDE * _SIDE if is_result and dtype in (F32, F16) else size
        self._kernel.buffers.append(ExampleBuffer(f"{name}_gm", dtype, size, fill, is_result))
        return _Place(f"%{name}_gm", Ptr(dtype, "gm"))

    def _count(self, dtype: DType) -> int:
        return _SIDE * (self._k if dtype is self._element else _SIDE)

    def _in_l1(
        self, name: str, dtype: DType, fill: BufferFill = "first", count: int | None = None
    ) -> _Place:
        """Data from GM, in L1 as they are."""
        source = self._array(name, dtype, fill=fill, count=count)
        place = self._there(f"{name}_l1", Ptr(dtype, "l1"))
        numbers = self._rows(dtype, self._kernel.buffers[-1].count)
        self._add(self._line("mte_gm_l1", {"src": source, "dst": place}, numbers))
        return place

    def _rows(self, dtype: DType, count: int | None = None) -> dict[str, int]:
        size = (self._count(dtype) if count is None else count) * dtype.bytes
        return {"len_burst": size, "n_burst": 1, "src_stride": size, "dst_stride": size}

    def _there(self, name: str, kind: Ptr) -> _Place:
        """A pointer to bytes of a memory that nothing else has; of GM an array."""
        if kind.space == "gm":
            return self._array(name, kind.dtype, True)
        at = self._areas.get(kind.space, 0)
        self._areas[kind.space] = at + AREA
        address = self._kernel.constant(at, I64)
        self._pointers.append(f"%{name} = pto.castptr {address} : i64 -> {kind}")
        return _Place(f"%{name}", kind)

    # Lines.

    def _kind(self, operand: Operand) -> Ptr:
        kind = values.concrete(operand.type, self._known)
        assert isinstance(kind, Ptr)
        return kind

    def _shown(self, made: dict[str, _Place]) -> None:
        """The instruction that the example is about."""
        attrs = values.attributes(
            self._record, self._form, self._known, self._target, self._revision
        )
        numbers = self._numbers(made)
        # A drain to UB says whose it is.
        core = [g for g in self._form.groups if g.keyword == "dst_mode"]
        clauses = [(g.keyword, {o.name: self._number(o, {}) for o in g.operands}) for g in core]
        written = self._written(self._record, self._form, made, numbers, attrs, clauses)
        self._add(written, "// The instruction.")

    def _numbers(self, made: dict[str, _Place]) -> dict[str, int]:
        """What its operands are where they say how much of what is moved: a tile, or as much as
        a table holds for a row of results."""
        spaces = {place.kind.space for place in made.values()}
        dtype, path = made["dst"].kind.dtype, self._record.path
        size = self._count(dtype) * dtype.bytes
        if spaces & {"bt", "fb"}:
            size = _SIDE * (8 if "fb" in spaces else 4)
        unit = path.unit if path is not None else 1
        fractals = size // (_SIDE * BLOCK_BYTES)
        stride = 1 if spaces & {"l0a", "l0b"} else _SIDE if "l0c" in spaces else size
        return {
            **{"m": _SIDE, "n": _SIDE, "k": self._k, "len_burst": size // unit, "n_burst": 1},
            **{"m_step": 1, "k_step": fractals, "src_stride": stride, "dst_stride": stride},
            **{"raw_value": 0x4000, "repeat_times": 1, "block_num_32b": size // BLOCK_BYTES},
        }

    def _line(
        self,
        name: str,
        operands: dict[str, _Place],
        numbers: dict[str, int],
        attrs: dict[str, AttrValue] | None = None,
        clauses: Iterable[tuple[str, NamedValues]] = (),
    ) -> str:
        record = TABLE[f"pto.{name}"]
        return self._written(record, record.forms[0], operands, numbers, attrs or {}, clauses)

    def _written(
        self,
        record: Record,
        form: Form,
        places: dict[str, _Place],
        numbers: dict[str, int],
        attrs: dict[str, AttrValue],
        clauses: Iterable[tuple[str, NamedValues]] = (),
    ) -> str:
        def value(operand: Operand) -> tuple[str, Type]:
            return places.get(operand.name) or self._number(operand, numbers)

        operands = {o.name: value(o) for o in form.operands}
        groups = [
            (g.keyword, {o.name: value(o) for o in g.operands})
            for g in form.groups
            if g.arity == "one"
        ]
        return line(record, form, operands, {}, attrs, [*groups, *clauses])

    def _number(self, operand: Operand, numbers: dict[str, int]) -> tuple[str, Type]:
        kind = values.concrete(operand.type, self._known)
        assert isinstance(kind, Scalar)
        given = numbers.get(operand.name)
        if given is None:
            given = values.number(operand, operand.type, None) if operand.example else 0
        return self._kernel.constant(given, kind.dtype), kind

    def _add(self, written: str, note: str = "") -> None:
        self._here += [*([note] if note else []), written, _BARRIER]

    def _file(self) -> str:
        lines = [*self._kernel_lines()]
        parameters = ", ".join(f"%{b.name}: {Ptr(b.dtype, 'gm')}" for b in self.buffers)
        inner = "\n".join(f"    {row}" for row in lines)
        alone = not self._first and not self._last
        kind = ", pto.kernel_kind = #pto.kernel_kind<cube>" if alone else ""
        return (
            f'module attributes {{pto.target_arch = "{self._target.name}"{kind}}} {{\n'
            f"  func.func @example({parameters}) attributes {{pto.aicore}} {{\n"
            f"{inner}\n    return\n  }}\n}}\n"
        )

    def _kernel_lines(self) -> list[str]:
        if not self._first and not self._last:
            return [*self._kernel.constants, *self._pointers, *self._cube]
        zero = self._kernel.constant(0, I64)
        cube, vector = list(self._cube), [*self._first]
        if self._first:
            vector.append("pto.sync.set <PIPE_MTE3>, 0")
            cube[:0] = ["pto.sync.wait <PIPE_MTE1>, 0"]
        if self._last:
            cube.append("pto.sync.set <PIPE_FIX>, 1")
            vector += ["pto.sync.wait <PIPE_MTE3>, 1", *self._last]
        return [
            *self._kernel.constants,
            *self._pointers,
            "// The matrix core.",
            *("pto.section.cube {", *(f"  {row}" for row in cube), "}"),
            "// The first of the two vector cores.",
            "pto.section.vector {",
            "  %core = pto.get_subblock_idx",
            f"  %is_first = arith.cmpi eq, %core, {zero} : i64",
            *("  scf.if %is_first {", *(f"    {row}" for row in vector), "  }", "}"),
        ]
