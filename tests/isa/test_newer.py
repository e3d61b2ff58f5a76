"""Instructions of the newer pages, in kernels on both engines: values from the pages' loops."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptoscope
from ptoscope import PtoError
from ptoscope.engines import ENGINES

engines = pytest.mark.parametrize("engine", ENGINES)


def through(
    body: str,
    given: dict[str, Any],
    results: dict[str, Any],
    engine: str,
    revision: str = "micro",
    target: str = "a5",
) -> None:
    """Loads %NAME from each given array, runs the body, stores its values %NAME; arrays hold
    256 bytes, and `results` are written in place."""
    types = {n: _element(a) for n, a in {**given, **results}.items()}
    parameters = ", ".join(f"%{n}_gm: !pto.ptr<{t}, gm>" for n, t in types.items())
    lines = [
        "%c0 = arith.constant 0 : index",
        "%zero = arith.constant 0 : i64",
        "%one = arith.constant 1 : i64",
        "%size = arith.constant 256 : i64",
    ]
    for i, (name, kind) in enumerate(types.items()):
        lines.append(f"%at{i} = arith.constant {256 * i} : i64")
        lines.append(f"%{name}_ub = pto.castptr %at{i} : i64 -> !pto.ptr<{kind}, ub>")
    for name in given:
        pointers = f"!pto.ptr<{types[name]}, gm>, !pto.ptr<{types[name]}, ub>"
        lines.append(
            f"pto.mte_gm_ub %{name}_gm, %{name}_ub, %zero, %size nburst(%one, %size, %size)"
            f" : {pointers}, i64, i64, i64, i64, i64"
        )
    lines += ["pto.barrier #pto.pipe<PIPE_ALL>", "pto.vecscope {"]
    for name, array in given.items():
        kind = types[name]
        register = f"!pto.vreg<{256 // array.itemsize}x{kind}>"
        lines.append(f"%{name} = pto.vlds %{name}_ub[%c0] : !pto.ptr<{kind}, ub> -> {register}")
    lines += ['%all8 = pto.pset_b8 "PAT_ALL" : !pto.mask<b8>']
    lines += ['%all16 = pto.pset_b16 "PAT_ALL" : !pto.mask<b16>']
    lines += ['%all32 = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>', body]
    for name, array in results.items():
        kind, count, bits = types[name], 256 // array.itemsize, 8 * array.itemsize
        lines.append(
            f"pto.vsts %{name}, %{name}_ub[%c0], %all{bits}"
            f" : !pto.vreg<{count}x{kind}>, !pto.ptr<{kind}, ub>, !pto.mask<b{bits}>"
        )
    lines += ["}", "pto.barrier #pto.pipe<PIPE_ALL>"]
    for name in results:
        pointers = f"!pto.ptr<{types[name]}, ub>, !pto.ptr<{types[name]}, gm>"
        lines.append(
            f"pto.mte_ub_gm %{name}_ub, %{name}_gm, %size nburst(%one, %size, %size)"
            f" : {pointers}, i64, i64, i64, i64"
        )
    text = f"func.func @k({parameters}) attributes {{pto.aicore}} {{\n" + "\n".join(lines)
    kernel = ptoscope.load(text + "\nreturn\n}\n", target, revision)
    kernel(*given.values(), *results.values(), engine=engine)


def _element(array: Any) -> str:
    names = {"float32": "f32", "float16": "f16", "bfloat16": "bf16"}
    name = array.dtype.name
    return names.get(name) or name.replace("uint", "ui").replace("int", "i").replace("uii", "ui")


@engines
def test_integers_are_divided_toward_zero(engine: str) -> None:
    low, high = -(2**31), 2**31 - 1
    a = np.resize(np.array([7, -7, 7, -7, low, high, low, 16777217, -16777217], np.int32), 64)
    b = np.resize(np.array([2, 2, -2, -2, -1, -1, 3, 16777216, 1], np.int32), 64)
    out = np.zeros(64, np.int32)
    v = "!pto.vreg<64xi32>"
    body = f"%q = pto.vdiv %a, %b, %all32 : {v}, {v}, !pto.mask<b32> -> {v}"
    through(body, {"a": a, "b": b}, {"q": out}, engine)
    expected = [3, -3, -3, 3, low, -high, -715827882, 1, -16777217]
    assert out.tolist() == np.resize(expected, 64).tolist()


def test_integers_are_not_divided_in_the_manual() -> None:
    a, v = np.ones(64, np.int32), "!pto.vreg<64xi32>"
    body = f"%q = pto.vdiv %a, %a, %all32 : {v}, {v}, !pto.mask<b32> -> {v}"
    with pytest.raises(PtoError, match="PTO0102"):
        through(body, {"a": a}, {"q": a.copy()}, "reference", "manual")


@engines
def test_a_division_of_high_precision(engine: str) -> None:
    a = np.linspace(1, 3, 64, dtype=np.float32)
    out, v = np.zeros(64, np.float32), "!pto.vreg<64xf32>"
    for written in ("#pto<div_precision high_precision>", '"high_precision"'):
        text = f"%a, %a, %all32 {{precisionType = {written}}} : {v}, {v}, !pto.mask<b32> -> {v}"
        through(f"%q = pto.vdiv {text}", {"a": a}, {"q": out}, engine)
        assert (out == 1).all()
    half, h = np.ones(128, np.float16), "!pto.vreg<128xf16>"
    text = text.replace(v, h).replace("32", "16")
    with pytest.raises(PtoError, match="vectors of f16"):
        through(f"%q = pto.vdiv {text}", {"a": half}, {"q": half.copy()}, engine)


@engines
def test_a_histogram_of_both_halves(engine: str) -> None:
    x = np.arange(256).astype(np.uint8) // 3 * 3
    acc = np.full(128, 5, np.uint16)
    outs = {n: np.zeros(128, np.uint16) for n in ("d0", "d1", "k0", "k1")}
    body = "%b0 = arith.constant 0 : i32\n%b1 = arith.constant 1 : i32\n"
    kinds = "!pto.vreg<128xui16>, !pto.vreg<256xui8>, !pto.mask<b8>, i32 -> !pto.vreg<128xui16>"
    for name in outs:
        op = "dhistv2" if name[0] == "d" else "chistv2"
        body += f"%{name} = pto.{op} %acc, %x, %all8, %b{name[1]} : {kinds}\n"
    through(body, {"x": x, "acc": acc}, outs, engine)
    counts = np.bincount(x, minlength=256)
    sums = np.cumsum(counts)
    for name, expected in (("d", counts), ("k", sums)):
        both = np.concatenate([outs[name + "0"], outs[name + "1"]])
        assert both.tolist() == (expected + 5).tolist()


@engines
def test_all_places_of_the_highest_value(engine: str) -> None:
    x = np.array([3, -1, 7, 7, 2, 7, 0, 1] * 8, np.float32)
    value, marked, v = np.zeros(64, np.float32), np.zeros(64, np.float32), "!pto.vreg<64xf32>"
    body = (
        f"%value, %m = pto.vcbmax %x, %all32 : {v}, !pto.mask<b32> -> {v}, !pto.mask<b32>\n"
        f"%marked = pto.vadd %x, %x, %m : {v}, {v}, !pto.mask<b32> -> {v}"
    )
    through(body, {"x": x}, {"value": value, "marked": marked}, engine)
    assert value.tolist() == [7.0] + [0.0] * 63
    assert marked.tolist() == [0, 0, 14, 14, 0, 14, 0, 0] * 8


@engines
def test_f16_becomes_bf16(engine: str) -> None:
    x = np.linspace(-3, 3, 128).astype(np.float16)
    out = np.zeros(128, ml_dtypes.bfloat16)
    body = '%y = pto.vcvt %x, %all16 {rnd = "R"} : !pto.vreg<128xf16>, !pto.mask<b16>'
    through(body + " -> !pto.vreg<128xbf16>", {"x": x}, {"y": out}, engine)
    assert (out == x.astype(np.float32).astype(ml_dtypes.bfloat16)).all()


@engines
def test_a_scaled_conversion_and_a_fused_product(engine: str) -> None:
    x = np.linspace(-3, 3, 64, dtype=np.float32)
    half, fused, v = np.zeros(128, np.float16), np.zeros(64, np.float32), "!pto.vreg<64xf32>"
    body = (
        "%f = arith.constant 0.25 : f32\n"
        f'%half = pto.vmulscvt %x, %f, %all32, "R", "ODD" : {v}, f32, !pto.mask<b32>'
        " -> !pto.vreg<128xf16>\n"
        f"%fused = pto.vmadd %x, %x, %x, %all32 : {v}, {v}, {v}, !pto.mask<b32> -> {v}"
    )
    through(body, {"x": x}, {"half": half, "fused": fused}, engine)
    assert (half[1::2] == (x * np.float32(0.25)).astype(np.float16)).all()
    assert (half[::2] == 0).all()
    exact = x.astype(np.float64) ** 2 + x
    assert (fused == exact.astype(np.float32)).all()


@engines
def test_where_a_stream_stands_is_stored(engine: str) -> None:
    """Of 64 lanes the 32 that are squeezed fill 128 bytes."""
    x = np.arange(64, dtype=np.float32)
    sink, at = np.zeros(64, np.float32), np.zeros(64, np.uint32)
    body = """
      %m = pto.pge_b32 "PAT_VL32" : !pto.mask<b32>
      %few = pto.vsqz %x, %m : !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
      pto.sprclr "AR"
      %a0 = pto.init_align : !pto.align
      %a1 = pto.vstur %a0, %few, %sink_ub, "POST_UPDATE"
        : !pto.align, !pto.vreg<64xf32>, !pto.ptr<f32, ub> -> !pto.align
      pto.vstar %a1, %sink_ub : !pto.align, !pto.ptr<f32, ub>
      %w = arith.constant 1 : i32
      %b = arith.constant 8 : i32
      pto.sprsti "AR", %at_ub[%w] : !pto.ptr<ui32, ub>, i32
      pto.sprsts "AR", %at_ub[%b] : !pto.ptr<ui32, ub>, i32
      pto.mem_bar "VST_VLD"
      %sink = pto.vlds %sink_ub[%c0] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
      %at = pto.vlds %at_ub[%c0] : !pto.ptr<ui32, ub> -> !pto.vreg<64xui32>
      pto.mem_bar "VLD_VST"
    """
    through(body, {"x": x}, {"sink": sink, "at": at}, engine)
    assert sink[:32].tolist() == x[:32].tolist()
    assert at[:4].tolist() == [0, 128, 128, 0]


@engines
def test_a_vector_from_any_address(engine: str) -> None:
    x, out = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    body = """%c3 = arith.constant 3 : index
      %y = pto.uvld %x_ub[%c3] : !pto.ptr<i32, ub> -> !pto.vreg<64xi32>"""
    through(body, {"x": x}, {"y": out}, engine)
    assert out.tolist() == [*range(3, 64), 0, 0, 0]


@engines
def test_integers_past_the_cache(engine: str) -> None:
    text = """func.func @k(%x: !pto.ptr<i16, gm>) attributes {pto.aicore} {
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %v = pto.ld_dev %x[%c3] : !pto.ptr<i16, gm> -> i16
      pto.st_dev %v, %x[%c1] : !pto.ptr<i16, gm>, i16
      return
    }"""
    x = np.array([1, 2, 3, -4], np.int16)
    ptoscope.load(text, "a5")(x, engine=engine)
    assert x.tolist() == [1, -4, 3, -4]
    with pytest.raises(PtoError, match="PTO0102"):
        ptoscope.load(text.replace("i16", "f32"), "a5")
    with pytest.raises(PtoError, match="PTO0201"):
        ptoscope.load(text, "a2a3")


def test_the_offset_of_sprsti_is_a_constant() -> None:
    text = """func.func @k(%at: i32) attributes {pto.aicore} {
      %zero = arith.constant 0 : i64
      %ub = pto.castptr %zero : i64 -> !pto.ptr<ui32, ub>
      pto.vecscope {
        pto.sprsti "AR", %ub[%at] : !pto.ptr<ui32, ub>, i32
      }
      return
    }"""
    with pytest.raises(PtoError, match="PTO0111"):
        ptoscope.load(text, "a5")
    ptoscope.load(text.replace("sprsti", "sprsts"), "a5")


@engines
def test_functions_of_scalars(engine: str) -> None:
    text = """func.func @k(%x: !pto.ptr<f32, gm>) attributes {pto.aicore} {
      %c0 = pto.constant 0 : index
      %v = pto.load %x[%c0] : !pto.ptr<f32, gm> -> f32
      %a = pto.absf %v : f32
      %s = pto.sqrt %a : f32 -> f32
      pto.store %s, %x[%c0] : !pto.ptr<f32, gm>, f32
      return
    }"""
    x = np.array([-2.5], np.float32)
    ptoscope.load(text)(x, engine=engine)
    assert x[0] == np.sqrt(np.float32(2.5))
