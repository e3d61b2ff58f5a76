// y[r] = softmax(x[r]) for rows of 128 f32: the staging of softmax.pto, with the same
// exponential (in f64, rounded once) and the same order of the sum (a tree of halves).
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { COLUMNS = 128, HALF = COLUMNS / 2, ROWS = 16, TILE = ROWS * COLUMNS };

static _Alignas(64) float ub_x[TILE], ub_y[TILE];

// Without branches, so that a loop over it vectorises. The caller passes no NaN.
static inline float exponential(float x) {
    double wide = x;
    wide = wide < 100.0 ? wide : 100.0;
    wide = wide > -120.0 ? wide : -120.0;
    double k = rint(wide * 1.4426950408889634);
    double r = (wide - k * 0.6931471803691238) - k * 1.9082149292705877e-10;
    double p = 2.08767569878681e-09;
    p = p * r + 2.505210838544172e-08;
    p = p * r + 2.755731922398589e-07;
    p = p * r + 2.7557319223985893e-06;
    p = p * r + 2.48015873015873e-05;
    p = p * r + 0.0001984126984126984;
    p = p * r + 0.001388888888888889;
    p = p * r + 0.008333333333333333;
    p = p * r + 0.041666666666666664;
    p = p * r + 0.16666666666666666;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    int64_t bits = ((int64_t)k + 1023) << 52;
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return (float)(p * scale);
}

// The steps of both trees are unrolled because gcc 12 makes faster code of them so.
static inline float greatest(const float *row) {
    float m[HALF];
    for (int i = 0; i < HALF; i++)
        m[i] = row[i] > row[i + HALF] ? row[i] : row[i + HALF];
#pragma GCC unroll 6
    for (int step = HALF / 2; step > 0; step /= 2)
        for (int i = 0; i < step; i++)
            m[i] = m[i] > m[i + step] ? m[i] : m[i + step];
    return m[0];
}

static inline float total(const float *row) {
    float s[HALF];
    for (int i = 0; i < HALF; i++)
        s[i] = row[i] + row[i + HALF];
#pragma GCC unroll 6
    for (int step = HALF / 2; step > 0; step /= 2)
        for (int i = 0; i < step; i++)
            s[i] = s[i] + s[i + step];
    return s[0];
}

void softmax(const float *restrict x, float *restrict y, int32_t rows) {
    for (int32_t start = 0; start < rows; start += ROWS) {
        int count = rows - start < ROWS ? rows - start : ROWS;
        size_t bytes = count * COLUMNS * sizeof *x;
        memcpy(ub_x, x + (size_t)start * COLUMNS, bytes);
        for (int row = 0; row < count; row++) {
            const float *in = ub_x + row * COLUMNS;
            float *out = ub_y + row * COLUMNS;
            float max = greatest(in);
            for (int i = 0; i < COLUMNS; i++)
                out[i] = exponential(in[i] - max);
            float sum = total(out);
            for (int i = 0; i < COLUMNS; i++)
                out[i] = out[i] / sum;
        }
        memcpy(y + (size_t)start * COLUMNS, ub_y, bytes);
    }
}
