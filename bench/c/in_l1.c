// The loops of add_in_l1.pto and gelu_in_l1.pto: 4 KiB, many times over.
#include "gelu.h"

#include <stdint.h>
#include <string.h>

enum { ELEMENTS = 1024 };

static _Alignas(64) float ub_a[ELEMENTS], ub_b[ELEMENTS];

// Keeps the turns apart: each loads and stores its 4 KiB, as the kernel does.
#define NEXT_TURN() __asm__ volatile("" ::: "memory")

void add_in_l1(float *restrict a, const float *restrict b, int32_t repeats) {
    memcpy(ub_a, a, sizeof ub_a);
    memcpy(ub_b, b, sizeof ub_b);
    for (int32_t turn = 0; turn < repeats; turn++) {
        for (int i = 0; i < ELEMENTS; i++)
            ub_a[i] = ub_a[i] + ub_b[i];
        NEXT_TURN();
    }
    memcpy(a, ub_a, sizeof ub_a);
}

void gelu_in_l1(float *restrict a, const float *restrict b, int32_t repeats) {
    memcpy(ub_a, a, sizeof ub_a);
    memcpy(ub_b, b, sizeof ub_b);
    for (int32_t turn = 0; turn < repeats; turn++) {
        for (int i = 0; i < ELEMENTS; i++)
            ub_a[i] = gelu_of(ub_a[i]) + ub_b[i];
        NEXT_TURN();
    }
    memcpy(a, ub_a, sizeof ub_a);
}
