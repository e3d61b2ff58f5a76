"""Kernels in Python that tests of the commands are given."""

from __future__ import annotations

AXPY = '''"""One kernel, and what is none."""

from ptoscope import pto

LIMIT = 4


def plain(x):
    return x


@pto.function
def scaled(v, a, m):
    return pto.vmuls(v, a, m)


@pto.kernel(sync="manual")
def axpy(
    x: pto.gm[pto.f32],
    y: pto.gm[pto.f32],
    out: pto.gm[pto.f32],
    n: pto.i32,
    a: pto.f32,
    tile: int = 1024,
):
    for t in pto.tiles(n, tile):
        xs, ys = pto.load(x[t]), pto.load(y[t])
        pto.pipe_barrier("PIPE_ALL")
        with pto.vecscope():
            for i, m in pto.lanes(xs):
                product = pto.vmuls(xs[i], a, m)
                ys[i, m] = pto.vadd(product, ys[i], m)
        pto.pipe_barrier("PIPE_ALL")

        # The result.
        pto.store(out[t], ys)
        pto.pipe_barrier("PIPE_ALL")


if __name__ == "__main__":
    raise SystemExit("this is not run")
'''

WORDS = ("arange:100", "arange:100", "zeros:100", 100, 2.0)
"""Arguments of axpy: out is to be 3 * x."""

TWO = """from ptoscope import pto


@pto.kernel
def second(out: pto.gm[pto.i32]):
    out[0] = 2


@pto.kernel(target="a2a3")
def first(out: pto.gm[pto.i32], n: int = 1, kind: str = "up"):
    out[0] = n if kind == "up" else -n


alias = first
"""

WITHOUT_WAIT = AXPY.replace(
    """pto.load(y[t])
        pto.pipe_barrier("PIPE_ALL")
""",
    """pto.load(y[t])
        pass
""",
)
"""Its vector instructions do not wait for their input."""


def line_of(part: str, text: str = AXPY) -> int:
    """The line that a part of a text stands in, which no other has."""
    (line,) = [n for n, row in enumerate(text.split("\n"), 1) if part in row]
    return line
