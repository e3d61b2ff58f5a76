"""Instructions and pipes that a core does not have, and what is said of them."""

from __future__ import annotations

import pytest

from tests.check.clusters import UB, cluster, codes, copy_in, findings, flag, line_of

VECTORS = ("pto.vecscope {", '%m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>', "}")
TO_L1, FROM_L1 = flag("MTE2", "MTE1")


@pytest.mark.parametrize(
    ("text", "what", "words"),
    [
        (cluster(cube=(copy_in(),)), "mte_gm_ub", "an instruction of a vector core"),
        (cluster(cube=VECTORS), "vecscope", "an instruction of a vector core"),
        (
            cluster(vector=flag("M", "FIX")[:1], cube=(TO_L1, FROM_L1)),
            "PIPE_FIX",
            "PIPE_M, a pipe of the matrix core",
        ),
        (cluster(cube=flag("MTE2", "V")[:1]), "PIPE_V", "PIPE_V, a pipe of a vector core"),
        (cluster((TO_L1, FROM_L1), outside=(copy_in(),)), "mte_gm_ub", "of a vector core"),
        (cluster(outside=(copy_in(),), kind="cube"), "mte_gm_ub", "of a vector core"),
        (cluster(outside=(TO_L1, FROM_L1), kind="vector"), "set_flag", "PIPE_MTE1, a pipe"),
        (cluster(cube=('pto.get_buf "PIPE_V", 1, 0',)), "get_buf", "PIPE_V, a pipe of"),
    ],
)
def test_another_core_cannot_execute_it(text: str, what: str, words: str) -> None:
    first = findings(text)[0]
    assert (first.code, first.line) == ("PTO0304", line_of(text, what))
    assert words in first.found


def test_it_is_said_once_and_memory_is_not_looked_at() -> None:
    assert codes(cluster(cube=(copy_in(), *VECTORS))) == ["PTO0304", "PTO0304"]


def test_the_hint_says_where_it_belongs() -> None:
    inside = findings(cluster(cube=VECTORS))[0]
    assert "in line" in inside.message
    assert inside.hint == "put it into pto.section.vector { ... }"
    outside = findings(cluster(cube=(TO_L1, FROM_L1), outside=VECTORS))[0]
    assert "all cores" in outside.message
    kind = findings(cluster(outside=VECTORS, kind="cube"))[0]
    assert "#pto.kernel_kind<cube>: say vector" in kind.hint


def test_what_every_core_can_do_stands_anywhere() -> None:
    text = cluster(
        cube=(TO_L1, FROM_L1, "pto.barrier #pto.pipe<PIPE_ALL>"),
        vector=(*VECTORS, *flag("MTE2", "V"), "pto.barrier #pto.pipe<PIPE_ALL>"),
        outside=(f"%c = pto.castptr %l512 : i64 -> {UB}", *flag("MTE2", "MTE3", 1)),
    )
    assert codes(text) == []
