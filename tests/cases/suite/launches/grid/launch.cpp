#include <stdint.h>

extern "C" __global__ [aicore] void number(__gm__ int64_t *p, __gm__ int64_t *q);

void LaunchNumber(int64_t *p, int64_t *q, void *stream) {
  const int32_t rows = 50;
  const int32_t perBlock = 8;
  const int32_t blocks = (rows + perBlock - 1) / perBlock;
  number<<<blocks, nullptr, stream>>>((__gm__ int64_t *)p, (__gm__ int64_t *)q);
}
