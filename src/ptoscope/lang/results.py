"""Products on their way out of L0C: to GM, to L1 or to UB, scaled, cut and converted."""

from __future__ import annotations

from typing import Any, NamedTuple

from ptoscope.isa import atomics
from ptoscope.isa.drain_values import MODES, NONE
from ptoscope.isa.dtypes import F16, F32, I8, I16, UI8, DType
from ptoscope.isa.tiles import RESULT_COLUMNS, block_columns
from ptoscope.lang import instructions
from ptoscope.lang.buffers import ArrayPiece, GmTile
from ptoscope.lang.matrices import FlatArray, MatrixView, whole
from ptoscope.lang.scalars import constant, known
from ptoscope.lang.values import SCALAR_CLASSES, Misuse, PointerValue, described

SPLITS = ("split_m", "split_n")


class Changes(NamedTuple):
    """What becomes of a product on its way: `scale` and `relu` are numbers or parameters in FB,
    True is the plain relu."""

    relu: Any = False
    scale: Any = None
    clip: Any = None
    atomic: str | None = None


def store_result(
    source: MatrixView[Any], target: Any, changes: Changes, core: Any, pitch: Any
) -> None:
    """Copies a product, or a part of one: one instruction."""
    if core is not None and isinstance(target, (GmTile, MatrixView)):
        raise Misuse("only UB is that of a vector core", found=f"core={core!r}")
    clauses = _clauses(source.matrix.dtype, _element(target), changes)
    pointer, stride = _begin(source), source.matrix.pitch
    if isinstance(target, GmTile):
        if source.swapped:
            raise Misuse("a product is not transposed on its way out")
        if changes.atomic is not None:
            clauses["atomic_type"] = atomics.suffix(_element(target))
            clauses["atomic_op"] = changes.atomic
        _covers(source, target)
        sizes = target.rows.count, target.columns.count
        instructions.call(
            "pto.mte_l0c_gm",
            pointer,
            target.pointer,
            *sizes,
            stride,
            target.width,
            0,
            0,
            layout="nz2nd",
            **clauses,
        )
        return
    if changes.atomic is not None:
        raise Misuse("only arrays in GM are updated", found=f"atomic={changes.atomic!r}")
    if isinstance(target, MatrixView):
        _to_l1(source, target, clauses)
    else:
        _to_ub(source, target, clauses, core, pitch)


def _covers(source: MatrixView[Any], target: GmTile[Any]) -> None:
    """Misuse where there is more room in GM than the product has."""
    have, wanted = (source.rows.size, source.columns.size), (target.rows.size, target.columns.size)
    pairs = zip(have, wanted, strict=True)
    if any(mine is not None and asked is not None and asked > mine for mine, asked in pairs):
        raise Misuse(
            "the product has fewer elements than where it goes to",
            found=" x ".join(map(str, wanted)),
            expected="at most " + " x ".join(map(str, have)),
        )


def _element(target: Any) -> DType:
    return (target.matrix if isinstance(target, MatrixView) else target.array).dtype


def _begin(source: MatrixView[Any]) -> Any:
    """The pointer to the first element of a part."""
    row, column = source.rows.start, source.columns.start
    if known(row) == known(column) == 0:
        return source.matrix
    start = column * source.matrix.pitch + row * RESULT_COLUMNS
    return instructions.call("pto.addptr", source.matrix, start)


def _to_l1(source: MatrixView[Any], target: MatrixView[Any], clauses: dict[str, Any]) -> None:
    """As fractals of the destination's type: blocks of 32 bytes of columns, one after the other."""
    matrix = target.matrix
    if not target.is_whole or source.swapped:
        raise Misuse("a product becomes a matrix of its own in L1", hint="store all of it")
    rows, columns = source.rows.count, source.columns.count
    matrix.counts = rows, columns
    block, stride = block_columns(matrix.dtype), source.matrix.pitch
    pointers = _begin(source), matrix
    if block < RESULT_COLUMNS:
        step = matrix.pitch * block
        instructions.call(
            "pto.mte_l0c_l1",
            *pointers,
            rows,
            columns,
            stride,
            step,
            layout="nz2nz",
            nz2nz=1,
            **clauses,
        )
        return
    count = source.columns.size
    if count is None or known(columns) is None or count % block:
        raise Misuse(
            f"a product becomes {matrix.dtype} in L1 in whole blocks of {block} columns",
            found=f"{described(columns)} columns",
        )
    loop = count // block, stride * (block // RESULT_COLUMNS), matrix.pitch * block
    instructions.call(
        "pto.mte_l0c_l1",
        *pointers,
        rows,
        block,
        stride,
        block,
        layout="nz2nd",
        loop3=loop,
        **clauses,
    )


