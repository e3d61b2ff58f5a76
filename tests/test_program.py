"""Loops, branches and scopes by the names of their parts."""

from __future__ import annotations

import pickle

import pytest

from ptoscope.program import (
    Block,
    Condition,
    For,
    Function,
    If,
    Loop,
    Op,
    Scope,
    Terminator,
    While,
    operation,
)
from tests.ir.kernels import function, program


def read(text: str, parameters: str) -> Function:
    return program(function(text, parameters)).functions[0]


def names(kernel: Function, slots: tuple[int, ...] | int) -> str:
    """The names of some values, without those of the function that stand in front."""
    found = slots if isinstance(slots, tuple) else (slots,)
    return " ".join(kernel.names[slot] for slot in found)


FOR = """\
%r, %s = scf.for %i = %a to %b step %c iter_args(%x = %p, %y = %q) -> (i32, i32) {
scf.yield %y, %p : i32, i32
}"""
WHILE = """\
%r, %s = scf.while (%x = %p) : (i32) -> (index, i32) {
scf.condition(%t) %a, %x : index, i32
} do {
^bb0(%y: index, %z: i32):
scf.yield %z : i32
}"""
IF = """\
%r = scf.if %t -> (i32) {
scf.yield %p : i32
} else {
scf.yield %q : i32
}"""
SCOPE = """\
pto.strict_vecscope(%p, %a) {
^bb0(%x: i32, %y: index):
} : (i32, index) -> ()"""
PARAMETERS = "%a: index, %b: index, %c: index, %p: i32, %q: i32, %t: i1"


def test_for():
    kernel = read(FOR, PARAMETERS)
    loop = kernel.body.ops[0]
    assert isinstance(loop, For)
    assert names(kernel, (loop.lower, loop.upper, loop.step)) == "a b c"
    assert names(kernel, loop.bounds) == "a b c"
    assert names(kernel, loop.index) == "i"
    assert names(kernel, loop.inits) == "p q"
    assert names(kernel, loop.carried) == "x y"
    assert names(kernel, loop.yields) == "y p"
    assert names(kernel, loop.results) == "r s"
    assert loop.body is loop.blocks[0]


def test_while():
    kernel = read(WHILE, PARAMETERS)
    loop = kernel.body.ops[0]
    assert isinstance(loop, While)
    assert names(kernel, loop.inits) == "p"
    assert names(kernel, loop.carried) == "x"
    assert names(kernel, loop.condition) == "t"
    assert names(kernel, loop.passed) == "a x"
    assert names(kernel, loop.received) == "y z"
    assert names(kernel, loop.yields) == "z"
    assert names(kernel, loop.results) == "r s"
    assert isinstance(loop.before.end, Condition)
    assert loop.blocks == (loop.before, loop.after)


def test_if():
    kernel = read(IF, PARAMETERS)
    branch = kernel.body.ops[0]
    assert isinstance(branch, If)
    assert names(kernel, branch.condition) == "t"
    assert names(kernel, branch.then.yields) == "p"
    assert names(kernel, branch.otherwise.yields) == "q"


def test_if_without_else():
    """The second block is empty: an else that is written has at least a terminator."""
    for branch in (
        read("scf.if %t {\n}", PARAMETERS).body.ops[0],
        operation("scf.if", (0,), blocks=(Block(ops=[operation("scf.yield")]),)),
    ):
        assert isinstance(branch, If)
        assert branch.then.end is not None
        assert branch.otherwise == Block()
        assert branch.otherwise.yields == ()
    written = read("scf.if %t {\n} else {\n}", PARAMETERS).body.ops[0]
    assert isinstance(written, If)
    assert written.otherwise.end is not None


def test_scopes():
    kernel = read(SCOPE, PARAMETERS)
    scope = kernel.body.ops[0]
    assert isinstance(scope, Scope)
    assert scope.strict
    assert names(kernel, scope.inputs) == "p a"
    assert names(kernel, scope.args) == "x y"
    assert scope.body.end is None
    plain = read("pto.vecscope {\n}", PARAMETERS).body.ops[0]
    assert isinstance(plain, Scope)
    assert not plain.strict
    assert (plain.inputs, plain.args) == ((), ())


@pytest.mark.parametrize("text", [FOR, WHILE, IF, SCOPE, "pto.vecscope {\n}"])
def test_pickles(text: str):
    kernel = read(text, PARAMETERS)
    copied = pickle.loads(pickle.dumps(kernel))
    assert copied == kernel
    assert [type(op) for op in copied.ops()] == [type(op) for op in kernel.ops()]


def test_a_class_for_each_name():
    for name, kind in {
        "scf.for": For,
        "scf.while": While,
        "scf.if": If,
        "scf.yield": Terminator,
        "scf.condition": Condition,
        "func.return": Terminator,
        "pto.vecscope": Scope,
        "pto.strict_vecscope": Scope,
        "pto.vadd": Op,
        "arith.constant": Op,
    }.items():
        assert type(operation(name)) is kind
    assert issubclass(For, Loop)
    assert issubclass(While, Loop)


def test_a_block_that_could_not_be_read_to_its_end():
    """Of a broken text the terminator may be missing: then nothing is yielded."""
    loop = operation("scf.for", (0, 1, 2, 3), (6,), blocks=(Block((4, 5), [operation("x", (3,))]),))
    assert isinstance(loop, For)
    assert loop.yields == ()
    assert loop.carried == (5,)
