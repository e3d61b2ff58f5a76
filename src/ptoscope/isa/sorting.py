"""Helpers that work on UB itself: sorting, merging, transposing. They run on PIPE_V."""

from __future__ import annotations

from ptoscope.isa.core import Core
from ptoscope.isa.cost import NO_FIGURE, Cost
from ptoscope.isa.distributions import Access
from ptoscope.isa.distributions import run as dense
from ptoscope.isa.dtypes import ELEMENTS, F16, F32, I16, I64, INDEX, INTS32, UI32, DType
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.patterns import PtrTo, ScalarIn
from ptoscope.isa.record import Evidence, Form, Meaning, Operand, Record, Run, Site, Types
from ptoscope.isa.types import Ptr

GROUP = "SFU and DSA"
LIST = 32
RECORD_BYTES = 8
_SCORES = Types((F32, F16))
_NUMBER = ScalarIn((I64,))
_RECORD_POINTERS = Types((F32, F16, *INTS32))
_RECORD = Evidence("record", "micro", "8 bytes: the score in the lower 4, the index in the upper.")
_ORDER = Evidence("order", "micro", "Descending scores; equal ones keep their order.")
_NAN = Evidence("NaN", "chosen", "Sorts last: it is no score to prefer.")
_PIPE = Evidence("pipe", "chosen", "PIPE_V, in order with the vecscopes around it.")


def _pointed(site: Site, operand: int) -> DType:
    kind = site.operands[operand]
    assert isinstance(kind, Ptr)
    return kind.dtype


def _beats(score: Lanes, other: Lanes, earlier: Lanes) -> Lanes:
    """Whether `score` goes before `other`; `earlier` where it stands before it in the list."""
    nan, other_nan = score.isnan(), other.isnan()
    level = ~(score > other) & ~(other > score) & ~(nan ^ other_nan)
    return (score > other) | (~nan & other_nan) | (level & earlier)


def _ranks(core: Core, scores: Lanes) -> Lanes:
    """For each of 32 scores its place in the sorted list, as i64."""
    n = scores.count
    lane = core.iota(I64, n)
    rank = lane.const(0)
    for step in range(1, n):
        turned = tuple((i + step) % n for i in range(n))
        other, other_lane = scores.shuffle(turned), lane.shuffle(turned)
        rank = rank + _beats(other, scores, other_lane < lane).cast(I64)
    return rank


def _write(core: Core, site: Site, dest: Lanes, scores: Lanes, indices: Lanes) -> None:
    """32 records, each at its rank."""
    rank = _ranks(core, scores) * RECORD_BYTES
    every = core.mask((True,) * 256).gate(LIST)
    field = scores.as_unsigned().cast(UI32)
    core.covers(site, True, dest, core.constant(I64, 1, LIST * RECORD_BYTES))
    core.scatter(site, dest, rank, every, field, 4)
    core.scatter(site, dest + 4, rank, every, indices, 4)


def _vbitsort(site: Site) -> Run:
    dtype = _pointed(site, 1)
    scores_at = dense(LIST, dtype, dtype.bytes)
    indices_at = dense(LIST, UI32, 4)

    def run(core: Core, dest: Lanes, src: Lanes, indices: Lanes, repeat: Lanes) -> None:
        said = "a negative number of groups"
        core.refuse(site, repeat < 0, "PTO0910", said, repeat, "0 or more")

        def group(iteration: Lanes) -> None:
            scores = core.load(
                site, core.address(src, iteration, LIST * dtype.bytes), scores_at, dtype
            )
            numbers = core.load(site, core.address(indices, iteration, LIST * 4), indices_at, UI32)
            to = core.address(dest, iteration, LIST * RECORD_BYTES)
            _write(core, site, to, scores, numbers)

        core.issue(site, lambda: core.repeat(repeat, group))

    return run


def _vsort32(site: Site) -> Run:
    dtype = _pointed(site, 1)
    places = tuple(RECORD_BYTES * i for i in range(LIST))
    scores_at = Access(places, dtype.bytes, dtype.bytes)
    indices_at = Access(places, 4, 4)

    def run(core: Core, dest: Lanes, src: Lanes, config: Lanes) -> None:
        def group(iteration: Lanes) -> None:
            at = core.address(src, iteration, LIST * RECORD_BYTES)
            scores = core.load(site, at, scores_at, dtype)
            numbers = core.load(site, at + 4, indices_at, UI32)
            to = core.address(dest, iteration, LIST * RECORD_BYTES)
            _write(core, site, to, scores, numbers)

        core.issue(site, lambda: core.repeat(config & 0xFF, group))

    return run


