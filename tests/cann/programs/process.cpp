// What happens to the process: threads, forks, signals, exits, faults. The argument says which.
#include <atomic>
#include <csignal>
#include <cstring>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "aclnnop/aclnn_softplus_backward.h"
#include "expect.h"

static std::atomic<bool> gate{false};
static void hold(void *)
{
    while (!gate) usleep(1000);
}
static void exit_from_here(void *) { exit(3); }

// One call of an operator, checked.
static void compute(aclrtStream stream, int64_t count)
{
    std::vector<float> host(static_cast<size_t>(count), 1.0f), result(host.size());
    const size_t size = host.size() * sizeof(float);
    void *memory[3];
    for (auto &one : memory) SUCCEEDS(aclrtMalloc(&one, size, ACL_MEM_MALLOC_HUGE_FIRST));
    for (int k = 0; k < 2; k++)
        SUCCEEDS(aclrtMemcpy(memory[k], size, host.data(), size, ACL_MEMCPY_HOST_TO_DEVICE));
    aclTensor *tensors[3];
    for (int k = 0; k < 3; k++)
        tensors[k] = aclCreateTensor(&count, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &count, 1, memory[k]);
    double numbers[] = {1, 20};
    aclScalar *beta = aclCreateScalar(&numbers[0], ACL_DOUBLE);
    aclScalar *threshold = aclCreateScalar(&numbers[1], ACL_DOUBLE);
    uint64_t workspace = 1;
    aclOpExecutor *executor = nullptr;
    SUCCEEDS(aclnnSoftplusBackwardGetWorkspaceSize(tensors[0], tensors[1], beta, threshold,
                                                   tensors[2], &workspace, &executor));
    EXPECT(0, workspace);
    SUCCEEDS(aclnnSoftplusBackward(nullptr, 0, executor, stream));
    SUCCEEDS(aclrtSynchronizeStream(stream));
    SUCCEEDS(aclrtMemcpy(result.data(), size, memory[2], size, ACL_MEMCPY_DEVICE_TO_HOST));
    for (float one : result) EXPECT(731058, static_cast<int>(one * 1e6f));
    for (auto one : tensors) SUCCEEDS(aclDestroyTensor(one));
    SUCCEEDS(aclDestroyScalar(beta));
    SUCCEEDS(aclDestroyScalar(threshold));
    for (auto one : memory) SUCCEEDS(aclrtFree(one));
}

static int threads()
{
    std::vector<std::thread> workers;
    for (int number = 0; number < 6; number++)
        workers.emplace_back([number] {
            aclrtStream stream;
            EXPECT(107002, aclrtCreateStream(&stream)); // new threads have no device
            SUCCEEDS(aclrtSetDevice(0));
            EXPECT(107002, aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL)); // theirs alone, and kept
            SUCCEEDS(aclrtCreateStream(&stream));
            for (int turn = 0; turn < 5; turn++) compute(stream, 10 + number);
            if (number % 2) EXPECT(100000, aclrtFree(nullptr));
            const char *message = aclGetRecentErrMsg();
            EXPECT(1, message && strstr(message, number % 2 ? "NULL" : "current context"));
            EXPECT(107002, aclrtGetLastError(ACL_RT_THREAD_LEVEL));
            SUCCEEDS(aclrtDestroyStream(stream));
            SUCCEEDS(aclrtResetDevice(0));
        });
    for (auto &worker : workers) worker.join();
    // the interpreter is free while a thread waits: another one makes calls meanwhile
    aclrtStream stream;
    SUCCEEDS(aclrtSetDevice(0));
    SUCCEEDS(aclrtCreateStream(&stream));
    SUCCEEDS(aclrtLaunchHostFunc(stream, hold, nullptr));
    std::thread caller([] {
        SUCCEEDS(aclrtSetDevice(0));
        for (int k = 0; k < 1000; k++) SUCCEEDS(aclrtSynchronizeStream(nullptr));
        gate = true;
    });
    SUCCEEDS(aclrtSynchronizeStream(stream));
    caller.join();
    return failures != 0;
}

