"""What a changed function calls (see `rewrite`): each does what the compiler does there."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

from ptoscope.isa.dtypes import I1
from ptoscope.lang import scalars
from ptoscope.lang.compile.expressions import BINARY, COMPARE, SAME
from ptoscope.lang.eager.following import FollowingMaker, OpenBody
from ptoscope.lang.loops import CountedLoop, RangeLoop
from ptoscope.lang.maker import current
from ptoscope.lang.scalars import ScalarValue
from ptoscope.lang.values import KernelValue, wrapped

_BINARY = {kind.__name__: action for kind, action in BINARY.items()}
_COMPARE = {kind.__name__: action for kind, action in COMPARE.items()}


def _maker() -> FollowingMaker:
    maker = current()
    assert isinstance(maker, FollowingMaker)
    return maker


def same(value: Any) -> Any:
    """`range`, `min` and `max` as kernels have them; anything else as it is."""
    return next((other for plain, other in SAME.items() if value is plain), value)


def loop(found: Any) -> Iterator[Any]:
    """The targets of a loop, of the kernel or of Python."""
    if isinstance(found, CountedLoop):
        return iter(found)
    _maker().open.append(OpenBody(None))
    return iter(list(found))


def items(found: Any) -> Any:
    """What a comprehension goes over."""
    return list(range(*found.written)) if isinstance(found, RangeLoop) else found


def in_tuple(found: list[Any]) -> tuple[Any, ...]:
    """A generator is computed at once."""
    return tuple(found)


def while_begins() -> None:
    """A while loop begins."""
    _maker().while_begins()


def iteration() -> None:
    """An iteration of a while loop begins."""
    _maker().while_goes_on()


def goes_on(begun: None, condition: Any) -> bool:
    """Whether a while loop goes on."""
    if not condition:
        _maker().while_ends()
    return bool(condition)


def runs() -> bool:
    """Whether the body of a `with` is for this core."""
    return _maker().runs


def keeps(name: str) -> bool:
    """Whether a name stands behind a section for an array that was made in it."""
    maker = _maker()
    body = maker.open[-1].body
    return maker.section is not None and body is not None and name in body.kept


def keep(name: str, value: Any) -> None:
    """The core that runs a section has made such an array."""
    maker = _maker()
    assert maker.section is not None
    maker.turns.keep(maker.section, name, value)


def kept(name: str) -> Any:
    """The array, for a core that does not run the section."""
    maker = _maker()
    assert maker.section is not None
    return maker.turns.kept(maker.section, name)


def left() -> None:
    """A loop or a side of a branch has ended."""
    _maker().open.pop()


def settles(name: str) -> bool:
    """Whether the compiler gave a name a type, in the loop or branch where the run is."""
    body = _maker().open[-1].body
    return body is not None and name in body.types


def settled(name: str, value: Any) -> Any:
    """The value of a name, of that type."""
    body = _maker().open[-1].body
    assert body is not None
    return _of_type(body.types[name], value)


def _of_type(kind: Any, value: Any) -> Any:
    if not isinstance(value, KernelValue):
        return scalars.constant(kind.dtype, value)
    if isinstance(value, ScalarValue) and value.dtype is not kind.dtype:
        value = scalars.convert(value, kind.dtype)
    return wrapped(kind, value.handle)


def branch(condition: Any) -> bool:
    """Which side of a branch the run takes."""
    maker = _maker()
    if not isinstance(condition, KernelValue):
        maker.open.append(OpenBody(None))
        return bool(condition)
    yes, no = maker.here.inner(2)
    holds = bool(condition)
    maker.open.append(OpenBody(yes if holds else no))
    return holds


def chosen(value: Any) -> Any:
    """The value of a conditional expression."""
    body = _maker().open.pop().body
    return value if body is None else _of_type(body.types[""], value)


def needs_other(found: Any, is_or: bool) -> bool:
    """Whether `and` or `or` has to compute its other operand."""
    maker = _maker()
    needed = bool(found) != is_or
    if not isinstance(found, KernelValue):
        maker.open.append(OpenBody(None, found, needed))
        return needed
    yes, no = maker.here.inner(2)
    maker.open.append(OpenBody(yes if bool(found) else no, found, needed))
    return needed


def joined(other: Any, is_or: bool) -> Any:
    """The value of `and` or `or`: of scalars, an i1."""
    inside = _maker().open.pop()
    if inside.body is None:
        return other if inside.needed else inside.value
    if not inside.needed:
        return scalars.constant(I1, is_or)
    return scalars.convert(_truth(other), I1)


def _truth(value: Any) -> Any:
    is_number = isinstance(value, ScalarValue) and value.dtype is not I1
    return operator.ne(value, 0) if is_number else value


def inverted(value: Any) -> Any:
    """`not`."""
    return ~_truth(value) if isinstance(value, ScalarValue) else not value


def compared(tests: tuple[str, ...], first: Any, *others: Any) -> Any:
    """A chain of comparisons."""
    found: Any = None
    for test, other in zip(tests, others, strict=True):
        one = _COMPARE[test](first, other)
        found, first = (one if found is None else operator.and_(found, one)), other
    return found


def fetched(whole: Any, key: Any) -> tuple[Any, Any, Any]:
    """What `xs[i, mask] += v` adds to: the mask is for the store, a load has none."""
    return whole, key, whole[key[0] if isinstance(key, tuple) else key]


def augmented(place: tuple[Any, Any, Any], value: Any, sign: str) -> None:
    """Puts the result there."""
    whole, key, old = place
    whole[key] = _BINARY[sign](old, value)
