// Each tile of 16x16 transposed: the staging of transpose16.pto.
#include <stdint.h>
#include <string.h>

enum { SIDE = 16, TILE = 32 * SIDE * SIDE };

static _Alignas(64) int16_t ub_x[TILE], ub_out[TILE];

void transpose16(const int16_t *restrict x, int16_t *restrict out, int32_t n) {
    for (int32_t start = 0; start < n; start += TILE) {
        memcpy(ub_x, x + start, sizeof ub_x);
        for (int at = 0; at < TILE; at += SIDE * SIDE)
            for (int row = 0; row < SIDE; row++)
                for (int column = 0; column < SIDE; column++)
                    ub_out[at + column * SIDE + row] = ub_x[at + row * SIDE + column];
        memcpy(out + start, ub_out, sizeof ub_out);
    }
}
