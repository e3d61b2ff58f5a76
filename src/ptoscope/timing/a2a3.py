"""A2/A3: instructions that repeat over UB, by the manual's formula or by calibrated figures.

An instruction reads and writes UB itself: loads, stores and masks around it are part of it
and cost nothing, but gathers and scatters are instructions. Its repeats are its executions in
one entry of its vecscope. A vecscope that computes nothing copies: its stores are moves.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

import numpy as np

from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import DType
from ptoscope.native.subset import Ints
from ptoscope.timing.a5_ops import FREE, element_type
from ptoscope.timing.figures import Figure, FigureSource, table
from ptoscope.timing.model import Model, PlaceFigures, ScopeTimes, empty_scopes
from ptoscope.timing.scopes import Instructions
from ptoscope.trace.trace import Place, Trace

_MOVED = ("load/store", "predicate load/store", "predicates", "synchronisation")
_INDEXED = ("vgather2", "vgather2_bc", "vgatherb", "vscatter")
"""Loads and stores that are instructions of their own."""
_NO_STARTUP = Figure(0, "manual", "none in the formula")
_LIKE = {
    "vsubs": "vadds", "vands": "vand", "vors": "vor", "vxors": "vand", "vxor": "vand",
    "vshls": "vshl", "vshrs": "vshr", "vaddc": "vadd", "vsubc": "vsub", "vaddcs": "vadd",
    "vsubcs": "vsub", "vneg": "vmuls", "vrec": "vdiv", "vbcnt": "vnot", "vcls": "vnot",
    "vbr": "vmov", "vdup": "vmov", "vci": "vmov", "vcvt": "vabs", "vtrc": "vabs",
    "vcadd": "vadd", "vcmax": "vmax", "vcmin": "vmin", "vcgadd": "vadd", "vcgmax": "vmax",
    "vcgmin": "vmin", "vcpadd": "vadd", "vcmp": "vmax", "vcmps": "vmaxs", "vsel": "vand",
    "vselr": "vand", "vselrv2": "vand", "vintlv": "vmov", "vdintlv": "vmov",
    "vintlvv2": "vmov", "vdintlvv2": "vmov", "vslide": "vmov", "vshift": "vmov",
    "vsqz": "vmov", "vusqz": "vmov", "vperm": "vmov", "vpack": "vmov", "vsunpack": "vmov",
    "vzunpack": "vmov", "vprelu": "vmul", "vexpdif": "vexp", "vaxpy": "vmul", "vmull": "vmul",
    "vmula": "vmul", "vaddrelu": "vadd", "vsubrelu": "vsub", "vaddreluconv": "vadd",
    "vmulconv": "vmul", "vmaxs": "vmax", "vmins": "vmin", "vlrelu": "vmuls", "vnot": "vand",
    "vmov": "vabs", "vadds": "vadd", "vmuls": "vmul", "vgather2": "vmov", "vgatherb": "vmov",
    "vgather2_bc": "vgather2", "vscatter": "vgather2",
}  # fmt: skip
"""The nearest class, for an instruction without a figure of its own."""


class A2A3(Model):
    """What both models share: repeats are counted, a vecscope is a sequence."""

    target = "a2a3"

    def scopes(self, trace: Trace, code: Instructions) -> ScopeTimes:
        entries = len(code.entry_at) - 1
        found = empty_scopes(trace, entries)
        found.head = np.zeros(max(1, entries), dtype=np.int64)
        found.tail = np.zeros(max(1, entries), dtype=np.int64)
        if not len(code):
            return found
        places = len(trace.places)
        pairs, repeats = np.unique(code.entry * places + code.place, return_counts=True)
        entry, place = pairs // places, pairs % places
        working = np.array([_works(p) for p in trace.places], dtype=bool)
        computes = np.zeros(entries, dtype=bool)
        computes[entry[working[place]]] = True
        copying = np.array([_stores(p) for p in trace.places], dtype=bool)
        kept = working[place] | (copying[place] & ~computes[entry])
        self._charge(trace, entry[kept], place[kept], repeats[kept], found)
        return found

    @abstractmethod
    def _charge(
        self, trace: Trace, entry: Ints, place: Ints, repeats: Ints, found: ScopeTimes
    ) -> None:
        """Adds the cycles of instructions, in program order within their entry."""

    def _given(self, place: Place, trace: Trace, name: str, otherwise: Figure) -> Figure:
        short = _name(place)
        dtype = element_type(trace.function, place.op)
        given = self.overrides.get(f"{short}.{dtype}.{name}", f"{short}.{name}")
        return given or otherwise


def _works(place: Place) -> bool:
    record = place.record
    if place.scope < 0 or record is None or record.pipe != "PIPE_V" or record.short in FREE:
        return False
    return record.group not in _MOVED or record.short in _INDEXED


def _stores(place: Place) -> bool:
    record = place.record
    return place.scope >= 0 and record is not None and record.short.startswith(("vst", "vss"))


def _name(place: Place) -> str:
    """The instruction; a store that stands for a copy is a move."""
    assert place.record is not None
    return "vmov" if _stores(place) else place.record.short


class Manual(A2A3):
    """startup + completion + repeats * per_repeat + (repeats - 1) * interval."""

    name = "manual"
    fields = ("startup", "completion", "per_repeat", "interval")

    def bandwidth(self, path: str) -> tuple[Figure, Figure]:
        said = {row["path"]: row for row in table("a2a3_bandwidth.csv") if row["basis"] == "manual"}
        rate = (
            Figure(float(said[path]["bytes_per_cycle"]), "manual")
            if path in said
            else Figure(128, "assumed", f"{path}: as the manual's GM to UB")
        )
        return (
            self.overrides.figure(f"dma.{path}.bytes_per_cycle", rate),
            self.overrides.figure(f"dma.{path}.startup", _NO_STARTUP),
        )

    def outside(self, name: str) -> tuple[Figure, Figure, Figure]:
        note = f"{name}: as the transcendental instructions"
        figures = (
            ("head", Figure(14 + 26, "assumed", note)),
            ("per_repeat", Figure(4 + 18, "assumed", note)),
            ("tail", Figure(0, "assumed", note)),
        )
        head, each, tail = (self.overrides.figure(f"{name}.{k}", f) for k, f in figures)
        return head, each, tail

    def _charge(
        self, trace: Trace, entry: Ints, place: Ints, repeats: Ints, found: ScopeTimes
    ) -> None:
        for index in np.unique(place):
            mine = place == index
            figures = self._figures(trace, trace.places[int(index)])
            start, completion, each, interval = (f.cycles for f in figures.values())
            spent = start + completion + repeats[mine] * each + (repeats[mine] - 1) * interval
            np.add.at(found.cycles, entry[mine], spent)
            found.busy[index] += int(spent.sum())

    def _figures(self, trace: Trace, place: Place) -> dict[str, Figure]:
        dtype = element_type(trace.function, place.op)
        name = _name(place)
        constants, source, note = _constants(name, dtype)
        figures = {
            key: self._given(place, trace, key, Figure(value, source, note))
            for key, value in constants.items()
        }
        self.used[place.index] = PlaceFigures(name, figures)
        return figures


def _constants(name: str, dtype: DType | None) -> tuple[dict[str, int], FigureSource, str]:
    """The document's constants of an instruction; of its nearest class where it has none."""
    first = name
    while True:
        record = TABLE.get(f"pto.{name}")
        said = record.cost.a2a3 if record else {}
        found = _of_type(said, dtype) if said else None
        if found:
            source: FigureSource = "manual" if name == first else "assumed"
            return found, source, "" if name == first else f"{first}: as {name}"
        if said:
            near = next(v for k, v in said.items() if k.startswith("completion"))
            constants = {**_rest(said, dtype), "completion": near}
            note = f"{first}.{dtype}: completion of another element type of {name}"
            return _ordered(constants), "assumed", note
        name = _LIKE[name]


