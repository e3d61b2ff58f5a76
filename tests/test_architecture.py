"""The rooms import downwards only, no module imports itself through others, and a name means
one thing.

All imports count, those inside functions and those for type checkers too.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "ptoscope"
ROOMS = (
    "version",
    "once",
    "diagnostics",
    "budget",
    "bounded_files",
    "tables",
    "junit",
    "readable",
    "isa",
    "ranges",
    "program",
    "dataflow",
    "expansion",
    "evidence",
    "signature",
    "dlpack",
    "arguments",
    "ir",
    "check",
    "sources",
    "trace",
    "prints",
    "machine",
    "native",
    "engines",
    "tracing",
    "replay",
    "races",
    "timing",
    "watch",
    "view",
    "kernel",
    "xdsl",
    "lang",
    "pto",
    "testing",
    "__init__",
    "demo",
    "docs",
    "cases",
    "cli",
    "__main__",
)
"""From the ground up: a room imports only those before it."""


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(("ptoscope", *(parts[:-1] if parts[-1] == "__init__" else parts)))


@cache
def modules() -> dict[str, ast.Module]:
    """The syntax tree of every module, by name."""
    return {
        module_name(path): ast.parse(path.read_text("utf-8"), str(path))
        for path in sorted(SOURCE.rglob("*.py"))
    }


def room_of(module: str) -> str:
    return [*module.split("."), "__init__"][1]


def imported(name: str) -> set[str]:
    """The modules of this package that a module imports, wherever the import stands."""
    found: set[str] = set()
    for node in ast.walk(modules()[name]):
        if isinstance(node, ast.Import):
            found.update(a.name for a in node.names if a.name.split(".")[0] == "ptoscope")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "ptoscope":
            assert node.module is not None
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in modules() else node.module)
    return found & set(modules()) - {name}


def test_every_room_has_its_place():
    assert {room_of(name) for name in modules()} == set(ROOMS)


def test_rooms_import_downwards_only():
    against = [
        f"{name} imports {other}"
        for name in modules()
        for other in sorted(imported(name))
        if room_of(name) != room_of(other)
        and ROOMS.index(room_of(other)) > ROOMS.index(room_of(name))
    ]
    assert against == []


CONTROL = ("scf.for", "scf.while", "scf.if", "scf.yield", "scf.condition")


def decoded(node: ast.AST) -> str | None:
    """How a piece of code reads a part of a loop, a branch or a scope by its position, or asks
    for one by its name."""
    match node:
        case ast.Constant(value=str(name)) if name in CONTROL:
            return f"names {name}"
        case ast.Subscript(value=ast.Attribute(attr="ops"), slice=ast.UnaryOp(ast.USub())):
            return "takes the last operation of a block"
        case ast.Subscript(value=ast.Attribute(attr="blocks"), slice=ast.Constant()):
            return "takes a block by its number"
        case ast.Subscript(
            value=ast.Attribute(attr="operands"),
            slice=ast.Slice(lower=ast.Constant(3)) | ast.Slice(upper=ast.Constant(3)),
        ):
            return "takes bounds or inits from the operands"
        case ast.Subscript(value=ast.Attribute(attr="args"), slice=ast.Slice(lower=ast.Constant())):
            return "takes what is carried from the arguments"
        case _:
            return None


def test_only_program_knows_where_the_parts_of_control_flow_stand():
    """The others use the named fields. What reads or prints text has their names, and their
    order as the text has it; what builds them of Python has one place for it."""
    found = [
        f"{name}:{getattr(node, 'lineno', 0)} {how}"
        for name, tree in modules().items()
        if name not in ("ptoscope.program", "ptoscope.lang.compile.build")
        and room_of(name) not in ("ir", "xdsl")
        for node in ast.walk(tree)
        if (how := decoded(node)) is not None
    ]
    assert found == []


def test_decoding_by_position_is_noticed():
    for code in (
        'op.name == "scf.for"',
        "block.ops[-1].operands",
        "op.blocks[0]",
        "op.operands[:3]",
        "op.operands[3:]",
        "op.blocks[0].args[1:]",
    ):
        assert any(map(decoded, ast.walk(ast.parse(code)))), code


def test_no_module_imports_itself_through_others():
    assert cycles() == []


def cycles() -> list[list[str]]:
    """Modules that import each other in a circle: strongly connected parts of the graph."""
    graph = {name: sorted(imported(name)) for name in modules()}
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in graph[name]:
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            part = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(part) > 1:
                found.append(sorted(part))

    for name in graph:
        if name not in index:
            visit(name)
    return found


def test_a_name_means_one_thing_in_all_rooms():
    """A public class or type has a name that no other room gives to something else."""
    rooms: dict[str, set[str]] = {}
    for module, tree in modules().items():
        for node in tree.body:
            for name in _defined(node):
                rooms.setdefault(name, set()).add(room_of(module))
    assert {name: found for name, found in rooms.items() if len(found) > 1} == {}


def _defined(node: ast.stmt) -> list[str]:
    """The classes and types that a statement defines: names in capitals are numbers and tables."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    names = [t.id for t in targets if isinstance(t, ast.Name)]
    if isinstance(node, ast.ClassDef):
        names.append(node.name)
    # T and the like are variables of types.
    return [n for n in names if n[0].isupper() and len(n) > 1 and not n.isupper()]
