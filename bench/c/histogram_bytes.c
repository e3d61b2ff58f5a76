// counts[b] = how many of n bytes are b: the staging of histogram_bytes.pto.
#include <stdint.h>
#include <string.h>

enum { BINS = 256, TILE = 16384 };

static _Alignas(64) uint8_t ub_samples[TILE];
static _Alignas(64) int32_t ub_counts[BINS];

void histogram_bytes(const uint8_t *restrict samples, int32_t *restrict counts, int32_t n) {
    memset(ub_counts, 0, sizeof ub_counts);
    for (int32_t start = 0; start < n; start += TILE) {
        memcpy(ub_samples, samples + start, sizeof ub_samples);
        for (int i = 0; i < TILE; i++)
            ub_counts[ub_samples[i]]++;
    }
    memcpy(counts, ub_counts, sizeof ub_counts);
}
