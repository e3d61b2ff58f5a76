"""Lesser processors than this one: the environment asks for them, and results have the same bits.
Of AArch64 the code is looked at here; `tools/arm64` runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

import ptoscope
from ptoscope import native
from ptoscope.diagnostics import UsageError
from ptoscope.native import jit, runtime
from ptoscope.native.cpu import LEVELS, Host
from ptoscope.native.runtime import tile_functions
from tests.fuzz.clusters import any_program
from tests.fuzz.compare import load
from tests.native.foreign import Foreign

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.pto"))
PROGRAMS = 10
"""As many random programs are looked at, or run, on each processor."""
LIBRARY = {"memcpy", "memmove", "memset", "fmod", "fmodf"}
"""What SECURITY.md says that code may call; remainders of scalars are a function everywhere."""

OF_EACH = {
    # Its name, the bytes of its registers, and whether it lacks instructions on floats.
    "x86_64": ("x86-64 16 True", "x86-64-v3 32 False"),
    "aarch64": ("generic 16 False",),
}
HERE = OF_EACH[jit.host().architecture]


@pytest.mark.parametrize("said", HERE, ids=lambda said: said.split()[0])
def test_random_programs_on_a_lesser_processor(said: str) -> None:
    """Each has programs of its own, in a process that has no other code."""
    first = 1000 + PROGRAMS * HERE.index(said)
    done = subprocess.run(
        [sys.executable, "-m", "tests.native.processors", str(first), str(first + PROGRAMS)],
        cwd=ROOT,
        env={**os.environ, "PTOSCOPE_CPU": said.split()[0]},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.returncode) == (f"{said}\n", 0), done.stderr


OTHERS = (
    Host("aarch64-unknown-linux-gnu", "generic", ""),
    Host("aarch64-unknown-linux-gnu", "neoverse-v2", ""),
    Host("x86_64-unknown-linux-gnu", "x86-64", ""),
)


@pytest.fixture(scope="module")
def kernels() -> list[ptoscope.Kernel]:
    """Of every kind."""
    programs = [load(any_program(seed)) for seed in range(PROGRAMS)]
    return [*(ptoscope.load(path) for path in EXAMPLES), *programs]


@pytest.mark.parametrize("host", OTHERS, ids=lambda host: host.cpu)
def test_code_needs_nothing_else(
    host: Host, kernels: list[ptoscope.Kernel], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No instruction of AVX by name, on AArch64 none of x86, and no function but those of the
    runtime and of C."""
    monkeypatch.setattr(jit, "host", lambda: host)
    foreign = Foreign(host)
    parts = [runtime.text(host), tile_functions.text()]
    assert host.architecture == "x86_64" or not any("x86" in text for text in parts)
    ours = [foreign.object_file(text) for text in parts]
    known = LIBRARY.union(*(one.defined for one in ours))
    assert known >= {*runtime.names(host), *tile_functions.FUNCTIONS}
    assert known.issuperset(chain(*(one.undefined for one in ours)))
    for kernel in kernels:
        module = native.lower(kernel.function, kernel.target, kernel.revision)
        texts = {text: text == module.cold_text for text in (module.text, module.cold_text)}
        assert not any("llvm.x86" in text for text in texts)
        files = [foreign.object_file(*how) for how in texts.items()]
        own = known.union(*(file.defined for file in files))
        assert own.issuperset(chain(*(file.undefined for file in files)))


@pytest.mark.parametrize("host", OTHERS[:2], ids=lambda host: host.cpu)
@pytest.mark.parametrize("dtype", ["f32", "f16"])
def test_no_maximum_stands_for_a_comparison_and_a_select(
    dtype: str, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AArch64's fmaxnm gives a quiet NaN for a signalling one, where vrelu gives 0."""
    monkeypatch.setattr(jit, "host", lambda: host)
    lanes = 256 // np.dtype(dtype.replace("f", "float")).itemsize
    vector, mask = f"!pto.vreg<{lanes}x{dtype}>", f"!pto.mask<b{2048 // lanes}>"
    kernel = ptoscope.load(f"""\
func.func @relu() {{
  %zero = arith.constant 0 : index
  %rows = arith.constant 4096 : index
  %lanes = arith.constant {lanes} : index
  %base = arith.constant 0 : i64
  %x = pto.castptr %base : i64 -> !pto.ptr<{dtype}, ub>
  pto.vecscope {{
    %all = pto.pset_b{2048 // lanes} "PAT_ALL" : {mask}
    scf.for %i = %zero to %rows step %lanes {{
      %a = pto.vlds %x[%i] : !pto.ptr<{dtype}, ub> -> {vector}
      %b = pto.vrelu %a, %all : {vector}, {mask} -> {vector}
      pto.vsts %b, %x[%i], %all : {vector}, !pto.ptr<{dtype}, ub>, {mask}
    }}
  }}
  return
}}
""")
    module = native.lower(kernel.function, kernel.target, kernel.revision)
    assembly = Foreign(host).assembly(module.text)
    assert "fcmgt" in assembly
    assert "fmaxnm" not in assembly


def test_what_is_asked_for_is_what_is_left() -> None:
    listed = "+avx,+avx2,-avx512fp16,+avx512f,+avx512bw,+avx512vl,+avx512vbmi,+f16c,+fma,+sse4.1"
    full = Host("x86_64-unknown-linux-gnu", "new", listed)
    assert full.reduced(None) == full == full.reduced("")
    left = {
        level: {word for word in full.reduced(level).features.split(",") if word[0] == "+"}
        for level in LEVELS["x86_64"]
    }
    v3 = {"+avx", "+avx2", "+f16c", "+fma", "+sse4.1"}
    wide = {"+avx512f", "+avx512bw", "+avx512vl"}
    assert left == {
        "x86-64": set(),
        "x86-64-v2": {"+sse4.1"},
        "x86-64-v3": v3,
        "x86-64-v4": v3 | wide,
    }
    # What a processor lacks stays away, whatever is asked for.
    assert "-avx2" in Host(full.triple, "old", "+sse4.1,-avx2").reduced("x86-64-v3").features
    assert Host("arm64-apple-darwin", "", "").architecture == "aarch64"


def test_a_processor_that_is_not_there() -> None:
    with pytest.raises(UsageError, match=r"PTOSCOPE_CPU is 'x86-64-v9', .* there are: x86-64, x86"):
        Host("x86_64-linux", "new", "").reduced("x86-64-v9")
    with pytest.raises(UsageError, match="no processor of aarch64; there are: generic"):
        Host("aarch64-linux", "new", "").reduced("x86-64")
    with pytest.raises(UsageError, match="no processor of riscv64; there are: none"):
        Host("riscv64-linux", "new", "").reduced("generic")


def test_a_kind_of_processor_that_nobody_has_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "host", lambda: Host("s390x-unknown-linux-gnu", "z16", ""))
    kernel = ptoscope.load(ROOT / "examples" / "vector_add.pto")
    arrays = [np.ones(8, "f4") for _ in range(3)]
    with pytest.raises(UsageError, match="a s390x; it runs on x86_64 and aarch64"):
        kernel(*arrays, 8, engine="native")
    assert kernel.engine()[0] == "reference"


def test_each_has_its_own_code_in_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = [
        jit.host(),
        *(Host("x86_64-t", *rest) for rest in (("c", "+a"), ("c", "-a"), ("d", "+a"))),
    ]
    keys = []
    for host in [*hosts, Host("x86_64-u", "c", "+a")]:
        monkeypatch.setattr(jit, "host", lambda host=host: host)
        keys.append(native.key("text", "a5", "micro", ""))
    assert len(set(keys)) == len(keys)
