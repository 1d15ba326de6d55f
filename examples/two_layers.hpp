// A network of two layers that classifies: softmax(gelu(x w1 + b1) w2 + b2), and its argmax.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_argmax.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_softmax.h"

#define CHECK(call)                                                                                \
    do {                                                                                           \
        auto code = call;                                                                          \
        if (code != ACL_SUCCESS) {                                                                 \
            printf("%s: %d\n%s\n", #call, code, aclGetRecentErrMsg());                             \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

// Both phases of an operator.
#define RUN(operator, ...) run(operator##GetWorkspaceSize, operator, __VA_ARGS__)

const int64_t ROWS = 16, INPUTS = 64, HIDDEN = 48, CLASSES = 10;

// A contiguous tensor in memory of its own.
struct Array {
    size_t bytes;
    void *address;
    aclTensor *tensor;

    Array(const std::vector<int64_t> &shape, aclDataType type) : bytes(aclDataTypeSize(type))
    {
        for (auto size : shape) bytes *= size;
        CHECK(aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
        tensor = aclCreateTensor(shape.data(), shape.size(), type, nullptr, 0, ACL_FORMAT_ND,
                                 shape.data(), shape.size(), address);
    }
    Array(const std::vector<int64_t> &shape, const std::vector<float> &values)
        : Array(shape, ACL_FLOAT)
    {
        CHECK(aclrtMemcpy(address, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    }
    Array(const Array &) = delete;
    ~Array()
    {
        CHECK(aclDestroyTensor(tensor));
        CHECK(aclrtFree(address));
    }
};

// The parameters, the tensors between the layers, and what it computes for one batch after another.
class Network {
public:
    const std::vector<float> w1, b1, w2, b2;
    Array probabilities{{ROWS, CLASSES}, ACL_FLOAT}, classes{{ROWS}, ACL_INT64};

    Network(std::vector<float> w1, std::vector<float> b1, std::vector<float> w2,
            std::vector<float> b2)
        : w1(w1), b1(b1), w2(w2), b2(b2), weight1({INPUTS, HIDDEN}, w1), bias1({HIDDEN}, b1),
          weight2({HIDDEN, CLASSES}, w2), bias2({CLASSES}, b2)
    {
        float value = 1;
        one = aclCreateScalar(&value, ACL_FLOAT);
    }
    ~Network()
    {
        CHECK(aclDestroyScalar(one));
        for (auto workspace : workspaces) CHECK(aclrtFree(workspace));
    }

    // Queue the inference of a batch of F16 on a stream.
    void infer(const Array &batch, aclrtStream stream)
    {
        RUN(aclnnCast, stream, batch.tensor, ACL_FLOAT, x.tensor);
        RUN(aclnnMatmul, stream, x.tensor, weight1.tensor, hidden.tensor, KEEP_PRECISION);
        RUN(aclnnAdd, stream, hidden.tensor, bias1.tensor, one, biased.tensor);
        RUN(aclnnGelu, stream, biased.tensor, hidden.tensor);
        RUN(aclnnMatmul, stream, hidden.tensor, weight2.tensor, logits.tensor, KEEP_PRECISION);
        RUN(aclnnAdd, stream, logits.tensor, bias2.tensor, one, scores.tensor);
        RUN(aclnnSoftmax, stream, scores.tensor, -1, probabilities.tensor);
        RUN(aclnnArgMax, stream, probabilities.tensor, 1, false, classes.tensor);
    }

    // The probabilities of a row, computed on the host.
    std::vector<double> expected(const aclFloat16 *row) const
    {
        std::vector<double> found(b2.begin(), b2.end());
        for (int64_t k = 0; k < HIDDEN; k++) {
            double sum = b1[k];
            for (int64_t n = 0; n < INPUTS; n++)
                sum += (double)aclFloat16ToFloat(row[n]) * w1[n * HIDDEN + k];
            double inner = 0.7978845608028654 * (sum + 0.044715 * sum * sum * sum);
            double activated = 0.5 * sum * (1 + std::tanh(inner)); // aclnnGelu has this form
            for (int64_t c = 0; c < CLASSES; c++) found[c] += activated * w2[k * CLASSES + c];
        }
        double total = 0;
        for (auto &score : found) total += score = std::exp(score);
        for (auto &score : found) score /= total;
        return found;
    }

private:
    static const int8_t KEEP_PRECISION = 0;
    Array weight1, bias1, weight2, bias2;
    Array x{{ROWS, INPUTS}, ACL_FLOAT}, hidden{{ROWS, HIDDEN}, ACL_FLOAT},
        biased{{ROWS, HIDDEN}, ACL_FLOAT}, logits{{ROWS, CLASSES}, ACL_FLOAT},
        scores{{ROWS, CLASSES}, ACL_FLOAT};
    aclScalar *one;
    std::vector<void *> workspaces;

    template <class First, class Second, class... Arguments>
    void run(First first, Second second, aclrtStream stream, Arguments... arguments)
    {
        uint64_t size = 0;
        aclOpExecutor *executor;
        CHECK(first(arguments..., &size, &executor));
        void *workspace = nullptr;
        if (size) {
            CHECK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
            workspaces.push_back(workspace); // until all work is done
        }
        CHECK(second(workspace, size, executor, stream));
    }
};

// Numbers from -scale to scale, the same in every run.
inline std::vector<float> numbers(int64_t count, float scale)
{
    static uint32_t state = 1;
    std::vector<float> found(count);
    for (auto &number : found) {
        state = state * 1664525 + 1013904223;
        number = scale * ((float)(state >> 8) / (1 << 23) - 1);
    }
    return found;
}

// Exit if the operators have no kernels. The emulation takes PyTorch's, which may not be installed;
// phase 1 says so before it refuses the null pointers.
inline void check_kernels()
{
    uint64_t size;
    aclOpExecutor *executor;
    auto code = aclnnCastGetWorkspaceSize(nullptr, ACL_FLOAT, nullptr, &size, &executor);
    if (code != ACLNN_ERR_INNER_FIND_KERNEL_ERROR) return;
    printf("%s\n", aclGetRecentErrMsg());
    exit(1);
}

inline std::unique_ptr<Network> make_network()
{
    check_kernels();
    auto w1 = numbers(INPUTS * HIDDEN, 0.3f), b1 = numbers(HIDDEN, 0.3f);
    auto w2 = numbers(HIDDEN * CLASSES, 0.5f), b2 = numbers(CLASSES, 0.5f);
    return std::unique_ptr<Network>(new Network(w1, b1, w2, b2));
}
