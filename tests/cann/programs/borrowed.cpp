// Operators that PyTorch computes: arrays of numbers, lists, several results, found shapes.
#include <cfenv>
#include <cstdint>
#include <vector>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_amax.h"
#include "aclnnop/aclnn_cat.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "aclnnop/aclnn_foreach_add_scalar_list.h"
#include "aclnnop/aclnn_fused_infer_attention_score_v2.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_nonzero_v2.h"
#include "aclnnop/aclnn_sort.h"
#include "aclnnop/aclnn_split_tensor.h"
#include "aclnnop/aclnn_trans_matmul_weight.h"
#include "expect.h"

using Sizes = std::vector<int64_t>;
static aclrtStream stream;

static int64_t count(const Sizes &sizes)
{
    int64_t product = 1;
    for (int64_t size : sizes) product *= size;
    return product;
}

// A tensor of device memory, with the data copied to it.
template <class T> struct Array {
    void *memory = nullptr;
    size_t bytes;
    aclTensor *tensor;

    Array(const Sizes &sizes, aclDataType type, std::vector<T> data = {})
        : bytes(sizeof(T) * count(sizes))
    {
        data.resize(count(sizes));
        SUCCEEDS(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
        SUCCEEDS(aclrtMemcpy(memory, bytes, data.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
        tensor = aclCreateTensor(sizes.data(), sizes.size(), type, nullptr, 0, ACL_FORMAT_ND,
                                 sizes.data(), sizes.size(), memory);
    }
    ~Array() { SUCCEEDS(aclrtFree(memory)); }
    void expect(const std::vector<T> &wanted) const
    {
        std::vector<T> data(bytes / sizeof(T));
        SUCCEEDS(aclrtSynchronizeStream(stream));
        SUCCEEDS(aclrtMemcpy(data.data(), bytes, memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
        for (size_t k = 0; k < wanted.size(); k++) EXPECT(wanted[k], data[k]);
    }
};

using Phase2 = aclnnStatus (*)(void *, uint64_t, aclOpExecutor *, aclrtStream);

static void run(aclnnStatus planned, uint64_t size, aclOpExecutor *executor, Phase2 launch)
{
    void *workspace = nullptr;
    SUCCEEDS(planned);
    if (size) SUCCEEDS(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    SUCCEEDS(launch(workspace, size, executor, stream));
    SUCCEEDS(aclrtSynchronizeStream(stream));
    if (size) SUCCEEDS(aclrtFree(workspace));
}

#define RUN(name, ...)                                                                             \
    do {                                                                                           \
        uint64_t size_ = 0;                                                                        \
        aclOpExecutor *executor_ = nullptr;                                                        \
        aclnnStatus planned_ = name##GetWorkspaceSize(__VA_ARGS__, &size_, &executor_);            \
        run(planned_, size_, executor_, name);                                                     \
    } while (0)

// A sum of one thread is rounded to nearest, and so is the device's, whatever that thread's mode is.
static void rounding_of_the_thread()
{
    Array<float> x({2}, ACL_FLOAT, {1, 1}), y({2}, ACL_FLOAT, {0x1p-25f, 0x1.8p-24f});
    Array<float> out({2}, ACL_FLOAT);
    int32_t one = 1;
    aclScalar *alpha = aclCreateScalar(&one, ACL_INT32);
    std::fesetround(FE_UPWARD);
    RUN(aclnnAdd, x.tensor, y.tensor, alpha, out.tensor);
    EXPECT(FE_UPWARD, std::fegetround());
    std::fesetround(FE_TONEAREST);
    out.expect({1, 1 + 0x1p-23f});
    std::feclearexcept(FE_ALL_EXCEPT);
    RUN(aclnnAdd, x.tensor, y.tensor, alpha, out.tensor); // inexact, on whichever thread
    EXPECT(0, std::fetestexcept(FE_ALL_EXCEPT));
}

static void arrays_of_numbers()
{
    Array<float> x({2, 3, 2}, ACL_FLOAT, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0});
    Array<float> out({2, 2}, ACL_FLOAT);
    const int64_t dims[] = {1};
    aclIntArray *array = aclCreateIntArray(dims, 1);
    RUN(aclnnAmax, x.tensor, array, false, out.tensor);
    out.expect({5, 6, 11, 10});
    SUCCEEDS(aclDestroyIntArray(array));
    uint64_t size;
    aclOpExecutor *executor;
    EXPECT(161001, aclnnAmaxGetWorkspaceSize(x.tensor, nullptr, false, out.tensor, &size, &executor));
}

static void lists_of_tensors()
{
    Array<int32_t> a({2, 1}, ACL_INT32, {1, 2}), b({2, 2}, ACL_INT32, {3, 4, 5, 6});
    Array<int32_t> all({2, 3}, ACL_INT32), left({2, 2}, ACL_INT32), right({2, 1}, ACL_INT32);
    const aclTensor *parts[] = {a.tensor, b.tensor}, *halves[] = {left.tensor, right.tensor};
    aclTensorList *list = aclCreateTensorList(parts, 2), *results = aclCreateTensorList(halves, 2);
    RUN(aclnnCat, list, 1, all.tensor);
    all.expect({1, 3, 4, 2, 5, 6});
    RUN(aclnnSplitTensor, all.tensor, 2, 1, results);
    left.expect({1, 3, 2, 5});
    right.expect({4, 6});
    int32_t numbers[] = {10, 20};
    const aclScalar *scalars[] = {aclCreateScalar(&numbers[0], ACL_INT32),
                                  aclCreateScalar(&numbers[1], ACL_INT32)};
    aclScalarList *added = aclCreateScalarList(scalars, 2);
    const aclTensor *second[] = {b.tensor, a.tensor};
    aclTensorList *same = aclCreateTensorList(second, 2);
    RUN(aclnnForeachAddScalarList, same, added, same);
    b.expect({13, 14, 15, 16});
    a.expect({21, 22});
    // at another address, of which the executor is told by its place in the list
    uint64_t size;
    aclOpExecutor *executor;
    SUCCEEDS(aclnnForeachAddScalarListGetWorkspaceSize(same, added, results, &size, &executor));
    EXPECT(161002, AclSetDynamicInputTensorAddr(executor, 0, 2, same, a.memory));
    SUCCEEDS(aclDestroyAclOpExecutor(executor));
    SUCCEEDS(aclnnCatGetWorkspaceSize(list, 1, all.tensor, &size, &executor));
    Array<int32_t> moved({2, 1}, ACL_INT32, {-1, -2});
    SUCCEEDS(AclSetDynamicInputTensorAddr(executor, 0, 0, list, moved.memory));
    run(ACL_SUCCESS, size, executor, aclnnCat);
    all.expect({-1, 13, 14, -2, 15, 16});
    SUCCEEDS(aclDestroyTensorList(list));
    SUCCEEDS(aclDestroyTensorList(results));
    SUCCEEDS(aclDestroyScalarList(added));
}

static void two_results()
{
    Array<float> x({2, 3}, ACL_FLOAT, {2, 3, 1, 5, 4, 6}), values({2, 3}, ACL_FLOAT);
    Array<int64_t> indices({2, 3}, ACL_INT64);
    RUN(aclnnSort, x.tensor, true, 1, true, values.tensor, indices.tensor);
    values.expect({3, 2, 1, 6, 5, 4});
    indices.expect({1, 0, 2, 2, 0, 1});
}

static void shapes_that_the_data_decide()
{
    Array<float> x({2, 3}, ACL_FLOAT, {0, 1, 0, 2, 0, 3});
    Array<int64_t> out({2, 6}, ACL_INT64);
    RUN(aclnnNonzeroV2, x.tensor, out.tensor);
    int64_t *sizes, *strides;
    uint64_t rank;
    SUCCEEDS(aclGetViewShape(out.tensor, &sizes, &rank));
    EXPECT(2, rank);
    EXPECT(2, sizes[0]);
    EXPECT(3, sizes[1]);
    SUCCEEDS(aclGetViewStrides(out.tensor, &strides, &rank));
    EXPECT(3, strides[0]);
    out.expect({0, 1, 1, 1, 0, 2});
    delete[] sizes;
    delete[] strides;
}

static void many_parameters()
{
    Array<float> x({1, 1, 2, 3}, ACL_FLOAT, {1, 2, 3, 4, 5, 6}), w({1, 1, 1, 2}, ACL_FLOAT, {1, 10});
    Array<float> grad({1, 1, 2, 2}, ACL_FLOAT, {1, 2, 3, 4}), of_x({1, 1, 2, 3}, ACL_FLOAT);
    Array<float> of_bias({1}, ACL_FLOAT);
    const int64_t one[] = {1, 1}, zero[] = {0, 0};
    const bool mask[] = {true, false, true};
    aclIntArray *bias = aclCreateIntArray(one, 1), *ones = aclCreateIntArray(one, 2);
    aclIntArray *zeros = aclCreateIntArray(zero, 2);
    aclBoolArray *wanted = aclCreateBoolArray(mask, 3);
    RUN(aclnnConvolutionBackward, grad.tensor, x.tensor, w.tensor, bias, ones, zeros, ones, false,
        zeros, 1, wanted, 1, of_x.tensor, nullptr, of_bias.tensor);
    of_x.expect({1, 12, 20, 3, 34, 40});
    of_bias.expect({10});
    Array<float> a({2, 2}, ACL_FLOAT, {1, 2, 3, 4}), b({2}, ACL_FLOAT, {5, 6}), product({2}, ACL_FLOAT);
    RUN(aclnnMatmul, a.tensor, b.tensor, product.tensor, 1);
    product.expect({17, 39});
    uint64_t size;
    aclOpExecutor *executor;
    EXPECT(161002,
           aclnnMatmulGetWorkspaceSize(a.tensor, b.tensor, product.tensor, 9, &size, &executor));
}

// Numbers of F16 from 0 to 31.
static uint16_t half(int number)
{
    if (!number) return 0;
    int power = 31 - __builtin_clz(number);
    return (power + 15) << 10 | (number << (10 - power) & 1023);
}

static void weights_in_blocks()
{
    const int64_t sizes[] = {3, 2}, nothing[] = {3, 0};
    aclIntArray *shape = aclCreateIntArray(sizes, 2), *empty = aclCreateIntArray(nothing, 2);
    uint64_t count = 0, older = 0;
    SUCCEEDS(aclnnCalculateMatmulWeightSizeV2(shape, ACL_FLOAT16, &count));
    SUCCEEDS(aclnnCalculateMatmulWeightSize(shape, &older));
    EXPECT(256, count);
    EXPECT(256, older);
    EXPECT(161002, aclnnCalculateMatmulWeightSizeV2(shape, ACL_FLOAT, &count));
    EXPECT(161002, aclnnCalculateMatmulWeightSize(empty, &count));
    EXPECT(161001, aclnnCalculateMatmulWeightSizeV2(nullptr, ACL_INT8, &count));
    EXPECT(161001, aclnnCalculateMatmulWeightSizeV2(shape, ACL_INT8, nullptr));
    std::vector<uint16_t> numbers;
    for (int k = 1; k <= 6; k++) numbers.push_back(half(k));
    Array<uint16_t> room({256}, ACL_FLOAT16, numbers);
    aclTensor *weight = aclCreateTensor(sizes, 2, ACL_FLOAT16, nullptr, 0, ACL_FORMAT_ND, sizes, 2,
                                        room.memory);
    aclFormat format;
    int64_t *storage;
    uint64_t rank;
    SUCCEEDS(aclGetFormat(weight, &format));
    EXPECT(ACL_FORMAT_ND, format);
    RUN(aclnnTransMatmulWeight, weight);
    SUCCEEDS(aclGetFormat(weight, &format));
    EXPECT(ACL_FORMAT_FRACTAL_NZ, format);
    SUCCEEDS(aclGetStorageShape(weight, &storage, &rank));
    EXPECT(4, rank);
    EXPECT(1, storage[0]);
    EXPECT(16, storage[3]);
    delete[] storage;
    Array<uint16_t> x({1, 3}, ACL_FLOAT16, {half(1), half(2), half(3)}), out({1, 2}, ACL_FLOAT16);
    RUN(aclnnMm, x.tensor, weight, out.tensor, 1);
    out.expect({half(22), half(28)});
    SUCCEEDS(aclDestroyTensor(weight));
    SUCCEEDS(aclDestroyIntArray(shape));
    SUCCEEDS(aclDestroyIntArray(empty));
}

static void attention()
{
    Array<uint16_t> query({1, 1, 1, 2}, ACL_FLOAT16), key({1, 2, 1, 2}, ACL_FLOAT16);
    Array<uint16_t> value({1, 2, 1, 2}, ACL_FLOAT16, {half(2), half(4), half(6), half(8)});
    Array<uint16_t> out({1, 1, 1, 2}, ACL_FLOAT16);
    const aclTensor *keys[] = {key.tensor}, *values[] = {value.tensor}, *result = out.tensor;
    aclTensorList *k = aclCreateTensorList(keys, 1), *v = aclCreateTensorList(values, 1);
    char layout[] = "BSND";
    RUN(aclnnFusedInferAttentionScoreV2, query.tensor, k, v, nullptr, nullptr, nullptr, nullptr,
        nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
        nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 1, 0.5, 65535, 65535, layout,
        1, 0, 0, 0, 0, false, 0, 0, result, nullptr);
    out.expect({half(4), half(6)});
}

int main()
{
    SUCCEEDS(aclInit(nullptr));
    SUCCEEDS(aclrtSetDevice(0));
    SUCCEEDS(aclrtCreateStream(&stream));
    rounding_of_the_thread();
    arrays_of_numbers();
    lists_of_tensors();
    two_results();
    shapes_that_the_data_decide();
    many_parameters();
    weights_in_blocks();
    attention();
    SUCCEEDS(aclrtDestroyStream(stream));
    SUCCEEDS(aclrtResetDevice(0));
    SUCCEEDS(aclFinalize());
    return failures != 0;
}
