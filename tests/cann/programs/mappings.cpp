// Reserved addresses and physical memory that is mapped to them, as allocators with segments do it.
#include <cstring>
#include <vector>

#include "aclnnop/aclnn_hardshrink_backward.h"
#include "expect.h"

static const size_t MIB = 1 << 20, PAGE = 2 * MIB;
static aclrtPhysicalMemProp prop = {ACL_MEM_HANDLE_TYPE_NONE, ACL_MEM_ALLOCATION_TYPE_PINNED,
                                    ACL_HBM_MEM_HUGE, {0, ACL_MEM_LOCATION_TYPE_DEVICE}, 0};

static aclTensor *tensor(void *address)
{
    const int64_t size[] = {static_cast<int64_t>(PAGE / 4)};
    return aclCreateTensor(size, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, size, 1, address);
}

static void use(char *begin)
{
    std::vector<float> numbers(PAGE / 4, 3);
    void *there = begin + PAGE - MIB; // in two mappings
    SUCCEEDS(aclrtMemcpy(there, PAGE, numbers.data(), PAGE, ACL_MEMCPY_HOST_TO_DEVICE));
    float value = 1;
    aclScalar *lambd = aclCreateScalar(&value, ACL_FLOAT);
    aclTensor *grad = tensor(there), *self = tensor(there), *out = tensor(there);
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    void *workspace = nullptr;
    SUCCEEDS(aclnnHardshrinkBackwardGetWorkspaceSize(grad, self, lambd, out, &size, &executor));
    if (size) SUCCEEDS(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    SUCCEEDS(aclnnHardshrinkBackward(workspace, size, executor, nullptr));
    SUCCEEDS(aclrtSynchronizeStream(nullptr));
    if (workspace) SUCCEEDS(aclrtFree(workspace));
    for (auto one : {grad, self, out}) SUCCEEDS(aclDestroyTensor(one));
    SUCCEEDS(aclDestroyScalar(lambd));
}

int main()
{
    char *base = nullptr, byte = 0;
    void *virtual_address = nullptr, *start = nullptr;
    aclrtDrvMemHandle first, second, small;
    size_t granularity = 0, before = 0, after = 0, total = 0, length = 0;
    SUCCEEDS(aclrtReserveMemAddress(&virtual_address, 512, 0, nullptr, 0)); // needs no context
    SUCCEEDS(aclrtReleaseMemAddress(virtual_address));
    EXPECT(107002, aclrtMallocPhysical(&first, PAGE, &prop, 0));
    SUCCEEDS(aclrtSetDevice(0));
    SUCCEEDS(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM,
                                              &granularity));
    EXPECT(PAGE, granularity);
    // more than the device has: it is no memory yet
    SUCCEEDS(aclrtReserveMemAddress(&virtual_address, 80ULL << 30, 0, nullptr, 1));
    base = static_cast<char *>(virtual_address);
    EXPECT(0, reinterpret_cast<uintptr_t>(base) % PAGE);
    EXPECT(107000, aclrtMemset(base, 1, 0, 1)); // nothing is mapped
    SUCCEEDS(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
    SUCCEEDS(aclrtMallocPhysical(&first, PAGE, &prop, 0));
    SUCCEEDS(aclrtMallocPhysical(&second, PAGE, &prop, 0));
    SUCCEEDS(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
    EXPECT(1, before - after >= 2 * PAGE);
    EXPECT(107000, aclrtMapMem(base + MIB, PAGE, 0, first, 0));
    EXPECT(107000, aclrtMapMem(base, MIB, 0, first, 0));
    EXPECT(100000, aclrtMapMem(base, PAGE, 1, first, 0));
    EXPECT(100000, aclrtMapMem(base, PAGE, 0, first, 1));
    EXPECT(100000, aclrtMapMem(nullptr, PAGE, 0, first, 0));
    EXPECT(100000, aclrtMapMem(base, PAGE, 0, nullptr, 0));
    EXPECT(107000, aclrtMapMem(&byte, PAGE, 0, first, 0));
    EXPECT(107017, aclrtMapMem(base, PAGE, 0, base, 0));
    SUCCEEDS(aclrtMapMem(base, PAGE, 0, first, 0));
    EXPECT(107000, aclrtMapMem(base, PAGE, 0, second, 0));
    EXPECT(107000, aclrtMapMem(base + PAGE, PAGE, 0, first, 0));
    EXPECT(107000, aclrtMemset(base, 2 * PAGE, 0, PAGE + 1));
    SUCCEEDS(aclrtMapMem(base + PAGE, PAGE, 0, second, 0));
    use(base);
    EXPECT(107000, aclrtMemset(base + 2 * PAGE - 1, 2, 0, 2));
    SUCCEEDS(aclrtMemset(base, 2 * PAGE, 7, 2 * PAGE));
    SUCCEEDS(aclrtMemGetAddressRange(base + PAGE + 5, &start, &length));
    EXPECT(1, start == base + PAGE && length == PAGE);
    EXPECT(107000, aclrtMemGetAddressRange(base + 2 * PAGE, &start, &length));
    EXPECT(107000, aclrtFree(base));
    EXPECT(107000, aclrtReleaseMemAddress(base));
    // memory keeps what is in it, wherever it is mapped
    SUCCEEDS(aclrtUnmapMem(base));
    EXPECT(107000, aclrtUnmapMem(base));
    EXPECT(107000, aclrtMemcpy(&byte, 1, base, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    SUCCEEDS(aclrtMemcpy(&byte, 1, base + PAGE, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    SUCCEEDS(aclrtMapMem(base + 8 * PAGE, PAGE, 0, first, 0));
    SUCCEEDS(aclrtMemcpy(&byte, 1, base + 9 * PAGE - 1, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT(7, byte);
    // freed while it is mapped, it goes with the mapping
    SUCCEEDS(aclrtFreePhysical(first));
    EXPECT(107017, aclrtFreePhysical(first));
    SUCCEEDS(aclrtMemset(base + 8 * PAGE, PAGE, 1, PAGE));
    SUCCEEDS(aclrtUnmapMem(base + 8 * PAGE));
    SUCCEEDS(aclrtUnmapMem(base + PAGE));
    aclrtPhysicalMemProp described;
    memset(&described, 0xFF, sizeof described);
    SUCCEEDS(aclrtMemGetAllocationPropertiesFromHandle(second, &described));
    EXPECT(0, described.location.id);
    EXPECT(ACL_MEM_LOCATION_TYPE_DEVICE, described.location.type);
    EXPECT(100000, aclrtMemGetAllocationPropertiesFromHandle(second, nullptr));
    SUCCEEDS(aclrtFreePhysical(second));
    SUCCEEDS(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
    EXPECT(before, after);
    // memory of a size that cannot be mapped, and that of another device
    SUCCEEDS(aclrtMallocPhysical(&small, 100, &prop, 0));
    EXPECT(107000, aclrtMapMem(base, 100, 0, small, 0));
    SUCCEEDS(aclrtFreePhysical(small));
    prop.location.id = 1;
    SUCCEEDS(aclrtMallocPhysical(&small, PAGE, &prop, 0));
    EXPECT(107000, aclrtMapMem(base, PAGE, 0, small, 0));
    SUCCEEDS(aclrtFreePhysical(small));
    prop.location.id = 2;
    EXPECT(107001, aclrtMallocPhysical(&small, PAGE, &prop, 0));
    prop.location.id = 0;
    EXPECT(207001, aclrtMallocPhysical(&small, 65ULL << 30, &prop, 0));
    EXPECT(100000, aclrtMallocPhysical(&small, 0, &prop, 0));
    EXPECT(100000, aclrtMallocPhysical(nullptr, PAGE, &prop, 0));
    EXPECT(100000, aclrtMallocPhysical(&small, PAGE, nullptr, 0));
    EXPECT(100000, aclrtMallocPhysical(&small, PAGE, &prop, 1));
    prop.location.type = ACL_MEM_LOCATION_TYPE_HOST;
    EXPECT(207000, aclrtMallocPhysical(&small, PAGE, &prop, 0));
    EXPECT(100000, aclrtReserveMemAddress(&start, 0, 0, nullptr, 0));
    EXPECT(100000, aclrtReserveMemAddress(nullptr, PAGE, 0, nullptr, 0));
    EXPECT(100000, aclrtReserveMemAddress(&start, PAGE, 1, nullptr, 0));
    EXPECT(207000, aclrtReserveMemAddress(&start, PAGE, 0, base, 0));
    EXPECT(100000, aclrtFreePhysical(nullptr));
    EXPECT(100000, aclrtUnmapMem(nullptr));
    SUCCEEDS(aclrtReserveMemAddress(&start, PAGE, 0, nullptr, 0));
    EXPECT(1, start >= base + (80ULL << 30));
    EXPECT(107000, aclrtReleaseMemAddress(static_cast<char *>(start) + 1));
    SUCCEEDS(aclrtReleaseMemAddress(start));
    EXPECT(107000, aclrtReleaseMemAddress(start));
    EXPECT(100000, aclrtReleaseMemAddress(nullptr));
    SUCCEEDS(aclrtReleaseMemAddress(base));
    SUCCEEDS(aclrtResetDevice(0));
    return failures != 0;
}
