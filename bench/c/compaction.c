// out = the positive elements of x: the staging of compaction.pto. Without a branch: on random
// numbers a processor would guess every other one wrong.
#include <stdint.h>
#include <string.h>

enum { TILE = 4096 };

static _Alignas(64) float ub_x[TILE], ub_out[TILE + 1];

void compaction(const float *restrict x, float *restrict out, int32_t n) {
    for (int32_t start = 0; start < n; start += TILE) {
        memcpy(ub_x, x + start, sizeof ub_x);
        int32_t count = 0;
        for (int i = 0; i < TILE; i++) {
            ub_out[count] = ub_x[i];
            count += ub_x[i] > 0;
        }
        memcpy(out, ub_out, count * sizeof *out);
        out += count;
    }
}
