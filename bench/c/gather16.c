// out[i] = table[index[i]], n a multiple of TILE: the staging of gather16.pto.
#include <stdint.h>
#include <string.h>

enum { TABLE = 8192, TILE = 2048 };

static _Alignas(64) uint16_t ub_table[TABLE], ub_index[TILE], ub_out[TILE];

void gather16(const uint16_t *restrict table, const uint16_t *restrict index,
              uint16_t *restrict out, int32_t n) {
    memcpy(ub_table, table, sizeof ub_table);
    for (int32_t start = 0; start < n; start += TILE) {
        memcpy(ub_index, index + start, sizeof ub_index);
        for (int i = 0; i < TILE; i++)
            ub_out[i] = ub_table[ub_index[i]];
        memcpy(out + start, ub_out, sizeof ub_out);
    }
}