def _to_ub(
    source: MatrixView[Any],
    target: ArrayPiece[Any],
    clauses: dict[str, Any],
    core: Any,
    pitch: Any,
) -> None:
    """As rows, to the UB of one vector core or a half to each."""
    if core is None:
        raise Misuse(
            "which vector core gets it is not said", expected='core=0, core=1 or core="split_m"'
        )
    rows, columns = source.rows.count, source.columns.count
    if isinstance(core, str):
        if core not in SPLITS:
            raise Misuse(f"a product is not split like this: {core!r}", expected=", ".join(SPLITS))
        where: dict[str, Any] = {"dst_split": core}
    else:
        where = {"dst_mode": core}
    if core == "split_m":
        # Of an odd number of rows the second half has one more, which nobody has computed.
        rows = whole(rows, 2)
    width = columns // 2 if core == "split_n" else columns
    step = width if pitch is None else pitch
    high = rows // 2 if core == "split_m" else rows
    needed = known(high * step)
    if needed is not None and target.size is not None and needed > target.size:
        raise Misuse(
            f"{needed} elements do not fit an array of {target.size}",
            found=str(needed),
            expected=f"at most {target.size}",
        )
    pointers = _begin(source), target.pointer
    stride = source.matrix.pitch
    named = {"layout": "nz2nd", **where, **clauses}
    instructions.call("pto.mte_l0c_ub", *pointers, rows, columns, stride, step, **named)


def _clauses(source: DType, target: DType, changes: Changes) -> dict[str, Any]:
    """The clauses of what becomes of a product."""
    found: dict[str, Any] = {}
    scale, relu = changes.scale, changes.relu
    vector = isinstance(scale, FlatArray)
    mode = _mode(source, target, scale is not None, vector)
    if mode != NONE:
        found["pre_quant_mode"] = mode
        found["pre_quant"] = _payload(1.0 if scale is None else scale)
    if relu is True:
        found["pre_relu_mode"] = "normal_relu"
    elif relu is not False and relu is not None:
        found["pre_relu_mode"] = "vector_relu" if isinstance(relu, FlatArray) else "scalar_relu"
        found["pre_relu"] = _payload(relu)
    if changes.clip is not None:
        found.setdefault("pre_relu_mode", "no_relu")
        clip = changes.clip
        kind = F16 if target is F16 else I16 if target is UI8 or target.bits == 16 else I8
        found["clip"] = constant(kind, clip) if isinstance(clip, (int, float)) else clip
    return found


def _payload(value: Any) -> Any:
    if isinstance(value, PointerValue):
        if value.type.space != "fb":
            raise Misuse(f"{described(value)} has no parameters", expected="pto.fb(...)")
        # Words of 64 bits are taken as what they are for.
        words = not value.dtype.is_float
        return (
            instructions.call("pto.castptr", value, dtype=SCALAR_CLASSES[F32]) if words else value
        )
    return constant(F32, value) if isinstance(value, (int, float)) else value


def _mode(source: DType, target: DType, scaled: bool, vector: bool) -> str:
    """How elements of a type become those of another: the first mode that does just that."""
    if source is target and not scaled:
        return NONE
    fits = [
        name
        for name, mode in MODES.items()
        if source in mode.sources and target in mode.targets and not mode.half
    ]
    named = [name for name in fits if MODES[name].vector == vector and MODES[name].scales == scaled]
    # What only scaling converts is scaled by 1.
    named += [name for name in fits if not scaled and not MODES[name].vector]
    if not named:
        raise Misuse(
            f"a product of {source} does not become {target}",
            hint="there are f16, bf16, f32 and 8-bit types" if source.is_float else "",
        )
    return named[0]
