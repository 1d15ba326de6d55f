// Captured work of streams: run again with new contents, on several streams, and what is refused.
#include <cstring>
#include <string>
#include <thread>

#include "aclnnop/aclnn_relu.h"
#include "expect.h"

static const int64_t SIZE = 4;
static const size_t BYTES = SIZE * sizeof(float);

struct Relu {
    void *x, *out, *workspace = nullptr;
    aclTensor *given, *result;
    uint64_t size = 0;

    Relu()
    {
        SUCCEEDS(aclrtMalloc(&x, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
        SUCCEEDS(aclrtMalloc(&out, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
        given = tensor(x);
        result = tensor(out);
    }
    static aclTensor *tensor(void *memory)
    {
        const int64_t one = 1;
        return aclCreateTensor(&SIZE, 1, ACL_FLOAT, &one, 0, ACL_FORMAT_ND, &SIZE, 1, memory);
    }
    void queue(aclrtStream stream)
    {
        aclOpExecutor *executor;
        SUCCEEDS(aclnnReluGetWorkspaceSize(given, result, &size, &executor));
        if (size && !workspace) SUCCEEDS(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
        SUCCEEDS(aclnnRelu(workspace, size, executor, stream));
    }
    ~Relu()
    {
        SUCCEEDS(aclDestroyTensor(given));
        SUCCEEDS(aclDestroyTensor(result));
        SUCCEEDS(aclrtFree(x));
        SUCCEEDS(aclrtFree(out));
        if (workspace) SUCCEEDS(aclrtFree(workspace));
    }
};

static void expect_relu(const float *from, const float *to)
{
    for (int k = 0; k < SIZE; k++) EXPECT(from[k] > 0 ? from[k] : 0, to[k]);
}

static void replayed(aclrtStream stream, aclrtStream side, float *from, float *to)
{
    Relu relu;
    aclrtEvent fork, join;
    aclmdlRI graph, found;
    aclmdlRICaptureStatus status;
    uint32_t number = 0;
    SUCCEEDS(aclrtCreateEvent(&fork));
    SUCCEEDS(aclrtCreateEvent(&join));
    SUCCEEDS(aclmdlRICaptureGetInfo(stream, &status, &found));
    EXPECT(ACL_MODEL_RI_CAPTURE_STATUS_NONE, status);
    EXPECT(1, found == nullptr);
    SUCCEEDS(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    SUCCEEDS(aclmdlRICaptureGetInfo(stream, &status, &found));
    EXPECT(ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE, status);
    SUCCEEDS(aclrtMemcpyAsync(relu.x, BYTES, from, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    SUCCEEDS(aclrtRecordEvent(fork, stream));
    SUCCEEDS(aclrtStreamWaitEvent(side, fork));
    relu.queue(side);
    SUCCEEDS(aclrtRecordEvent(join, side));
    SUCCEEDS(aclrtStreamWaitEvent(stream, join));
    SUCCEEDS(aclrtMemcpyAsync(to, BYTES, relu.out, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    SUCCEEDS(aclmdlRICaptureEnd(stream, &graph));
    EXPECT(1, graph == found);
    SUCCEEDS(aclmdlRIGetId(graph, &number));
    EXPECT(1, number > 0);
    for (int k = 0; k < SIZE; k++) to[k] = 9;
    SUCCEEDS(aclrtSynchronizeStream(stream));
    EXPECT(9, to[0]);
    for (int turn = 0; turn < 3; turn++) {
        for (int k = 0; k < SIZE; k++) from[k] = static_cast<float>(turn == 1 ? k - 2 : turn - k);
        SUCCEEDS(aclmdlRIExecuteAsync(graph, stream));
        SUCCEEDS(aclrtSynchronizeStream(stream));
        expect_relu(from, to);
    }
    from[0] = -7;
    SUCCEEDS(aclmdlRIExecute(graph, -1));
    expect_relu(from, to);
    SUCCEEDS(aclmdlRIDestroy(graph));
    EXPECT(107017, aclmdlRIDestroy(graph));
    EXPECT(107017, aclmdlRIExecuteAsync(graph, stream));
    EXPECT(100000, aclmdlRIExecuteAsync(nullptr, stream));
    SUCCEEDS(aclrtDestroyEvent(fork));
    SUCCEEDS(aclrtDestroyEvent(join));
}

// Every call that a capture refuses makes its end fail; then the stream works as before.
template <class Call> static void refused(aclrtStream stream, int32_t status, Call call)
{
    aclmdlRI graph;
    aclmdlRICaptureStatus state;
    SUCCEEDS(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    EXPECT(status, call());
    SUCCEEDS(aclmdlRICaptureGetInfo(stream, &state, &graph));
    EXPECT(ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED, state);
    EXPECT(507903, aclmdlRICaptureEnd(stream, &graph));
    SUCCEEDS(aclrtSynchronizeStream(stream));
}

static void refusals(aclrtStream stream, aclrtStream side)
{
    void *memory;
    char host[8] = {0};
    aclrtEvent event;
    aclmdlRI graph;
    SUCCEEDS(aclrtMalloc(&memory, 8, ACL_MEM_MALLOC_HUGE_FIRST));
    SUCCEEDS(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    EXPECT(107029, aclmdlRICaptureEnd(stream, &graph));
    EXPECT(107031, aclmdlRICaptureBegin(nullptr, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    EXPECT(107000, aclmdlRICaptureBegin(stream, static_cast<aclmdlRICaptureMode>(3)));
    refused(stream, 107027, [&] { return aclrtSynchronizeStream(stream); });
    refused(stream, 107027, [&] { return aclrtSynchronizeDevice(); });
    refused(stream, 107027, [&] {
        return aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
    });
    refused(stream, 107028, [&] {
        SUCCEEDS(aclrtRecordEvent(event, stream));
        return aclrtSynchronizeEvent(event);
    });
    refused(stream, 107024, [&] {
        SUCCEEDS(aclrtRecordEvent(event, side));
        return aclrtStreamWaitEvent(stream, event);
    });
    refused(stream, 107030, [&] { return aclrtMemset(memory, 8, 0, 8); });
    refused(stream, 107030, [&] {
        return aclrtMemcpy(memory, 8, host, 8, ACL_MEMCPY_HOST_TO_DEVICE);
    });
    refused(stream, 107030, [&] {
        return aclrtMemcpyAsync(memory, 8, host, 8, ACL_MEMCPY_HOST_TO_DEVICE, stream);
    });
    refused(stream, 107031, [&] { return aclrtMemsetAsync(memory, 8, 0, 8, nullptr); });
    refused(stream, 107026, [&] {
        aclmdlRICaptureStatus status;
        SUCCEEDS(aclmdlRICaptureGetInfo(stream, &status, &graph));
        return aclmdlRIExecuteAsync(graph, side);
    });

    SUCCEEDS(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    SUCCEEDS(aclrtRecordEvent(event, stream));
    SUCCEEDS(aclrtStreamWaitEvent(side, event));
    SUCCEEDS(aclrtMemsetAsync(memory, 8, 0, 8, side));
    EXPECT(107025, aclmdlRICaptureEnd(stream, &graph));
    SUCCEEDS(aclrtDestroyEvent(event));
    SUCCEEDS(aclrtFree(memory));
}

static void modes(aclrtStream stream)
{
    void *memory;
    aclmdlRI graph;
    SUCCEEDS(aclrtMalloc(&memory, 8, ACL_MEM_MALLOC_HUGE_FIRST));
    auto other = [&](int32_t status) {
        std::thread([&] {
            SUCCEEDS(aclrtSetDevice(0));
            EXPECT(status, aclrtMemset(memory, 8, 0, 8));
            SUCCEEDS(aclrtResetDevice(0));
        }).join();
    };
    SUCCEEDS(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
    other(0);
    aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
    SUCCEEDS(aclmdlRICaptureThreadExchangeMode(&mode));
    EXPECT(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL, mode);
    SUCCEEDS(aclrtMemset(memory, 8, 0, 8));
    SUCCEEDS(aclmdlRICaptureThreadExchangeMode(&mode));
    EXPECT(ACL_MODEL_RI_CAPTURE_MODE_RELAXED, mode);
    SUCCEEDS(aclmdlRICaptureEnd(stream, &graph));
    SUCCEEDS(aclmdlRIDestroy(graph));
    SUCCEEDS(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    other(107030);
    EXPECT(507903, aclmdlRICaptureEnd(stream, &graph));
    SUCCEEDS(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    std::thread([&] {
        SUCCEEDS(aclrtSetDevice(0));
        EXPECT(107038, aclmdlRICaptureEnd(stream, &graph));
        SUCCEEDS(aclrtResetDevice(0));
    }).join();
    EXPECT(507903, aclmdlRICaptureEnd(stream, &graph));
    SUCCEEDS(aclrtFree(memory));
}

static void described(aclrtStream stream)
{
    aclmdlRI graph;
    void *memory;
    SUCCEEDS(aclrtMalloc(&memory, 8, ACL_MEM_MALLOC_HUGE_FIRST));
    SUCCEEDS(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    SUCCEEDS(aclrtMemsetAsync(memory, 8, 0, 8, stream));
    SUCCEEDS(aclmdlRICaptureEnd(stream, &graph));
    EXPECT(100000, aclmdlRIDebugJsonPrint(graph, nullptr, 0));
    EXPECT(107000, aclmdlRIDebugJsonPrint(graph, "no/such/folder/graph.json", 0));
    SUCCEEDS(aclmdlRIDebugJsonPrint(graph, "graph.json", 0));
    char text[4096] = {0};
    FILE *file = fopen("graph.json", "r");
    EXPECT(1, file != nullptr);
    if (file) {
        EXPECT(1, fread(text, 1, sizeof text - 1, file) > 0);
        fclose(file);
        remove("graph.json");
    }
    EXPECT(1, strstr(text, "Memset") != nullptr);
    SUCCEEDS(aclmdlRIDestroy(graph));
    SUCCEEDS(aclrtFree(memory));
}

int main()
{
    aclrtStream stream, side;
    void *from, *to;
    SUCCEEDS(aclInit(nullptr));
    SUCCEEDS(aclrtSetDevice(0));
    SUCCEEDS(aclrtCreateStream(&stream));
    SUCCEEDS(aclrtCreateStream(&side));
    SUCCEEDS(aclrtMallocHost(&from, BYTES));
    SUCCEEDS(aclrtMallocHost(&to, BYTES));
    replayed(stream, side, static_cast<float *>(from), static_cast<float *>(to));
    refusals(stream, side);
    modes(stream);
    described(stream);
    SUCCEEDS(aclrtFreeHost(from));
    SUCCEEDS(aclrtFreeHost(to));
    SUCCEEDS(aclrtDestroyStream(stream));
    SUCCEEDS(aclrtDestroyStream(side));
    SUCCEEDS(aclrtResetDevice(0));
    SUCCEEDS(aclFinalize());
    return failures != 0;
}
