"""Generated kernels: as plain Python, on the reference engine and natively to the same bits."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lang.eager.agreement import agreed
from tests.lang.eager.generated import arguments, built, written


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1 << 32), st.integers(1, 2))
def test_all_agree(seed: int, grid: int) -> None:
    agreed(built(written(seed)), *arguments(seed), grid=grid)


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 1 << 32))
def test_what_is_inserted_orders_everything(seed: int) -> None:
    # What a masked store leaves out is undefined, and may be added to: not what is asked here.
    seen = built(written(seed)).watch(*arguments(seed), poison=False)
    assert not seen.diagnostics, f"{written(seed)}\n{seen.diagnostics[0]}"