_COUNTS = tuple(f"VMS4_{k}" for k in range(4))
_OUT, _DONE = "VMS4_OUT", "VMS4_DONE"


def _vmrgsort4(site: Site) -> Run:
    dtype = _pointed(site, 1)

    def run(core: Core, dest: Lanes, *values: Lanes) -> None:
        *lists, count, config = values
        core.refuse(
            site, (config & 0xFF).ne(1), "PTO0914", "only one repetition of vmrgsort4 is modelled"
        )
        stops = (config & (1 << 12)).ne(0)
        lengths = [
            (config & (1 << (8 + k))).ne(0).select((count >> (16 * k)) & 0xFFFF, count.const(0))
            for k in range(4)
        ]
        core.issue(site, lambda: merge(core, dest, lists, lengths, stops))

    def merge(
        core: Core, dest: Lanes, lists: list[Lanes], lengths: list[Lanes], stops: Lanes
    ) -> None:
        for name in (*_COUNTS, _OUT, _DONE):
            core.write_register(site, name, core.constant(I64, 1, 0))
        total = lengths[0] + lengths[1] + lengths[2] + lengths[3]
        for at, length in zip((dest, *lists), (total, *lengths), strict=True):
            # Where one list ends it all, how much of the others is taken depends on the scores.
            whole = stops.select(length.const(0), length * RECORD_BYTES)
            core.covers(site, at is dest, at, whole)
        core.repeat(total, lambda iteration: step(core, dest, lists, lengths, stops))

    def step(
        core: Core, dest: Lanes, lists: list[Lanes], lengths: list[Lanes], stops: Lanes
    ) -> None:
        going = core.read_register(site, _DONE, I64, 0).eq(0)
        core.repeat(going.cast(I64), lambda iteration: take(core, dest, lists, lengths, stops))

    def take(
        core: Core, dest: Lanes, lists: list[Lanes], lengths: list[Lanes], stops: Lanes
    ) -> None:
        heads = [core.read_register(site, name, I64, 0) for name in _COUNTS]
        best_at = dest
        best = core.constant(I64, 1, -1)
        score = core.constant(dtype, 1, 0.0)
        for k, (head, length) in enumerate(zip(heads, lengths, strict=True)):
            left = head < length
            # An exhausted list is not read: its next address may be anywhere.
            at = left.select(core.address(lists[k], head, RECORD_BYTES), dest)
            value = core.load_scalar(site, "ub", at, dtype)
            better = left & ((best < 0) | _beats(value, score, left & ~left))
            best_at, score = better.select(at, best_at), better.select(value, score)
            best = better.select(best.const(k), best)
        out = core.read_register(site, _OUT, I64, 0)
        to = core.address(dest, out, RECORD_BYTES)
        for part in (0, 4):
            word = core.load_scalar(site, "ub", best_at + part, UI32)
            core.store_scalar(site, "ub", to + part, word)
        core.write_register(site, _OUT, out + 1)
        for k, name in enumerate(_COUNTS):
            head = heads[k] + best.eq(k).cast(I64)
            core.write_register(site, name, head)
            ended = best.eq(k) & stops & head.eq(lengths[k])
            done = core.read_register(site, _DONE, I64, 0)
            core.write_register(site, _DONE, ended.select(done.const(1), done))

    return run


def _get_vms4_sr(site: Site) -> Run:
    def run(core: Core) -> tuple[Lanes, ...]:
        return tuple(core.read_register(site, name, I64, 0).cast(I16) for name in _COUNTS)

    return run


def _vtranspose(site: Site) -> Run:
    dtype = _pointed(site, 1)
    size = dtype.bytes

    def run(core: Core, dest: Lanes, src: Lanes, config: Lanes) -> None:
        rows, columns = config & 0xFFFF, (config >> 16) & 0xFFFF
        empty, said = (rows * columns).eq(0), "a matrix without elements"
        core.refuse(site, empty, "PTO0910", said, config, "1 or more rows and columns")

        def transpose() -> None:
            core.covers(site, True, dest, rows * columns * size)
            core.transpose(site, dest, src, rows, columns, dtype)

        core.issue(site, transpose)

    return run


