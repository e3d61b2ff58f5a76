"""What of a processor generated code depends on."""

from __future__ import annotations

from dataclasses import dataclass

NEVER = 1 << 30
"""More bytes than an element has."""


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


def features_of(triple: str, listed: str) -> CpuFeatures:
    """Those of a processor as LLVM lists its features."""
    names = set(listed.split(","))

    def least(*choices: tuple[int, str]) -> int:
        return next((size for size, needs in choices if names >= set(needs.split())), NEVER)

    return CpuFeatures(
        fma="+fma" in names or triple.startswith(("aarch64", "arm64")),
        masked_stores=least((1, "+avx512bw +avx512vl"), (4, "+avx2")),
        compress=least((1, "+avx512f +avx512vbmi2"), (4, "+avx512f")),
        permute=least((1, "+avx512f +avx512vbmi"), (2, "+avx512f +avx512bw"), (4, "+avx512f")),
    )
