"""Arrays in the memories of the matrix core, by name: where they lie, what does not fit, and the
instructions that copies and products of the language are."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ptoscope import PtoError, pto


@pto.kernel(target="a5")
def tiled(a: pto.gm[pto.f16], b: pto.gm[pto.f16], size: int = 128):
    for i in pto.tiles(size, 32):
        c = pto.l0c(pto.f32, 32, size)
        for k in pto.pipelined(0, size, 32, stages=2):
            a1 = pto.load(a.rows(size)[i, k], to="l1")
            b1 = pto.load(b.rows(size)[k, :], to="l1")
            a0, b0 = pto.load(a1, to="l0a"), pto.load(b1, to="l0b")
            pto.matmul(c, a0, b0, init=k == 0)


def instructions(text: str) -> list[str]:
    """The names of all instructions that are no scalar ones, in the order of the text."""
    names = re.findall(r"^ *(?:%\S+ = )?(pto\.[\w.]+)", text, re.MULTILINE)
    scalar = ("kernel_kind", "castptr", "addptr", "block", "flag", "section")
    return [name for name in names if not any(word in name for word in scalar)]


def test_copies_and_products_are_one_instruction_each() -> None:
    assert instructions(tiled.text) == [
        *("pto.mte_gm_l1_frac", "pto.mte_gm_l1_frac", "pto.mte_l1_l0a", "pto.mte_l1_l0b"),
        *("pto.mad", "pto.mad_acc"),
    ]
    assert tiled.findings == []


def test_loops_of_several_stages_have_copies_in_every_memory() -> None:
    """Bytes are those of fractals: 32 x 32 f16 are 2 KiB, 32 x 128 are 8 KiB, twice each."""
    found = {p.name: (p.memory, p.allocation.copies, p.allocation.reserved) for p in tiled.memory}
    assert found == {
        "c": ("l0c", 1, 32 * 128 * 4),
        "a1": ("l1", 2, 2 * 2048),
        "b1": ("l1", 2, 2 * 8192),
        "a0": ("l0a", 2, 2 * 2048),
        "b0": ("l0b", 2, 2 * 8192),
    }


def test_pipes_of_the_matrix_core_are_ordered_both_ways() -> None:
    text = tiled.text
    for pair in (("MTE2", "MTE1"), ("MTE1", "M")):
        for src, dst in (pair, pair[::-1]):
            assert re.search(rf'set_flag\["PIPE_{src}", "PIPE_{dst}", %stage', text)
            assert re.search(rf'wait_flag\["PIPE_{src}", "PIPE_{dst}", %stage', text)


def test_sizes_are_whole_fractals() -> None:
    @pto.kernel(target="a5")
    def odd(a: pto.gm[pto.i8]):
        pto.load(a.rows(50)[0:20, :], to="l1")
        pto.l0c(pto.i32, 17, 20)

    assert [p.allocation.bytes for p in odd.memory] == [32 * 64, 32 * 32 * 4]


def _raised(kernel: pto.PythonKernel) -> str:
    with pytest.raises(PtoError) as error:
        _ = kernel.text
    return str(error.value)


def test_what_does_not_fit_is_said_at_its_line() -> None:
    @pto.kernel(target="a5")
    def full(a: pto.gm[pto.f16]):
        for k in pto.pipelined(0, 512, 256, stages=2):
            a1 = pto.load(a.rows(512)[0:128, k], to="l1")
            a0 = pto.load(a1, to="l0a")
            pto.matmul(pto.l0c(pto.f32, 128, 16), a0, pto.l0b(pto.f16, 256, 16))

    said = _raised(full)
    assert "PTO0309" in said
    assert "the buffer a0 does not fit L0A" in said
    assert "131072 bytes are live" in said
    assert "a0 = pto.load(a1" in said


def test_products_of_matrices_that_do_not_multiply() -> None:
    @pto.kernel(target="a5")
    def wrong(a: pto.gm[pto.f16]):
        a1 = pto.load(a.rows(64)[0:32, :], to="l1")
        c = pto.l0c(pto.f32, 32, 32)
        pto.matmul(c, pto.load(a1, to="l0a"), pto.load(a1, to="l0b"))

    assert "these matrices do not multiply" in _raised(wrong)
    assert "32 x 64 by 32 x 64 to 32 x 32" in _raised(wrong)
    # At the line of the kernel, not at one of the language.
    assert "pto.matmul(c, pto.load(a1" in _raised(wrong)
    assert _raised(wrong).startswith(__file__)


def test_ways_that_there_are_not() -> None:
    @pto.kernel(target="a5")
    def crooked(a: pto.gm[pto.f16]):
        pto.load(pto.l0a(pto.f16, 16, 16), a.rows(16)[0:16, :])

    assert "from gm to l0a" in _raised(crooked)

    @pto.kernel(target="a5")
    def converting(a: pto.gm[pto.f16]):
        pto.load(pto.l1(pto.f32, 16, 16), a.rows(16)[0:16, :])  # pyright: ignore

    assert "does not convert" in _raised(converting)


def test_a_transposed_factor() -> None:
    """L0B has the columns of a matrix as rows: as it is, it is transposed on the way."""

    @pto.kernel(target="a5")
    def both(a: pto.gm[pto.f16]):
        a1 = pto.load(a.rows(32)[0:16, :], to="l1")
        pto.load(a1, to="l0a")
        pto.load(a1.T, to="l0a")
        pto.load(a1, to="l0b")
        pto.load(a1.T, to="l0b")
        pto.load(a1[:, 16:32], to="l0a")

    lines = [line for line in both.text.splitlines() if "mte_l1_l0" in line]
    assert ["transpose = true" in line for line in lines] == [False, True, True, False, False]
    sizes = [re.findall(r"%c(\d+)_i64", line) for line in lines]
    assert sizes == [["16", "32"], ["32", "16"], ["16", "32"], ["32", "16"], ["16", "16"]]


def test_what_is_larger_than_a_product() -> None:
    @pto.kernel(target="a5")
    def wide(y: pto.gm[pto.f32]):
        pto.store(y.rows(64)[0:32, :], pto.l0c(pto.f32, 32, 32))

    @pto.kernel(target="a5")
    def small(y: pto.gm[pto.f32]):
        xs = pto.ub(pto.f32, 511)
        with pto.cube():
            pto.store(xs, pto.l0c(pto.f32, 32, 32), core="split_m")
        with pto.vector():
            pto.store(y[0:511], xs)

    assert "the product has fewer elements" in _raised(wide)
    assert "512 elements do not fit an array of 511" in _raised(small)


def test_gm_and_l1_belong_to_no_vector_core() -> None:
    @pto.kernel(target="a5")
    def to_gm(y: pto.gm[pto.f32]):
        pto.store(y.rows(32)[0:32, :], pto.l0c(pto.f32, 32, 32), core="split_m")  # pyright: ignore

    @pto.kernel(target="a5")
    def to_l1():
        pto.store(pto.l1(pto.f16, 32, 32), pto.l0c(pto.f32, 32, 32), core=1)  # pyright: ignore

    for kernel in (to_gm, to_l1):
        assert "only UB is that of a vector core" in _raised(kernel)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ({"pitch": 3}, "a copy from L0C to GM has no pitch"),
        ({"nz": True}, "a copy from L0C to GM has no nz"),
        ({"rows": 3}, "a copy of the matrix core has no rows"),
        ({"limit": 4}, "a copy of the matrix core has no limit"),
        ({"relu": "x"}, "alpha of mte_l0c_gm cannot be"),
    ],
)
def test_options_that_mean_nothing_for_a_product(option: dict[str, Any], said: str) -> None:
    @pto.kernel(target="a5")
    def stored(y: pto.gm[pto.f32]):
        pto.store(y.rows(32)[0:32, :], pto.l0c(pto.f32, 32, 32), **option)

    assert said in _raised(stored)


@pytest.mark.parametrize("option", [{"relu": True}, {"scale": 2.0}, {"core": 1}, {"atomic": "add"}])
def test_options_of_products_are_not_for_other_copies(option: dict[str, Any]) -> None:
    @pto.kernel(target="a5")
    def to_gm(x: pto.gm[pto.f32]):
        pto.store(x[0:64], pto.load(x[0:64]), **option)

    @pto.kernel(target="a5")
    def to_l1(x: pto.gm[pto.f16]):
        xs, a1 = pto.ub(pto.f16, 16, 16), pto.l1(pto.f16, 16, 16)
        with pto.vector():
            pto.load(xs, x[0:256])
            pto.store(a1[0:16, 0:16], xs, **option)
        with pto.cube():
            pto.load(a1, to="l0a")

    assert f"a copy from UB to GM has no {next(iter(option))}" in _raised(to_gm)
    assert "a copy from UB to L1 changes nothing" in _raised(to_l1)


def test_a_mode_without_its_operand_is_said_before_memory_is_planned() -> None:
    @pto.kernel(target="a5")
    def stored(y: pto.gm[pto.f32]):
        c = pto.l0c(pto.f32, 16, 16)
        pto.mte_l0c_gm(c, y, 16, 16, 16, 16, 0, 0, layout="nz2nd", pre_relu_mode="scalar_relu")

    assert "pre_relu(mode = scalar_relu) without a number" in _raised(stored)


def test_a_part_of_a_matrix_does_not_go_to_ub() -> None:
    @pto.kernel(target="a5")
    def rows(x: pto.gm[pto.f32]):
        pto.load(x.rows(64)[0:32, 0:32])  # type: ignore[call-overload]

    assert "is copied to L1" in _raised(rows)
