"""What somebody asks to see of a cluster: each core shows its own, and says which it is."""

from __future__ import annotations

import numpy as np
import pytest

import ptoscope
from ptoscope.diagnostics import UsageError
from tests.machine.harness import kernel
from tests.machine.matrix_lines import line_of
from tests.races.test_clusters import exchange


def test_each_core_shows_its_own() -> None:
    text = exchange()
    loaded = ptoscope.load(text, "a5", "micro")
    line = line_of(text, "pto.mte_ub_gm")
    asked = [f"{line}:%s", f"{line}:ub:0x4..0x8:f16"]
    x = np.arange(512).astype(np.float16)
    loaded(x, np.zeros(512, np.float16), np.zeros(256, np.float32), print=asked)
    said = sorted((one.core, one.asked.split(":", 1)[1], one.values) for one in loaded.printed)
    assert said == [
        ("vector core 0", "%s", (0,)),
        ("vector core 0", "ub:0x4..0x8:f16", (2.0, 3.0)),
        ("vector core 1", "%s", (1,)),
        ("vector core 1", "ub:0x4..0x8:f16", (2.0, 3.0)),
    ]
    assert all(one.where(1) == one.core for one in loaded.printed)


def test_memories_of_the_matrix_core() -> None:
    text = exchange()
    loaded = ptoscope.load(text, "a5", "micro")
    asked = f"{line_of(text, 'pto.copy_cbuf_to_ubuf %l1')}:l1:0x200..0x204:f16"
    x = np.arange(512).astype(np.float16)
    loaded(x, np.zeros(512, np.float16), np.zeros(256, np.float32), print=[asked])
    (one,) = loaded.printed
    assert (one.core, one.values) == ("the matrix core", (0.0, 1.0))


def test_a_vector_core_alone_has_none_of_them() -> None:
    text = kernel("%x: !pto.ptr<f32, gm>", "%v = arith.addi %zero, %one : i64")
    line = line_of(text, "arith.addi")
    with pytest.raises(UsageError, match="@case runs on a vector core, without L1"):
        ptoscope.load(text, "a5")(np.zeros(4, np.float32), print=[f"{line}:l1:0..4"])
