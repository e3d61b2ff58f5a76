// out[i] = x[i] * factor, n a multiple of TILE: the staging of scale.pto.
#include <stdint.h>
#include <string.h>

enum { TILE = 8192 };

static _Alignas(64) float ub_x[TILE], ub_out[TILE];

void scale(const float *restrict x, float *restrict out, float factor, int32_t n) {
    for (int32_t start = 0; start < n; start += TILE) {
        memcpy(ub_x, x + start, sizeof ub_x);
        for (int i = 0; i < TILE; i++)
            ub_out[i] = ub_x[i] * factor;
        memcpy(out + start, ub_out, sizeof ub_out);
    }
}
