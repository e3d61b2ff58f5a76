// The records (number, column) of each row, largest number first: lists of 32 by insertion, then
// merges of four lists into one, as sort_rows.pto does.
#include <stdint.h>
#include <string.h>

enum { COLUMNS = 2048, LIST = 32 };

typedef struct {
    float number;
    int32_t column;
} record;

static _Alignas(64) float ub_x[COLUMNS];
static _Alignas(64) record ub_records[COLUMNS], ub_merged[COLUMNS];

// Equal numbers keep their order.
static void sort_list(record *list, int first) {
    for (int i = 0; i < LIST; i++) {
        float number = ub_x[first + i];
        int at = i;
        for (; at > 0 && list[at - 1].number < number; at--)
            list[at] = list[at - 1];
        list[at] = (record){number, first + i};
    }
}

// Of equal numbers that of the lower list comes first.
static void merge(record *to, const record *from, int each) {
    const record *next[4], *end[4];
    for (int k = 0; k < 4; k++) {
        next[k] = from + k * each;
        end[k] = next[k] + each;
    }
    for (int left = 4 * each; left > 0; left--) {
        int best = -1;
        for (int k = 0; k < 4; k++)
            if (next[k] < end[k] && (best < 0 || next[k]->number > next[best]->number))
                best = k;
        *to++ = *next[best]++;
    }
}

void sort_rows(const float *restrict x, record *restrict records, int32_t rows) {
    for (int32_t row = 0; row < rows; row++) {
        memcpy(ub_x, x + (int64_t)row * COLUMNS, sizeof ub_x);
        for (int first = 0; first < COLUMNS; first += LIST)
            sort_list(ub_records + first, first);
        record *from = ub_records, *to = ub_merged;
        for (int each = LIST; each < COLUMNS; each *= 4) {
            for (int first = 0; first < COLUMNS; first += 4 * each)
                merge(to + first, from + first, each);
            record *other = from;
            from = to;
            to = other;
        }
        memcpy(records + (int64_t)row * COLUMNS, from, sizeof ub_records);
    }
}
