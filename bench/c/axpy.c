// out[i] = alpha * x[i] + y[i], fused, any n: the staging of axpy.pto.
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { TILE = 8192 };

static _Alignas(64) float ub_x[TILE], ub_y[TILE], ub_out[TILE];

void axpy(const float *restrict x, const float *restrict y, float *restrict out, float alpha,
          int32_t n) {
    for (int32_t start = 0; start < n; start += TILE) {
        int count = n - start < TILE ? n - start : TILE;
        memcpy(ub_x, x + start, count * sizeof *x);
        memcpy(ub_y, y + start, count * sizeof *y);
        for (int i = 0; i < count; i++)
            ub_out[i] = fmaf(alpha, ub_x[i], ub_y[i]);
        memcpy(out + start, ub_out, count * sizeof *out);
    }
}