def _of_type(figures: Mapping[str, int], dtype: DType | None) -> dict[str, int] | None:
    names = [f"completion_{dtype}"] if dtype else ["completion_float", "completion_int"]
    if dtype is not None and dtype.name != "bf16":
        names.append("completion_float" if dtype.is_float else "completion_int")
    for name in names:
        if name in figures:
            return _ordered({**_rest(figures, dtype), "completion": figures[name]})
    return None


def _rest(said: Mapping[str, int], dtype: DType | None) -> dict[str, int]:
    each = said.get(f"per_repeat_{dtype}", said["per_repeat"])
    return {"startup": said["startup"], "per_repeat": each, "interval": said["interval"]}


def _ordered(constants: dict[str, int]) -> dict[str, int]:
    return {key: constants[key] for key in ("startup", "completion", "per_repeat", "interval")}


class Calibrated(A2A3):
    """head, if the pipe is idle, + per_repeat * repeats; the tail until all is complete."""

    name = "calibrated"
    fields = ("head", "per_repeat", "tail")

    def bandwidth(self, path: str) -> tuple[Figure, Figure]:
        said = {row["path"]: row for row in table("a2a3_bandwidth.csv") if row["basis"] != "manual"}
        rate = Figure(float(said[path]["bytes_per_cycle"]), "measured", said[path]["basis"])
        start = Figure(0, "assumed", f"{path}: no start-up of a transfer")
        return (
            self.overrides.figure(f"dma.{path}.bytes_per_cycle", rate),
            self.overrides.figure(f"dma.{path}.startup", start),
        )

    def outside(self, name: str) -> tuple[Figure, Figure, Figure]:
        row, source, note = _calibrated(name)
        head, each, tail = (
            self.overrides.figure(f"{name}.{k}", Figure(int(row[k]), source, note))
            for k in ("head", "per_repeat", "tail")
        )
        return head, each, tail

    def _charge(
        self, trace: Trace, entry: Ints, place: Ints, repeats: Ints, found: ScopeTimes
    ) -> None:
        assert found.head is not None
        assert found.tail is not None
        # In program order, so that the first of an entry gives the head, the last the tail.
        first = np.ones(len(entry), dtype=bool)
        first[1:] = entry[1:] != entry[:-1]
        last = np.ones(len(entry), dtype=bool)
        last[:-1] = first[1:]
        for index in np.unique(place):
            mine = place == index
            head, each, tail = (
                f.cycles for f in self._figures(trace, trace.places[int(index)]).values()
            )
            spent = repeats[mine] * each
            spent[first[mine]] += head
            spent[last[mine]] += tail
            found.head[entry[mine & first]] = head
            found.tail[entry[mine & last]] = tail
            np.add.at(found.cycles, entry[mine], spent)
            found.busy[index] += int(spent.sum())

    def _figures(self, trace: Trace, place: Place) -> dict[str, Figure]:
        name = _name(place)
        row, source, note = _calibrated(name, str(place.op.attrs.get("mode", "")))
        figures = {
            key: self._given(place, trace, key, Figure(int(row[key]), source, note))
            for key in ("head", "per_repeat", "tail")
        }
        self.used[place.index] = PlaceFigures(name, figures)
        return figures


_ROWS = {
    "vmov": "vcopy",
    "vdup": "vector_dup",
    "vbr": "vector_dup",
    "vcvt": "vconv",
    "vtrc": "vconv",
    "vgather2": "vgather",
    "vsort32": "vbitsort",
}


def _calibrated(name: str, mode: str = "") -> tuple[dict[str, str], FigureSource, str]:
    rows = {row["op"]: row for row in table("a2a3_ops.csv")}
    first = name
    while True:
        for row in (f"{name.replace('vcmp', 'vcmpv')}_{mode.lower()}", _ROWS.get(name, name)):
            if row in rows:
                placeholder = rows[row]["basis"] == "placeholder"
                source: FigureSource = "assumed" if placeholder or name != first else "measured"
                note = rows[row]["basis"] if name == first else f"as {row}"
                return rows[row], source, f"{first}: {note}"
        name = _LIKE.get(name, "vcopy")
