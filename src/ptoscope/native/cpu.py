"""What of a processor generated code depends on, and how much of it is used.

Whatever a processor has, results have the same bits: everything here chooses between ways to the
same result. `PTOSCOPE_CPU` names one of LEVELS, and code is then made for that processor, with
nothing that it lacks.
"""

from __future__ import annotations

from dataclasses import dataclass

from ptoscope.diagnostics import UsageError

NEVER = 1 << 30
"""More bytes than an element has."""

VARIABLE = "PTOSCOPE_CPU"

_X86 = {
    "x86-64": "64bit cmov cx8 fxsr mmx sse sse2 x87",
    "x86-64-v2": "cx16 crc32 popcnt sahf sse3 sse4.1 sse4.2 ssse3",
    "x86-64-v3": "avx avx2 bmi bmi2 f16c fma lzcnt movbe xsave",
    "x86-64-v4": "avx512bw avx512cd avx512dq avx512f avx512vl evex512",
}
"""What each adds to the one before it."""
_ARM = {"generic": "fp-armv8 neon"}
LEVELS = {"x86_64": _X86, "aarch64": _ARM}
"""The processors that may be asked for, by their architecture, and what they have; the names are
LLVM's."""


@dataclass(frozen=True)
class CpuFeatures:
    """Chosen once for a machine. Where an instruction exists for some elements only, the bytes of
    the least one are given. Results never depend on them: without, the same is done by other
    means."""

    fma: bool = False
    """Whether it multiplies and adds f32 at once."""
    masked_stores: int = NEVER
    """Stores under a mask without a branch."""
    compress: int = NEVER
    """Packs the lanes of a mask within a register of 64 bytes (AVX-512)."""
    permute: int = NEVER
    """Picks lanes out of two such registers by numbers known only when running."""
    maximum: bool = False
    """Whether it has the maximum of IEEE's `maxNum`, which LLVM knows how to use."""


@dataclass(frozen=True)
class Host:
    """The processor that code is made for, as LLVM names it."""

    triple: str
    cpu: str
    features: str

    def __str__(self) -> str:
        """All of it: part of the key of whatever is compiled."""
        return f"{self.triple} {self.cpu} {self.features}"

    @property
    def architecture(self) -> str:
        """x86_64, aarch64, or another."""
        first = self.triple.partition("-")[0]
        return "aarch64" if first == "arm64" else first

    @property
    def cpu_features(self) -> CpuFeatures:
        """What of it generated code depends on."""
        return features_of(self.triple, self.features)

    @property
    def register_bytes(self) -> int:
        """Of its widest registers."""
        names = self._names
        return 64 if "+avx512f" in names else 32 if "+avx2" in names else 16

    @property
    def lacks_floats(self) -> bool:
        """Whether it has no instruction for some operation on floats that code may contain; LLVM
        then calls a function (see `runtime.floats`)."""
        return self.architecture != "aarch64" and not self._names >= {"+f16c", "+fma", "+sse4.1"}

    @property
    def _names(self) -> set[str]:
        return set(self.features.split(","))

    def reduced(self, level: str | None) -> Host:
        """What is left of it where code is made for one of LEVELS; all of it where none is named.
        UsageError if its architecture has no such one."""
        if not level:
            return self
        levels = LEVELS.get(self.architecture, {})
        if level not in levels:
            known = ", ".join(levels) or "none"
            raise UsageError(
                f"{VARIABLE} is '{level}', which is no processor of {self.architecture}; "
                f"there are: {known}"
            )
        kept: set[str] = set()
        for name, added in levels.items():
            kept |= {f"+{word}" for word in added.split()}
            if name == level:
                break
        listed = [word for word in self.features.split(",") if word]
        features = (word if word in kept else f"-{word[1:]}" for word in listed)
        return Host(self.triple, level, ",".join(features))


def features_of(triple: str, listed: str) -> CpuFeatures:
    """Those of a processor as LLVM lists its features."""
    names = set(listed.split(","))

    def least(*choices: tuple[int, str]) -> int:
        return next((size for size, needs in choices if names >= set(needs.split())), NEVER)

    is_arm = triple.startswith(("aarch64", "arm64"))
    return CpuFeatures(
        fma="+fma" in names or is_arm,
        maximum=is_arm,
        masked_stores=least((1, "+avx512bw +avx512vl"), (4, "+avx2")),
        compress=least((1, "+avx512f +avx512vbmi2"), (4, "+avx512f")),
        permute=least((1, "+avx512f +avx512vbmi"), (2, "+avx512f +avx512bw"), (4, "+avx512f")),
    )