def _helper(
    name: str,
    doc: str,
    operands: tuple[Operand, ...],
    meaning: Meaning,
    types: Types,
    formula: str,
    evidence: tuple[Evidence, ...],
    cost: Cost = NO_FIGURE,
) -> Record:
    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        (Form(operands),),
        meaning,
        {"T": types, "D": _RECORD_POINTERS, "I": Types(INTS32)},
        where="outside",
        cost=cost,
        evidence=(*evidence, _PIPE),
        formula=formula,
        cpp=f"{name}({', '.join(o.name for o in operands)})",
    )


_TO_ANY = Operand("dest", PtrTo("D"), "where records go")
_SRC = Operand("src", PtrTo(), "UB source")
RECORDS = (
    _helper(
        "vtranspose",
        "Transposes a matrix in UB.",
        (
            Operand("dest", PtrTo()),
            _SRC,
            Operand("config", _NUMBER, "rows and columns", 2 | 4 << 16),
        ),
        _vtranspose,
        Types(tuple(d for d in ELEMENTS if d.bits >= 8)),
        "dest[column*rows + row] = src[row*columns + column]",
        (
            Evidence(
                "control word",
                "chosen",
                "Rows in bits 0 to 15, columns in bits 16 to 31: nobody states its layout.",
            ),
        ),
        Cost(like_a2a3="vmov"),
    ),
    _helper(
        "vsort32",
        "Sorts groups of 32 records in UB by score.",
        (_TO_ANY, _SRC, Operand("config", _NUMBER, "how many groups, in its lowest 8 bits", 1)),
        _vsort32,
        _SCORES,
        "each group of 32 records of src, sorted, to dest",
        (
            Evidence(
                "control word",
                "chosen",
                "The number of groups in bits 0 to 7, as in the other sorting helpers.",
            ),
            Evidence("source", "chosen", "Records as vbitsort writes them."),
            _ORDER,
            _NAN,
        ),
        Cost(row_a2a3="vbitsort"),
    ),
    _helper(
        "vbitsort",
        "Sorts groups of 32 scores in UB with their indices into records.",
        (
            _TO_ANY,
            _SRC,
            Operand("indices", PtrTo("I"), "32-bit indices"),
            Operand("repeat_times", ScalarIn((INDEX, I64)), "how many groups"),
        ),
        _vbitsort,
        _SCORES,
        "each group: records (score, index) by descending score to dest",
        (_RECORD, _ORDER, _NAN),
    ),
    _helper(
        "vmrgsort4",
        "Merges four sorted lists of records in UB.",
        (
            Operand("dest", PtrTo()),
            *(Operand(f"src{k}", PtrTo(), f"list {k}") for k in range(4)),
            Operand("count", _NUMBER, "four lengths of 16 bits, list 0 lowest", 0x2_0002_0002_0002),
            Operand("config", _NUMBER, "repetitions, lists in use, stop rule", 1 | 0xF << 8),
        ),
        _vmrgsort4,
        _SCORES,
        "dest = records of the lists by descending score; counts taken to VMS4_SR",
        (
            _RECORD,
            Evidence("count", "suite", "Four lengths of 16 bits."),
            Evidence(
                "config",
                "suite",
                "Bits 0 to 7 repetitions (1), 8 to 11 lists in use, 12 stop at the first list "
                "that ends.",
            ),
            Evidence("ties", "chosen", "The lower list first."),
            _NAN,
        ),
    ),
    Record(
        "pto.get_vms4_sr",
        GROUP,
        "Reads how many records the last vmrgsort4 took from each list.",
        (
            Form(
                results=tuple(Operand(f"list{k}", ScalarIn((I16,))) for k in range(4)),
                syntax=": list0, list1, list2, list3",
            ),
        ),
        _get_vms4_sr,
        pipe="PIPE_S",
        where="anywhere",
        pure=False,
        evidence=(Evidence("counts", "suite", "Those of the last vmrgsort4, 0 before it."),),
        formula="list0, list1, list2, list3 = fields of VMS4_SR",
        cpp="get_vms4_sr()",
    ),
)
