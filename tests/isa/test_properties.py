"""Any values, any mask: lane-wise instructions against the loops, and what must hold."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.isa import loops
from tests.isa.elements import Element
from tests.isa.harness import Direct, zeroed
from tests.isa.legality import legal

REVISIONS = ("manual", "micro")


def _row(data: st.DataObject, e: Element) -> list[int]:
    bits = st.integers(0, e.full)
    return data.draw(st.lists(bits, min_size=e.lanes, max_size=e.lanes))


def _mask(data: st.DataObject, e: Element) -> list[int]:
    """The bits of one number, so that a mask is one draw."""
    lanes = 2048 // e.granularity
    bits = data.draw(st.integers(0, 2**lanes - 1))
    return [bits >> i & 1 for i in range(lanes)]


def _binary(name: str, e: Element, revision: str = "manual") -> Direct:
    types = (f"v:{e.name}", f"v:{e.name}", f"m:{e.granularity}")
    return Direct(name, types, (f"v:{e.name}",), "a2a3", revision)


@pytest.mark.parametrize("name", loops.BINARY)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_binary(name: str, data: st.DataObject) -> None:
    revision = data.draw(st.sampled_from(REVISIONS))
    dtypes = sorted(d for d in legal(name, "a2a3", revision) if Element(d).bits > 8)
    e = Element(data.draw(st.sampled_from(dtypes)))
    left, right, mask = _row(data, e), _row(data, e), _mask(data, e)
    lane = loops.LOOPS[name]
    full = [lane(e, a, b) for a, b in zip(left, right, strict=True)]
    assert _binary(name, e, revision)(left, right, mask) == zeroed(e, [full], [mask])


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16", "i16", "ui32"])
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_sums_commute_and_differences_mirror(dtype: str, data: st.DataObject) -> None:
    e = Element(dtype)
    left, right, mask = _row(data, e), _row(data, e), _mask(data, e)
    for name in ("vadd", "vmul"):
        run = _binary(name, e)
        assert run(left, right, mask) == run(right, left, mask)
    if e.is_float:
        flipped = [b ^ e.sign for b in right]
        assert _binary("vsub", e)(left, right, mask) == _binary("vadd", e)(left, flipped, mask)


@pytest.mark.parametrize("dtype", ["i8", "ui16", "si32", "i64"])
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_and_plus_or_is_the_sum(dtype: str, data: st.DataObject) -> None:
    """a + b = (a ^ b) + 2 (a & b), wrapping."""
    e = Element(dtype)
    left, right = _row(data, e), _row(data, e)
    every = [1] * (2048 // e.granularity)
    (total,) = _binary("vadd", e)(left, right, every)
    (odd,) = _binary("vxor", e)(left, right, every)
    (both,) = _binary("vand", e)(left, right, every)
    assert total == [e.wrap(x + 2 * a) for x, a in zip(odd, both, strict=True)]


@pytest.mark.parametrize("dtype", ["i8", "ui8", "i16", "ui32", "si64"])
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_shifts_are_powers_of_two(dtype: str, data: st.DataObject) -> None:
    """To the left a product, to the right a division rounded down."""
    e = Element(dtype)
    left = _row(data, e)
    amounts = [v % e.bits for v in _row(data, e)]
    every = [1] * (2048 // e.granularity)
    pairs = list(zip(left, amounts, strict=True))
    assert _binary("vshl", e)(left, amounts, every) == [[e.wrap(a * 2**n) for a, n in pairs]]
    assert _binary("vshr", e)(left, amounts, every) == [
        [e.wrap(e.number(a) // 2**n) for a, n in pairs]
    ]
