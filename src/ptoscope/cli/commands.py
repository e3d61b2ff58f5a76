"""The commands and their options: what each takes, and what the help says of it."""

from __future__ import annotations

from typing import NamedTuple

from ptoscope.engines import ENGINES


class Option(NamedTuple):
    """One option. `value` names its value in the help; empty for a switch. `choices` are
    the values it takes, where they are few. One that may be given `many` times has all its
    values, with commas between them."""

    name: str
    value: str
    doc: str
    choices: tuple[str, ...] = ()
    many: bool = False


class Command(NamedTuple):
    """One command: its arguments as shown, how many there may be, its own options."""

    name: str
    usage: str
    doc: str
    least: int
    most: int | None
    options: tuple[Option, ...] = ()


# Kept here and not read from the instruction set, so that wrong usage is reported without
# loading it; a test compares them.
TARGETS = ("cpu", "a2a3", "a5")
REVISIONS = ("manual", "micro")
ACCUMULATE = ("sequential", "exact")
LEVELS = ("ssa", "dps", "asm")

COMMON = (
    Option("target", "NAME", "cpu, a2a3 or a5 (default: what the module names, else a5)", TARGETS),
    Option(
        "revision",
        "NAME",
        "manual, micro or auto (default): what the module names, else manual where the text is "
        "legal there, else micro",
        (*REVISIONS, "auto"),
    ),
    Option("json", "", "one JSON object on stdout and nothing else; inf and nan are strings"),
    Option("help", "", "this text"),
)
VERSION = Option("version", "", "the version")
_ENTRY = Option("entry", "NAME", "the function (default: the only one, or the only kernel)")
_GRID = Option("grid", "N", "how many blocks to launch (default: 1)")
_ENGINE = Option("engine", "NAME", "native (default) or reference", ENGINES)
_STRICT = Option("strict", "", "a warning fails as an error does: exit status 1")
_ACCUMULATE = Option(
    "accumulate", "HOW", "sums of the matrix unit: sequential (default) or exact", ACCUMULATE
)
_MAX_STEPS = Option("max-steps", "N", "stop a block after so many iterations of its loops")
_MODEL = Option("model", "NAME", "calibrated (default) or manual", ("calibrated", "manual"))
_RTOL = Option("rtol", "X", "by how much of the expected it may differ (default: 0)")
_ATOL = Option("atol", "X", "by how much it may differ at any rate (default: 0)")
_FORCE = Option("force", "", "run it although addresses or synchronisation are wrong")

