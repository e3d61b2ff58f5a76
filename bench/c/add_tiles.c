// out[i] = a[i] + b[i], n a multiple of TILE: the staging of add_tiles.pto.
#include "staging.h"

#include <stdint.h>
#include <string.h>

enum { TILE = 64 };

static _Alignas(64) float ub_a[TILE], ub_b[TILE], ub_out[TILE];

void add_tiles(const float *restrict a, const float *restrict b, float *restrict out, int32_t n) {
    for (int32_t start = 0; start < n; start += TILE) {
        memcpy(ub_a, a + start, sizeof ub_a);
        memcpy(ub_b, b + start, sizeof ub_b);
        ARRIVED();
        for (int i = 0; i < TILE; i++)
            ub_out[i] = ub_a[i] + ub_b[i];
        ARRIVED();
        memcpy(out + start, ub_out, sizeof ub_out);
    }
}
