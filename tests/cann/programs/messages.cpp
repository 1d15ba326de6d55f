// Calls that are refused, each for another reason and in another place: all leave a message, once. The
// argument says where; test_messages.py sets how hazards are checked.
#include <cstring>
#include <functional>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "aclnnop/aclnn_hardshrink_backward.h"
#include "expect.h"

static int refusals = 0, successes = 0;

// Fails unless a refusal left a message, and unless that is forgotten once it was read.
#define CHECK(call) check(__LINE__, #call, static_cast<long long>(call))
static void check(int line, const char *text, long long code)
{
    const char *message = aclGetRecentErrMsg();
    if (code == 0) {
        successes++;
        if (message) printf("line %d: %s is 0: %s\n", line, text, message), failures++;
        return;
    }
    refusals++;
    if (!message || std::string(message).empty())
        printf("line %d: %s is %lld without a message\n", line, text, code), failures++;
    if (aclGetRecentErrMsg()) printf("line %d: %s: a second message\n", line, text), failures++;
}

// The same for functions that return an object or NULL.
#define CHECK_MADE(call) check(__LINE__, #call, (call) ? 0 : -1)

static const int64_t dims[] = {4};
static float host[16];

static aclTensor *tensor_at(void *address)
{
    return aclCreateTensor(dims, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 1, address);
}

