"""Arrays that `run` makes, and what it was told to expect. Expected values come from NumPy."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from ptoscope.demo import PATH as SOFTMAX

from .conftest import Cli, store


def read(dtype: str) -> str:
    """A kernel (p, v) that does nothing."""
    return store(dtype).replace("pto.store_scalar", "// pto.store_scalar")


@pytest.mark.parametrize("kind", ["zeros", "undefined", "randn", "arange"])
def test_an_array_has_the_shape_that_was_asked_for(cli: Cli, write, kind: str):
    write("k.pto", read("f32"))
    for text, shape in (("24", (24,)), ("2x3x4", (2, 3, 4)), ("0x5", (0, 5))):
        assert cli("run", "k.pto", f"{kind}:{text}", 1, "--save", ".").code == 0
        assert np.load("arg0.npy").shape == shape


@pytest.mark.parametrize(
    ("dtype", "as_numpy"),
    [("f32", np.float32), ("i32", np.int32), ("ui8", np.uint8), ("bf16", ml_dtypes.bfloat16)],
)
def test_arange_counts(cli: Cli, write, dtype: str, as_numpy: type):
    write("k.pto", read(dtype))
    assert cli("run", "k.pto", "arange:3x4", 1, "--save", ".").code == 0
    saved = np.fromfile("arg0.bin", as_numpy)
    assert saved.astype(float).tolist() == list(range(12))


def test_randn_is_normal_and_the_same_in_every_run(cli: Cli, write):
    kernel = read("f32").replace("%v: f32", "%q: !pto.ptr<f32, gm>")
    write("k.pto", kernel)
    assert cli("run", "k.pto", "randn:10000", "randn:10000", "--save", "a").code == 0
    assert cli("run", "k.pto", "randn:10000", "randn:10000", "--save", "b").code == 0
    first, second = np.load("a/arg0.npy"), np.load("a/arg1.npy")
    assert abs(first.mean()) < 0.05
    assert abs(first.std() - 1) < 0.05
    assert not np.array_equal(first, second)
    assert np.array_equal(first, np.load("b/arg0.npy"))


def test_randn_is_for_floats(cli: Cli, write):
    write("k.pto", read("i32"))
    outcome = cli("run", "k.pto", "randn:4", 1)
    assert outcome.code == 1
    assert "error[PTO0802]" in outcome.err


@pytest.mark.parametrize("argument", ["1", "y", "%y"])
def test_a_result_is_compared_with_what_is_expected(cli: Cli, argument: str):
    x = np.random.default_rng(5).standard_normal((4, 128), np.float32)
    np.save("x.npy", x)
    exponentials = np.exp(x.astype(np.float64))
    expected = (exponentials / exponentials.sum(axis=1, keepdims=True)).astype(np.float32)
    np.save("y.npy", expected)
    words = ("run", SOFTMAX, "x.npy", "zeros:4x128", 4)
    close = cli(*words, "--expect", f"{argument}=y.npy", "--rtol", "1e-6")
    assert (close.code, close.err) == (0, "")
    expected[2, 5] += 0.25
    np.save("y.npy", expected)
    far = cli(*words, "--expect", f"{argument}=y.npy", "--rtol", "1e-6", "--save", "out")
    assert far.code == 1
    assert "argument 1 (%y): 1 of 512 elements differ from what is expected" in far.err
    assert "in element 261; differences of up to 0.25" in far.err
    (said,) = cli(*words, "--expect", f"{argument}=y.npy", "--atol", "0.1", "--json").json[
        "diagnostics"
    ]
    assert (said["code"], said["expected"]) == ("PTO0808", f"{expected[2, 5]}")
    assert cli(*words, "--expect", f"{argument}=y.npy", "--atol", "0.2501").code == 0


def test_without_a_tolerance_results_are_equal_or_wrong(cli: Cli, write):
    write("k.pto", store("f32"))
    np.save("one.npy", np.array([1, 0], np.float32))
    np.save("near.npy", np.array([np.nextafter(np.float32(1), 2), 0], np.float32))
    np.save("nan.npy", np.array([np.nan, 0], np.float32))
    assert cli("run", "k.pto", "zeros:2", 1, "--expect", "0=one.npy").code == 0
    assert cli("run", "k.pto", "zeros:2", 1, "--expect", "0=near.npy").code == 1
    assert cli("run", "k.pto", "zeros:2", "nan", "--expect", "0=nan.npy").code == 0
    assert cli("run", "k.pto", "zeros:2", 1, "--expect", "0=nan.npy", "--atol", "9").code == 1
    assert cli("run", "k.pto", "zeros:2", "inf", "--expect", "0=one.npy", "--atol", "9").code == 1


def test_integers_and_several_expectations(cli: Cli, write):
    write("k.pto", store("i64"))
    words = ("run", "k.pto", "zeros:3", -(1 << 63))
    np.save("low.npy", np.array([-(1 << 63), 0, 0]))
    np.save("high.npy", np.array([(1 << 63) - 1, 0, 0]))
    assert cli(*words, "--expect", "0=low.npy", "--expect", "p=low.npy").code == 0
    outcome = cli(*words, "--expect", "0=low.npy", "--expect", "p=high.npy")
    assert outcome.code == 1
    assert outcome.err.count("error[PTO0808]") == 1
    assert "1.84467e+19" in outcome.err


@pytest.mark.parametrize(
    ("array", "code"), [(np.zeros(5, np.float32), "PTO0808"), (np.zeros(4), "PTO0802")]
)
def test_what_cannot_be_compared_is_wrong(cli: Cli, write, array: np.ndarray, code: str):
    write("k.pto", read("f32"))
    np.save("x.npy", array)
    outcome = cli("run", "k.pto", "zeros:4", 1, "--expect", "0=x.npy")
    assert outcome.code == 1
    assert f"error[{code}]" in outcome.err


def test_a_number_beyond_every_float(cli: Cli, write) -> None:
    write("k.pto", store("f32"))
    outcome = cli("run", "k.pto", "zeros:1", "1e999")
    assert outcome.code == 2
    assert "the number 1e999 is too large; write inf" in outcome.err
    assert cli("run", "k.pto", "zeros:1", "inf").code == 0
    assert "does not fit f32" in cli("run", "k.pto", "zeros:1", "1e39").err
