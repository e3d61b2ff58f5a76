"""Reads the generic form: `"pto.vadd"(%a, %b, %m) <{...}> ({...}) {...} : (T, ...) -> T`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import FloatAttr, FunctionType, IntegerAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.scf import ConditionOp, ForOp, IfOp, WhileOp, YieldOp
from xdsl.ir import Attribute, Operation, Region, SSAValue

from ptoscope.ir import arith, control, forms, functions, scopes, types
from ptoscope.ir.dialect import Instruction
from ptoscope.ir.errors import STRUCTURE, WRONG_OPERANDS, WRONG_TYPE
from ptoscope.ir.module import Note
from ptoscope.ir.reader import Reader
from ptoscope.program import SCOPES

_PLAIN: dict[str, type[Operation]] = {
    "func.return": ReturnOp,
    "scf.yield": YieldOp,
    "scf.condition": ConditionOp,
}
_BODIES = {"builtin.module": 1, "func.func": 1, "scf.for": 1, "scf.if": 2, "scf.while": 2}
_ISOLATED = ("func.func", "pto.strict_vecscope")


def operation(reader: Reader, name: int) -> Operation:
    """Reads one operation in generic form."""
    word = reader.text[name][1:-1]
    if word not in _BODIES and word not in _PLAIN and word not in reader.language.table:
        raise reader.unknown(name, word)
    return _Generic.read(reader, name, word).build()


@dataclass
class _Generic:
    reader: Reader
    name: int
    word: str
    places: tuple[int, ...]
    properties: dict[str, Attribute]
    regions: list[Region]
    attributes: dict[str, Attribute]
    results: list[Attribute]
    head: int
    values: list[SSAValue]

    @classmethod
    def read(cls, reader: Reader, name: int, word: str) -> _Generic:
        reader.expect("(")
        places = tuple(reader.value_list(")"))
        values = [reader.use(place) for place in places]
        if reader.text[reader.i] == "[":
            message = "successors are not supported: kernels have no branches"
            raise reader.findings.stop(STRUCTURE, reader.i, message, found="[")
        properties: dict[str, Attribute] = {}
        if reader.accept("<"):
            properties = reader.dictionary()
            reader.expect(">")
        head = reader.i
        regions = cls._bodies(reader, name, word)
        if regions:
            head = reader.braces[regions[0]][0]
        attributes = reader.dictionary() if reader.text[reader.i] == "{" else {}
        reader.expect(":")
        at = reader.i
        if reader.text[at] != "(":
            raise reader.findings.expected(at, "'('")
        listed = reader.type_list()
        reader.expect("->")
        results = reader.type_list()
        if len(listed) != len(places):
            message = f"{word} has {len(places)} operands, but {len(listed)} types"
            raise reader.findings.stop(
                WRONG_OPERANDS, at, message, found=str(len(listed)), expected=str(len(places))
            )
        for value, type in zip(values, listed, strict=True):
            reader.agree(value, type, at)
        if not regions:
            head = reader.i - 1
        return cls(
            reader, name, word, places, properties, regions, attributes, results, head, values
        )

    @staticmethod
    def _bodies(reader: Reader, name: int, word: str) -> list[Region]:
        regions: list[Region] = []
        if not reader.accept("("):
            return regions
        if word == "func.func":
            if reader.in_function:
                message = "a function cannot stand inside another"
                raise reader.findings.stop(STRUCTURE, name, message, found=word)
            reader.in_function = True
        try:
            while True:
                regions.append(reader.body(isolated=word in _ISOLATED, labelled=True))
                if not reader.accept(","):
                    break
        finally:
            if word == "func.func":
                reader.in_function = False
        reader.expect(")")
        return regions

    def build(self) -> Operation:
        wanted = _BODIES.get(self.word, int(self.word in SCOPES))
        if len(self.regions) != wanted:
            raise self._wrong("bodies", len(self.regions), wanted)
        match self.word:
            case "builtin.module":
                return self._module()
            case "func.func":
                return self._function()
            case "scf.for":
                return self._for()
            case "scf.if":
                return self._if()
            case "scf.while":
                return self._while()
            case "pto.vecscope" | "pto.strict_vecscope":
                return self._scope()
        if self.word in _PLAIN:
            return self._plain()
        if self.word.startswith("arith."):
            return self._arith()
        return self._instruction()

    def _wrong(self, what: str, found: int, wanted: int | str) -> Exception:
        message = f"{self.word} takes {wanted} {what}, found {found}"
        return self.reader.findings.stop(
            WRONG_OPERANDS, self.name, message, found=str(found), expected=str(wanted)
        )

    def _counts(self, operands: int | None, results: int | None) -> None:
        if operands is not None and len(self.places) != operands:
            raise self._wrong("operands", len(self.places), operands)
        if results is not None and len(self.results) != results:
            raise self._wrong("results", len(self.results), results)

    def _create(self, kind: type[Operation]) -> Operation:
        return kind.create(
            operands=self.values,
            result_types=self.results,
            properties=self.properties,
            attributes=self.attributes,
            regions=self.regions,
        )

    def _note(self, op: Operation, form: int = 0, segments: forms.Segments = ()) -> Operation:
        last = self.reader.i - 1
        self.reader.notes[op] = Note(0, 0, self.head, last, self.places, (), form, segments)
        return op

    def _module(self) -> Operation:
        if self.reader.depth:
            message = "a module stands at the top of its file only"
            raise self.reader.findings.stop(STRUCTURE, self.name, message, found=self.word)
        self._counts(0, 0)
        return self._note(self._create(ModuleOp))

    def _function(self) -> Operation:
        self._counts(0, 0)
        given = {**self.attributes, **self.properties}
        symbol, type = given.pop("sym_name", None), given.pop("function_type", None)
        if not isinstance(symbol, StringAttr) or not isinstance(type, FunctionType):
            message = "func.func needs sym_name and function_type"
            raise self.reader.findings.stop(STRUCTURE, self.name, message, found=self.word)
        outputs = [types.intern(t) for t in type.outputs]
        inputs = [types.intern(t) for t in type.inputs]
        arguments = [a.type for a in self.regions[0].block.args]
        if inputs != arguments:
            message = "the body's arguments are not those of function_type"
            found = ", ".join(types.spelling(t) for t in arguments)
            expected = ", ".join(types.spelling(t) for t in inputs)
            raise self.reader.findings.stop(
                WRONG_TYPE, self.name, message, found=found, expected=expected
            )
        self.properties = {
            "sym_name": symbol,
            "function_type": FunctionType.from_lists(inputs, outputs),
        }
        visibility = given.pop("sym_visibility", None)
        if isinstance(visibility, StringAttr):
            self.properties["sym_visibility"] = visibility
        self.attributes = given
        op = self._create(FuncOp)
        assert isinstance(op, FuncOp)
        self._note(op)
        functions.check_function(self.reader, self.name, op)
        return op

    def _for(self) -> Operation:
        carried = len(self.results)
        self._counts(3 + carried, None)
        arguments = [a.type for a in self.regions[0].block.args]
        self._arguments(arguments, [self.values[0].type, *self.results])
        for place, value in zip(self.places[:3], self.values, strict=False):
            self.reader.agree(value, self.values[0].type, place)
        for place, value, type in zip(self.places[3:], self.values[3:], self.results, strict=True):
            self.reader.agree(value, type, place)
        op = self._create(ForOp)
        assert isinstance(op, ForOp)
        return control.finish_loop(self.reader, self.name, op, self.head, self.places)

    def _if(self) -> Operation:
        self._counts(1, None)
        self.reader.agree(self.values[0], types.I1, self.places[0])
        first, second = self.regions
        self._arguments([a.type for r in self.regions for a in r.block.args], [])
        if second.block.first_op is None:
            self.regions = [first, Region()]
        op = self._create(IfOp)
        assert isinstance(op, IfOp)
        return control.finish_if(self.reader, self.name, op, self.head, self.places)

    def _while(self) -> Operation:
        before = [a.type for a in self.regions[0].block.args]
        self._arguments(before, [v.type for v in self.values])
        op = self._create(WhileOp)
        assert isinstance(op, WhileOp)
        return control.finish_while(self.reader, self.name, op, self.head, self.places)

    def _scope(self) -> Operation:
        self._counts(None if "strict" in self.word else 0, 0)
        scopes.check_scope(self.reader, self.name, self.values, self.regions[0])
        return self._note(self._create(self.reader.language.classes[self.word]))

    def _plain(self) -> Operation:
        self._counts(None, 0)
        if self.word == "scf.condition":
            if not self.places:
                raise self._wrong("operands", 0, "at least 1")
            self.reader.agree(self.values[0], types.I1, self.places[0])
        return self._note(self._create(_PLAIN[self.word]))

    def _arith(self) -> Operation:
        record = self.reader.language.table[self.word]
        form = record.forms[0]
        self._counts(len(form.operands), len(form.results))
        given = {**self.attributes, **self.properties}
        if self.word == "arith.constant":
            value = given.get("value")
            if not isinstance(value, IntegerAttr | FloatAttr):
                message = "arith.constant needs a number as its value"
                raise self.reader.findings.stop(WRONG_OPERANDS, self.name, message)
            if value.type != self.results[0]:
                message = "the value's type is not the result's"
                raise self.reader.findings.stop(
                    WRONG_TYPE,
                    self.name,
                    message,
                    found=types.spelling(value.type),
                    expected=types.spelling(self.results[0]),
                )
        if self.word in arith.COMPARISONS:
            predicate = given.get("predicate")
            names = arith.COMPARISONS[self.word]
            if not isinstance(predicate, IntegerAttr) or not 0 <= predicate.value.data < len(names):
                message = f"{self.word} needs a predicate from 0 to {len(names) - 1}"
                raise self.reader.findings.stop(WRONG_OPERANDS, self.name, message)
        inherent = ("value", "predicate", "overflowFlags", "fastmath", *arith.WORDS)
        self.properties = {k: v for k, v in given.items() if k in inherent}
        self.attributes = {k: v for k, v in given.items() if k not in inherent}
        return self._note(self._create(self.reader.language.classes[self.word]))

    def _instruction(self) -> Operation:
        record = self.reader.language.table[self.word]
        known = {a.name for form in record.forms for a in form.attrs}
        for name in [n for n in self.attributes if n in known]:
            self.properties.setdefault(name, self.attributes.pop(name))
        op = self._create(self.reader.language.classes[self.word])
        assert isinstance(op, Instruction)
        chosen = forms.form_of(op)
        if chosen is None:
            attrs = ", ".join(self.properties) or "no attributes"
            found = f"{len(self.places)} operands, {len(self.results)} results and {attrs}"
            expected = forms.expected_counts(record)
            message = f"no form of {record.short} takes {found}"
            raise self.reader.findings.stop(
                WRONG_OPERANDS, self.name, message, found=found, expected=expected
            )
        op.attributes.pop(forms.FORM, None)
        return self._note(op, *chosen)

    def _arguments(self, found: list[Attribute], wanted: list[Attribute]) -> None:
        bad = len(found) != len(wanted) or any(
            not types.compatible(f, w) for f, w in zip(found, wanted, strict=True)
        )
        if bad:
            message = f"the body of {self.word} takes other arguments"
            raise self.reader.findings.stop(
                WRONG_TYPE,
                self.name,
                message,
                found=", ".join(types.spelling(t) for t in found),
                expected=", ".join(types.spelling(t) for t in wanted),
            )
