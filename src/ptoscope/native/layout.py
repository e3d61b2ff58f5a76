"""The words generated code and engine share, for each block that runs.

Everything is a 64-bit word at a fixed place of one array.
"""

from __future__ import annotations

from ptoscope.isa.parts import BUFFERS, EVENTS, ON_CORE, PIPES, UNIT_FLAGS, VECTOR_CORES
from ptoscope.isa.types import Space

UB = 0
"""Where UB begins."""
SERVICE = 1
"""The engine's own function, for what generated code leaves to it."""
QUEUED = 2
"""Not 0 while instructions wait in a pipe: then every issue goes through the engine."""
ITERATIONS = 3
"""Iterations of loops left until the engine wants to be asked."""
BLOCK_INDEX = 4
BLOCK_COUNT = 5
REGIONS = 6
"""The table of GM arguments, with a core's own memories before the first (`own`):
REGION_DATA, REGION_SIZE and REGION_WRITEABLE of each."""
REGION_COUNT = 7
UB_BYTES = 8
STAMPS = 9
"""One 32-bit word for each byte of UB, for finding two lanes that write one place."""
STAMP = 10
LOG = 11
"""Where the log of the run goes, that of a traced kernel: LOG_ROOM rows of LOG_ROW_WORDS
words. When they are full, the engine takes them and gives new ones."""
LOG_COUNT = 12
"""How many were made so far, those the engine has taken too."""
LOG_WORDS = 13
"""Where words go that do not fit into a row; likewise LOG_ROOM of them."""
LOG_WORDS_COUNT = 14
IS_CUBE = 15
"""This one and the next two: which core of its block it is."""
SUBBLOCK_INDEX = 16
SUBBLOCK_COUNT = 17
SIGNALS = 18
"""The words that the cores of a block share (see `channels`); 0 of a block of one core."""
CORE_GIVES = 19
"""Of those words, the first that counts signals of this core to another one, and (CORE_TAKES)
of another one to it; CORE_NUMBERS says how many semaphores it can name."""
CORE_TAKES = 20
CORE_NUMBERS = 21
CLUSTER_GIVES = 22
"""The same of signals to and from all the others: the first two that it awaits, which are one
where there is one other kind of core to wait for."""
CLUSTER_TAKES = 23
CLUSTER_TAKES_TOO = 24
CORE_NUMBER = 26
"""Which of the cores of its block it is."""
SCRATCH = 25
"""Memory of a core for tiles on their way (see `runtime.tile_words`)."""
UB_TOP = 27
"""How many bytes of UB, from its first on, may be other than 0 since it was last cleared."""
UB_LEAST_TOP = 28
"""The same of any block, by what its code is known to write."""
ASKED = 29
"""Not 0 where a block has asked the engine to execute something, so that it knows more of the
block than its words say."""
GRANTED = 30
"""Iterations that each block begins with; -1: those that the one before it has left."""
FIRST_VARIABLES = 31
"""What variables are when a block begins: where that stands, and (VARIABLES_BYTES) its bytes."""
VARIABLES_BYTES = 32
TAKEN_END = 33
"""The end of the blocks that the thread has taken."""
FLAGS = 40
HELD = FLAGS + len(PIPES) * len(PIPES) * len(EVENTS)
COUNT = (1 << 32) - 1
"""The part of a flag's word that counts what is pending; above it stands how often it was set."""
TILES = HELD + len(PIPES) * BUFFERS
"""Of each unit flag, how often its tile was published and not cleared."""
DEFERRED = TILES + UNIT_FLAGS
"""Tiles of UB whose bytes are in GM instead (see `elision`). The bytes of UB from DEFERRED_LOW to
before DEFERRED_HIGH have all of them; none is there where the latter is 0. Then, for each of
ALL_DEFERRED, where in UB it begins, its bytes (0: there is none), and the address of where they are
less where it begins. The first MOST_DEFERRED have not been copied to UB."""
DEFERRED_LOW, DEFERRED_HIGH, DEFERRED_TILES = range(DEFERRED, DEFERRED + 3)
TILE_AT, TILE_SIZE, TILE_BASE, TILE_WORDS = range(4)
MOST_DEFERRED = 4
WRITTEN_BEFORE, WRITTEN, ALL_DEFERRED = range(MOST_DEFERRED, MOST_DEFERRED + 3)
"""A tile that is written to GM instead of UB, row by row, up to WRITTEN_END (less than where it
begins: no row more). Where it and the one that was written before it have the same bytes of UB,
they are its own."""
WRITTEN_END = DEFERRED_TILES + ALL_DEFERRED * TILE_WORDS
WRITTEN_PAST_CACHE = WRITTEN_END + 1
"""Not 0 where it goes past the cache, in pieces of PIECE_BYTES, on multiples of which it lies."""
PIECE_BYTES = 16
VARIABLES = WRITTEN_PAST_CACHE + 1
"""Special registers, then the arguments of the kernel."""

WORD_BYTES = 8
REGION_DATA, REGION_SIZE, REGION_WRITEABLE = range(3)
"""Words of a region: its address (0 of an argument that is a number), its bytes, and whether
they may be written."""
REGION_BYTES = 3 * WORD_BYTES
NO_REGION = len(ON_CORE) + VECTOR_CORES + 1
OWN_REGIONS = NO_REGION
"""The regions before the first argument: those of `own` and `ub_of`, and one that nobody has. One
that a core has not is empty."""

LOG_ROW_WORDS = 4
LOG_ROOM = 1 << 14
LOG_FULL, LOG_WORDS_FULL = -(1 << 62), -(1 << 62) + 1
"""What generated code asks for then, instead of the number of a side exit."""

SLACK = 4096
"""Bytes before and after UB that belong to the engine: a masked store may read and rewrite
what is there, and lanes that take no part are sent there."""


def flag(src: str, dst: str) -> int:
    """The word of event 0 between two pipes."""
    return FLAGS + (PIPES.index(src) * len(PIPES) + PIPES.index(dst)) * len(EVENTS)


def held(pipe: str, _: str = "") -> int:
    """The word of buffer 0 as a pipe holds it."""
    return HELD + PIPES.index(pipe) * BUFFERS


def own(space: Space) -> int:
    """How many entries before the first argument the region of a core's own memory stands in the
    table of regions; 0 for GM, whose addresses say which argument they are in."""
    return next((place for place, m in enumerate(ON_CORE, 1) if m.name == space), 0)


def ub_of(core: int) -> int:
    """The same of the UB of a vector core, where another one may reach it."""
    return len(ON_CORE) + 1 + core
