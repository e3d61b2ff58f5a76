"""Sorting, merging and transposing in UB."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoscope
from ptoscope import PtoError
from tests.isa.elements import Element
from tests.isa.in_ub import FROM, POINTERS, UNTOUCHED, run, text
from tests.isa.legality_more import legal
from tests.isa.values import edges, scattered

both = pytest.mark.parametrize("revision", ["manual", "micro"])
scores = pytest.mark.parametrize("dtype", ["f32", "f16"])
Record = tuple[int, int]
"""Raw bits of the score, and the index."""


def _packed(records: Sequence[Record]) -> bytes:
    """8 bytes each: the score in the lower four, zero-extended, and the index above."""
    flat = [word for record in records for word in record]
    return np.array(flat, np.uint32).tobytes()


def _order(e: Element, records: Sequence[Record]) -> list[Record]:
    """Descending scores, NaN last, equal scores as they came."""

    def key(record: Record) -> tuple[bool, float]:
        value = e.value(record[0])
        return (value != value, 0.0 if value != value else -value)

    return sorted(records, key=key)


def _lists(e: Element, groups: int) -> list[list[Record]]:
    """Groups of 32: edges with zeros of both signs and NaN; many ties; random."""
    rng = random.Random(f"{e.name} {groups}")
    few = [0, e.sign, edges(e)[1], e.nan, e.nan | e.sign | 3, e.infinity]
    out: list[list[Record]] = []
    for g in range(groups):
        sort = (
            [*edges(e), 1, 2],
            [rng.choice(few) for _ in range(32)],
            scattered(e, 32, g),
        )[g % 3]
        rng.shuffle(sort)
        out.append([(score, rng.getrandbits(32)) for score in sort])
    return out


def _bitsort(t: str, index: str = "ui32", repeat: str = "index") -> str:
    return text(
        f", %r: {repeat}",
        POINTERS.format(t=t, i=index),
        f"pto.vbitsort %dest, %src, %idx, %r : !pto.ptr<{t}, ub>, !pto.ptr<{t}, ub>,"
        f" !pto.ptr<{index}, ub>, {repeat}",
    )


@both
@scores
@pytest.mark.parametrize("groups", [1, 2, 3, 7])
def test_vbitsort(dtype: str, groups: int, revision: str) -> None:
    """Each group of 32 scores and indices becomes 32 records, the highest score first."""
    e = Element(dtype)
    lists = _lists(e, groups)
    values = np.array([s for part in lists for s, _ in part], e.raw).tobytes()
    indices = np.array([i for part in lists for _, i in part], np.uint32).tobytes()
    size = groups * 256 + 64
    found = run(_bitsort(dtype), size, values, indices, groups, revision=revision)
    expected = b"".join(_packed(_order(e, part)) for part in lists)
    assert found == expected + bytes([UNTOUCHED] * 64)


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize(("index", "repeat"), [("i32", "i64"), ("si32", "index")])
def test_vbitsort_types(index: str, repeat: str, target: str) -> None:
    e = Element("f32")
    (part,) = _lists(e, 1)
    values = np.array([s for s, _ in part], e.raw).tobytes()
    indices = np.array([i for _, i in part], np.uint32).tobytes()
    found = run(_bitsort("f32", index, repeat), 256, values, indices, 1, target=target)
    assert found == _packed(_order(e, part))


def test_no_repetition_touches_nothing() -> None:
    assert run(_bitsort("f32"), 64, bytes(128), bytes(128), 0) == bytes([UNTOUCHED] * 64)


@given(st.lists(st.integers(-3, 3), min_size=32, max_size=32))
@settings(max_examples=25, deadline=None)
def test_equal_scores_keep_their_order(numbers: list[int]) -> None:
    values = np.array(numbers, np.float32).tobytes()
    indices = np.arange(32, dtype=np.uint32).tobytes()
    found = np.frombuffer(run(_bitsort("f32"), 256, values, indices, 1), np.uint32)
    assert found[1::2].tolist() == sorted(range(32), key=lambda i: -numbers[i])


@both
@scores
def test_vsort32(dtype: str, revision: str) -> None:
    """Records in, records out; the groups are counted in the lowest eight bits."""
    e = Element(dtype)
    lists = _lists(e, 4)
    code = text(
        ", %config: i64",
        POINTERS.format(t=dtype, i="ui32"),
        f"pto.vsort32 %dest, %src, %config : !pto.ptr<{dtype}, ub>, !pto.ptr<{dtype}, ub>, i64",
    )
    data = b"".join(_packed(part) for part in lists)
    expected = [_packed(_order(e, part)) for part in lists]
    for groups in (4, 1, 0):
        found = run(code, 1024, data, b"", groups, revision=revision)
        assert found == b"".join(expected[:groups]) + bytes([UNTOUCHED] * 256 * (4 - groups))


def _merge_text(t: str, starts: Sequence[int]) -> str:
    lists = "\n".join(
        f"%at{k} = arith.constant {FROM + at} : i64\n"
        f"%l{k} = pto.castptr %at{k} : i64 -> !pto.ptr<{t}, ub>"
        for k, at in enumerate(starts)
    )
    p = f"!pto.ptr<{t}, ub>"
    call = (
        "pto.vmrgsort4 %dest, %l0, %l1, %l2, %l3, %count, %config"
        f" : {p}, {p}, {p}, {p}, {p}, i64, i64"
    )
    after = """pto.barrier #pto.pipe<PIPE_ALL>
    %k0, %k1, %k2, %k3 = pto.get_vms4_sr : i16, i16, i16, i16
    """ + "\n".join(
        f"pto.store_scalar %k{k}, %counts[%c{k}] : !pto.ptr<i16, gm>, i16" for k in range(4)
    )
    params = ", %counts: !pto.ptr<i16, gm>, %count: i64, %config: i64"
    return text(params, f"{POINTERS.format(t=t, i='ui32')}\n{lists}", call, after)


def _merged(
    e: Element, lists: list[list[Record]], used: int, stops: bool
) -> tuple[list[Record], list[int]]:
    """The first of the heads with the highest score, until all lists end, or one does."""
    left = [part if used >> k & 1 else [] for k, part in enumerate(lists)]
    taken, out = [0, 0, 0, 0], list[Record]()
    while any(taken[k] < len(left[k]) for k in range(4)):
        heads = [(k, left[k][taken[k]]) for k in range(4) if taken[k] < len(left[k])]
        values = [e.value(record[0]) for _, record in heads]
        numbers = [v for v in values if v == v]
        first = values.index(max(numbers)) if numbers else 0
        k, record = heads[first]
        out.append(record)
        taken[k] += 1
        if stops and taken[k] == len(left[k]):
            break
    return out, taken


def _merge(
    e: Element, lists: list[list[Record]], used: int, stops: bool, **options: str
) -> tuple[bytes, list[int]]:
    """What vmrgsort4 writes, and what get_vms4_sr says after it."""
    starts = [32 * 8 * k for k in range(4)]
    data = b"".join(_packed(part).ljust(256, b"\xee") for part in lists)
    count = sum(len(part) << 16 * k for k, part in enumerate(lists))
    count -= 1 << 64 if count >> 63 else 0
    config = 1 | used << 8 | int(stops) << 12
    counts = np.full(4, -1, np.int16)
    size = 8 * sum(len(part) for part in lists) + 32
    found = run(_merge_text(e.name, starts), size, data, b"", counts, count, config, **options)
    return found, counts.tolist()


LENGTHS = [(1, 1, 1, 1), (32, 32, 32, 32), (5, 0, 17, 2), (0, 0, 0, 9), (3, 8, 1, 30), (0, 0, 0, 0)]


@both
@scores
@pytest.mark.parametrize("lengths", LENGTHS, ids=str)
@pytest.mark.parametrize("stops", [False, True])
def test_vmrgsort4(dtype: str, lengths: tuple[int, ...], stops: bool, revision: str) -> None:
    """Lists of any length, those in use chosen by four bits; with the stop bit, until one
    ends."""
    e = Element(dtype)
    lists = [_order(e, part[:n]) for part, n in zip(_lists(e, 4), lengths, strict=True)]
    for used in (0b1111, 0b0101, 0b0010, 0b0000):
        found, counts = _merge(e, lists, used, stops, revision=revision)
        records, taken = _merged(e, lists, used, stops)
        assert counts == taken
        whole = _packed(records)
        assert found == whole + bytes([UNTOUCHED] * (len(found) - len(whole)))


def test_ties_take_the_lower_list() -> None:
    e = Element("f32")
    one = 0x3F800000
    lists = [[(one, 10 * k), (one, 10 * k + 1)] for k in range(4)]
    found, counts = _merge(e, lists, 0b1111, False)
    assert np.frombuffer(found[:64], np.uint32)[1::2].tolist() == [0, 1, 10, 11, 20, 21, 30, 31]
    assert counts == [2, 2, 2, 2]


def test_the_first_list_that_ends_stops_the_merge() -> None:
    """As the public suite has it: four lists of one record; only the highest comes out."""
    e = Element("f32")
    lists = [[(0x41100000, 90)], [(0x40E00000, 70)], [(0x41000000, 80)], [(0x40C00000, 60)]]
    found, counts = _merge(e, lists, 0b1111, True)
    assert np.frombuffer(found[:8], np.uint32).tolist() == [0x41100000, 90]
    assert set(found[8:]) == {UNTOUCHED}
    assert counts == [1, 0, 0, 0]


def test_counts_before_any_merge_are_zero() -> None:
    code = """module {
  func.func @counts(%y: !pto.ptr<i16, gm>) {
    %c0 = arith.constant 0 : index
    %k0, %k1, %k2, %k3 = pto.get_vms4_sr : i16, i16, i16, i16
    %a = arith.ori %k0, %k1 : i16
    %b = arith.ori %k2, %k3 : i16
    %c = arith.ori %a, %b : i16
    pto.store_scalar %c, %y[%c0] : !pto.ptr<i16, gm>, i16
    return
  }
}
"""
    out = np.full(1, -1, np.int16)
    ptoscope.load(code)(out)
    assert out.tolist() == [0]


@pytest.mark.parametrize("repetitions", [0, 2, 255])
def test_repeated_merges_are_refused(repetitions: int) -> None:
    code = _merge_text("f32", (0, 256, 512, 768))
    counts = np.zeros(4, np.int16)
    with pytest.raises(PtoError) as error:
        run(code, 64, bytes(1024), b"", counts, 1, repetitions | 0xF00)
    (said,) = error.value.diagnostics
    assert said.code == "PTO0914"
    assert "repetition" in said.message


SHAPES = [(1, 1), (1, 7), (7, 1), (16, 16), (3, 5), (12, 9)]


@pytest.mark.parametrize("dtype", legal("vtranspose"))
def test_vtranspose(dtype: str) -> None:
    """dest[column * rows + row] = src[row * columns + column]; rows in bits 0 to 15 of the
    control word, columns in bits 16 to 31."""
    e = Element(dtype)
    code = text(
        ", %config: i64",
        POINTERS.format(t=dtype, i="ui32"),
        f"pto.vtranspose %dest, %src, %config : !pto.ptr<{dtype}, ub>, !pto.ptr<{dtype}, ub>, i64",
    )
    for rows, columns in SHAPES:
        raw = [v & e.full for v in scattered(e, rows * columns, rows)]
        size = rows * columns * e.bytes
        data = np.array(raw, e.raw).tobytes()
        found = run(code, size + 32, data, b"", rows | columns << 16)
        turned = [raw[r * columns + c] for c in range(columns) for r in range(rows)]
        assert found[:size] == np.array(turned, e.raw).tobytes()
        assert set(found[size:]) == {UNTOUCHED}


@both
def test_transposing_twice(revision: str) -> None:
    """And a matrix without elements is a fault."""
    code = text(
        ", %there: i64, %back: i64",
        POINTERS.format(t="i16", i="i16"),
        """pto.vtranspose %idx, %src, %there : !pto.ptr<i16, ub>, !pto.ptr<i16, ub>, i64
        pto.vtranspose %dest, %idx, %back : !pto.ptr<i16, ub>, !pto.ptr<i16, ub>, i64""",
    )
    data = np.arange(15 * 11, dtype=np.int16).tobytes()
    config = (15 | 11 << 16, 11 | 15 << 16)
    assert run(code, len(data), data, b"", *config, revision=revision) == data
    for empty in (0, 5, 5 << 16):
        with pytest.raises(PtoError) as error:
            run(code, len(data), data, b"", empty, 1, revision=revision)
        assert [d.code for d in error.value.diagnostics] == ["PTO0910"]


def test_what_vbitsort_cannot_sort_is_refused() -> None:
    """Indices have 32 bits, and groups are counted from 0."""
    text = """func.func @kernel() {{
  %zero = arith.constant 0 : i64
  %n = arith.constant {count} : index
  %s = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
  %i = pto.castptr %zero : i64 -> !pto.ptr<{index}, ub>
  pto.vbitsort %s, %s, %i, %n : !pto.ptr<f32, ub>, !pto.ptr<f32, ub>, !pto.ptr<{index}, ub>, index
  return
}}
"""
    for index, count, code in (("i8", 1, "PTO0102"), ("ui32", -1, "PTO0513")):
        with pytest.raises(PtoError) as error:
            ptoscope.load(text.format(index=index, count=count))()
        assert [d.code for d in error.value.diagnostics] == [code]


@pytest.mark.parametrize("name", ["vbitsort", "vsort32", "vtranspose"])
def test_results_outside_ub_are_faults(name: str) -> None:
    """The last group does not fit below the end of UB: the check says so before the run does."""
    call = {
        "vbitsort": "pto.vbitsort %d, %s, %i, %c2"
        " : !pto.ptr<f32, ub>, !pto.ptr<f32, ub>, !pto.ptr<ui32, ub>, index",
        "vsort32": "pto.vsort32 %d, %s, %two : !pto.ptr<f32, ub>, !pto.ptr<f32, ub>, i64",
        "vtranspose": "pto.vtranspose %d, %s, %shape : !pto.ptr<f32, ub>, !pto.ptr<f32, ub>, i64",
    }[name]
    code = f"""module {{
  func.func @beyond() {{
    %c2 = arith.constant 2 : index
    %two = arith.constant 2 : i64
    %shape = arith.constant {65 | 1 << 16} : i64
    %zero = arith.constant 0 : i64
    %near = arith.constant {256 * 1024 - 256} : i64
    %s = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
    %i = pto.castptr %zero : i64 -> !pto.ptr<ui32, ub>
    %d = pto.castptr %near : i64 -> !pto.ptr<f32, ub>
    {call}
    return
  }}
}}
"""
    loaded = ptoscope.load(code, force=True)
    assert [d.code for d in loaded.findings] == ["PTO0501"]
    with pytest.raises(PtoError) as error:
        loaded()
    assert [d.code for d in error.value.diagnostics] == ["PTO0901"]
