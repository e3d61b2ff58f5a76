"""Scalars of a kernel: one class for each type, with Python's arithmetic.

What an operation means is one instruction of `arith`, whose integers have no sign: those of signed
and unsigned types pass as their bits, and the type decides which instruction it is. Whole numbers
of different types meet in the wider one, and in `index` where one is an index, if it has all
numbers of the other; a number of Python takes the type of what it meets. Nothing else is converted
unless the kernel says so: `pto.f32(n)`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, ClassVar

from ptoscope.ir.numbers import constant_value
from ptoscope.isa import dtypes, types
from ptoscope.isa.dtypes import F32, I1, I64, INDEX, DType
from ptoscope.isa.table import TABLE
from ptoscope.lang.maker import ChosenUse, current
from ptoscope.lang.values import SCALAR_CLASSES, KernelValue, Misuse, described, made

PythonNumber = int | float


class ScalarValue(KernelValue):
    """A scalar; `pto.f32(x)` converts a number or another scalar."""

    dtype: ClassVar[DType]
    type: types.Scalar
    origin: tuple[ScalarValue, int] | None = None
    """The scalar from which it is so far, where a number was added to that."""
    bits: ScalarValue | None = None
    """The integer without a sign of which it was made."""
    literal: int | None = None
    """The number that it is, where the kernel writes one."""

    def __init__(self, value: ScalarValue | PythonNumber) -> None:
        converted = convert(value, self.dtype)
        super().__init__(converted.type, converted.handle)

    @classmethod
    def of(cls, handle: Any) -> ScalarValue:
        """The scalar that a handle stands for."""
        value = cls.__new__(cls)
        value.type, value.handle = types.Scalar(cls.dtype), handle
        return value

    def number(self) -> PythonNumber | None:
        """The number, where it is known: in a plain run."""
        found = self.contents()
        if found is None:
            return None
        return float(found) if self.dtype.is_float else found.item()

    def __bool__(self) -> bool:
        known = self.number()
        if known is None:
            return super().__bool__()
        return bool(known)

    def __index__(self) -> int:
        known = self.number() if self.dtype.is_int else None
        if known is None:
            raise TypeError(f"{described(self)} is not known when the kernel is compiled")
        return int(known)

    def __repr__(self) -> str:
        found = self.contents()
        return f"<{self.dtype}>" if found is None else f"{self.dtype}({found!s})"

    def __format__(self, spec: str) -> str:
        known = self.number()
        return str(self) if known is None or not spec else format(known, spec)

    def __hash__(self) -> int:
        return id(self)

    def __add__(self, other: Any) -> Any:
        return _both("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return _both("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return _both("sub", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _both("sub", other, self)

    def __mul__(self, other: Any) -> Any:
        return _both("mul", self, other)

    def __rmul__(self, other: Any) -> Any:
        return _both("mul", other, self)

    def __truediv__(self, other: Any) -> Any:
        return _both("div", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _both("div", other, self)

    def __floordiv__(self, other: Any) -> Any:
        return _both("floordiv", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _both("floordiv", other, self)

    def __mod__(self, other: Any) -> Any:
        return _modulo(self, other)

    def __rmod__(self, other: Any) -> Any:
        return _modulo(other, self)

    def __and__(self, other: Any) -> Any:
        return _both("and", self, other)

    __rand__ = __and__

    def __or__(self, other: Any) -> Any:
        return _both("or", self, other)

    __ror__ = __or__

    def __xor__(self, other: Any) -> Any:
        return _both("xor", self, other)

    __rxor__ = __xor__

    def __lshift__(self, other: Any) -> Any:
        return _both("shl", self, other)

    def __rlshift__(self, other: Any) -> Any:
        return _both("shl", other, self)

    def __rshift__(self, other: Any) -> Any:
        return _both("shr", self, other)

    def __rrshift__(self, other: Any) -> Any:
        return _both("shr", other, self)

    def __neg__(self) -> Any:
        return _negated(self)

    def __pos__(self) -> Any:
        return self

    def __invert__(self) -> Any:
        return _both("xor", self, -1 if self.dtype.signed else _bounds(self.dtype)[1])

    def __abs__(self) -> Any:
        return self if _is_unsigned(self.dtype) else maximum(self, -self)

    def __lt__(self, other: Any) -> Any:
        return compare("lt", self, other)

    def __le__(self, other: Any) -> Any:
        return compare("le", self, other)

    def __gt__(self, other: Any) -> Any:
        return compare("gt", self, other)

    def __ge__(self, other: Any) -> Any:
        return compare("ge", self, other)

    def __eq__(self, other: Any) -> Any:
        return compare("eq", self, other)

    def __ne__(self, other: Any) -> Any:
        return compare("ne", self, other)


def _scalar_class(dtype: DType) -> type[ScalarValue]:
    return type(dtype.name, (ScalarValue,), {"dtype": dtype, "__doc__": f"A scalar {dtype}."})


SCALAR_CLASSES.update({d: _scalar_class(d) for d in dtypes.SCALARS})

_INTEGERS = {
    "add": "arith.addi",
    "sub": "arith.subi",
    "mul": "arith.muli",
    "floordiv": "arith.floordivsi",
    "and": "arith.andi",
    "or": "arith.ori",
    "xor": "arith.xori",
    "shl": "arith.shli",
    "shr": "arith.shrsi",
    "max": "arith.maxsi",
    "min": "arith.minsi",
}
_UNSIGNED = {
    "floordiv": "arith.divui",
    "mod": "arith.remui",
    "shr": "arith.shrui",
    "max": "arith.maxui",
    "min": "arith.minui",
}
"""The instructions of unsigned types, where the sign matters."""
_FLOATS = {"add": "arith.addf", "sub": "arith.subf", "mul": "arith.mulf", "div": "arith.divf"}
CANNOT_FAIL = frozenset(
    {
        *(name for sign, name in _INTEGERS.items() if sign != "floordiv"),
        *(name for sign, name in _UNSIGNED.items() if sign not in ("floordiv", "mod")),
        *_FLOATS.values(),
        *("arith.cmpi", "arith.cmpf", "arith.select", "arith.negf", "arith.bitcast"),
        *("arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui", "arith.trunci"),
    }
)
"""What can be computed whether or not its result is used."""
_SIGNS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "floordiv": "//",
    "and": "&",
    "or": "|",
    "xor": "^",
    "shl": "<<",
    "shr": ">>",
    "mod": "%",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "eq": "==",
    "ne": "!=",
}
_PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    "max": lambda a, b: b if b > a else a,
    "min": lambda a, b: b if b < a else a,
}


def emitted(name: str, operands: list[KernelValue], result: DType, **attrs: Any) -> Any:
    """The scalar that an instruction makes of others."""
    kind = result
    if name not in _OF_ANY_TYPE:
        operands, kind = [_as_bits(value) for value in operands], _signless(result)
    use = ChosenUse(TABLE[name], (types.Scalar(kind),), attrs)
    found: Any = made(use, operands)[0]
    return _typed(found, result)


_OF_ANY_TYPE = frozenset({"arith.select", "arith.bitcast"})


def _signless(dtype: DType) -> DType:
    """The integer of the same width that has no sign; any other type as it is."""
    return dtypes.dtype(f"i{dtype.bits}") if dtype.is_int and not dtype.signless else dtype


def _is_unsigned(dtype: DType) -> bool:
    return dtype.is_int and not dtype.signed


def _as_bits(value: Any) -> Any:
    """An integer with the sign left out; any other value as it is."""
    if not isinstance(value, ScalarValue) or _signless(value.dtype) is value.dtype:
        return value
    if value.bits is not None:
        return value.bits
    # What is made here is not kept: a value outlives the loop or branch that uses it first.
    kind = _signless(value.dtype)
    if value.literal is not None:
        return constant(kind, value.literal)
    return emitted("arith.bitcast", [value], kind)


def _typed(value: ScalarValue, dtype: DType) -> ScalarValue:
    """An integer as one of a type with the same bits."""
    if value.dtype is dtype:
        return value
    found = emitted("arith.bitcast", [value], dtype)
    found.bits = value
    return found


def constant(dtype: DType, number: PythonNumber) -> ScalarValue:
    """A number as a scalar of a type; Misuse for one that the type does not have."""
    if dtype.is_int and dtype is not I1:
        if isinstance(number, float) or not in_range(dtype, int(number)):
            raise Misuse(
                f"{number} is no number of type {dtype}",
                found=str(number),
                expected=f"a whole number {range_text(dtype)}",
            )
        number = int(number)
    elif dtype is I1:
        number = bool(number)
    else:
        number = float(number)
        if number != number:
            # Text has no signalling NaN of a narrower type: all engines run what it says.
            number = constant_value(number, dtype)
    found = SCALAR_CLASSES[dtype].of(current().constant(dtype, number))
    found.literal = number if isinstance(number, int) else None
    return found


def _bounds(dtype: DType) -> tuple[int, int]:
    # A signless integer is written as a signed or an unsigned number.
    high = 1 << (dtype.bits if dtype.signless or not dtype.signed else dtype.bits - 1)
    return -(1 << (dtype.bits - 1)) if dtype.signed else 0, high - 1


def in_range(dtype: DType, number: int) -> bool:
    """Whether a whole number can be written as an integer of a type."""
    low, high = _bounds(dtype)
    return low <= number <= high


def range_text(dtype: DType) -> str:
    """The range of an integer type, for messages."""
    low, high = _bounds(dtype)
    return f"from {low} to {high}"


def of_number(value: Any) -> ScalarValue | None:
    """What a number of Python is where nothing else decides: index, f32 or i1."""
    match value:
        case ScalarValue():
            return value
        case bool():
            return constant(I1, value)
        case int():
            return constant(INDEX, value)
        case float():
            return constant(F32, value)
        case _:
            return None


def together(lhs: Any, rhs: Any, sign: str) -> tuple[ScalarValue, ScalarValue]:
    """Two scalars brought to one type; Misuse where they have none."""
    dtype = common(lhs, rhs, sign)
    return convert(lhs, dtype), convert(rhs, dtype)


def common(lhs: Any, rhs: Any, sign: str) -> DType:
    """The type in which two scalars meet; Misuse where there is none."""
    if not isinstance(lhs, ScalarValue):
        if isinstance(lhs, (int, float)):
            return rhs.dtype
    elif not isinstance(rhs, ScalarValue):
        if isinstance(rhs, (int, float)):
            return lhs.dtype
    elif lhs.dtype is rhs.dtype:
        return lhs.dtype
    elif lhs.dtype.is_int and rhs.dtype.is_int and I1 not in (lhs.dtype, rhs.dtype):
        wide = _wider(lhs.dtype, rhs.dtype)
        if all(_has_numbers_of(wide, side.dtype) for side in (lhs, rhs)):
            return wide
    raise Misuse(
        f"{described(lhs)} and {described(rhs)} do not go together in '{sign}'",
        found=f"{_kind(lhs)} {sign} {_kind(rhs)}",
        expected="two scalars of one type",
        hint=f"convert one of them, as in pto.{_kind(lhs)}(...)"
        if isinstance(lhs, ScalarValue)
        else "",
    )


def common_or_own(lhs: Any, rhs: Any) -> DType:
    """The same; of two numbers of Python, what they are by themselves."""
    if isinstance(lhs, ScalarValue) or isinstance(rhs, ScalarValue):
        return common(lhs, rhs, "if")
    if isinstance(lhs, bool) and isinstance(rhs, bool):
        return I1
    return F32 if isinstance(lhs + rhs, float) else INDEX


def fixed(value: Any) -> int | None:
    """A number of Python that is whole."""
    return value if isinstance(value, int) else None


def _kind(value: Any) -> str:
    return str(value.type) if isinstance(value, KernelValue) else type(value).__name__


def _wider(lhs: DType, rhs: DType) -> DType:
    if INDEX in (lhs, rhs):
        return INDEX
    return max(lhs, rhs, key=lambda d: d.bits)


def _has_numbers_of(wide: DType, narrow: DType) -> bool:
    """True if every number of the narrow type is one of the wide type."""
    return wide.signed == narrow.signed or (wide.signed and wide.bits > narrow.bits)


def _both(name: str, lhs: Any, rhs: Any) -> Any:
    if not _scalars(lhs, rhs):
        return NotImplemented
    left, right = together(lhs, rhs, _SIGNS[name])
    instruction = _instruction(name, left.dtype)
    if instruction is None:
        raise Misuse(
            f"'{_SIGNS[name]}' is not defined for scalars of type {left.dtype}",
            found=f"{left.dtype} {_SIGNS[name]} {left.dtype}",
            expected="'//', which rounds down, or a float" if name == "div" else "whole numbers",
            hint="convert it first: pto.f32(...)" if name == "div" else "",
        )
    result = emitted(instruction, [left, right], left.dtype)
    if name in ("add", "sub") and isinstance(rhs, int):
        result.origin = _moved(lhs, rhs if name == "add" else -rhs)
    elif name == "add" and isinstance(lhs, int):
        result.origin = _moved(rhs, lhs)
    return result


def _instruction(name: str, dtype: DType) -> str | None:
    """The instruction of an operation on two scalars of a type; None if there is none."""
    if dtype.is_float:
        return _FLOATS.get(name)
    if dtype is I1:
        return None if name == "floordiv" else _INTEGERS.get(name)
    unsigned = _UNSIGNED.get(name) if _is_unsigned(dtype) else None
    return unsigned or _INTEGERS.get(name)


def _moved(value: ScalarValue, by: int) -> tuple[ScalarValue, int]:
    root, offset = value.origin or (value, 0)
    return root, offset + by


def distance(start: Any, stop: Any) -> Any:
    """`stop - start`; a number of Python where it is known when the kernel is compiled, because
    both are numbers or both are so far from one scalar."""
    (first, before), (last, behind) = (
        (v.origin or (v, 0)) if isinstance(v, ScalarValue) else (None, v) for v in (start, stop)
    )
    return behind - before if _same(first, last) else stop - start


def _same(one: ScalarValue | None, other: ScalarValue | None) -> bool:
    """Whether two scalars are one: what is computed twice has one handle, or one number."""
    if one is None or other is None:
        return one is other
    if isinstance(one.handle, int):
        return one.handle == other.handle
    return one is other or one.number() == other.number()


def _scalars(*values: Any) -> bool:
    return all(isinstance(value, (ScalarValue, int, float)) for value in values)


def _modulo(lhs: Any, rhs: Any) -> Any:
    """As Python has it: the remainder has the sign of the divisor."""
    if not _scalars(lhs, rhs):
        return NotImplemented
    left, right = together(lhs, rhs, "%")
    if left.dtype.is_float or left.dtype is I1:
        raise Misuse(
            f"'%' is not defined for scalars of type {left.dtype}", expected="whole numbers"
        )
    if _is_unsigned(left.dtype):
        return emitted(_UNSIGNED["mod"], [left, right], left.dtype)
    return left - (left // right) * right


def _negated(value: ScalarValue) -> Any:
    if value.dtype.is_float:
        return emitted("arith.negf", [value], value.dtype)
    return _both("sub", 0, value)


_INT_TESTS = {"eq": "eq", "ne": "ne", "lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"}
_UNSIGNED_TESTS = {"eq": "eq", "ne": "ne", "lt": "ult", "le": "ule", "gt": "ugt", "ge": "uge"}
_FLOAT_TESTS = {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"}


def compare(name: str, lhs: Any, rhs: Any) -> Any:
    """A comparison as Python has it: with NaN, all but `!=` are false."""
    if not _scalars(lhs, rhs):
        return NotImplemented
    left, right = together(lhs, rhs, _SIGNS[name])
    if left.dtype.is_float:
        return emitted("arith.cmpf", [left, right], I1, predicate=_FLOAT_TESTS[name])
    # False is less than True, as a number without a sign.
    tests = _UNSIGNED_TESTS if _is_unsigned(left.dtype) else _INT_TESTS
    return emitted("arith.cmpi", [left, right], I1, predicate=tests[name])


def select(condition: Any, yes: Any, no: Any) -> Any:
    """One of two scalars."""
    dtype = common_or_own(yes, no)
    left, right = convert(yes, dtype), convert(no, dtype)
    return emitted("arith.select", [condition, left, right], left.dtype)


def _extreme(name: str, lhs: Any, rhs: Any) -> Any:
    if not isinstance(lhs, ScalarValue) and not isinstance(rhs, ScalarValue):
        return _PYTHON[name](lhs, rhs)
    left, right = together(lhs, rhs, name)
    if left.dtype.is_int and left.dtype is not I1:
        return emitted(_instruction(name, left.dtype) or "", [left, right], left.dtype)
    better = right > left if name == "max" else right < left
    return select(better, right, left)


def maximum(*values: Any) -> Any:
    """Python's max of scalars."""
    return _fold("max", values)


