"""Addresses: what certainly goes wrong is said, what may be right is left alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptoscope import PtoError
from ptoscope.isa.targets import TARGETS
from ptoscope.kernel import Kernel
from ptoscope.sources import parse

from .pipes import (
    G,
    P,
    V,
    branch,
    codes,
    copy_in,
    copy_out,
    findings,
    kernel,
    load,
    loop,
    program,
    scope,
    store,
)

UB = 256 * 1024


def pointer(name: str, at: int) -> str:
    return f"%{name}_at = arith.constant {at} : i64\n%{name} = pto.castptr %{name}_at : i64 -> {P}"


def index(name: str, value: int) -> str:
    return f"%{name} = arith.constant {value} : index"


BARRIER = "pto.barrier #pto.pipe"
FILLED = copy_in("%a", "%l4096")

VALUE = f"%f = arith.constant 1.0 : f32\n%v = pto.vbr %f : f32 -> {V}"
STORES = scope(loop(VALUE, store("%v", "%a", "%i"), to="%e", step="%i64"))
TO_GM = [FILLED, BARRIER, copy_out("%a", to="%p")]
BYTES = "!pto.ptr<i8, ub>"
ONE_BYTE = [
    f"%p = pto.castptr %e : i64 -> {BYTES}",
    "%byte = arith.constant 1 : i8",
    f"pto.store_scalar %byte, %p[%i0] : {BYTES}, i8",
]
COUNTED = "%k = arith.index_cast %n : index to i64"
UNALIGNED = [
    scope(
        f"%s = pto.vldas %p : {P} -> !pto.align",
        f"%u, %t = pto.vldus %p, %s : {P}, !pto.align -> !pto.vreg<64xf32>, !pto.align",
    )
]
CASES = {
    "a base at the end of UB": (
        "PTO0501",
        [pointer("p", UB - 128), scope(VALUE, store("%v", "%p"))],
        [pointer("p", UB - 256), scope(VALUE, store("%v", "%p"))],
    ),
    "an offset counts elements": (
        "PTO0501",
        [index("o", UB // 4 - 32), scope(VALUE, store("%v", "%a", "%o"))],
        [index("o", UB // 4 - 64), scope(VALUE, store("%v", "%a", "%o"))],
    ),
    "the last iteration of a loop": (
        "PTO0501",
        [
            index("e", UB // 4 + 64),
            scope(loop(VALUE, store("%v", "%a", "%i"), to="%e", step="%i64")),
        ],
        [index("e", UB // 4), scope(loop(VALUE, store("%v", "%a", "%i"), to="%e", step="%i64"))],
    ),
    "below 0": (
        "PTO0501",
        [index("o", -64), scope(VALUE, store("%v", "%a", "%o"))],
        [index("o", -64), scope(VALUE, store("%v", "%b", "%o"))],
    ),
    "one byte too far": (
        "PTO0501",
        [f"%e = arith.constant {UB} : i64", *ONE_BYTE],
        [f"%e = arith.constant {UB - 1} : i64", *ONE_BYTE],
    ),
    "a copy longer than what is left of UB": (
        "PTO0501",
        [pointer("p", UB - 2048), copy_in("%p", "%l4096")],
        [pointer("p", UB - 4096), copy_in("%p", "%l4096")],
    ),
    "a stream primed outside UB": (
        "PTO0501",
        [pointer("p", UB), scope(f"%s = pto.vldas %p : {P} -> !pto.align")],
        [pointer("p", UB - 1), scope(f"%s = pto.vldas %p : {P} -> !pto.align")],
    ),
    "an unaligned load that ends outside UB": (
        "PTO0501",
        [pointer("p", UB - 252), *UNALIGNED],
        [pointer("p", UB - 256), *UNALIGNED],
    ),
    "the last row of a copy": (
        "PTO0501",
        [pointer("p", UB - 2048), copy_in("%p", "%l512", "%l4", "%l1024")],
        [pointer("p", UB - 4096), copy_in("%p", "%l512", "%l4", "%l1024")],
    ),
    "a base between two blocks": (
        "PTO0502",
        [pointer("p", 16), FILLED, BARRIER, scope(load("%v", "%p"))],
        [pointer("p", 32), FILLED, BARRIER, scope(load("%v", "%p"))],
    ),
    "the second iteration of a loop": (
        "PTO0502",
        [FILLED, BARRIER, scope(loop(load("%v", "%a", "%i"), to="%i64", step="%i4"))],
        [FILLED, BARRIER, scope(loop(load("%v", "%a", "%i"), to="%i64", step="%i32"))],
    ),
    "a copy to an address between two blocks": (
        "PTO0502",
        [pointer("p", 16), copy_in("%p")],
        [pointer("p", 64), copy_in("%p")],
    ),
    "rows of a copy between two blocks": (
        "PTO0502",
        ["%l40 = arith.constant 40 : i64", copy_in("%a", "%l32", "%l4", "%l40")],
        [copy_in("%a", "%l32", "%l4", "%l64")],
    ),
    "a burst longer than its field": (
        "PTO0503",
        ["%big = arith.constant 65536 : i64", copy_in("%a", "%big")],
        ["%big = arith.constant 65504 : i64", copy_in("%a", "%big")],
    ),
    "a negative length": (
        "PTO0503",
        ["%less = arith.subi %l0, %l32 : i64", copy_in("%a", "%less")],
        ["%less = arith.subi %l64, %l32 : i64", copy_in("%a", "%less")],
    ),
    "more rows than the field counts": (
        "PTO0503",
        ["%many = arith.constant 65536 : i64", copy_in("%a", "%l0", "%many", "%l32")],
        ["%many = arith.constant 65535 : i64", copy_in("%a", "%l0", "%many", "%l32")],
    ),
    "a stride in UB wider than its field": (
        "PTO0503",
        ["%far = arith.constant 2097152 : i64", copy_in("%a", "%l32", "%l1", "%far")],
        ["%far = arith.constant 2097120 : i64", copy_in("%a", "%l32", "%l1", "%far")],
    ),
    "a negative stride": (
        "PTO0503",
        ["%less = arith.subi %l0, %l32 : i64", copy_in("%b", "%l32", "%l2", "%less")],
        ["%less = arith.subi %l64, %l32 : i64", copy_in("%b", "%l32", "%l2", "%less")],
    ),
    "rows that overlap": (
        "PTO0504",
        [copy_in("%a", "%l256", "%l4", "%l128")],
        [copy_in("%a", "%l256", "%l4", "%l512")],
    ),
    "all rows in one place": (
        "PTO0504",
        [copy_in("%a", "%l256", "%l4", "%l0")],
        [copy_in("%a", "%l256", "%l1", "%l0")],
    ),
    "before the start of an array": (
        "PTO0505",
        [
            index("back", -8),
            f"%p = pto.addptr %y, %back : {G} -> {G}",
            *TO_GM,
        ],
        [f"%p = pto.addptr %y, %i128 : {G} -> {G}", *TO_GM],
    ),
    "a GM address out of nowhere": (
        "PTO0505",
        [
            "%p = pto.castptr %l4096 : i64 -> !pto.ptr<f32, gm>",
            FILLED,
            BARRIER,
            copy_out("%a", to="%p"),
        ],
        [
            "%p = pto.castptr %y : !pto.ptr<f32, gm> -> !pto.ptr<f32, gm>",
            FILLED,
            BARRIER,
            copy_out("%a", to="%p"),
        ],
    ),
    "a load of what no copy filled": (
        "PTO0506",
        [copy_in("%c"), BARRIER, scope(), BARRIER, copy_out("%b")],
        [copy_in("%a"), BARRIER, scope(), BARRIER, copy_out("%b")],
    ),
    "a copy of what no store made": (
        "PTO0506",
        [copy_in("%a"), BARRIER, scope(), BARRIER, copy_out("%c")],
        [copy_in("%a"), BARRIER, scope(), BARRIER, copy_out("%b")],
    ),
    "two copies to one place": (
        "PTO0507",
        [copy_in("%a"), copy_in("%a"), BARRIER, scope(), BARRIER, copy_out("%b")],
        [copy_in("%a"), copy_in("%c"), BARRIER, scope(), BARRIER, copy_out("%b")],
    ),
    "two copies of a launch's length to one place": (
        "PTO0507",
        [COUNTED, copy_in("%a", "%k"), copy_in("%a", "%k"), BARRIER, scope()],
        [COUNTED, copy_in("%a", "%k"), copy_in("%b", "%k"), BARRIER, scope(load())],
    ),
    "the place of a copy, again before it is read": (
        "PTO0507",
        [copy_in("%a"), BARRIER, copy_in("%a"), BARRIER, scope()],
        [copy_in("%a"), BARRIER, scope(), BARRIER, copy_in("%a"), BARRIER, scope()],
    ),
    "a load before the store of its own pipe": (
        "PTO0506",
        [scope(load("%v", "%b")), scope(VALUE, store("%v", "%b")), BARRIER, copy_out("%b")],
        [scope(VALUE, store("%v", "%b")), scope(load("%v", "%b")), BARRIER, copy_out("%b")],
    ),
}


BESIDE = {
    # What goes to the wrong place is not read there either; a copy of 0 bytes is one, too.
    "a load of what no copy filled": (["PTO0508"], []),
    "a copy of what no store made": (["PTO0508"], []),
    "two copies to one place": ([], ["PTO0508"]),
    "more rows than the field counts": (["PTO0509"], ["PTO0509"]),
}
"""What else is said of a bad kernel and of its twin."""


@pytest.mark.parametrize("name", CASES)
def test_a_bad_kernel_and_its_fixed_twin(name: str) -> None:
    code, bad, fixed = CASES[name]
    with_bad, with_fixed = BESIDE.get(name, ([], []))
    assert codes(kernel(*bad)) == [code, *with_bad]
    assert codes(kernel(*fixed)) == with_fixed


def test_ub_has_the_size_of_the_target() -> None:
    text = kernel(pointer("p", 192 * 1024), scope(VALUE, store("%v", "%p")))
    assert codes(text, "a2a3") == ["PTO0501"]
    assert codes(text, "a5") == []


def test_alignment_is_that_of_the_target_and_the_mode() -> None:
    text = kernel(pointer("p", 4), FILLED, BARRIER, scope(load("%v", "%p")))
    assert codes(text, "a5") == ["PTO0502"]
    assert codes(text, "cpu") == []
    one = f'%v = pto.vlds %p[%i0] {{dist = "BRC_B32"}} : {P} -> {V}'
    assert codes(kernel(pointer("p", 4), FILLED, BARRIER, scope(one))) == []


def test_a_finding_names_the_iteration_and_the_bytes() -> None:
    (finding,) = findings(kernel(index("e", UB // 4 + 64), STORES))
    assert f"%i = {UB // 4}" in finding.message
    assert str(UB + 255) in finding.found
    assert finding.source_line.startswith("pto.vsts")


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([scope(loop(VALUE, store("%v", "%a", "%i"), step="%i64"))], id="bound"),
        pytest.param([scope(VALUE, store("%v", "%a", "%n"))], id="offset"),
        pytest.param(
            [
                scope(
                    "%t = arith.index_cast %n : index to i32",
                    "%m2, %r = pto.plt_b32 %t : i32 -> !pto.mask<b32>, i32",
                    pointer("p", UB - 128),
                    VALUE,
                    store("%v", "%p", "%i0", "%m2"),
                )
            ],
            id="inactive lanes",
        ),
        pytest.param(
            [
                "%word = pto.load_scalar %x[%i0] : !pto.ptr<f32, gm> -> f32",
                "%zero = arith.constant 0.0 : f32",
                "%some = arith.cmpf ogt, %word, %zero : f32",
                branch("%some", [pointer("p", UB), scope(VALUE, store("%v", "%p"))]),
            ],
            id="a condition on data",
        ),
        pytest.param([scope(load("%v", "%c"), store("%v", "%b"))], id="fragment"),
    ],
)
def test_what_may_be_right_is_left_alone(lines: list[str]) -> None:
    assert codes(kernel(*lines)) == []


def test_a_condition_that_a_launch_decides_hides_nothing() -> None:
    bad = [pointer("p", UB), scope(VALUE, store("%v", "%p"))]
    test = "%some = arith.cmpi sgt, %n, %i64 : index"
    assert codes(kernel(test, branch("%some", bad))) == ["PTO0501"]
    assert codes(kernel(branch("%yes", [], bad))) == ["PTO0501"]


def test_a_write_behind_a_wait_counts() -> None:
    """The text says the copy comes last; the flag makes it first."""
    wait = 'pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]'
    signal = 'pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]'
    assert codes(kernel(wait, scope(), copy_in("%a"), signal)) == []


def test_a_store_of_the_iteration_before_counts() -> None:
    iteration = loop(
        scope(
            load("%v", "%b"), 'pto.mem_bar "VLD_VST"', VALUE.replace("%v", "%w"), store("%w", "%b")
        )
    )
    assert codes(kernel(iteration, BARRIER, copy_out("%b"))) == []


@settings(max_examples=60, deadline=None)
@given(
    base=st.sampled_from([0, 16, 32, UB - 1024, UB - 512, UB - 256]),
    trips=st.integers(1, 5),
    step=st.sampled_from([2, 8, 16, 64]),
    offset=st.integers(-2, 2),
    target=st.sampled_from(sorted(TARGETS)),
)
def test_a_known_kernel_is_refused_just_when_it_faults(
    base: int, trips: int, step: int, offset: int, target: str
) -> None:
    """Where every number is known, the rules and the machine agree."""
    lines = [
        pointer("p", base),
        index("e", trips * step),
        index("s", step),
        index("o", offset * 8),
        scope(
            VALUE,
            loop("%at = arith.addi %i, %o : index", store("%v", "%p", "%at"), to="%e", step="%s"),
        ),
    ]
    read = program(kernel(*lines, params="%n: index"))
    kernel_ = Kernel(read, TARGETS[target], "manual")
    try:
        kernel_(np.zeros(1, np.float32), np.zeros(1, np.float32), 0)
        faults = False
    except PtoError:
        faults = True
    found = [c for c in codes(kernel(*lines, params="%n: index"), target) if c < "PTO0503"]
    assert bool(found) == faults


MORE_THAN_LOADED = """func.func @k(%x: !pto.ptr<f32, gm>, %y: !pto.ptr<f32, gm>) {{
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = arith.constant {elements} : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %len = arith.constant 4096 : i64
  %at = arith.constant 16384 : i64
  %ub = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
  %to = pto.castptr %at : i64 -> !pto.ptr<f32, ub>
  pto.mte_gm_ub %x, %ub, %zero, %len nburst(%one, %len, %len)
    : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64
  pto.barrier #pto.pipe<PIPE_ALL>
  pto.vecscope {{
    %m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
    scf.for %i = %c0 to %n step %c64 {{
      %v = pto.vlds %ub[%i] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
      pto.vsts %v, %to[%i], %m : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>
    }}
  }}
  pto.barrier #pto.pipe<PIPE_ALL>
  pto.mte_ub_gm %to, %y, %len nburst(%one, %len, %len)
    : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64
  return
}}
"""


@pytest.mark.parametrize(("elements", "where"), [(1024, None), (1088, 1024), (2048, 1984)])
def test_a_loop_that_reads_more_than_was_loaded(elements: int, where: int | None) -> None:
    """4096 bytes are 1024 elements; the last iteration of a longer loop reads what nobody wrote,
    and writes what nobody reads."""
    found = Kernel(
        parse(MORE_THAN_LOADED.format(elements=elements), "k"), TARGETS["a5"], "manual"
    ).findings
    if where is None:
        assert found == []
    else:
        assert [d.code for d in found] == ["PTO0506", "PTO0508"]
        assert all(f"(at %i = {where})" in d.message for d in found)