COMMANDS = {
    c.name: c
    for c in (
        Command(
            "run",
            "KERNEL [ARG...]",
            "run a kernel; ARGs by parameter: a .npy or .bin file, zeros:20x300, undefined:N, "
            "randn:N, arange:N or a number",
            1,
            None,
            (
                _ENTRY,
                _GRID,
                _ENGINE,
                Option("threads", "N", "blocks that run at once (default: one per processor)"),
                _MAX_STEPS,
                _ACCUMULATE,
                Option("races", "", "find accesses that nothing orders (either engine)"),
                Option("poison", "", "find undefined data that matters (reference engine)"),
                Option("schedule", "ORDER", "program, lazy, eager or seed:N (reference engine)"),
                Option("schedules", "N", "try N other legal orders, compare (reference engine)"),
                Option("check", "all", "all three together (reference engine)", ("all",)),
                _STRICT,
                _FORCE,
                Option("expect", "ARG=FILE", "fail unless an argument ends as in FILE", many=True),
                _RTOL,
                _ATOL,
                Option("against", "WHAT", "where it departs from B.pto, revision:micro, lines.py"),
                Option("print", "LINE:%VALUE", "print it when that line has run", many=True),
                Option("save", "DIR", "write every pointer argument there as .npy and .bin"),
                Option("chosen", "", "list the behaviour it depends on that no document fixes"),
            ),
        ),
        Command(
            "time",
            "KERNEL [KERNEL] [ARG...]",
            "cycles of a run by a model of the target, with reasons; ARGs as in run",
            1,
            None,
            (
                _ENTRY,
                _GRID,
                _ENGINE,
                _MODEL,
                Option("set", "FIGURE=N", "other figures, as vadd.f32.latency=9", many=True),
                Option("calibration", "FILE", "a CSV file of figures"),
                Option("compare", "", "two kernels on the same arguments, line by line"),
                Option("trace", "FILE", "write the schedule for Perfetto (Chrome trace format)"),
                _MAX_STEPS,
                _ACCUMULATE,
                Option("force", "", "time it although addresses or synchronisation are wrong"),
            ),
        ),
        Command(
            "calibrate",
            "POINTS",
            "fit the figures of a model to measured cycles: a CSV file of kernels or bodies",
            1,
            1,
            (
                Option("fit", "FIGURES", "which, as core.*,vadd.f32.latency", many=True),
                Option("rounds", "N", "search so many rounds at most (default: 20)"),
                Option(
                    "leave-out",
                    "WHAT",
                    "also fit without each point or family",
                    ("point", "family"),
                ),
                Option("output", "FILE", "(-o) write the figures there, for time --calibration"),
                _MODEL,
                Option("set", "FIGURE=N", "begin with other figures", many=True),
                Option("calibration", "FILE", "begin with a CSV file of figures"),
                _MAX_STEPS,
            ),
        ),
        Command(
            "trace",
            "KERNEL [ARG...]",
            "the instructions of a run as they are executed, with the values they make; ARGs as in "
            "run",
            1,
            None,
            (
                _ENTRY,
                _GRID,
                Option("line", "LINES", "only these lines, as 71,80..85", many=True),
                Option("pipe", "PIPES", "only what these pipes execute, as PIPE_V", many=True),
                Option("watch", "BYTES", "only what touches bytes, as ub:0..256", many=True),
                Option("show", "KINDS", "vregs, masks, scalars, memory or all", many=True),
                Option("until", "PLACE", "stop at a line (71, or 71:2), at nan or undefined"),
                Option("limit", "N", "show so many (default: 10000)"),
                _MAX_STEPS,
                _ACCUMULATE,
                _FORCE,
            ),
        ),
        Command(
            "view",
            "KERNEL [KERNEL] [ARG...]",
            "write a page that shows a run, or two kernels on the same arguments; ARGs as in run",
            1,
            None,
            (
                Option("output", "FILE", "(-o) where to write it (default: the kernel's .html)"),
                _ENTRY,
                _GRID,
                _MODEL,
                _MAX_STEPS,
                _ACCUMULATE,
                Option(
                    "expect",
                    "ARG=FILE",
                    "what an argument should end as: the page goes to the first difference",
                    many=True,
                ),
                _RTOL,
                _ATOL,
                Option("force", "", "show it although addresses or synchronisation are wrong"),
            ),
        ),
        Command(
            "debug",
            "KERNEL [ARG...]",
            "a prompt over a recorded run: step, back, who wrote a byte, values; ARGs as in run",
            1,
            None,
            (
                _ENTRY,
                _GRID,
                Option("expect", "ARG=FILE", "what an argument should end as", many=True),
                _RTOL,
                _ATOL,
                _MAX_STEPS,
                _ACCUMULATE,
                _FORCE,
            ),
        ),
        Command(
            "check",
            "KERNEL...",
            "parse and verify kernels (- is standard input), those below directories or that a "
            "pattern names ('**/*.pto'), or explain a code",
            0,
            None,
            (
                Option("all-targets", "", "a table: which lines keep a kernel from which target"),
                _STRICT,
                Option("explain", "CODE", "why a code exists, a bad example and its fix"),
                Option("fix", "", "apply the suggested fixes to the files, until none is left"),
                Option("diff", "", "the findings, and what --fix would change; nothing is written"),
            ),
        ),
        Command(
            "fmt",
            "KERNEL...",
            "print the canonical text of a kernel, with its comments; --check and -i take many, "
            "directories and patterns as well",
            1,
            None,
            (
                Option("form", "NAME", "ssa, dps (ins and outs) or asm; -i keeps the form", LEVELS),
                Option("generic", "", "the generic form of every operation"),
                Option("explicit", "", "with the vecscopes that the text leaves out"),
                Option("check", "", "print no text; exit 1 if a file would change"),
                Option("in-place", "", "(-i) rewrite the files"),
            ),
        ),
        Command(
            "isa",
            "[NAME]",
            "the table of instructions, or all about one of them; 'vc*' lists some",
            0,
            1,
            (Option("chosen", "", "list the behaviour that no document fixes, and why it is so"),),
        ),
        Command(
            "cases",
            "DIR...",
            "run the case directories below DIR: golden.py, the kernel, compare.py",
            1,
            None,
            (
                Option("filter", "TEXT", "only cases with TEXT in family/case, or matching a *"),
                Option("jobs", "N", "how many run at a time (default: all cores)"),
                _ENGINE,
                Option("check", "all", "find races, undefined data, writes outside too", ("all",)),
                _STRICT,
                _ACCUMULATE,
                Option("timeout", "SECONDS", "what a case may take (default: 60)"),
                Option("keep", "DIR", "copy the data of failing cases there"),
                Option("junit", "FILE", "write the results there as JUnit XML"),
            ),
        ),
        Command(
            "new-case",
            "NAME KERNEL",
            "write a case directory NAME for a kernel, to be filled in",
            2,
            2,
            (
                _ENTRY,
                Option("grid", "N", "how many blocks it launches (default: 1)"),
            ),
        ),
        Command("demo", "", "a row softmax: run, compared with NumPy, checked, explained", 0, 0),
        Command("help", "[COMMAND]", "this text, or the help of a command", 0, 1),
    )
}
