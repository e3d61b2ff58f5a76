// The add of add.c with RISC-V vector instructions, as a program: argument n, a multiple of
// TILE; prints the best CPU time of some runs in seconds, or fails if a sum is wrong.
// In assembly, because gcc vectorises for this target only from version 14 on.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TILE = 8192, RUNS = 3 };

static _Alignas(64) float ub_a[TILE], ub_b[TILE], ub_out[TILE];

static void add_tile(const float *a, const float *b, float *out, size_t left) {
    size_t lanes;
    __asm__ volatile(
        "1: vsetvli %[lanes], %[left], e32, m8, ta, ma\n"
        "   vle32.v v8, (%[a])\n"
        "   vle32.v v16, (%[b])\n"
        "   vfadd.vv v8, v8, v16\n"
        "   vse32.v v8, (%[out])\n"
        "   sub %[left], %[left], %[lanes]\n"
        "   slli %[lanes], %[lanes], 2\n"
        "   add %[a], %[a], %[lanes]\n"
        "   add %[b], %[b], %[lanes]\n"
        "   add %[out], %[out], %[lanes]\n"
        "   bnez %[left], 1b\n"
        : [lanes] "=&r"(lanes), [left] "+r"(left), [a] "+r"(a), [b] "+r"(b), [out] "+r"(out)
        :
        : "memory");
}

static void add(const float *a, const float *b, float *out, int32_t n) {
    for (int32_t start = 0; start < n; start += TILE) {
        memcpy(ub_a, a + start, sizeof ub_a);
        memcpy(ub_b, b + start, sizeof ub_b);
        add_tile(ub_a, ub_b, ub_out, TILE);
        memcpy(out + start, ub_out, sizeof ub_out);
    }
}

int main(int count, char **words) {
    int32_t n = count == 2 ? atoi(words[1]) : 0;
    float *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *out = malloc(n * sizeof *out);
    if (n <= 0 || n % TILE || !a || !b || !out)
        return 1;
    for (int32_t i = 0; i < n; i++) {
        a[i] = i % 1000;
        b[i] = 0.5f;
    }
    double best = 1e9;
    for (int run = 0; run < RUNS; run++) {
        clock_t start = clock();
        add(a, b, out, n);
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        best = seconds < best ? seconds : best;
    }
    for (int32_t i = 0; i < n; i++)
        if (out[i] != i % 1000 + 0.5f)
            return 2;
    printf("%.9f\n", best);
    return 0;
}
