"""RootedAccesses of whole functions, traced to the parameters and buffers they are made of."""

from __future__ import annotations

from ptoscope import sources
from ptoscope.isa.scalar import castptr
from ptoscope.isa.targets import TARGETS
from ptoscope.lang.accesses import RootedAccesses

HEAD = """
func.func @k(%x: !pto.ptr<f32, gm>, %y: !pto.ptr<f32, gm>, %n: i32, %which: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %size = arith.constant 256 : i64
  %a = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
  %b = pto.castptr %size : i64 -> !pto.ptr<f32, ub>
"""
LOAD = """pto.mte_gm_ub {}, {}, %zero, %size nburst(%one, %size, %size)
    : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64"""
ADD = "pto.addptr {}, %c64 : !pto.ptr<f32, {space}> -> !pto.ptr<f32, {space}>"


def found(body: str) -> list[str]:
    """The accesses of a body, a line each: instruction, pipe, what it does to what."""
    function = sources.parse(HEAD + body + "\n  return\n}\n", "<test>").functions[0]
    roots = [op.results[0] for op in function.ops() if op.name == castptr.name]
    accesses = RootedAccesses(function, roots, TARGETS["a5"], "manual")
    return [
        f"{access.op.name} {access.pipe} {access.touch.verb} "
        + ("anything" if access.roots is None else " ".join(named(access.roots, function.names)))
        for access in accesses
    ]


def named(slots: frozenset[int], names: list[str]) -> list[str]:
    return sorted(names[slot] for slot in slots)


def test_a_copy_reads_its_source_and_writes_its_destination() -> None:
    assert found(LOAD.format("%x", "%b")) == [
        "pto.mte_gm_ub PIPE_MTE2 reads x",
        "pto.mte_gm_ub PIPE_MTE2 writes b",
    ]


def test_pointers_are_followed_through_arithmetic_loops_and_branches() -> None:
    body = f"""
      %far = {ADD.format("%x", space="gm")}
      %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%at = %a) -> (!pto.ptr<f32, ub>) {{
        {LOAD.format("%far", "%at")}
        %next = {ADD.format("%at", space="ub")}
        scf.yield %next : !pto.ptr<f32, ub>
      }}
      %to = scf.if %which -> (!pto.ptr<f32, ub>) {{
        scf.yield %last : !pto.ptr<f32, ub>
      }} else {{
        scf.yield %b : !pto.ptr<f32, ub>
      }}
      {LOAD.format("%y", "%to")}
    """
    assert found(body) == [
        "pto.mte_gm_ub PIPE_MTE2 reads x",
        "pto.mte_gm_ub PIPE_MTE2 writes a",
        "pto.mte_gm_ub PIPE_MTE2 reads y",
        "pto.mte_gm_ub PIPE_MTE2 writes a b",
    ]


def test_buffers_that_swap_in_a_loop_are_both() -> None:
    body = f"""
      %p, %q = scf.for %i = %c0 to %c4 step %c1 iter_args(%at = %a, %other = %b)
          -> (!pto.ptr<f32, ub>, !pto.ptr<f32, ub>) {{
        {LOAD.format("%x", "%at")}
        scf.yield %other, %at : !pto.ptr<f32, ub>, !pto.ptr<f32, ub>
      }}
    """
    assert found(body)[1] == "pto.mte_gm_ub PIPE_MTE2 writes a b"


def test_a_vecscope_accesses_on_the_vector_pipe_wherever_an_index_points() -> None:
    body = """
      pto.vecscope {
        %all = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
        %v = pto.vlds %a[%c0] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
        %i = pto.vcvt %v, %all {rnd = "R", sat = "SAT"}
          : !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xi32>
        pto.vscatter %v, %b, %i, %all
          : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.vreg<64xi32>, !pto.mask<b32>
      }
    """
    assert found(body) == ["pto.vlds PIPE_V reads a", "pto.vscatter PIPE_V writes b"]


def test_scalar_accesses_are_those_of_the_scalar_unit() -> None:
    body = """
      %s = pto.load_scalar %x[%c0] : !pto.ptr<f32, gm> -> f32
      pto.store_scalar %s, %a[%c1] : !pto.ptr<f32, ub>, f32
    """
    assert found(body) == [
        "pto.load_scalar PIPE_S reads x",
        "pto.store_scalar PIPE_S writes a",
    ]


def test_an_address_that_comes_from_nowhere_may_be_anything() -> None:
    body = f"""
      %w = scf.while (%i = %zero) : (i64) -> i64 {{
        scf.condition(%which) %i : i64
      }} do {{
      ^bb0(%j: i64):
        %k = arith.addi %j, %size : i64
        scf.yield %k : i64
      }}
      %c = pto.castptr %w : i64 -> !pto.ptr<f32, ub>
      {LOAD.format("%x", "%c")}
    """
    function = sources.parse(HEAD + body + "\n  return\n}\n", "<test>").functions[0]
    known = [slot for slot, name in enumerate(function.names) if name in ("a", "b")]
    accesses = list(RootedAccesses(function, known, TARGETS["a5"], "manual"))
    assert [access.roots for access in accesses if access.writes] == [None]
