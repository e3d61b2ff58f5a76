import marimo

__generated_with = "0.25.2"
app = marimo.App()


@app.cell(hide_code=True)
def _():
    import marimo as mo

    return (mo,)


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    # Kernels in Python, step by step

    From a first kernel to a softmax that is timed and free of races. The blocks of code are cells of one
    program: each uses what those above it have defined. What they print stands below them; the tests
    execute this page and compare. The same as a notebook is `docs/tutorial_notebook.py`
    (`marimo edit docs/tutorial_notebook.py`). [Kernels in Python](python.md) has the whole language on
    one page.

    ## A first kernel

    Arrays lie in GM. A core computes on vector registers, which it fills from UB, a small memory of its
    own. So every kernel does the same three things: it copies a piece from GM to UB, computes, and copies
    the result back.
    """)
    return


@app.cell
def _():
    import numpy as np

    from ptoscope import pto

    @pto.kernel
    def scale(x: pto.gm[pto.f32], y: pto.gm[pto.f32], n: pto.i32, a: pto.f32):
        for t in pto.tiles(n, 1024):
            xs = pto.load(x[t])
            with pto.vecscope():
                for i, m in pto.lanes(xs):
                    xs[i, m] = xs[i] * a
            pto.store(y[t], xs)

    x = np.arange(3000, dtype=np.float32)
    y = np.zeros(3000, np.float32)
    scale(x, y, 3000, 0.5)
    print(y[-3:])
    return np, pto, scale, x, y


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    - `pto.gm[pto.f32]` is an array of f32 in GM, `pto.i32` and `pto.f32` are scalars.
    - `pto.tiles(n, 1024)` cuts n elements into tiles of 1024. `x[t]` is the tile's piece of an array.
    - `pto.load` makes an array in UB and copies the piece into it. `pto.store` copies back.
    - `pto.vecscope()` is what the vector pipe executes. Vectors and masks live only in there.
    - `pto.lanes(xs)` goes over the array, one register of 64 lanes at a time. `i` is the first element,
      `m` the mask of the lanes that have one.
    - `xs[i]` loads a register. `xs[i, m] = v` stores the lanes of the mask. `*` is one instruction.

    ## Tails and blocks

    3000 is no multiple of 1024, and the last tile no multiple of 64. The tile knows how many elements it
    has (`t.count`), the copy moves no more than these, and the mask leaves the other lanes out.

    A kernel runs on as many blocks as the launch says, and `pto.tiles` gives each block its share. In the
    place of an array, `pto.empty` asks the launch for a new one; the call returns it.
    """)
    return


@app.cell
def _(np, pto, scale, x, y):
    print(np.array_equal(scale[4](x, pto.empty(3000), 3000, 0.5), y))
    print(scale(x, pto.empty(5), 5, 10.0))
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    ## Operators, masks and helpers

    An operator on vectors is one instruction: `+ - * /`, comparisons, which make masks, and `& | ^ ~`.
    All other instructions have their own names: `pto.vsel` takes from two vectors by a mask. An
    instruction without a mask works on all lanes.

    A function under `@pto.function` is a helper: its body is put where it is called.
    """)
    return


@app.cell
def _(pto, x):
    @pto.function
    def leaky(v, slope):
        return pto.vsel(v, v * slope, v > 0)

    @pto.kernel
    def leaky_relu(x: pto.gm[pto.f32], y: pto.gm[pto.f32], n: pto.i32, slope: pto.f32):
        for t in pto.tiles(n, 1024):
            xs = pto.load(x[t])
            with pto.vecscope():
                for i, m in pto.lanes(xs):
                    xs[i, m] = leaky(xs[i], slope)
            pto.store(y[t], xs)

    print(leaky_relu(x[:6] - 3, pto.empty(6), 6, 0.5))
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    ## Fixed parameters

    A parameter with a default and no type of `pto`, or annotated `pto.static`, is a value of Python
    that is known when the kernel is compiled. Each value makes a kernel of its own. A branch on such a
    value, and a loop over a list, leave nothing behind but what they choose. `on` gives the kernel for
    other values, or for another target; `text` is what it was compiled to.
    """)
    return


