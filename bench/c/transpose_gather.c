// Each tile of 64x64 transposed: the staging of transpose_gather.pto.
#include <stdint.h>
#include <string.h>

enum { SIDE = 64, TILE = SIDE * SIDE };

static _Alignas(64) float ub_x[TILE], ub_out[TILE];

void transpose_gather(const float *restrict x, float *restrict out, int32_t n) {
    for (int32_t start = 0; start < n; start += TILE) {
        memcpy(ub_x, x + start, sizeof ub_x);
        for (int column = 0; column < SIDE; column++)
            for (int row = 0; row < SIDE; row++)
                ub_out[column * SIDE + row] = ub_x[row * SIDE + column];
        memcpy(out + start, ub_out, sizeof ub_out);
    }
}
