#include "acl/acl.h"
#include "test_common.h"

#include <cstdint>
#include <cstdio>
#include <filesystem>

using namespace PtoTestCommon;

// Leaves main with status 1 if a step does not succeed.
#define CHECK(step)                                     \
  if (!(step)) {                                        \
    std::fprintf(stderr, "failed: %s\n", #step);        \
    return 1;                                           \
  }

void LaunchDouble(float *, float *, void *);

int main() {
  aclrtStream stream = nullptr;
  CHECK(aclInit(nullptr) == ACL_SUCCESS);
  CHECK(aclrtSetDevice(0) == ACL_SUCCESS);
  CHECK(aclrtCreateStream(&stream) == ACL_SUCCESS);

  size_t v1Size = std::filesystem::file_size("./v1.bin");
  float *v1Host = nullptr;
  float *v1Device = nullptr;
  CHECK(aclrtMallocHost((void **)&v1Host, v1Size) == ACL_SUCCESS);
  CHECK(aclrtMalloc((void **)&v1Device, v1Size, ACL_MEM_MALLOC_HUGE_FIRST) ==
        ACL_SUCCESS);
  CHECK(ReadFile("./v1.bin", v1Size, v1Host, v1Size));
  CHECK(aclrtMemcpy(v1Device, v1Size, v1Host, v1Size,
                    ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS);
  size_t v2Size = std::filesystem::file_size("./v2.bin");
  float *v2Host = nullptr;
  float *v2Device = nullptr;
  CHECK(aclrtMallocHost((void **)&v2Host, v2Size) == ACL_SUCCESS);
  CHECK(aclrtMalloc((void **)&v2Device, v2Size, ACL_MEM_MALLOC_HUGE_FIRST) ==
        ACL_SUCCESS);
  CHECK(ReadFile("./v2.bin", v2Size, v2Host, v2Size));
  CHECK(aclrtMemcpy(v2Device, v2Size, v2Host, v2Size,
                    ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS);

  LaunchDouble(v1Device, v2Device, stream);
  CHECK(aclrtSynchronizeStream(stream) == ACL_SUCCESS);

  CHECK(aclrtMemcpy(v2Host, v2Size, v2Device, v2Size,
                    ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS);
  CHECK(WriteFile("./v2.bin", v2Host, v2Size));

  aclrtFree(v1Device);
  aclrtFreeHost(v1Host);
  aclrtFree(v2Device);
  aclrtFreeHost(v2Host);
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
