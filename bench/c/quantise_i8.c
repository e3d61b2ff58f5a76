// out[i] = i8(x[i] * scale), rounded to nearest even and saturated, NaN to 0, n a multiple of
// TILE: the staging of quantise_i8.pto, with the product rounded to f16.
#include "f16.h"

#include <string.h>

enum { TILE = 16384 };

static _Alignas(64) uint16_t ub_x[TILE];
static _Alignas(64) int8_t ub_out[TILE];

void quantise_i8(const uint16_t *restrict x, int8_t *restrict out, float scale, int32_t n) {
    for (int32_t start = 0; start < n; start += TILE) {
        memcpy(ub_x, x + start, sizeof ub_x);
        for (int i = 0; i < TILE; i += GROUP)
            quantise(ub_out + i, rounded(widen(ub_x + i) * scale));
        memcpy(out + start, ub_out, sizeof ub_out);
    }
}
