// out[i] = f16(f32(x[i]) * scale), n a multiple of TILE: the staging of scale_f16.pto.
#include "f16.h"

#include <string.h>

enum { TILE = 16384 };

static _Alignas(64) uint16_t ub_x[TILE], ub_out[TILE];

void scale_f16(const uint16_t *restrict x, uint16_t *restrict out, float scale, int32_t n) {
    for (int32_t start = 0; start < n; start += TILE) {
        memcpy(ub_x, x + start, sizeof ub_x);
        for (int i = 0; i < TILE; i += GROUP)
            narrow(ub_out + i, widen(ub_x + i) * scale);
        memcpy(out + start, ub_out, sizeof ub_out);
    }
}
