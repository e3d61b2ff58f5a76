// out = the prefix sums of each row of x: the staging of prefix_sum.pto.
#include <stdint.h>
#include <string.h>

enum { TILE = 2048 };

static _Alignas(64) int32_t ub_x[TILE], ub_out[TILE];

void prefix_sum(const int32_t *restrict x, int32_t *restrict out, int32_t n) {
    for (int32_t start = 0; start < n; start += TILE) {
        memcpy(ub_x, x + start, sizeof ub_x);
        // Unsigned, so that it wraps.
        uint32_t sum = 0;
        for (int i = 0; i < TILE; i++) {
            sum += (uint32_t)ub_x[i];
            ub_out[i] = (int32_t)sum;
        }
        memcpy(out + start, ub_out, sizeof ub_out);
    }
}
