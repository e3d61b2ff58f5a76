#include "acl/acl.h"
#include "test_common.h"

using namespace PtoTestCommon;

void LaunchTriple(int32_t *p, void *stream);
void LaunchAddOne(int32_t *p, void *stream);

int main() {
  size_t bytes = sizeof(int32_t);
  int32_t *host = nullptr;
  int32_t *device = nullptr;
  aclrtMallocHost((void **)&host, bytes);
  aclrtMalloc((void **)&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  if (!ReadFile("./v1.bin", bytes, host, bytes))
    return 1;
  aclrtMemcpy(device, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
  for (int turn = 0; turn < 2; ++turn) {
    LaunchAddOne(device, nullptr);
    LaunchTriple(device, nullptr);
  }
  aclrtMemcpy(host, bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
  WriteFile("./v1.bin", host, bytes);
  return 0;
}
