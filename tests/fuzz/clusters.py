"""Random programs of a cluster: `generate_cluster(seed)` gives a kernel for the matrix core, in
which tiles come into L1, are loaded, multiplied and drained, perhaps by way of a vector core.

They are kernels of their own: a program of stages (`programs.generate`) runs on one vector core,
and what reads its traces, times and shadows expects that. Every instruction of the matrix core
takes part. What is left out: faults (the attacks on copies have them), loops around steps, and
the modes of drains that no document defines.
"""

from __future__ import annotations

import random

from ptoscope.docs.line import NamedValues
from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import BF16, F8E4M3, F16, F32, I8, I32, I64, DType
from ptoscope.isa.record import AttrValue
from ptoscope.isa.targets import REVISIONS, TARGETS, Revision
from ptoscope.isa.types import Scalar
from tests.fuzz.cluster_text import REGION, ClusterText, Place
from tests.fuzz.programs import Program, generate
from tests.fuzz.tile_drains import Drain, drawn_drain

OUT = 4096
"""Elements of a result."""
FACTORS = ((F16, F32), (BF16, F32), (F32, F32), (I8, I32), (F8E4M3, F32))


def any_program(seed: int) -> Program:
    """One of a vector core, or, of every fifth seed, one of a cluster."""
    return generate_cluster(seed) if seed % 5 == 1 else generate(seed)


def generate_cluster(seed: int) -> Program:
    """The program of a seed, always the same."""
    return _Writer(seed).program()


