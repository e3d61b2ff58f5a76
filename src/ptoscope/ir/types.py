"""The types of the text, and the placeholders that stand for one that is not known yet.

The reader has one object for each type, so it compares with `is`.
"""

from __future__ import annotations

import re

from ptoscope.diagnostics import nearest
from ptoscope.isa.dtypes import ALIASES, ELEMENTS, SCALARS, DType, dtype
from ptoscope.isa.foreign import why_not
from ptoscope.isa.parts import MEMORIES
from ptoscope.isa.types import GRANULARITIES, Align, Mask, Ptr, Scalar, Type, VAddr, VReg

MEMORY_NAMES = tuple(name for name, memory in MEMORIES.items() if memory.named)
_SPACES = {word: name for name in MEMORY_NAMES for word in (name, *MEMORIES[name].aliases)}


class Placeholder:
    """Stands for a type: of a mask or a pointer whose parameters the uses decide, or, with no
    `kind`, of a value whose definition is in error; that one fits everywhere. Of a pointer with
    an `element` only the memory is open."""

    def __init__(
        self,
        text: str,
        kind: type[Mask] | type[Ptr] | type[Scalar] | None,
        element: DType | None = None,
    ) -> None:
        self.text = text
        self.kind = kind
        self.element = element

    def __str__(self) -> str:
        return self.text


TextType = Type | Placeholder
"""What the text may say of a value."""

MASK = Placeholder("!pto.mask<G>", Mask)
PTR = Placeholder("!pto.ptr", Ptr)
UNKNOWN = Placeholder("an unknown type", None)
NUMBER = Placeholder("a number", Scalar)
"""Of an operand that is written as a number, while its form is looked for."""


