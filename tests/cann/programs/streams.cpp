// Streams, events, host functions, contexts and two devices, in C++ with threads.
#include <atomic>
#include <cstring>
#include <pthread.h>
#include <string>
#include <thread>
#include <vector>

#include "expect.h"

static std::string order;
static std::atomic<bool> gate{false};

static void note(void *letter) { order += *static_cast<const char *>(letter); }
static void hold(void *)
{
    while (!gate) std::this_thread::yield();
}
static void noted_on(void *thread) { *static_cast<pthread_t *>(thread) = pthread_self(); }

static void events()
{
    aclrtStream first, second;
    aclrtEvent start, end, old;
    float ms = -1;
    uint64_t stamp = 0;
    aclrtStreamStatus status;
    aclrtEventRecordedStatus recorded;
    aclrtEventWaitStatus waited;
    SUCCEEDS(aclrtCreateStream(&first));
    SUCCEEDS(aclrtCreateStreamWithConfig(&second, 0, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC));
    SUCCEEDS(aclrtCreateEventExWithFlag(&start, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
    SUCCEEDS(aclrtCreateEventExWithFlag(&end, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
    SUCCEEDS(aclrtCreateEvent(&old));
    SUCCEEDS(aclrtRecordEvent(start, first));
    SUCCEEDS(aclrtLaunchHostFunc(first, hold, nullptr));
    SUCCEEDS(aclrtLaunchHostFunc(first, note, const_cast<char *>("a")));
    SUCCEEDS(aclrtRecordEvent(end, first));
    SUCCEEDS(aclrtRecordEvent(old, first));
    SUCCEEDS(aclrtStreamWaitEvent(second, end));
    SUCCEEDS(aclrtStreamWaitEvent(second, old));
    SUCCEEDS(aclrtLaunchHostFunc(second, note, const_cast<char *>("b")));
    SUCCEEDS(aclrtStreamQuery(second, &status));
    EXPECT(ACL_STREAM_STATUS_NOT_READY, status);
    SUCCEEDS(aclrtQueryEventStatus(end, &recorded));
    EXPECT(ACL_EVENT_RECORDED_STATUS_NOT_READY, recorded);
    SUCCEEDS(aclrtQueryEventWaitStatus(old, &waited));
    EXPECT(ACL_EVENT_WAIT_STATUS_NOT_READY, waited);
    EXPECT(507046, aclrtSynchronizeStreamWithTimeout(second, 20));
    EXPECT(507047, aclrtSynchronizeEventWithTimeout(end, 20));
    EXPECT(107006, aclrtEventElapsedTime(&ms, start, end));
    gate = true; // a synchronizing thread leaves the interpreter to the one that holds
    SUCCEEDS(aclrtSynchronizeStream(second));
    EXPECT(0, order.compare("ab"));
    SUCCEEDS(aclrtEventElapsedTime(&ms, start, end));
    EXPECT(1, ms >= 20);
    SUCCEEDS(aclrtEventGetTimestamp(end, &stamp));
    EXPECT(1, stamp > 0);
    SUCCEEDS(aclrtResetEvent(old, first));
    EXPECT(207000, aclrtResetEvent(end, first));
    for (auto event : {start, end, old}) SUCCEEDS(aclrtDestroyEvent(event));
    for (auto stream : {first, second}) SUCCEEDS(aclrtDestroyStream(stream));
}

static void callbacks()
{
    aclrtStream stream;
    pthread_t served_by = pthread_self();
    std::atomic<bool> done{false}, ready{false};
    int code = -1;
    SUCCEEDS(aclrtCreateStream(&stream));
    std::thread server([&] {
        ready = true;
        while (!done) {
            int one = aclrtProcessReport(1000);
            if (one == ACL_SUCCESS) code = one;
        }
    });
    while (!ready) std::this_thread::yield();
    const pthread_t thread = server.native_handle();
    SUCCEEDS(aclrtSubscribeReport(static_cast<uint64_t>(thread), stream));
    EXPECT(107011, aclrtSubscribeReport(static_cast<uint64_t>(thread), stream));
    SUCCEEDS(aclrtLaunchCallback(noted_on, &served_by, ACL_CALLBACK_BLOCK, stream));
    SUCCEEDS(aclrtSynchronizeStream(stream));
    EXPECT(1, pthread_equal(served_by, thread));
    done = true;
    server.join();
    EXPECT(0, code);
    SUCCEEDS(aclrtUnSubscribeReport(static_cast<uint64_t>(thread), stream));
    SUCCEEDS(aclrtDestroyStream(stream));
}

static void contexts()
{
    aclrtContext primary, other, now, again;
    aclrtStream mine, theirs, standard;
    int32_t number = -1;
    SUCCEEDS(aclrtGetCurrentContext(&primary));
    SUCCEEDS(aclrtGetCurrentContext(&again));
    EXPECT(1, primary == again);
    SUCCEEDS(aclrtCreateStream(&mine));
    SUCCEEDS(aclrtCreateContext(&other, 1));
    SUCCEEDS(aclrtGetCurrentContext(&now));
    EXPECT(1, now == other);
    SUCCEEDS(aclrtGetDevice(&number));
    EXPECT(1, number);
    SUCCEEDS(aclrtCreateStream(&theirs));
    SUCCEEDS(aclrtCtxGetCurrentDefaultStream(&standard));
    EXPECT(100000, aclrtDestroyStream(standard));
    EXPECT(107003, aclrtLaunchHostFunc(mine, note, const_cast<char *>("x")));
    EXPECT(107003, aclrtDestroyStream(mine));
    SUCCEEDS(aclrtSynchronizeStream(mine));
    std::thread([&] {
        void *memory = nullptr;
        EXPECT(107002, aclrtMalloc(&memory, 16, ACL_MEM_MALLOC_HUGE_FIRST));
        SUCCEEDS(aclrtSetCurrentContext(other));
        SUCCEEDS(aclrtMalloc(&memory, 16, ACL_MEM_MALLOC_HUGE_FIRST));
        SUCCEEDS(aclrtFree(memory));
    }).join();
    EXPECT(107002, aclrtDestroyContext(primary));
    SUCCEEDS(aclrtDestroyContext(other));
    EXPECT(107002, aclrtDestroyContext(other));
    EXPECT(107017, aclrtSynchronizeStream(theirs));
    EXPECT(107002, aclrtCreateStream(&theirs));
    SUCCEEDS(aclrtSetCurrentContext(primary));
    SUCCEEDS(aclrtDestroyStream(mine));
}

static void copies()
{
    std::vector<unsigned char> host(4096), back(4096, 7);
    void *here, *there, *pinned;
    aclrtStream stream;
    for (size_t k = 0; k < host.size(); k++) host[k] = static_cast<unsigned char>(k * 7);
    SUCCEEDS(aclrtCreateStream(&stream));
    SUCCEEDS(aclrtMalloc(&here, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));
    SUCCEEDS(aclrtMallocAlign32(&there, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    SUCCEEDS(aclrtMallocHost(&pinned, 4096));
    memcpy(pinned, host.data(), 4096);
    SUCCEEDS(aclrtMemcpyAsync(here, 4096, pinned, 4096, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    SUCCEEDS(aclrtMemcpyAsync(there, 4096, here, 4096, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    SUCCEEDS(aclrtMemsetAsync(static_cast<char *>(there) + 100, 28, 0x1FF, 28, stream));
    SUCCEEDS(aclrtMemcpyAsync(back.data(), 4096, there, 4096, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    // of plain memory, the kind must name the direction; of pinned memory it does not count
    EXPECT(107000, aclrtMemcpyAsync(here, 64, back.data(), 64, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    EXPECT(107000, aclrtMemcpyAsync(back.data(), 64, here, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    EXPECT(107000, aclrtMemcpyAsync(pinned, 64, back.data(), 64, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    SUCCEEDS(aclrtMemcpyAsync(here, 4096, pinned, 4096, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    memset(host.data() + 100, 0xFF, 28);
    EXPECT(0, memcmp(host.data(), back.data(), 4096));
    SUCCEEDS(aclrtMemsetD32(here, 4096, 0x01020304, 3));
    SUCCEEDS(aclrtMemcpy2d(back.data(), 8, here, 16, 4, 2, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT(4, back[0]);
    EXPECT(1, back[3]);
    EXPECT(host[16], back[8]);
    SUCCEEDS(aclrtFreeWithDevSync(here));
    SUCCEEDS(aclrtFree(there));
    SUCCEEDS(aclrtFreeHost(pinned));
    SUCCEEDS(aclrtDestroyStream(stream));
}

static void parameters()
{
    int64_t value = -1;
    int32_t major = 0, minor = 0, patch = -1;
    SUCCEEDS(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
    EXPECT(0, value);
    EXPECT(107021, aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
    SUCCEEDS(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
    SUCCEEDS(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
    EXPECT(1, value);
    EXPECT(107000, aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 4));
    EXPECT(100000, aclrtSetSysParamOpt(static_cast<aclSysParamOpt>(4), 0));
    SUCCEEDS(aclrtGetVersion(&major, &minor, &patch));
    EXPECT(1, major);
    EXPECT(0, strcmp(aclrtGetSocName(), "Ascend910B3"));
}

static void shapes()
{
    const int64_t sizes[] = {2, 3, 4}, storage[] = {24};
    int64_t *strides = nullptr, *view = nullptr, *stored = nullptr, offset = 0;
    uint64_t rank = 0, stored_rank = 0;
    aclFormat format;
    aclDataType type;
    aclTensor *tensor =
        aclCreateTensor(sizes, 3, ACL_BF16, nullptr, 5, ACL_FORMAT_NCL, storage, 1, nullptr);
    SUCCEEDS(aclGetViewStrides(tensor, &strides, &rank));
    EXPECT(3, rank);
    EXPECT(12, strides[0]);
    SUCCEEDS(aclGetViewShape(tensor, &view, &rank));
    EXPECT(4, view[2]);
    SUCCEEDS(aclGetStorageShape(tensor, &stored, &stored_rank));
    EXPECT(1, stored_rank);
    EXPECT(24, stored[0]);
    SUCCEEDS(aclGetViewOffset(tensor, &offset));
    EXPECT(5, offset);
    SUCCEEDS(aclGetFormat(tensor, &format));
    EXPECT(ACL_FORMAT_NCL, format);
    SUCCEEDS(aclInitTensor(tensor, storage, 1, ACL_FLOAT16, nullptr, 0, ACL_FORMAT_ND, storage, 1,
                           nullptr));
    SUCCEEDS(aclGetDataType(tensor, &type));
    EXPECT(ACL_FLOAT16, type);
    for (auto numbers : {strides, view, stored}) delete[] numbers; // the caller's, as documented
    SUCCEEDS(aclDestroyTensor(tensor));
}

int main()
{
    SUCCEEDS(aclInit(nullptr));
    SUCCEEDS(aclrtSetDevice(0));
    events();
    callbacks();
    contexts();
    copies();
    parameters();
    shapes();
    SUCCEEDS(aclrtResetDevice(0));
    SUCCEEDS(aclFinalize());
    return failures != 0;
}
