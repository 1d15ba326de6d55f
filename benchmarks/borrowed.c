/* The cost of aclnnAdd, which PyTorch computes: microseconds of one call, the least of many turns.
   The arguments are the number of turns, then triples of numbers: elements, calls in a turn, and
   calls after which the stream is synchronised. */
#include "aclnnop/aclnn_add.h"
#include "timing.h"

static aclrtStream stream;

static double least(int turns, int64_t elements, int calls, int queued)
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
    for (int turn = 0; turn < turns; turn++) {
        double start = now();
        for (int k = 0; k < calls; k++) {
            CHECK(aclnnAddGetWorkspaceSize(tensors[0], tensors[1], alpha, tensors[2], &size,
                                           &executor));
            if (size > room) {
                CHECK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
                room = size;
            }
            CHECK(aclnnAdd(workspace, size, executor, stream));
            if ((k + 1) % queued == 0) CHECK(aclrtSynchronizeStream(stream));
        }
        double spent = (now() - start) / calls;
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
    for (int k = 2; k + 2 < count; k += 3)
        printf("%.2f\n", least(atoi(arguments[1]), atoll(arguments[k]), atoi(arguments[k + 1]),
                               atoi(arguments[k + 2])));
    return 0;
}