def minimum(*values: Any) -> Any:
    """Python's min of scalars."""
    return _fold("min", values)


def _fold(name: str, values: tuple[Any, ...]) -> Any:
    whole = values[0] if len(values) == 1 else values
    found, *rest = whole
    for value in rest:
        found = _extreme(name, found, value)
    return found


def convert(value: Any, dtype: DType) -> ScalarValue:
    """A number or scalar as a scalar of a type. Floats become whole numbers by cutting."""
    if not isinstance(value, ScalarValue):
        if isinstance(value, (int, float)):
            return constant(dtype, value)
        raise Misuse(f"{described(value)} is no scalar", expected="a number or a scalar")
    source = value.dtype
    if source is dtype:
        return value
    if source.is_int and dtype.is_int:
        return _resized(value, source, dtype)
    if source.is_float and dtype.is_float:
        if source.bits == dtype.bits:
            return convert(convert(value, F32), dtype)
        name = "arith.extf" if dtype.bits > source.bits else "arith.truncf"
        return emitted(name, [value], dtype)
    if dtype.is_float:
        whole = convert(value, I64) if source is INDEX else value
        return emitted(_of_sign("arith.sitofp", source), [whole], dtype)
    to = I64 if dtype is INDEX else dtype
    return convert(emitted(_of_sign("arith.fptosi", to), [value], to), dtype)


_UNSIGNED_CONVERSIONS = {
    "arith.sitofp": "arith.uitofp",
    "arith.fptosi": "arith.fptoui",
    "arith.extsi": "arith.extui",
    "arith.index_cast": "arith.index_castui",
}


def _of_sign(name: str, dtype: DType) -> str:
    """The conversion of integers of a type."""
    return _UNSIGNED_CONVERSIONS[name] if _is_unsigned(dtype) else name


def _resized(value: ScalarValue, source: DType, dtype: DType) -> ScalarValue:
    if INDEX in (source, dtype):
        other = dtype if source is INDEX else source
        return emitted(_of_sign("arith.index_cast", other), [value], dtype)
    if source.bits == dtype.bits:
        return _typed(_as_bits(value), dtype)
    if dtype.bits < source.bits:
        return emitted("arith.trunci", [value], dtype)
    return emitted(_of_sign("arith.extsi", source), [value], dtype)


def known(value: Any) -> int | None:
    """A whole number of Python, which is known when the kernel is compiled."""
    if isinstance(value, ScalarValue):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None
