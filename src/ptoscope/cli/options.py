"""Reading the command line: which command, which arguments, which options.

Options may stand anywhere, also before the command; `--` ends them. Written by hand because
argparse takes `-1e3` and `-inf` for options, and reads options before a command differently
from those after it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from ptoscope.cli.commands import COMMANDS, COMMON, VERSION, Option
from ptoscope.diagnostics import Diagnostic, UsageError, nearest


class Request(NamedTuple):
    """What was asked for. Options by their long name without dashes; a switch is "yes"."""

    command: str
    args: tuple[str, ...]
    options: dict[str, str]

    def has(self, switch: str) -> bool:
        """Whether a switch was given."""
        return switch in self.options

    def get(self, name: str) -> str | None:
        """The value of an option, None where it was not given."""
        return self.options.get(name)


SHORT = {"h": "help", "i": "in-place", "o": "output"}


def read(argv: list[str]) -> Request:
    """The request; raises BadUsage, which carries as much of the request as was understood."""
    known = {o.name: o for c in COMMANDS.values() for o in (*c.options, *COMMON, VERSION)}
    # Two commands may mean different things by one name.
    asked = next((COMMANDS[word] for word in argv if word in COMMANDS), None)
    known |= {o.name: o for o in asked.options} if asked else {}
    words: list[str] = []
    options: dict[str, str] = {}
    problems: list[str] = []
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if word == "--":
            words.extend(rest)
            break
        if not _is_option(word):
            words.append(word)
            continue
        name, has_value, value = word.partition("=")
        name = SHORT.get(name[1:], "") if not word.startswith("--") else name[2:]
        option = known.get(name)
        if option is None:
            spelled = word.partition("=")[0]
            hint = nearest(spelled, [f"--{n}" for n in known])
            problems.append(f"unknown option '{spelled}'{'; ' + hint if hint else ''}")
            continue
        if not option.value:
            options[name] = "yes"
            if has_value:
                problems.append(f"--{name} takes no value")
            continue
        if not has_value and rest and not _is_option(rest[0]):
            value = rest.pop(0)
        if not value:
            problems.append(f"--{name} needs a value: {option.value}")
        elif option.choices and value not in option.choices:
            choices = ", ".join(option.choices)
            problems.append(f"unknown {name} '{value}'; there are {choices}")
        if option.many and name in options:
            value = f"{options[name]},{value}"
        options[name] = value
    return _request(words, options, problems)


class BadUsage(UsageError):
    """Wrong usage, with what was understood of it."""

    def __init__(self, message: str, request: Request) -> None:
        super().__init__(message)
        self.request = request


def is_number(word: str) -> bool:
    """Whether a word is a number, as arguments of `run` are written."""
    try:
        number(word)
    except ValueError:
        return False
    return True


def fails(findings: Iterable[Diagnostic], request: Request) -> bool:
    """Whether findings make a command fail: errors do, warnings where the request is strict."""
    failing = ("error", "warning") if request.has("strict") else ("error",)
    return any(d.severity in failing for d in findings)


LONGEST_NUMBER = 400
"""No number of any type has more characters; Python refuses to read far longer ones."""


def count(option: str, text: str) -> int:
    """A positive number that an option was given; UsageError for anything else."""
    if not (text.isascii() and text.isdigit()) or len(text) > 9 or int(text) < 1:
        raise UsageError(f"--{option} needs a number from 1 to 999999999, not '{text[:40]}'")
    return int(text)


def number(word: str) -> int | float | bool:
    """The number a word stands for: 7, -3, 0x10, 1e-3, inf, nan, true, false. ValueError for
    anything else."""
    if word in ("true", "false"):
        return word == "true"
    if len(word) > LONGEST_NUMBER or not word.isascii() or "_" in word:
        raise ValueError(f"no number: {word[:40]}")
    for read_as in (lambda: int(word, 10), lambda: int(word, 0)):
        try:
            return read_as()
        except ValueError:
            continue
    value = float(word)
    if math.isinf(value) and "inf" not in word.lower():
        raise UsageError(f"the number {word} is too large; write inf for infinity")
    return value


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-" and not is_number(word)


def _request(words: list[str], options: dict[str, str], problems: list[str]) -> Request:
    name, args = (words[0], tuple(words[1:])) if words else ("", ())
    request = Request(name, args, options)
    if problems:
        raise BadUsage(problems[0], request)
    if "version" in options:
        return request
    if not name:
        # Who asks for nothing is told what there is.
        return request._replace(options={**options, "help": "yes"})
    command = COMMANDS.get(name)
    if command is None:
        hint = nearest(name, COMMANDS) or f"there are {', '.join(COMMANDS)}"
        raise BadUsage(f"unknown command '{name}'; {hint}", request)
    if "help" in options:
        return request
    own = {o.name for o in (*command.options, *COMMON)}
    for option in options:
        if option not in own:
            raise BadUsage(f"{name} has no option --{option}", request)
    if len(args) < command.least:
        raise BadUsage(f"{name} needs {command.usage}", request)
    if command.most is not None and len(args) > command.most:
        takes = command.usage or "no arguments"
        raise BadUsage(f"{name} takes {takes}, not also '{args[command.most]}'", request)
    return request


def help_text(name: str = "") -> str:
    """The help of a command, or of all."""
    if name:
        command = COMMANDS[name]
        lines = [f"ptoscope {name} {command.usage}".rstrip(), f"  {command.doc}", "", "options:"]
        # An option of the command's own takes the place of a common one.
        own = {o.name for o in command.options}
        shown = (*command.options, *(o for o in COMMON if o.name not in own))
        return "\n".join([*lines, *_described(shown), ""])
    lines = [
        "ptoscope COMMAND ...",
        "  the open laboratory for PTO kernels",
        "",
        "commands:",
    ]
    lines += [f"  {f'{c.name} {c.usage}':<22}{c.doc}" for c in COMMANDS.values()]
    lines += ["", "options of every command:", *_described((*COMMON, VERSION))]
    lines += [
        "",
        "A KERNEL is a .pto file, or a kernel in Python: file.py:axpy, where there is one file.py;",
        "file.py:axpy:tile=512 gives values to parameters that are fixed when it is compiled.",
        "Options may stand anywhere; -- ends them. `ptoscope COMMAND --help` lists the others.",
        "Exit status: 0 all is well; 1 the kernel, its arguments or its run is wrong, a case does",
        "not pass, or a file would change (fmt --check); 2 wrong usage, or a file that cannot be",
        "read or written; 130 it was interrupted.",
        "PTOSCOPE_TRACEBACK=1 shows where an internal error comes from.",
        "",
    ]
    return "\n".join(lines)


def _described(options: tuple[Option, ...]) -> list[str]:
    return [f"  {f'--{o.name} {o.value}':<17} {o.doc}" for o in options]
