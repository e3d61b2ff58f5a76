#include <stdint.h>

extern "C" __global__ [aicore] void add_one(__gm__ int32_t *p);
extern "C" __global__ [aicore] void triple(__gm__ int32_t *p);

void LaunchTriple(int32_t *p, void *stream) {
  triple<<<1, nullptr, stream>>>((__gm__ int32_t *)p);
}

void LaunchAddOne(int32_t *p, void *stream) {
  add_one<<<1, nullptr, stream>>>((__gm__ int32_t *)p);
}