@app.cell
def _(pto, x):
    @pto.kernel
    def polynomial(x: pto.gm[pto.f32], y: pto.gm[pto.f32], n: pto.i32, terms=(1.0, 0.5), size=1024):
        for t in pto.tiles(n, size):
            xs = pto.load(x[t])
            with pto.vecscope():
                for i, m in pto.lanes(xs):
                    v, total = xs[i], pto.vbr(0.0)
                    for term in reversed(terms):
                        total = total * v + term
                    xs[i, m] = total
            pto.store(y[t], xs)

    print(polynomial(x, pto.empty(4), 4))
    print(polynomial(x, pto.empty(4), 4, terms=(1.0, 0.0, 2.0)))
    print(polynomial.on(terms=(1.0,) * 8).text.count("pto.vmul "))
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    ## What it becomes

    `text` is the kernel as text, with the lines of Python as locations. Copies and vector code run on
    pipes of their own, beside one another; only flags order them. You did not write any: they were
    inserted where data goes from one pipe to another, and where an array is used again. Here the
    vector pipe waits for the copy in, the copy out waits for the vector pipe, and the copy of the next
    tile waits for the copy out.
    """)
    return


@app.cell
def _(scale):
    kept = ("_flag", ".mte_", "scope {")
    lines = [line.strip().split(" %")[0] for line in scale.text.splitlines()]
    print(*[line for line in lines if any(word in line for word in kept)], sep="\n")
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    ## As plain Python

    `eager` runs the same function as plain Python, an instruction at a time, to the same bits. There
    `print` and `breakpoint()` work. Values show what they hold; `numpy()` gives it as an array. A kernel
    that is compiled leaves both out.
    """)
    return


@app.cell
def _(pto, x):
    @pto.kernel
    def shown(x: pto.gm[pto.f32], y: pto.gm[pto.f32], n: pto.i32, a: pto.f32):
        for t in pto.tiles(n, 1024):
            xs = pto.load(x[t])
            with pto.vecscope():
                for i, m in pto.lanes(xs):
                    v = xs[i] * a
                    print("from element", i, "on:", m.numpy().sum(), "lanes,", v.numpy()[:3])
                    xs[i, m] = v
            pto.store(y[t], xs)

    print(shown.eager(x, pto.empty(100), 100, 0.5)[-3:])
    print(shown(x, pto.empty(100), 100, 0.5)[-3:])
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    ## A mistake

    What cannot be compiled is an error at its line, with what was found, what was expected, and often
    what to write instead.
    """)
    return


@app.cell
def _(pto, x, y):
    import ptoscope

    @pto.kernel
    def mean(x: pto.gm[pto.f32], y: pto.gm[pto.f32], n: pto.i32, count: pto.f32):
        for t in pto.tiles(n, 1024):
            xs = pto.load(x[t])
            with pto.vecscope():
                for i, m in pto.lanes(xs):
                    xs[i, m] = xs[i] / count
            pto.store(y[t], xs)

    try:
        mean(x, y, 3000, 10.0)
    except ptoscope.PtoError as error:
        print(error)
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    ## A race

    `sync="manual"` leaves synchronisation to you. This kernel forgets it: nothing makes the vector pipe
    wait for the copy. Calling it is an error before anything runs. `watch` runs it all the same and says
    what happened: two accesses without an order, and another result in another legal order of the pipes.
    """)
    return


