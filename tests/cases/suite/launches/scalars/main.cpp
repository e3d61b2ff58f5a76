#include "acl/acl.h"
#include "test_common.h"

using namespace PtoTestCommon;

#define MUST(expr)                                        \
  do {                                                    \
    const aclError code = (expr);                         \
    if (code != ACL_SUCCESS) {                            \
      std::fprintf(stderr, "%s: %d\n", #expr, (int)code); \
      status = 1;                                         \
      goto done;                                          \
    }                                                     \
  } while (0)

constexpr size_t kCount = 0x40; // elements

void LaunchPut(float *p, int32_t count, float scale, void *stream);

int main() {
  int status = 0;
  float *host = nullptr, *device = nullptr;
  float scale = 0.0f;
  size_t bytes = kCount * sizeof(float), one = sizeof(scale);
  aclrtStream stream = nullptr;
  MUST(aclInit(nullptr));
  MUST(aclrtCreateStream(&stream));
  MUST(aclrtMallocHost((void **)(&host), bytes));
  MUST(aclrtMalloc((void **)&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  ReadFile("./p.bin", bytes, host, bytes);
  ReadFile("./scale.bin", one, &scale, one);
  MUST(aclrtMemcpy(device, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  /* the middle of the array */
  LaunchPut(device, static_cast<int32_t>(kCount), scale * 2.0f, stream);
  MUST(aclrtSynchronizeStream(stream));
  MUST(aclrtMemcpy(host, bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
  WriteFile("./p.bin", host, bytes);

done:
  aclrtFree(device);
  aclrtFreeHost(host);
  if (stream != nullptr)
    aclrtDestroyStream(stream);
  aclFinalize();
  return status;
}
