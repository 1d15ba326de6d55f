/* The cost of aclnnAdd, which PyTorch computes: microseconds of one call for each number of
   elements on the command line, the least of many turns. Both phases, then synchronisation. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_add.h"

enum { TURNS = 20, BUDGET = 100000000 };

static void check(int code, const char *call)
{
    if (code == ACL_SUCCESS) return;
    const char *message = aclGetRecentErrMsg();
    fprintf(stderr, "%s: %d %s\n", call, code, message ? message : "");
    exit(1);
}
#define CHECK(call) check(call, #call)

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static aclrtStream stream;

static double least(int64_t elements)
{
    size_t bytes = (size_t)elements * sizeof(float);
    float one = 1;
    aclScalar *alpha = aclCreateScalar(&one, ACL_FLOAT);
    void *memory[3], *workspace = NULL;
    aclTensor *tensors[3];
    uint64_t size, room = 0;
    aclOpExecutor *executor;
    for (int k = 0; k < 3; k++) {
        CHECK(aclrtMalloc(&memory[k], bytes, ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK(aclrtMemset(memory[k], bytes, 0, bytes));
        tensors[k] = aclCreateTensor(&elements, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &elements, 1,
                                     memory[k]);
    }
    double found = 0;
    int batch = (int)(BUDGET / TURNS / (elements + 100000));
    for (int turn = 0; turn < TURNS; turn++) {
        double start = now();
        for (int k = 0; k < batch; k++) {
            CHECK(aclnnAddGetWorkspaceSize(tensors[0], tensors[1], alpha, tensors[2], &size,
                                           &executor));
            if (size > room) {
                CHECK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
                room = size;
            }
            CHECK(aclnnAdd(workspace, size, executor, stream));
            CHECK(aclrtSynchronizeStream(stream));
        }
        double spent = (now() - start) / batch;
        if (turn == 0 || spent < found) found = spent;
    }
    for (int k = 0; k < 3; k++) {
        CHECK(aclDestroyTensor(tensors[k]));
        CHECK(aclrtFree(memory[k]));
    }
    CHECK(aclDestroyScalar(alpha));
    if (workspace != NULL) CHECK(aclrtFree(workspace));
    return found;
}

int main(int count, char **arguments)
{
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    for (int k = 1; k < count; k++) printf("%.2f\n", least(atoll(arguments[k])));
    return 0;
}
