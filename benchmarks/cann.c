/* The costs of calls of the C library, in microseconds: the least of many turns of each. */
#include "aclnnop/aclnn_hardshrink_backward.h"
#include "timing.h"

enum { ELEMENTS = 1000, BATCH = 200, PARTS = 7 };

static const int64_t shape[] = {ELEMENTS};
static void *memory[3];
static aclTensor *tensors[3];
static aclScalar *lambd;
static aclrtStream stream;

static aclTensor *describe(void *address)
{
    return aclCreateTensor(shape, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 1, address);
}

static void both_phases(void)
{
    uint64_t size;
    aclOpExecutor *executor;
    CHECK(aclnnHardshrinkBackwardGetWorkspaceSize(tensors[0], tensors[1], lambd, tensors[2], &size,
                                                  &executor));
    CHECK(aclnnHardshrinkBackward(NULL, size, executor, stream));
}

static void both_phases_and_synchronize(void)
{
    both_phases();
    CHECK(aclrtSynchronizeStream(stream));
}

static void both_phases_with_new_tensors(void)
{
    float value = 0.5f;
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *made[3];
    for (int k = 0; k < 3; k++) made[k] = describe(memory[k]);
    aclScalar *scalar = aclCreateScalar(&value, ACL_FLOAT);
    CHECK(aclnnHardshrinkBackwardGetWorkspaceSize(made[0], made[1], scalar, made[2], &size,
                                                  &executor));
    CHECK(aclnnHardshrinkBackward(NULL, size, executor, stream));
    for (int k = 0; k < 3; k++) CHECK(aclDestroyTensor(made[k]));
    CHECK(aclDestroyScalar(scalar));
}

static void create_and_destroy(void) { CHECK(aclDestroyTensor(describe(memory[0]))); }

static void copy(void)
{
    float host[4];
    CHECK(aclrtMemcpy(host, sizeof host, memory[0], sizeof host, ACL_MEMCPY_DEVICE_TO_HOST));
}

static void synchronize(void) { CHECK(aclrtSynchronizeStream(stream)); }

static void smallest(void)
{
    int32_t number;
    CHECK(aclrtGetDevice(&number));
}

static const struct {
    const char *name;
    void (*run)(void);
} parts[PARTS] = {
    {"both phases", both_phases},
    {"both phases, synchronized", both_phases_and_synchronize},
    {"both phases, new tensors", both_phases_with_new_tensors},
    {"tensor create and destroy", create_and_destroy},
    {"copy of 16 bytes", copy},
    {"idle synchronize", synchronize},
    {"aclrtGetDevice", smallest},
};

int main(int count, char **arguments)
{
    int turns = count > 1 ? atoi(arguments[1]) : 50;
    double least[PARTS];
    float value = 0.5f;
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    for (int k = 0; k < 3; k++) {
        CHECK(aclrtMalloc(&memory[k], ELEMENTS * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK(aclrtMemset(memory[k], ELEMENTS * sizeof(float), 0, ELEMENTS * sizeof(float)));
        tensors[k] = describe(memory[k]);
    }
    lambd = aclCreateScalar(&value, ACL_FLOAT);
    for (int turn = 0; turn < turns; turn++)
        for (int part = 0; part < PARTS; part++) {
            double start = now();
            for (int k = 0; k < BATCH; k++) parts[part].run();
            double spent = (now() - start) / BATCH;
            if (turn == 0 || spent < least[part]) least[part] = spent;
            CHECK(aclrtSynchronizeStream(stream));
        }
    for (int part = 0; part < PARTS; part++) printf("%s\t%.2f\n", parts[part].name, least[part]);
    return 0;
}