@app.cell
def _(pto, x, y):
    @pto.kernel(sync="manual")
    def hasty(x: pto.gm[pto.f32], y: pto.gm[pto.f32], n: pto.i32, a: pto.f32):
        for t in pto.tiles(n, 1024):
            xs = pto.load(x[t])
            with pto.vecscope():
                for i, m in pto.lanes(xs):
                    xs[i, m] = xs[i] * a
            pto.store(y[t], xs)

    seen = hasty.watch(x, y, 1000, 0.5)
    print(*[f"{d.code} line {d.line}: {d.message}" for d in seen.diagnostics], sep="\n")
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    The first kernel has no such findings:
    """)
    return


@app.cell
def _(scale, x, y):
    print(scale.watch(x, y, 3000, 0.5).diagnostics)
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    ## Two stages

    While one tile is computed, the next one can already be copied. `stages=2` gives each array of the
    loop two copies, which iterations use in turn, and flags of their own. `time` says how many cycles
    a run takes on the target; `memory` says where the arrays lie in UB, in a notebook with a picture.
    """)
    return


@app.cell
def _(pto, x):
    @pto.kernel
    def staged(x: pto.gm[pto.f32], y: pto.gm[pto.f32], n: pto.i32, a: pto.f32, stages=2):
        for t in pto.tiles(n, 1024, stages=stages):
            xs, ys = pto.load(x[t]), pto.ub(pto.f32, 1024)
            with pto.vecscope():
                for i, m in pto.lanes(xs):
                    ys[i, m] = xs[i] * a
            pto.store(y[t], ys)

    cycles = [staged.time(x, pto.empty(3000), 3000, 0.5, stages=k).total_cycles for k in (1, 2)]
    print(cycles)
    print(staged.memory, end="")
    staged.memory
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    ## A softmax

    Each row has 128 elements, two registers. `x.rows(128)` counts in rows: a tile of 16 rows is one
    copy. `pto.vcmax` and `pto.vcadd` leave their result in the lowest lane, and `pto.vdup` brings it
    into all of them.
    """)
    return


@app.cell
def _(np, pto):
    @pto.kernel
    def row_softmax(x: pto.gm[pto.f32], y: pto.gm[pto.f32], rows: pto.i32, stages=2):
        for t in pto.tiles(rows, 16, stages=stages):
            xs, ys = pto.load(x.rows(128)[t]), pto.ub(pto.f32, 16 * 128)
            with pto.vecscope():
                for lo in range(0, t.count * 128, 128):
                    x0, x1 = xs[lo], xs[lo + 64]
                    top = pto.vdup(pto.vcmax(pto.vmax(x0, x1)), position="LOWEST")
                    e0, e1 = pto.vexp(x0 - top), pto.vexp(x1 - top)
                    total = pto.vdup(pto.vcadd(e0 + e1), position="LOWEST")
                    ys[lo], ys[lo + 64] = e0 / total, e1 / total
            pto.store(y.rows(128)[t], ys)

    rows = np.random.default_rng(0).standard_normal((300, 128), np.float32)
    softmax = row_softmax[4](rows, pto.empty(300, 128), 300)
    powers = np.exp(rows - rows.max(axis=1, keepdims=True))
    print(np.allclose(softmax, powers / powers.sum(axis=1, keepdims=True), rtol=1e-6))
    return row_softmax, rows, softmax


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    It has no races, reads nothing undefined, and gives the same bits in every order of the pipes that
    was tried:
    """)
    return


@app.cell
def _(pto, row_softmax, rows):
    print(row_softmax.watch(rows[:40], pto.empty(40, 128), 40).diagnostics)
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    Its cycles, with one stage and with two; then line by line, with what held each of them up:
    """)
    return


@app.cell
def _(row_softmax, rows, softmax):
    timings = [row_softmax.time(rows, softmax, 300, stages=k, grid=4) for k in (1, 2)]
    print([timing.total_cycles for timing in timings])
    print(timings[1].table(), end="")
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    `view` makes a page of a run: the timeline of the pipes, the source with its cycles, all registers
    and memory at every moment. `save` writes it to a file; a notebook shows it in place.
    """)
    return


@app.cell
def _(pto, row_softmax, rows):
    page = row_softmax.view(rows[:40], pto.empty(40, 128), 40, title="40 rows")
    page.save("softmax.html")
    page
    return


if __name__ == "__main__":
    app.run()
