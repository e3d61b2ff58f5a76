"""Functions of scalars: the same bits as those of vectors, and what is wrong is said."""

from __future__ import annotations

import numpy as np
import pytest

import ptoscope
from ptoscope import PtoError, ir
from ptoscope.engines import ENGINES

engines = pytest.mark.parametrize("engine", ENGINES)

COUNT = 64


def _kernel(lines: str, operands: int = 1) -> ptoscope.Kernel:
    loads = "\n".join(
        f"%x{n} = pto.load %a{n}[%i] : !pto.ptr<f32, gm> -> f32" for n in range(operands)
    )
    params = ", ".join(f"%a{n}: !pto.ptr<f32, gm>" for n in range(operands))
    return ptoscope.load(
        f"""func.func @k({params}, %out: !pto.ptr<f32, gm>) attributes {{pto.aicore}} {{
      %c0 = pto.constant 0 : index
      %c1 = pto.constant 1 : index
      %n = pto.constant {COUNT} : index
      scf.for %i = %c0 to %n step %c1 {{
        {loads}
        {lines}
        pto.store %r, %out[%i] : !pto.ptr<f32, gm>, f32
      }}
      return
    }}"""
    )


def _vector(name: str) -> ptoscope.Kernel:
    return ptoscope.load(
        f"""func.func @k(%a: !pto.ptr<f32, gm>, %out: !pto.ptr<f32, gm>)
        attributes {{pto.aicore}} {{
      %c0 = arith.constant 0 : index
      %i0 = arith.constant 0 : i64
      %size = arith.constant 256 : i64
      %one = arith.constant 1 : i64
      %ub = pto.castptr %i0 : i64 -> !pto.ptr<f32, ub>
      pto.mte_gm_ub %a, %ub, %i0, %size nburst(%one, %size, %size)
        : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64
      pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
      pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
      pto.vecscope {{
        %m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
        %v = pto.vlds %ub[%c0] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
        %r = pto.{name} %v, %m : !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
        pto.vsts %r, %ub[%c0], %m : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>
      }}
      pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
      pto.wait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
      pto.mte_ub_gm %ub, %out, %size nburst(%one, %size, %size)
        : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64
      return
    }}"""
    )


@engines
@pytest.mark.parametrize(("name", "vector"), [("exp", "vexp"), ("log", "vln"), ("sqrt", "vsqrt")])
def test_a_scalar_and_a_lane_have_the_same_bits(name: str, vector: str, engine: str) -> None:
    rng = np.random.default_rng(5)
    x = (rng.standard_normal(COUNT) * 20).astype(np.float32)
    x[:6] = (0, -0.0, np.inf, -np.inf, np.nan, 1e-40)
    scalars, lanes = np.zeros_like(x), np.zeros_like(x)
    _kernel(f"%r = pto.{name} %x0 : f32 -> f32")(x, scalars, engine=engine)
    _vector(vector)(x, lanes, engine=engine)
    assert np.array_equal(scalars.view(np.uint32), lanes.view(np.uint32))


@engines
def test_fma_rounds_once(engine: str) -> None:
    rng = np.random.default_rng(6)
    a, b = (rng.standard_normal(COUNT).astype(np.float32) for _ in range(2))
    # What a product of f32 loses: exact in f64, and a number of f32.
    c = -(a * b)
    out = np.zeros_like(a)
    _kernel("%r = pto.fma %x0, %x1, %x2 : f32, f32, f32 -> f32", 3)(a, b, c, out, engine=engine)
    exact = a.astype(np.float64) * b.astype(np.float64) + c.astype(np.float64)
    assert np.any(out != 0)
    assert np.array_equal(out, exact.astype(np.float32))


@engines
def test_powers_are_rounded_once(engine: str) -> None:
    """Products of few bits are exact, also those half way between two numbers."""
    n = np.arange(4097, 4097 + 2 * COUNT, 2)
    x, y = n.astype(np.float32), np.full(COUNT, 2, np.float32)
    out = np.zeros_like(x)
    _kernel("%r = pto.pow %x0, %x1 : f32, f32 -> f32", 2)(x, y, out, engine=engine)
    assert np.array_equal(out, (n * n).astype(np.float32))
    half = (x * x).astype(np.float64) != (n * n).astype(np.float64)
    assert half.any()


