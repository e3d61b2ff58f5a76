// What add.pto, axpy.pto, scale.pto and copy.pto compute, as C without an NPU in mind: no tiles, no
// buffers. gcc makes a call of memcpy of the last loop.
#include <math.h>
#include <stdint.h>

void add(const float *restrict a, const float *restrict b, float *restrict out, int32_t n) {
    for (int32_t i = 0; i < n; i++)
        out[i] = a[i] + b[i];
}

void axpy(const float *restrict x, const float *restrict y, float *restrict out, float alpha,
          int32_t n) {
    for (int32_t i = 0; i < n; i++)
        out[i] = fmaf(alpha, x[i], y[i]);
}

void scale(const float *restrict x, float *restrict out, float factor, int32_t n) {
    for (int32_t i = 0; i < n; i++)
        out[i] = x[i] * factor;
}

void copy(const float *restrict x, float *restrict out, int32_t n) {
    for (int32_t i = 0; i < n; i++)
        out[i] = x[i];
}