static int forks()
{
    SUCCEEDS(aclrtSetDevice(0));
    aclrtStream stream;
    SUCCEEDS(aclrtCreateStream(&stream));
    compute(stream, 4);
    pid_t child = fork();
    if (child == 0) {
        void *memory;
        EXPECT(107002, aclrtMalloc(&memory, 16, ACL_MEM_MALLOC_HUGE_FIRST));
        EXPECT(107002, aclrtSynchronizeStream(stream));
        SUCCEEDS(aclrtSetDevice(0)); // a device of its own
        aclrtStream own;
        SUCCEEDS(aclrtCreateStream(&own));
        compute(own, 4);
        exit(failures != 0);
    }
    int status = -1;
    EXPECT(child, waitpid(child, &status, 0));
    EXPECT(0, status);
    compute(stream, 4);
    return failures != 0;
}

static std::atomic<int> ticks{0};
static void tick(int)
{
    if (++ticks == 5) gate = true;
}

static int signals()
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = tick;
    sigaction(SIGALRM, &action, nullptr);
    itimerval timer = {{0, 20000}, {0, 20000}};
    SUCCEEDS(aclrtSetDevice(0));
    SUCCEEDS(aclrtLaunchHostFunc(nullptr, hold, nullptr));
    setitimer(ITIMER_REAL, &timer, nullptr);
    SUCCEEDS(aclrtSynchronizeStream(nullptr));
    EXPECT(1, ticks >= 5);
    struct sigaction interrupt;
    sigaction(SIGINT, nullptr, &interrupt);
    EXPECT(1, interrupt.sa_handler == SIG_DFL); // signals are the program's
    timer = {};
    setitimer(ITIMER_REAL, &timer, nullptr);
    return failures != 0;
}

struct Late {
    void *memory = nullptr;
    ~Late()
    {
        if (memory) printf("late: %d %d\n", aclrtFree(memory), aclrtSynchronizeDevice());
    }
};
static Late late; // destroyed after the library's part of the end

static int exits(bool from_another_thread)
{
    SUCCEEDS(aclrtSetDevice(0));
    SUCCEEDS(aclrtMalloc(&late.memory, 16, ACL_MEM_MALLOC_HUGE_FIRST));
    if (!from_another_thread) return failures != 0;
    SUCCEEDS(aclrtLaunchHostFunc(nullptr, hold, nullptr));
    std::thread([] { exit(3); }).detach();
    SUCCEEDS(aclrtSynchronizeStream(nullptr));
    pause();
    return 0;
}

static int exits_from_host_function()
{
    SUCCEEDS(aclrtSetDevice(0));
    SUCCEEDS(aclrtLaunchHostFunc(nullptr, exit_from_here, nullptr));
    SUCCEEDS(aclrtSynchronizeStream(nullptr));
    pause();
    return 0;
}

static int faults()
{
    void *memory;
    SUCCEEDS(aclrtSetDevice(0));
    SUCCEEDS(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    printf("%p\n", memory);
    fflush(stdout);
    static_cast<volatile float *>(memory)[3] = 1;
    return 0;
}

static int broken()
{
    size_t bytes;
    SUCCEEDS(aclrtSetDevice(0));
    EXPECT(500000, aclrtGetMemInfo(ACL_HBM_MEM, &bytes, &bytes));
    const char *message = aclGetRecentErrMsg();
    EXPECT(1, message && strstr(message, "RuntimeError: out of order"));
    return failures != 0;
}

static int starts()
{
    printf("%d\n", aclrtSetDevice(0));
    return 0;
}

int main(int, char **arguments)
{
    const char *part = arguments[1];
    if (!strcmp(part, "threads")) return threads();
    if (!strcmp(part, "forks")) return forks();
    if (!strcmp(part, "signals")) return signals();
    if (!strcmp(part, "exits")) return exits(false);
    if (!strcmp(part, "exits from a thread")) return exits(true);
    if (!strcmp(part, "exits from a host function")) return exits_from_host_function();
    if (!strcmp(part, "faults")) return faults();
    if (!strcmp(part, "broken")) return broken();
    return starts();
}
