"""top_k.pto in Python: lists of records sorted and merged; the loop over the levels is unrolled."""

from ptoscope import pto

ROOM, LIST = 2048, 32
LENGTHS_OF_1 = 0x0001_0001_0001_0001
FOUR_LISTS = 0xF01


@pto.kernel(target="a5")
def top_k(
    x: pto.gm[pto.f32],
    values: pto.gm[pto.f32],
    indices: pto.gm[pto.i32],
    rows: pto.i32,
    columns: pto.i32,
    k: pto.i32,
) -> None:
    numbers = pto.ub(pto.i32, ROOM)
    with pto.vecscope():
        for i, m in pto.lanes(numbers):
            numbers[i, m] = pto.vci(pto.i32(i))
    for row in pto.tiles(rows, 1):
        xs = pto.load(x.rows(columns)[row], to_pitch=ROOM)
        source, target = pto.ub(pto.f32, 2 * ROOM), pto.ub(pto.f32, 2 * ROOM)
        vs, ns = pto.ub(pto.f32, ROOM), pto.ub(pto.i32, ROOM)
        with pto.vecscope():
            lowest = pto.vbr(float("-inf"))
            for i, m in pto.lanes(numbers):
                xs[i, m] = pto.vsel(xs[i], lowest, numbers[i] < columns)
        pto.vbitsort(source, xs, numbers, ROOM // LIST)
        for each in (LIST, 4 * LIST, 16 * LIST):
            # A record is two floats long.
            lengths, apart = pto.i64(min(k, each)) * LENGTHS_OF_1, 2 * each
            for at in range(0, 2 * ROOM, 4 * apart):
                a, b, c, d = [pto.addptr(source, at + apart * j) for j in (0, 1, 2, 3)]
                pto.vmrgsort4(pto.addptr(target, at), a, b, c, d, lengths, FOUR_LISTS)
            source, target = target, source
        with pto.vecscope():
            for i, m in pto.lanes(vs, limit=k):
                vs[i, m], bits = pto.vldsx2(source, 2 * i, "DINTLV_B32")
                ns[i, m] = pto.vbitcast(bits, dtype=pto.i32)
        pto.store(values.rows(k)[row], vs)
        pto.store(indices.rows(k)[row], ns)
