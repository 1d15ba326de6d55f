// One operator, start to end, as the vendor's samples are written; prints its results.
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_hardshrink_backward.h"

#define CHECK(call)                                                                                \
    do {                                                                                           \
        auto code = call;                                                                          \
        if (code != ACL_SUCCESS) {                                                                 \
            printf("%s: %d\n%s\n", #call, code, aclGetRecentErrMsg());                             \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static aclTensor *describe(const std::vector<int64_t> &shape, void *address)
{
    std::vector<int64_t> strides(shape.size(), 1);
    for (int k = (int)shape.size() - 2; k >= 0; k--) strides[k] = shape[k + 1] * strides[k + 1];
    return aclCreateTensor(shape.data(), shape.size(), aclDataType::ACL_FLOAT, strides.data(), 0,
                           aclFormat::ACL_FORMAT_ND, shape.data(), shape.size(), address);
}

int main()
{
    std::vector<int64_t> shape = {2, 2};
    std::vector<float> gradient = {0, 0, 1, 1}, input = {1, 2, 3, 4}, result(4);
    const size_t size = 4 * sizeof(float);
    aclrtStream stream;
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    void *memory[3];
    for (auto &one : memory) CHECK(aclrtMalloc(&one, size, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemcpy(memory[0], size, gradient.data(), size, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(aclrtMemcpy(memory[1], size, input.data(), size, ACL_MEMCPY_HOST_TO_DEVICE));
    aclTensor *gradOutput = describe(shape, memory[0]), *self = describe(shape, memory[1]);
    aclTensor *gradInput = describe(shape, memory[2]);
    float value = 2;
    aclScalar *lambd = aclCreateScalar(&value, ACL_FLOAT);
    uint64_t workspaceSize = 0;
    aclOpExecutor *executor;
    CHECK(aclnnHardshrinkBackwardGetWorkspaceSize(gradOutput, self, lambd, gradInput,
                                                  &workspaceSize, &executor));
    void *workspace = nullptr;
    if (workspaceSize)
        CHECK(aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclnnHardshrinkBackward(workspace, workspaceSize, executor, stream));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtMemcpy(result.data(), size, memory[2], size, ACL_MEMCPY_DEVICE_TO_HOST));
    for (size_t k = 0; k < result.size(); k++) printf("result[%zu] is: %f\n", k, result[k]);
    CHECK(aclDestroyTensor(gradOutput));
    CHECK(aclDestroyTensor(self));
    CHECK(aclDestroyTensor(gradInput));
    CHECK(aclDestroyScalar(lambd));
    for (auto one : memory) CHECK(aclrtFree(one));
    if (workspace) CHECK(aclrtFree(workspace));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