static void no_context()
{
    void *memory;
    aclrtStream stream;
    CHECK(aclrtMalloc(&memory, 16, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtSynchronizeDevice());
    CHECK(aclrtSetDevice(99));
    CHECK(aclrtProcessReport(1));
    CHECK(aclrtGetLastError(static_cast<aclrtLastErrLevel>(1)));
}

static void bad_arguments()
{
    void *garbage = reinterpret_cast<void *>(0x123456789), *memory;
    uint64_t size;
    aclOpExecutor *executor;
    aclrtEvent event;
    float ms;
    CHECK(aclrtMalloc(nullptr, 16, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc(&memory, static_cast<size_t>(1) << 50, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtFree(nullptr));
    CHECK(aclrtFree(garbage));
    CHECK(aclrtMemcpy(nullptr, 4, host, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(aclrtDestroyStream(garbage));
    CHECK(aclrtSynchronizeStreamWithTimeout(nullptr, 0));
    CHECK(aclrtLaunchHostFunc(nullptr, nullptr, nullptr));
    CHECK(aclrtCreateEvent(&event));
    CHECK(aclrtStreamWaitEvent(nullptr, event));
    CHECK(aclrtEventElapsedTime(&ms, event, event));
    CHECK(aclrtDestroyEvent(event));
    CHECK(aclrtDestroyEvent(event));
    CHECK(aclInit("/no/such/file"));
    CHECK(aclrtSetCurrentContext(garbage));
    CHECK_MADE(aclCreateTensor(nullptr, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 1, nullptr));
    CHECK_MADE(aclCreateScalar(nullptr, ACL_FLOAT));
    CHECK_MADE(aclCreateScalar(host, ACL_STRING));
    CHECK_MADE(aclCreateIntArray(dims, UINT64_MAX));
    CHECK(aclDestroyTensor(reinterpret_cast<aclTensor *>(garbage)));
    CHECK(aclnnHardshrinkBackwardGetWorkspaceSize(nullptr, nullptr, nullptr, nullptr, &size, &executor));
    aclTensor *outside = tensor_at(host);
    aclScalar *lambd = aclCreateScalar(host, ACL_FLOAT);
    CHECK(aclnnHardshrinkBackwardGetWorkspaceSize(outside, outside, lambd, outside, &size, &executor));
    CHECK(aclnnHardshrinkBackward(nullptr, 0, nullptr, nullptr));
    CHECK(aclDestroyTensor(outside));
    CHECK(aclDestroyScalar(lambd));
}

// Mistakes that only the checker sees, or that it tells in other words.
static void mistakes()
{
    aclrtStream one, two;
    aclrtEvent event;
    void *memory, *fresh, *freed;
    aclrtCreateStream(&one);
    aclrtCreateStream(&two);
    aclrtCreateEvent(&event);
    for (void **each : {&memory, &fresh, &freed}) aclrtMalloc(each, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    CHECK(aclrtMemcpy(host, 64, fresh, 64, ACL_MEMCPY_DEVICE_TO_HOST)); // never written
    CHECK(aclrtMemsetAsync(memory, 64, 0, 64, one));
    CHECK(aclrtMemsetAsync(memory, 64, 1, 64, two));                    // a race
    CHECK(aclrtMemcpy(host, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST)); // and one with the host
    CHECK(aclrtFree(memory));                                           // in use
    CHECK(aclrtFree(freed));
    CHECK(aclrtFree(freed));
    CHECK(aclrtMemset(freed, 64, 0, 64));
    CHECK(aclrtMemcpy(host, 64, freed, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(aclrtMemsetAsync(freed, 64, 0, 64, one));
    aclTensor *tensor = tensor_at(freed);
    aclScalar *lambd = aclCreateScalar(host, ACL_FLOAT);
    uint64_t size;
    aclOpExecutor *executor;
    CHECK(aclnnHardshrinkBackwardGetWorkspaceSize(tensor, tensor, lambd, tensor, &size, &executor));
    CHECK(aclrtStreamWaitEvent(two, event));
    CHECK(aclrtSynchronizeStream(two));
    CHECK(aclrtDestroyStreamForce(one));
    CHECK(aclrtSynchronizeStream(one));
    CHECK(aclrtSynchronizeDevice());
    aclrtDestroyStream(two);
    aclGetRecentErrMsg();
}

static void everything()
{
    bad_arguments();
    mistakes();
}

static void run(void *) { everything(); }

// In host functions, on the threads of the library; waiting there is refused as well.
static void in_host_functions()
{
    aclrtStream stream;
    CHECK(aclrtCreateStream(&stream));
    for (int turn = 0; turn < 2; turn++) {
        CHECK(aclrtLaunchHostFunc(stream, [](void *) { no_context(); aclrtSetDevice(0); }, nullptr));
        CHECK(aclrtLaunchHostFunc(stream, run, nullptr));
        CHECK(aclrtLaunchHostFunc(stream, [](void *s) { CHECK(aclrtSynchronizeStream(s)); }, stream));
        CHECK(aclrtSynchronizeStream(stream));
    }
    CHECK(aclrtDestroyStream(stream));
}

static void in_callbacks()
{
    aclrtStream stream;
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtLaunchCallback(run, nullptr, ACL_CALLBACK_BLOCK, stream)); // nobody is subscribed
    CHECK(aclrtSubscribeReport(static_cast<uint64_t>(pthread_self()), stream));
    CHECK(aclrtLaunchCallback(run, nullptr, ACL_CALLBACK_BLOCK, stream));
    CHECK(aclrtSynchronizeStreamWithTimeout(stream, 10)); // for this thread
    CHECK(aclrtProcessReport(1000));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtUnSubscribeReport(static_cast<uint64_t>(pthread_self()), stream));
    CHECK(aclrtDestroyStream(stream));
}

static void in_threads()
{
    for (int number = 0; number < 3; number++)
        std::thread([] {
            no_context();
            CHECK(aclrtSetDevice(0));
            everything();
        }).join();
}

static void in_a_child()
{
    pid_t child = fork();
    if (child == 0) {
        no_context();
        CHECK(aclrtSetDevice(0));
        everything();
        std::thread(no_context).join();
        exit(failures);
    }
    int status = -1;
    waitpid(child, &status, 0);
    const char *check = getenv("ASCENDREF_CHECK");
    /* hazards that are collected make it 1; calls without a message are printed in any case */
    EXPECT(check && !strcmp(check, "report") ? 1 : 0, WEXITSTATUS(status));
}

static void after_the_end()
{
    CHECK(aclrtResetDevice(0));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    CHECK(aclFinalize());
    CHECK(aclFinalizeReference(nullptr));
    no_context();
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
}

// A static object, which calls after the library's part of the end of the process.
struct Late {
    bool reads = false;
    ~Late()
    {
        if (!reads) return;
        const char *before = aclGetRecentErrMsg();
        if (!before || !strstr(before, "NULL")) printf("late: the last message is lost\n");
        CHECK(aclrtFree(nullptr));
        CHECK(aclrtSynchronizeDevice());
        CHECK(aclDestroyTensor(reinterpret_cast<aclTensor *>(1)));
        CHECK_MADE(aclCreateScalar(nullptr, ACL_FLOAT));
        std::thread([] { CHECK(aclrtSetDevice(0)); }).join();
        printf(failures ? "late: failed\n" : "late: passed\n");
    }
};
static Late late;

int main(int, char **arguments)
{
    const std::string where = arguments[1];
    if (where == "without Python") {
        CHECK(aclrtSetDevice(0));
        CHECK_MADE(aclCreateScalar(nullptr, ACL_FLOAT));
        CHECK_MADE(aclrtGetSocName());
        std::thread([] { CHECK(aclrtFree(nullptr)); }).join();
        return failures != 0 || refusals != 4;
    }
    no_context();
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    everything();
    in_host_functions();
    in_callbacks();
    in_threads();
    in_a_child();
    after_the_end();
    printf("%d refusals, %d successes\n", refusals, successes);
    late.reads = true;
    aclrtFree(nullptr);
    return failures != 0;
}
