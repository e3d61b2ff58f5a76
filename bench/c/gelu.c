// y[i] = gelu(x[i]), n a multiple of TILE: the staging of gelu.pto.
#include "gelu.h"

#include <stdint.h>
#include <string.h>

enum { TILE = 8192 };

static _Alignas(64) float ub_x[TILE], ub_y[TILE];

void gelu(const float *restrict x, float *restrict y, int32_t n) {
    for (int32_t start = 0; start < n; start += TILE) {
        memcpy(ub_x, x + start, sizeof ub_x);
        for (int i = 0; i < TILE; i++)
            ub_y[i] = gelu_of(ub_x[i]);
        memcpy(y + start, ub_y, sizeof ub_y);
    }
}
