"""Loads and stores of UB as an access maps them."""

from __future__ import annotations

from ptoscope.isa.distributions import NOTHING, Access
from ptoscope.isa.dtypes import I1, DType
from ptoscope.native import types
from ptoscope.native.lanes import RAW, NativeLanes
from ptoscope.native.llvm_text import Code, Value
from ptoscope.native.nans import stored_canonical
from ptoscope.native.permutes import each

_UB = Value("ptr", "%ub")
_WIDEST = 1024
"""Bytes that are loaded as one row and shuffled; a wider access goes lane by lane."""


def _places(access: Access) -> tuple[int, ...]:
    """The place of each lane in elements, -1 where it has none."""
    return tuple(-1 if o == NOTHING else o // access.width for o in access.offsets)


def _covering(access: Access) -> int:
    """How many elements a row needs to hold every place: a power of two."""
    count = access.extent // access.width
    return 1 << (count - 1).bit_length()


def reads_exactly(access: Access) -> bool:
    """Whether a load reads the bytes of an access and no others."""
    whole = access.extent == access.width * _covering(access)
    return access.contiguous or (whole and access.extent <= _WIDEST)


def loaded(
    code: Code, at: NativeLanes, access: Access, dtype: DType, base: Value = _UB
) -> NativeLanes:
    """The lanes at an address that has been checked. If another base is given, they are there, on
    any address, and nothing else may be read."""
    place = code.offset(base, at.value)
    alignment = access.alignment if base is _UB else 1
    narrow = access.width if base is _UB else 1
    nan = RAW if types.tracks_nans(dtype) else 0
    count = len(access.offsets)
    if access.contiguous:
        value = code.load(types.row(dtype, count), place, alignment)
        return NativeLanes(code, dtype, count, value, nans=nan)
    places = _places(access)
    if access.extent == access.width:
        one = code.load(types.element(dtype), place, narrow)
        row = NativeLanes(code, dtype, 1, one, nans=nan).splat(count)
        return row if min(places) == 0 else row.shuffle(_identity(places))
    if access.extent > _WIDEST:
        return _lane_by_lane(code, place, places, dtype)
    width = _covering(access)
    value = code.load(types.row(dtype, width), place, narrow)
    return NativeLanes(code, dtype, width, value, nans=nan).shuffle(places)


def _identity(places: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(-1 if p < 0 else i for i, p in enumerate(places))


def _lane_by_lane(code: Code, place: Value, places: tuple[int, ...], dtype: DType) -> NativeLanes:
    lane, count = types.element(dtype), len(places)
    result = code.alloca(types.row(dtype, count))
    table = _table(code, places)

    def move(i: Value) -> None:
        which = code.load("i64", code.offset(table, i, "i64"), 8)
        value = code.load(lane, code.offset(place, which, lane), 1)
        code.store(value, code.offset(result, i, lane), 1)

    assert min(places) >= 0
    each(code, count, move)
    value = code.load(types.row(dtype, count), result, 64)
    nan = RAW if types.tracks_nans(dtype) else 0
    return NativeLanes(code, dtype, count, value, nans=nan)


def _table(code: Code, places: tuple[int, ...]) -> Value:
    """Places as a constant array."""
    name = f"@table{code.fresh()}"
    entries = ", ".join(f"i64 {p}" for p in places)
    code.globals.append(f"{name} = internal constant [{len(places)} x i64] [{entries}]")
    return Value("ptr", name)


def stored(
    code: Code,
    at: NativeLanes,
    access: Access,
    row: NativeLanes,
    active: NativeLanes | None,
) -> None:
    """Active lanes (all, without a mask) to an address that has been checked. A dense row without
    a mask may have NaNs that are not canonical yet."""
    place = code.offset(_UB, at.value)
    if row.looks_for_nans():
        stored_canonical(code, row.dtype, row.count, row.value, place, access.alignment)
        return
    if access.contiguous:
        store_row(code, place, access.alignment, row, active)
        return
    places = _places(access)
    if access.extent > _WIDEST:
        _store_lane_by_lane(code, place, places, row, active)
        return
    lanes = {p: lane for lane, p in enumerate(places) if p >= 0}
    width = _covering(access)
    if width == 1:
        lane = row.shuffle((lanes[0],))
        mask = None if active is None else active.shuffle((lanes[0],))
        store_row(code, place, access.width, lane, mask)
        return
    spread = row.shuffle(tuple(lanes.get(p, -1) for p in range(width)))
    if active is None:
        text = types.listed(I1, (p in lanes for p in range(width)))
        mask = NativeLanes(code, I1, width, Value(types.row(I1, width), text))
    else:
        mask = active.shuffle(tuple(lanes.get(p, -1) for p in range(width)))
    store_row(code, place, access.width, spread, mask)


def store_row(
    code: Code,
    place: Value,
    alignment: int,
    row: NativeLanes,
    active: NativeLanes | None,
) -> None:
    """Active lanes (all, without a mask) to a place, one after the other."""
    value = row.value
    if active is None:
        code.store(value, place, alignment)
        return
    if row.count > 1 and row.dtype.bytes >= code.features.masked_stores:
        kinds = f"{types.suffix(row.dtype, row.count)}.p0"
        code.call(
            "void",
            f"llvm.masked.store.{kinds}",
            value,
            place,
            Value("i32", str(alignment)),
            active.value,
        )
        return
    # UB is this core's alone, and what lies around it is the engine's: reading and writing
    # back what is not active changes nothing.
    old = code.load(row.type, place, alignment)
    mixed = code.emit(row.type, f"select {active.value}, {value}, {old}")
    code.store(mixed, place, alignment)


def _store_lane_by_lane(
    code: Code,
    place: Value,
    places: tuple[int, ...],
    row: NativeLanes,
    active: NativeLanes | None,
) -> None:
    lane = types.element(row.dtype)
    source, table = row.spilled(), _table(code, places)
    flags = None if active is None else active.spilled()
    assert min(places) >= 0

    def move(i: Value) -> None:
        which = code.load("i64", code.offset(table, i, "i64"), 8)
        value = code.load(lane, code.offset(source, i, lane), 1)
        target = code.offset(place, which, lane)
        if flags is not None:
            flag = code.load("i8", code.offset(flags, i), 1)
            taken = code.emit("i1", f"icmp ne {flag}, 0")
            value = code.emit(lane, f"select {taken}, {value}, {code.load(lane, target, 1)}")
        code.store(value, target, 1)

    each(code, row.count, move)