@engines
def test_special_powers(engine: str) -> None:
    inf, nan = np.inf, np.nan
    rows = [
        (nan, 0, 1),
        (1, nan, 1),
        (-1, inf, 1),
        (-2, 0.5, nan),
        (-8, 3, -512),
        (-0.0, 3, -0.0),
        (-0.0, 2, 0),
        (-0.0, -3, -inf),
        (0, -2, inf),
        (0.5, inf, 0),
        (0.5, -inf, inf),
        (-inf, 3, -inf),
        (-inf, -3, -0.0),
        (-inf, 0.5, inf),
        (2, 128, inf),
        (2, -149, 2.0**-149),
        (2, -151, 0),
        (nan, 1, nan),
    ]
    x, y, expected = (
        np.array(column + (1,) * (COUNT - len(rows)), np.float32)
        for column in zip(*rows, strict=True)
    )
    out = np.zeros_like(x)
    _kernel("%r = pto.pow %x0, %x1 : f32, f32 -> f32", 2)(x, y, out, engine=engine)
    same = (out.view(np.uint32) == expected.view(np.uint32)) | (np.isnan(out) & np.isnan(expected))
    assert same.all(), np.flatnonzero(~same)


@engines
def test_the_absolute_value_of_an_integer(engine: str) -> None:
    kernel = ptoscope.load("""func.func @k(%a: !pto.ptr<i32, gm>) attributes {pto.aicore} {
      %c0 = pto.constant 0 : index
      %c1 = pto.constant 1 : index
      %x = pto.load %a[%c0] : !pto.ptr<i32, gm> -> i32
      %signed = pto.absi %x signed : i32
      %unsigned = "pto.absi"(%x) <{signedness = #pto<signedness unsigned>}> : (i32) -> i32
      pto.store %signed, %a[%c0] : !pto.ptr<i32, gm>, i32
      pto.store %unsigned, %a[%c1] : !pto.ptr<i32, gm>, i32
      return
    }""")
    for number, magnitude in ((-5, 5), (7, 7), (-(2**31), -(2**31))):
        a = np.array([number, 0], np.int32)
        kernel(a, engine=engine)
        assert a.tolist() == [magnitude, number]


def test_a_number_before_a_word() -> None:
    printed = ir.print_module(
        ir.parse("func.func @k() {\n  %r = pto.absi -2 signed : i32\n  return\n}\n")
    )
    assert "arith.constant -2 : i32\n" in printed
    assert ir.print_module(ir.parse(printed)) == printed


@pytest.mark.parametrize("arrow", ["", " -> f32"])
def test_types_of_absf(arrow: str) -> None:
    """Older text lists the result behind an arrow, too."""
    line = f"%r = pto.absf %x : f32{arrow}"
    assert "%r = pto.absf %x : f32\n" in ir.print_module(
        ir.parse(f"func.func @k(%x: f32) {{\n  {line}\n  return\n}}\n")
    )


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("pto.exp %w : bf16 -> bf16", "PTO0101"),
        ("pto.log %i : i32 -> i32", "PTO0101"),
        ("pto.pow %w, %w : bf16, bf16 -> bf16", "PTO0101"),
        ("pto.pow %x, %i : f32, i32 -> f32", "PTO0101"),
        ("pto.fma %x, %x, %w : f32, f32, bf16 -> f32", "PTO0101"),
        ("pto.absi %x signed : f32", "PTO0101"),
        ("pto.absi %i : i32", "PTO0008"),
        ("pto.absi %i, signed : i32", "PTO0001"),
        ("pto.exp %x, %x : f32, f32 -> f32", "PTO0008"),
    ],
)
def test_what_is_wrong_is_said(line: str, code: str) -> None:
    with pytest.raises(PtoError) as error:
        ptoscope.load(
            f"func.func @k(%x: f32, %w: bf16, %i: i32) attributes {{pto.aicore}} {{\n"
            f"  %r = {line}\n  return\n}}\n"
        )
    assert (error.value.diagnostics[0].code, error.value.diagnostics[0].line) == (code, 2)
