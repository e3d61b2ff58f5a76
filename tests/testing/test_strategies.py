"""Strategies for arrays: every type of elements, edges drawn often, nothing that is not allowed."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from ptoscope.arguments import array_dtype
from ptoscope.isa.dtypes import ELEMENTS, DType
from ptoscope.testing import arrays, pto_check, shapes
from ptoscope.testing.edges import edge_bits
from tests.testing.kernels import COPY

SLOW = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=10)
SEARCH = settings(max_examples=2000, phases=[Phase.generate], deadline=None)
FLOATS = {
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f8e4m3": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8e5m2": np.dtype(ml_dtypes.float8_e5m2),
}


@pytest.mark.parametrize("element", ELEMENTS, ids=str)
@SLOW
@given(data=st.data())
def test_every_type_of_elements_goes_through_a_kernel(element: DType, data: st.DataObject) -> None:
    x = data.draw(arrays(element.name, shapes((1, 3), (1, 70))))
    assert x.dtype == array_dtype(element)
    text = COPY.replace("ELEMENT", element.name)
    y = pto_check(text, [x, np.zeros_like(x), x.nbytes], {"y": x}, checks="none")["y"]
    assert y.tobytes() == x.tobytes()


def seen(strategy: st.SearchStrategy[Any], condition: Any) -> bool:
    """Whether an array with such elements is drawn: `find` raises if not."""

    def has_some(x: Any) -> bool:
        # A signalling NaN is an invalid operand of a cast.
        with np.errstate(invalid="ignore"):
            return bool(condition(x.astype(np.float64)).any())

    find(strategy, has_some, settings=SEARCH)
    return True


@pytest.mark.parametrize("name", FLOATS)
def test_edges_of_floats_are_drawn(name: str) -> None:
    info, strategy = ml_dtypes.finfo(FLOATS[name]), arrays(name, (4,))
    largest, least = float(info.max), float(info.smallest_normal)
    assert seen(strategy, np.isnan)
    assert seen(strategy, lambda x: x == largest)
    assert seen(strategy, lambda x: x == -largest)
    assert seen(strategy, lambda x: (x == 0) & np.signbit(x))
    assert seen(strategy, lambda x: x == least)
    assert seen(strategy, lambda x: x == float(info.smallest_subnormal))
    assert seen(strategy, lambda x: (abs(x) < least) & (x != 0))
    if name != "f8e4m3":
        # That type has no infinity.
        assert seen(strategy, np.isposinf)
        assert seen(strategy, np.isneginf)


@pytest.mark.parametrize("name", ["i8", "ui16", "si32", "ui64"])
def test_edges_of_integers_are_drawn(name: str) -> None:
    kind = np.dtype(f"{'u' if 'u' in name else ''}int{name.strip('sui')}")
    info = np.iinfo(kind)
    for value in (info.min, info.max, 0, 1):
        find(arrays(name, 4), lambda x, value=value: bool((x == value).any()), settings=SEARCH)


@pytest.mark.parametrize("name", ["hif8", "f4e1m2", "f4e2m1"])
def test_edges_of_types_of_bytes(name: str) -> None:
    """By the documents: hif8 has 0x80 for NaN and 0x6f, 0xef for infinities; 4-bit floats have
    neither, and two of them share a byte."""
    (element,) = [one for one in ELEMENTS if one.name == name]
    found = set(edge_bits(element).tolist())
    if name == "hif8":
        assert {0x00, 0x80, 0x6F, 0xEF, 0x6E, 0xEE} <= found
    else:
        assert {0x00, 0x77, 0xFF, 0x08, 0x80} <= found


@settings(max_examples=30, deadline=None)
@given(
    arrays("f16", 33, allow_nan=False, allow_infinity=False, allow_subnormal=False),
    arrays("bf16", 33, min_value=-1.5, max_value=3, allow_nan=False),
    arrays("ui8", 33, min_value=100),
    arrays("i64", 33, min_value=-(2**63), max_value=-(2**62)),
    arrays("hif8", 33, allow_nan=False, allow_infinity=False),
)
def test_what_is_not_allowed_is_not_drawn(half: Any, brain: Any, byte: Any, long: Any, hi: Any):
    assert np.isfinite(half).all()
    assert ((abs(half) >= np.finfo(np.float16).smallest_normal) | (half == 0)).all()
    wide = brain.astype(np.float64)
    assert ((wide >= -1.5) & (wide <= 3)).all()
    assert (byte >= 100).all()
    assert (long <= -(2**62)).all()
    assert not np.isin(hi, [0x80, 0x6F, 0xEF]).any()


def test_an_array_shrinks() -> None:
    found = find(arrays("f32", shapes((1, 70), 8)), lambda x: bool(np.isnan(x).any()))
    assert found.shape == (1, 8)
    assert not find(arrays("f32", shapes((1, 70), 8)), lambda x: True).any()


@given(shapes((1, 300), 128, (0, 3)))
def test_shapes_are_in_their_ranges(shape: tuple[int, ...]) -> None:
    rows, columns, planes = shape
    assert 1 <= rows <= 300
    assert (columns, 0 <= planes <= 3) == (128, True)


@pytest.mark.parametrize("side", [1, 63, 64, 65, 127, 129, 255, 257, 300])
def test_shapes_are_often_around_a_vector(side: int) -> None:
    few = settings(SEARCH, max_examples=400)
    assert find(shapes((1, 300)), lambda shape: shape == (side,), settings=few) == (side,)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("f99", 3, {}), "'f99' is no type of elements; there are f32,"),
        (("f32", 3, {"min_value": 2, "max_value": 1}), "there is no f32 from 2 to 1"),
        (("ui8", 3, {"min_value": 300}), "there is no ui8 from 300 to None"),
        (("hif8", 3, {"min_value": 0}), "elements of hif8 are bytes, which have no bounds"),
    ],
)
def test_what_cannot_be_drawn(given: tuple[Any, Any, dict[str, Any]], told: str) -> None:
    name, shape, options = given
    with pytest.raises(ValueError, match=told.replace("'", ".")):
        arrays(name, shape, **options)
    with pytest.raises(ValueError, match="there is none"):
        shapes((3, 2))


def test_without_hypothesis_it_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "import ptoscope.testing as t; t.pto_check\n"
        "try: t.arrays\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (
        "the strategies of ptoscope.testing need hypothesis: pip install 'ptoscope[test]'"
    )
