/* A mistake for each argument; test_hazards.py looks for the lines by their comments. */
#include <cstring>
#include <thread>

#include "acl/acl.h"
#include "expect.h"

static aclrtStream one, two;
static void *memory;
static char host[64];

static void race(void)
{
    SUCCEEDS(aclrtMemsetAsync(memory, 64, 0, 64, one)); // race: first
    SUCCEEDS(aclrtMemsetAsync(memory, 64, 1, 64, two)); // race: second
    SUCCEEDS(aclrtSynchronizeDevice());
}

static void leak(void)
{
    void *lost = nullptr;
    SUCCEEDS(aclrtMalloc(&lost, 64, ACL_MEM_MALLOC_HUGE_FIRST)); // leak: first
}

// A helper, and one of the helper, which a compiler may put into their callers.
static inline aclError fill(void *target, int value, aclrtStream stream)
{
    aclError code = aclrtMemsetAsync(target, 64, value, 64, stream); // helpers: fill
    return code;
}
static aclError twice(void *target, aclrtStream stream)
{
    aclError code = fill(target, 1, stream); // helpers: inner
    return code ? code : fill(target, 2, stream);
}
static void helpers(void)
{
    SUCCEEDS(fill(memory, 0, one)); // helpers: first
    SUCCEEDS(twice(memory, two)); // helpers: second
    SUCCEEDS(aclrtSynchronizeDevice());
}

// The event is recorded after the waits.
static void early(void)
{
    aclrtEvent event;
    SUCCEEDS(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    SUCCEEDS(aclrtStreamWaitEvent(two, event)); // early: wait
    SUCCEEDS(aclrtSynchronizeEvent(event));
    SUCCEEDS(aclrtMemsetAsync(memory, 64, 0, 64, one)); // early: first
    SUCCEEDS(aclrtRecordEvent(event, one)); // early: record
    SUCCEEDS(aclrtMemsetAsync(memory, 64, 1, 64, two)); // early: second
    SUCCEEDS(aclrtSynchronizeDevice());
    SUCCEEDS(aclrtDestroyEvent(event));
}

// The host uses what no call has waited for.
static void copied(void)
{
    SUCCEEDS(aclrtMemsetAsync(memory, 64, 0, 64, one)); // copied: first
    SUCCEEDS(aclrtMemcpy(host, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST)); // copied: second
    SUCCEEDS(aclrtSynchronizeDevice());
}

static void unwritten(void)
{
    void *fresh;
    SUCCEEDS(aclrtMalloc(&fresh, 64, ACL_MEM_MALLOC_HUGE_FIRST)); // unwritten: first
    SUCCEEDS(aclrtMemcpy(host, 64, fresh, 64, ACL_MEMCPY_DEVICE_TO_HOST)); // unwritten: second
    SUCCEEDS(aclrtFree(fresh));
}

static void freed(void)
{
    void *gone;
    SUCCEEDS(aclrtMalloc(&gone, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    SUCCEEDS(aclrtFree(gone)); // freed: first
    EXPECT(107000, aclrtMemset(gone, 64, 0, 64)); // freed: second
}

static void freed_twice(void)
{
    void *gone;
    SUCCEEDS(aclrtMallocHost(&gone, 64));
    SUCCEEDS(aclrtFreeHost(gone)); // freed twice: first
    EXPECT(107000, aclrtFreeHost(gone)); // freed twice: second
}

static void freed_too_early(void)
{
    SUCCEEDS(aclrtMemsetAsync(memory, 64, 0, 64, one)); // freed too early: first
    bool freed = !aclrtFree(memory); // freed too early: second
    aclrtSynchronizeDevice(); // the task fails if its memory is gone
    if (freed) memory = nullptr;
}

static void fill_memory(void *context)
{
    SUCCEEDS(aclrtSetCurrentContext(context));
    SUCCEEDS(aclrtMemset(memory, 64, 1, 64)); // function: first
}

static void function(void)
{
    aclrtContext context;
    SUCCEEDS(aclrtGetCurrentContext(&context));
    SUCCEEDS(aclrtLaunchHostFunc(one, fill_memory, context));
    SUCCEEDS(aclrtMemsetAsync(memory, 64, 0, 64, two)); // function: second
    SUCCEEDS(aclrtSynchronizeDevice());
}

// What a program does that stops where a call fails: it frees nothing.
#define MUST(call)                                                                                 \
    do {                                                                                           \
        if (aclError code_ = call) {                                                               \
            printf("%d\n", code_);                                                                 \
            exit(7);                                                                               \
        }                                                                                          \
    } while (0)

static void stop(void)
{
    void *more[5];
    for (auto &address : more) MUST(aclrtMalloc(&address, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    MUST(aclrtMemsetAsync(memory, 64, 0, 64, one)); // stop: first
    MUST(aclrtMemsetAsync(memory, 64, 1, 64, two)); // stop: second
}

static void thread(void)
{
    std::thread([] {
        SUCCEEDS(aclrtSetDevice(0));
        void *lost;
        SUCCEEDS(aclrtMalloc(&lost, 64, ACL_MEM_MALLOC_HUGE_FIRST)); // thread: first
        SUCCEEDS(aclrtResetDevice(0));
    }).join();
}

static void other_device(void)
{
    void *there;
    SUCCEEDS(aclrtSetDevice(1));
    SUCCEEDS(aclrtMalloc(&there, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    SUCCEEDS(aclrtSetDevice(0));
    EXPECT(107000, aclrtMemcpyAsync(there, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, one));
    puts(aclGetRecentErrMsg());
    EXPECT(107000, aclrtMemsetAsync(there, 64, 0, 64, one));
    puts(aclGetRecentErrMsg());
    EXPECT(107000, aclrtMemcpy(memory, 65, host, 65, ACL_MEMCPY_HOST_TO_DEVICE));
    puts(aclGetRecentErrMsg());
    SUCCEEDS(aclrtSetDevice(1));
    SUCCEEDS(aclrtFree(there));
    SUCCEEDS(aclrtResetDeviceForce(1));
    SUCCEEDS(aclrtSetDevice(0));
}

struct Last {
    ~Last() { puts("static object"); }
};

int main(int count, char **parts)
{
    const struct {
        const char *name;
        void (*run)(void);
    } mistakes[] = {
        {"race", race},
        {"leak", leak},
        {"helpers", helpers},
        {"early", early},
        {"copied", copied},
        {"unwritten", unwritten},
        {"freed", freed},
        {"freed twice", freed_twice},
        {"freed too early", freed_too_early},
        {"function", function},
        {"stop", stop},
        {"thread", thread},
        {"other device", other_device},
    };
    SUCCEEDS(aclInit(nullptr));
    SUCCEEDS(aclrtSetDevice(0));
    SUCCEEDS(aclrtCreateStream(&one));
    SUCCEEDS(aclrtCreateStream(&two));
    SUCCEEDS(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    bool exits = false;
    for (int k = 1; k < count; k++) {
        for (auto &mistake : mistakes)
            if (!strcmp(parts[k], mistake.name)) mistake.run();
        exits = exits || !strcmp(parts[k], "exit");
        if (!strcmp(parts[k], "last")) static Last last;
    }
    if (memory) SUCCEEDS(aclrtFree(memory));
    SUCCEEDS(aclrtDestroyStream(one));
    SUCCEEDS(aclrtDestroyStream(two));
    if (exits) return failures;
    SUCCEEDS(aclrtResetDevice(0));
    SUCCEEDS(aclFinalize());
    return failures;
}