class BadType(Exception):
    """A text that is no type of the product."""

    def __init__(self, message: str, found: str, expected: str, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.found, self.expected, self.hint = message, found, expected, hint


_SCALARS: dict[str, TextType] = {d.name: Scalar(d) for d in SCALARS}
_THE_ONE: dict[TextType, TextType] = {t: t for t in (*_SCALARS.values(), MASK, PTR, UNKNOWN)}
_BY_TEXT: dict[str, TextType] = {
    **_SCALARS,
    **{alias: _SCALARS[name] for alias, name in ALIASES.items() if name in _SCALARS},
}

I1 = _SCALARS["i1"]
I32 = _SCALARS["i32"]
I64 = _SCALARS["i64"]
F64 = _SCALARS["f64"]
INDEX = _SCALARS["index"]


def is_open(type: TextType) -> bool:
    """Whether the uses of a value decide its type."""
    return isinstance(type, Placeholder) and type is not UNKNOWN


def known(type: TextType) -> Type | None:
    """The type, if it is none that something else stands for."""
    return None if isinstance(type, Placeholder) else type


def compatible(one: TextType, other: TextType) -> bool:
    """Whether two types may turn out to be the same."""
    if one is other or one is UNKNOWN or other is UNKNOWN:
        return True
    if _kind(one) is not _kind(other) or not (is_open(one) or is_open(other)):
        return False
    elements = _element_of(one), _element_of(other)
    return elements[0] is elements[1] or None in elements


def _kind(type: TextType) -> object:
    return type.kind if isinstance(type, Placeholder) else type.__class__


def _element_of(type: TextType) -> DType | None:
    if isinstance(type, Placeholder):
        return type.element
    return type.dtype if isinstance(type, Ptr) else None


def the_one(type: TextType) -> TextType:
    """The one object of a type."""
    return _THE_ONE.setdefault(type, type)


def is_type(word: str) -> bool:
    """Whether a word is a scalar type."""
    return word in _SCALARS or ALIASES.get(word) in _SCALARS


def read(text: str) -> TextType:
    """The type written as `text` (one word, or `!pto...`); BadType if it is none."""
    found = _BY_TEXT.get(text)
    if found is None:
        found = _BY_TEXT[text] = the_one(_described(text))
    return found


_NAMES = ("!pto.vreg", "!pto.mask", "!pto.ptr", "!pto.align", "!pto.vaddr")
_KNOWN = f"{', '.join(_NAMES)}, index, an integer or a float type"
NO_VECTORS = "builtin vectors are not modelled"
INSTEAD_OF_VECTORS = (
    "a vecscope computes with !pto.vreg; outside SIMT code no instruction loads or stores a "
    "builtin vector or takes an element out of it"
)
_ADDRESSES = {f"b{bits}": VAddr(bits) for bits in GRANULARITIES}
_SPELLED = [str(kind) for kind in _ADDRESSES.values()]
_MEMREF = re.compile(
    r"(?:(?:\d+|\?)x)*(?P<element>\w+)"
    r"(?:,strided<\[[^]]*\](?:,offset:(?P<offset>\d+|\?))?>)?"
    r"(?:,#pto\.address_space<(?P<space>\w+)>)?"
)


def _described(text: str) -> TextType:
    head, bracket, rest = text.partition("<")
    body = rest.rstrip()[:-1].strip() if bracket else ""
    match head:
        case "!pto.vreg":
            return _vreg(text, body)
        case "!pto.mask":
            return _mask(text, body)
        case "!pto.ptr" | "":
            return _ptr(text, body) if bracket else PTR
        case "vector":
            raise BadType(NO_VECTORS, text, "!pto.vreg or a scalar type", INSTEAD_OF_VECTORS)
        case "!pto.align" if not bracket:
            return Align()
        case "!pto.vaddr":
            if body not in _ADDRESSES:
                raise BadType(f"'{text}' is not a vector address", text, ", ".join(_SPELLED))
            return _ADDRESSES[body]
        case "memref":
            return _memref(text, body)
    known = _NAMES if head.startswith("!") else _SCALARS
    hint = why_not(head) or nearest(head, known)
    raise BadType(f"'{text}' is not a type of kernels", text, _KNOWN, hint)


def _element(text: str, name: str) -> DType:
    try:
        found = dtype(name)
    except KeyError:
        names = ", ".join(d.name for d in ELEMENTS)
        hint = nearest(name, [d.name for d in ELEMENTS])
        raise BadType(f"unknown element type '{name}' in {text}", name, names, hint) from None
    if found not in ELEMENTS:
        names = ", ".join(d.name for d in ELEMENTS)
        raise BadType(f"'{name}' is not an element type", name, names)
    return found


def _vreg(text: str, body: str) -> Type:
    if "," in body:
        name, _, count = (part.strip() for part in body.partition(","))
    else:
        count, x, name = (part.strip() for part in body.partition("x"))
        if not x:
            raise BadType(f"'{text}' is not a vector register", text, "!pto.vreg<64xf32>")
    element = _element(text, name)
    # A count of many digits would not convert, and can only be wrong.
    if not (count.isascii() and count.isdigit()) or len(count) > 4 or int(count) != element.lanes:
        right = f"!pto.vreg<{element.lanes}x{element}>"
        raise BadType(
            f"a vector register holds {element.lanes} lanes of {element} (256 bytes)",
            text,
            right,
            f"write {right}",
        )
    return VReg(element)


def _mask(text: str, body: str) -> TextType:
    if body in ("b8", "b16", "b32"):
        return Mask(int(body[1:]))
    if len(body) == 1 and "A" <= body <= "Z":
        return MASK
    raise BadType(f"'{text}' is not a mask", text, "!pto.mask<b8>, !pto.mask<b16>, !pto.mask<b32>")


def _ptr(text: str, body: str) -> TextType:
    name, comma, space = (part.strip() for part in body.partition(","))
    return _pointer(_element(text, name), space if comma else None)


def _memref(text: str, body: str) -> TextType:
    """A memref is its pointer: what uses one takes it for the address of its first element."""
    match = _MEMREF.fullmatch(body)
    if match is None:
        expected = "memref<8x16xf32, #pto.address_space<ub>>"
        raise BadType(f"'{text}' is not a memref that is read", text, expected)
    if match["offset"] not in (None, "0"):
        hint = "pass the base and the offset by themselves, or a pointer"
        raise BadType(f"the elements of {text} begin at an offset", text, "offset: 0", hint)
    return _pointer(_element(text, match["element"]), match["space"])


def _pointer(element: DType, space: str | None) -> TextType:
    """A pointer; without a space one whose memory the uses decide."""
    if space is None:
        return _OPEN.setdefault(element, Placeholder(f"!pto.ptr<{element}>", Ptr, element))
    if space in _SPACES:
        return Ptr(element, _SPACES[space])
    names = ", ".join(MEMORY_NAMES[:-1]) + f" or {MEMORY_NAMES[-1]}"
    raise BadType(f"unknown memory space '{space}'", space, names, nearest(space, _SPACES))


_OPEN: dict[DType, TextType] = {}
