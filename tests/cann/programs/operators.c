/* Run operators on cases from a file: for each a line with the operator, the bytes of the allocation
   that each tensor lies in, and for each tensor its type, rank, sizes, strides, offset and the byte at
   which its storage begins, then the scalars, of the types that the line says; the bytes follow.
   The allocations of the results are written to another file. */
#include <inttypes.h>
#include <string.h>

#include "aclnnop/aclnn_hardshrink_backward.h"
#include "aclnnop/aclnn_logit_grad.h"
#include "aclnnop/aclnn_prelu_backward.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"
#include "aclnnop/level2/aclnn_softplus_backward.h"
#include "expect.h"

enum { MOST = 8 };

static int64_t integer(FILE *file)
{
    int64_t number = 0;
    EXPECT(1, fscanf(file, "%" SCNd64, &number));
    return number;
}

static double real(FILE *file)
{
    double number = 0;
    EXPECT(1, fscanf(file, "%lf", &number));
    return number;
}

struct operand {
    aclTensor *tensor;
    void *memory;
    size_t size;
};

static struct operand read_operand(FILE *file)
{
    struct operand made;
    int64_t sizes[MOST] = {0}, strides[MOST] = {0};
    made.size = (size_t)integer(file);
    aclDataType type = (aclDataType)integer(file);
    int64_t rank = integer(file);
    for (int64_t k = 0; k < rank; k++) sizes[k] = integer(file);
    for (int64_t k = 0; k < rank; k++) strides[k] = integer(file);
    int64_t offset = integer(file), start = integer(file);
    SUCCEEDS(aclrtMalloc(&made.memory, made.size, ACL_MEM_MALLOC_HUGE_FIRST));
    int64_t storage = (int64_t)made.size;
    made.tensor = aclCreateTensor(sizes, (uint64_t)rank, type, strides, offset, ACL_FORMAT_NCHW,
                                  &storage, 1, (char *)made.memory + start);
    return made;
}

static aclScalar *read_scalar(FILE *file)
{
    aclDataType type = (aclDataType)integer(file);
    double number = real(file);
    float single = (float)number;
    int64_t whole = (int64_t)number;
    aclFloat16 half = aclFloatToFloat16(single);
    if (type == ACL_INT64) return aclCreateScalar(&whole, type);
    if (type == ACL_FLOAT16) return aclCreateScalar(&half, type);
    return type == ACL_FLOAT ? aclCreateScalar(&single, type) : aclCreateScalar(&number, type);
}

static void run(FILE *in, FILE *out, const char *name, aclrtStream stream)
{
    struct operand t[5];
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    aclScalar *scalars[2] = {NULL, NULL};
    int count = (int)integer(in), results = (int)integer(in);
    for (int k = 0; k < count; k++) t[k] = read_operand(in);
    aclnnStatus (*launch)(void *, uint64_t, aclOpExecutor *, aclrtStream) = NULL;
#define T(k) t[k].tensor
    if (!strcmp(name, "hardshrink_backward")) {
        scalars[0] = read_scalar(in);
        SUCCEEDS(aclnnHardshrinkBackwardGetWorkspaceSize(T(0), T(1), scalars[0], T(2), &size, &executor));
        launch = aclnnHardshrinkBackward;
    } else if (!strcmp(name, "softplus_backward")) {
        for (int k = 0; k < 2; k++) scalars[k] = read_scalar(in);
        SUCCEEDS(aclnnSoftplusBackwardGetWorkspaceSize(T(0), T(1), scalars[0], scalars[1], T(2), &size, &executor));
        launch = aclnnSoftplusBackward;
    } else if (!strcmp(name, "prelu_backward")) {
        SUCCEEDS(aclnnPreluBackwardGetWorkspaceSize(T(0), T(1), T(2), T(3), T(4), &size, &executor));
        launch = aclnnPreluBackward;
    } else if (!strcmp(name, "smooth_l1_loss_backward")) {
        int64_t reduction = integer(in);
        float beta = (float)real(in);
        SUCCEEDS(aclnnSmoothL1LossBackwardGetWorkspaceSize(T(0), T(1), T(2), reduction, beta, T(3), &size, &executor));
        launch = aclnnSmoothL1LossBackward;
    } else {
        double eps = real(in);
        SUCCEEDS(aclnnLogitGradGetWorkspaceSize(T(0), T(1), eps, T(2), &size, &executor));
        launch = aclnnLogitGrad;
    }
    EXPECT('\n', fgetc(in));
    for (int k = 0; k < count; k++) {
        void *host = malloc(t[k].size);
        EXPECT(t[k].size, fread(host, 1, t[k].size, in));
        SUCCEEDS(aclrtMemcpy(t[k].memory, t[k].size, host, t[k].size, ACL_MEMCPY_HOST_TO_DEVICE));
        free(host);
    }
    void *workspace = NULL;
    if (size) SUCCEEDS(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    SUCCEEDS(launch(workspace, size, executor, stream));
    SUCCEEDS(aclrtSynchronizeStream(stream));
    for (int k = count - results; k < count; k++) {
        void *host = malloc(t[k].size);
        SUCCEEDS(aclrtMemcpy(host, t[k].size, t[k].memory, t[k].size, ACL_MEMCPY_DEVICE_TO_HOST));
        EXPECT(t[k].size, fwrite(host, 1, t[k].size, out));
        free(host);
    }
    for (int k = 0; k < count; k++) {
        SUCCEEDS(aclDestroyTensor(t[k].tensor));
        SUCCEEDS(aclrtFree(t[k].memory));
    }
    for (int k = 0; k < 2; k++) SUCCEEDS(aclDestroyScalar(scalars[k]));
    if (workspace) SUCCEEDS(aclrtFree(workspace));
}

int main(int count, char **arguments)
{
    char name[64];
    aclrtStream stream;
    if (count < 3) return 2;
    FILE *in = fopen(arguments[1], "rb"), *out = fopen(arguments[2], "wb");
    if (!in || !out) return 2;
    SUCCEEDS(aclInit(NULL));
    SUCCEEDS(aclrtSetDevice(0));
    SUCCEEDS(aclrtCreateStream(&stream));
    while (fscanf(in, "%63s", name) == 1) run(in, out, name, stream);
    SUCCEEDS(aclrtDestroyStream(stream));
    SUCCEEDS(aclrtResetDevice(0));
    SUCCEEDS(aclFinalize());
    fclose(out);
    fclose(in);
    return failures != 0;
}
