// A backend as of a tensor library: tensors in one buffer, calls by a macro that pastes names, results
// without axes of length 1, and an operator that it can do without.
#define ASCENDREF_ALLOW_ABSENT
#include <cstdint>
#include <cstring>
#include <vector>

#include "aclnnop/aclnn_arange.h"
#include "aclnnop/aclnn_batch_matmul.h"
#include "aclnnop/aclnn_hans_encode.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "expect.h"

using Sizes = std::vector<int64_t>;

static aclrtStream stream;
static char *buffer, *unused;
enum { ALIGNMENT = 128, BUFFER = 12 * ALIGNMENT };

#define CALL(api, ...)                                                                             \
    do {                                                                                           \
        uint64_t size = 0;                                                                         \
        aclOpExecutor *executor = nullptr;                                                         \
        void *workspace = nullptr;                                                                 \
        SUCCEEDS(aclnn##api##GetWorkspaceSize(__VA_ARGS__, &size, &executor));                     \
        if (size) SUCCEEDS(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));              \
        SUCCEEDS(aclnn##api(workspace, size, executor, stream));                                   \
        SUCCEEDS(aclrtSynchronizeStream(stream));                                                  \
        if (workspace) SUCCEEDS(aclrtFree(workspace));                                             \
    } while (0)

// A tensor in the buffer, which has room for as many as begin at multiples of the alignment.
struct Array {
    size_t bytes = sizeof(float);
    char *place = unused;
    aclTensor *tensor;

    Array(const Sizes &sizes, std::vector<float> data = {})
    {
        for (int64_t size : sizes) bytes *= size;
        unused += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        EXPECT(1, unused <= buffer + BUFFER);
        if (!data.empty())
            SUCCEEDS(aclrtMemcpy(place, bytes, data.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
        tensor = aclCreateTensor(sizes.data(), sizes.size(), ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND,
                                 sizes.data(), sizes.size(), place);
    }
    ~Array() { SUCCEEDS(aclDestroyTensor(tensor)); }
    void expect(const std::vector<float> &wanted) const
    {
        std::vector<float> data(bytes / sizeof(float));
        SUCCEEDS(aclrtMemcpy(data.data(), bytes, place, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
        EXPECT(wanted.size(), data.size());
        for (size_t k = 0; k < wanted.size(); k++) EXPECT(wanted[k], data[k]);
    }
};

int main()
{
    SUCCEEDS(aclInit(nullptr));
    SUCCEEDS(aclrtSetDevice(0));
    SUCCEEDS(aclrtCreateStream(&stream));
    SUCCEEDS(aclrtMalloc((void **)&buffer, BUFFER, ACL_MEM_MALLOC_HUGE_FIRST));
    // aligned as the library does it, which loses nothing of the buffer
    unused = (char *)(((uintptr_t)buffer + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    {
        Array x({1, 2, 4}, {2, -2, 2, -2, 4, 4, 4, -4}), gamma({4}, {1, 2, 3, 4}), y({1, 2, 4});
        Array rstd({1, 2}), indices({1, 1, 1, 5});
        CALL(RmsNorm, x.tensor, gamma.tensor, 0.0, y.tensor, rstd.tensor);
        y.expect({1, -2, 3, -4, 1, 2, 3, -4});
        rstd.expect({0.5, 0.25});
        float numbers[] = {0, 5, 1};
        aclScalar *scalars[3];
        for (int k = 0; k < 3; k++) scalars[k] = aclCreateScalar(&numbers[k], ACL_FLOAT);
        CALL(Arange, scalars[0], scalars[1], scalars[2], indices.tensor);
        indices.expect({0, 1, 2, 3, 4});
        for (aclScalar *scalar : scalars) SUCCEEDS(aclDestroyScalar(scalar));
        Array one({1, 1, 2}, {1, 10}), many({3, 2, 1}, {1, 2, 3, 4, 5, 6}), products({3, 1, 1});
        CALL(BatchMatMul, one.tensor, many.tensor, products.tensor, 0);
        products.expect({21, 43, 65});

        uint64_t size = 7;
        aclOpExecutor *executor = nullptr;
        EXPECT(561003, aclnnHansEncodeGetWorkspaceSize(x.tensor, x.tensor, true, &size, &executor));
        EXPECT(7, size);
        EXPECT(1, strstr(aclGetRecentErrMsg(), "aclnnHansEncode is not available") != nullptr);
    }
    SUCCEEDS(aclrtFree(buffer));
    SUCCEEDS(aclrtDestroyStream(stream));
    SUCCEEDS(aclrtResetDevice(0));
    SUCCEEDS(aclFinalize());
    return 0;
}