class _Writer(ClusterText):
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(f"ptoscope cluster {seed}")
        super().__init__(rng, TARGETS[rng.choice(("a5", "a5", "a5", "a5", "a2a3", "cpu"))])
        self.seed = seed
        self.revision: Revision = rng.choice(REVISIONS)
        legal = [pair for pair in FACTORS if pair[0] is not F8E4M3 or self.target.name == "a5"]
        self.factor, self.sum = rng.choice(legal)
        self.m, self.n, self.k = (rng.choice((1, 8, 16, 17, 31, 32)) for _ in "mnk")
        if self.factor is F8E4M3:
            self.k = 64

    def program(self) -> Program:
        places = [self.operand(space) for space in ("l0a", "l0b")]
        bias = self.bias() if self.rng.random() < 0.4 else None
        published = self.rng.random() < 0.3
        result = self.product(places, bias, published)
        drain = drawn_drain(self.rng, self.target, self.sum, (self.m, self.n), published)
        self.drained(result, drain)
        name = self.target.name
        return Program(self.seed, self.text(), name, self.revision, 1, tuple(self.parameters))

    # The way of a tile.

    def in_l1(self, dtype: DType, size: int = REGION) -> Place:
        """So many bytes of L1, in one of the ways there are."""
        ways = ["mte_gm_l1", "copy_gm_to_cbuf", "raw_fill_l1"]
        if dtype.bits <= 32 and size == REGION:
            ways.append("mte_gm_l1_frac")
        if self.target.name == "a5":
            ways += ["mte_ub_l1", "copy_ubuf_to_cbuf"]
        way, place = self.rng.choice(ways), self.place("l1", dtype)
        rows = self.rng.choice((1, 2, 4))
        row = size // rows
        numbers = {"len_burst": row, "n_burst": rows, "src_stride": row, "dst_stride": row}
        numbers |= {"loop_count": 2, "loop_src_stride": 0, "loop_dst_stride": 0}
        match way:
            case "raw_fill_l1":
                width = self.rng.choice((16, 32))
                numbers = {"raw_value": self.rng.getrandbits(31), "repeat_times": rows}
                numbers |= {"block_num_32b": row // 32}
                self.step(way, {"dst": place}, numbers, {"fill_word_bits": width})
            case "mte_gm_l1_frac":
                high, wide = 32, REGION // 64 // dtype.bytes
                pitch = (wide + 3) * dtype.bytes
                mode = self.rng.choice(("nd2nz", "dn2nz"))
                numbers = {"n_value": high, "d_value": wide, "src_inner_stride": pitch}
                numbers |= {"group_count": 2, "dst_loop2_stride": 1, "dst_loop3_stride": high}
                numbers |= {"src_outer_stride": 64, "dst_loop4_stride": REGION // 64}
                source = self.array(dtype, 4 * REGION)
                self.step(way, {"src": source, "dst": place}, numbers, {"mode": mode})
            case "mte_ub_l1" | "copy_ubuf_to_cbuf":
                ub, source = self.place("ub", dtype), self.array(dtype, size // dtype.bytes)
                fill, record = TABLE["pto.mte_gm_ub"], TABLE[f"pto.{way}"]
                self.before += [
                    self.line(fill, fill.forms[0], {"src": source, "dst": ub}, numbers),
                    "pto.barrier #pto.pipe<PIPE_ALL>",
                ]
                numbers = {"len_burst": row // 32, "n_burst": rows}
                operands = {"src": ub, "dst": place}
                self.before.append(self.line(record, record.forms[0], operands, numbers))
            case _:
                source = self.array(dtype, size // dtype.bytes)
                self.step(way, {"src": source, "dst": place}, numbers)
        return place

    def operand(self, space: str) -> Place:
        """A tile of L0A or L0B with its scales."""
        rng, dtype = self.rng, self.factor
        place, source = self.place(space, dtype), self.in_l1(dtype)
        sizes = {"m": self.m, "n": self.n, "k": self.k}
        swaps = rng.random() < 0.4
        other, c0 = (self.m if space == "l0a" else self.n), 32 // dtype.bytes
        if dtype is I8 and (other % 32 or self.k % 32):
            swaps = False
        attrs: dict[str, AttrValue] = {"transpose": int(swaps)}
        operands = {"src": source, "dst": place}
        if self.target.name != "a2a3" and rng.random() < 0.3:
            rows, columns = (self.k, other) if swaps else (other, self.k)
            high, wide = -(-rows // 16), -(-columns // c0)
            high += high % 2 if dtype is I8 and swaps else 0
            numbers = {"m_step": high, "k_step": wide, "src_stride": high}
            numbers["dst_stride"] = -(-wide * c0 // 16) if swaps else high
            self.step(f"load_cbuf_to_c{space[-1]}", operands, numbers, attrs)
        else:
            form = rng.randrange(2)
            start = {"start_row": rng.randrange(2), "start_col": rng.randrange(2)}
            self.step(f"mte_l1_{space}", operands, {**sizes, **start}, attrs, form=form)
        if dtype is F8E4M3:
            scales, form = self.in_l1(dtype), rng.randrange(2)
            operands = {"src": scales, "dst": place}
            numbers = {**sizes, "start_row": rng.randrange(2), "start_col": 0}
            self.step(f"mte_l1_{space}_mx", operands, numbers, form=form)
        return place

    def bias(self) -> Place:
        place = self.place("bt", self.sum, 1024)
        half = self.rng.choice((F16, BF16, F32)) if self.sum is F32 else I32
        source, length = self.in_l1(half, 1024), -(-self.n * half.bytes // 32)
        numbers = {"len_burst": length, "n_burst": 1}
        self.step("mte_l1_bt", {"src": source, "dst": place}, numbers)
        return place

    def product(self, operands: list[Place], bias: Place | None, published: bool) -> Place:
        rng, scaled = self.rng, "_mx" if self.factor is F8E4M3 else ""
        place = self.place("l0c", self.sum, 2 * REGION)
        given = {"lhs": operands[0], "rhs": operands[1], "dst": place}
        sizes = {"m": self.m, "n": self.n, "k": self.k}

        def attributes(last: bool) -> dict[str, AttrValue]:
            made: dict[str, AttrValue] = {"n_dir": rng.randrange(2)}
            made["disable_gemv"] = rng.randrange(2)
            if self.factor.is_float:
                made["sat_mode"] = rng.choice(("sat", "nosat", "unset"))
            if self.factor is F32 and self.target.name != "a2a3":
                made["tf32_mode"] = rng.choice(("round_even", "round_away", "off"))
            if published and last:
                made["unit_flag"] = "check_and_set"
            return made

        adds = rng.random() < 0.4
        if bias is None:
            self.step(f"mad{scaled}", given, sizes, attributes(not adds))
        else:
            given["bias"] = bias
            self.step(f"mad{scaled}_bias", given, sizes, attributes(not adds))
        if adds:
            self.step(f"mad{scaled}_acc", given, sizes, attributes(True))
        return place

    def drained(self, result: Place, drain: Drain) -> None:
        """Where the result goes, and from there to GM."""
        clauses: list[tuple[str, NamedValues]] = []
        for keyword, payload in drain.payloads.items():
            if payload == "vector":
                fb, source = self.place("fb", F32, 512), self.in_l1(F32, 1024)
                numbers = {"len_burst": 4, "n_burst": 1}
                self.step("mte_l1_fb", {"src": source, "dst": fb}, numbers)
                clauses.append((keyword, {keyword: fb}))
            else:
                assert isinstance(payload, int)
                dtype = F32 if keyword in ("pre_quant", "pre_relu") else I64
                name = self.float(payload) if dtype is F32 else self.number(payload)
                clauses.append((keyword, {keyword: (name, Scalar(dtype))}))
        numbers = {**drain.numbers, "m": self.m, "n": self.n}
        if drain.space == "gm":
            target = self.array(drain.dtype, OUT)
        else:
            target = self.place(drain.space, drain.dtype, 2 * REGION)
        operands = {"src": result, "dst": target}
        self.step(f"mte_l0c_{drain.space}", operands, numbers, drain.attrs, clauses)
        if drain.space == "l1":
            ub = self.place("ub", drain.dtype, 2 * REGION)
            way = self.rng.choice(("mte_l1_ub", "copy_cbuf_to_ubuf"))
            numbers = {"len_burst": REGION // 32, "n_burst": 1, "loop_count": 2}
            self.step(way, {"src": target, "dst": ub}, numbers)
            target = ub
        if drain.space != "gm":
            out = self.array(drain.dtype, REGION // drain.dtype.bytes)
            record, size = TABLE["pto.mte_ub_gm"], REGION
            numbers = {"len_burst": size, "n_burst": 1}
            operands = {"src": target, "dst": out}
            self.after.append(self.line(record, record.forms[0], operands, numbers))
