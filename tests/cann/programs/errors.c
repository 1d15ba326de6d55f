/* Bad calls: each gets its code, and none of them ends the program. */
#include <stdint.h>
#include <string.h>

#include "aclnnop/aclnn_hardshrink_backward.h"
#include "aclnnop/aclnn_logit_grad.h"
#include "expect.h"

#define GARBAGE ((void *)(uintptr_t)0x123456789)

static const int64_t shape[] = {2, 2}, negative[] = {-2, 2}, vast[] = {1, INT64_MAX};

static aclTensor *tensor_at(void *address)
{
    return aclCreateTensor(shape, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 2, address);
}

static void before_a_device(void)
{
    void *memory;
    aclrtStream stream;
    int32_t number;
    uint32_t count = 0;
    size_t bytes;
    EXPECT(107002, aclrtMalloc(&memory, 16, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT(107002, aclrtGetLastError(ACL_RT_THREAD_LEVEL));
    EXPECT(0, aclrtGetLastError(ACL_RT_THREAD_LEVEL));
    EXPECT(100000, aclrtGetLastError((aclrtLastErrLevel)1));
    EXPECT(107002, aclrtCreateStream(&stream));
    EXPECT(107002, aclrtGetDevice(&number));
    EXPECT(107002, aclrtSynchronizeDevice());
    EXPECT(107002, aclrtGetMemInfo(ACL_HBM_MEM, &bytes, &bytes));
    SUCCEEDS(aclrtGetDeviceCount(&count));
    EXPECT(1, count);
    EXPECT(107001, aclrtSetDevice(1));
    EXPECT(107001, aclrtSetDevice(-1));
    EXPECT(507007, aclrtResetDevice(0));
    EXPECT(0, aclFinalize());
    EXPECT(100037, aclFinalize());
    EXPECT(100003, aclInit("/no/such/file"));
    SUCCEEDS(aclInit(NULL));
    EXPECT(100002, aclInit(""));
    SUCCEEDS(aclFinalize());
    EXPECT(100037, aclFinalizeReference(NULL));
    SUCCEEDS(aclInit(NULL));
}

/* A copy whose first row fits and whose second one lies between two allocations writes nothing. */
static void rows(void)
{
    char *low = NULL, *high = NULL, host[128], back[64] = {0};
    memset(host, 1, sizeof host);
    SUCCEEDS(aclrtMalloc((void **)&low, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    SUCCEEDS(aclrtMalloc((void **)&high, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    SUCCEEDS(aclrtMemset(low, 64, 0, 64));
    EXPECT(107000, aclrtMemcpy2d(low, (size_t)(high - low) / 2, host, 8, 8, 3,
                                 ACL_MEMCPY_HOST_TO_DEVICE));
    SUCCEEDS(aclrtMemcpy(back, 64, low, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT(0, back[0]);
    SUCCEEDS(aclrtFree(low));
    SUCCEEDS(aclrtFree(high));
}

static void memory(void)
{
    char host[64] = {0};
    void *first = NULL, *pinned = NULL;
    EXPECT(100000, aclrtMalloc(NULL, 16, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT(100000, aclrtMalloc(&first, 0, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT(100000, aclrtMalloc(&first, SIZE_MAX, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT(207001, aclrtMalloc(&first, (size_t)1 << 50, ACL_MEM_MALLOC_HUGE_FIRST));
    SUCCEEDS(aclrtMalloc(&first, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT(0, (uintptr_t)first % 512);
    SUCCEEDS(aclrtMemcpy(NULL, 0, NULL, 0, (aclrtMemcpyKind)99));
    EXPECT(100000, aclrtMemcpy(NULL, 64, host, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT(100000, aclrtMemcpy(host, 64, NULL, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT(100000, aclrtMemcpy(host, 64, first, 64, (aclrtMemcpyKind)6));
    EXPECT(107000, aclrtMemcpy(host, 32, first, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT(107000, aclrtMemcpy(host, 64, (char *)first + 32, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT(107000, aclrtMemcpy(host, 64, (char *)first + ((size_t)1 << 44), 64, ACL_MEMCPY_DEFAULT));
    SUCCEEDS(aclrtMemcpy(first, 64, host, 64, ACL_MEMCPY_DEVICE_TO_HOST)); /* the kind is a hint */
    EXPECT(100000, aclrtMemset(NULL, 64, 0, 64));
    EXPECT(107000, aclrtMemset(first, 32, 0, 64));
    SUCCEEDS(aclrtMemset(NULL, 0, 0, 0));
    EXPECT(100000, aclrtMemcpy2d(first, 8, host, 8, 16, 2, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT(107000, aclrtMemcpy2d(first, 16, host, 8, 8, 8, ACL_MEMCPY_HOST_TO_DEVICE));
    /* refused at once, however many rows there are */
    EXPECT(107000, aclrtMemcpy2d(first, 8, host, 8, 8, (size_t)1 << 40, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT(107000, aclrtMemcpy2d(first, (size_t)1 << 40, host, (size_t)1 << 40, 8, (size_t)1 << 40,
                                 ACL_MEMCPY_HOST_TO_DEVICE));
    rows();
    EXPECT(100000, aclrtMemsetD32(host, 64, 0, 16));
    EXPECT(100000, aclrtMemsetD32(first, 64, 0, 17));
    SUCCEEDS(aclrtMallocHost(&pinned, 64));
    memset(pinned, 1, 64);
    EXPECT(107000, aclrtFree(pinned));
    EXPECT(107000, aclrtFreeHost(first));
    EXPECT(107000, aclrtFree((char *)first + 1));
    EXPECT(107000, aclrtFree(host));
    EXPECT(107000, aclrtFree(GARBAGE));
    EXPECT(100000, aclrtFree(NULL));
    SUCCEEDS(aclrtFreeHost(pinned));
    EXPECT(107000, aclrtFreeHost(pinned));
    SUCCEEDS(aclrtFree(first));
    EXPECT(107000, aclrtFree(first));
    EXPECT(107000, aclrtMemcpy(host, 64, first, 64, ACL_MEMCPY_DEVICE_TO_HOST));
}

static void streams_and_events(void)
{
    aclrtStream stream;
    aclrtEvent event;
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
    float ms;
    EXPECT(100000, aclrtCreateStream(NULL));
    EXPECT(100000, aclrtDestroyStream(NULL));
    EXPECT(107017, aclrtDestroyStream(GARBAGE));
    EXPECT(107017, aclrtSynchronizeStream(GARBAGE));
    SUCCEEDS(aclrtCreateStream(&stream));
    EXPECT(107000, aclrtSynchronizeStreamWithTimeout(stream, 0));
    SUCCEEDS(aclrtSynchronizeStreamWithTimeout(stream, -1));
    EXPECT(107017, aclrtDestroyEvent(stream));
    EXPECT(107000, aclrtLaunchHostFunc(stream, NULL, NULL));
    EXPECT(100000, aclrtLaunchCallback(NULL, NULL, (aclrtCallbackBlockType)2, stream));
    EXPECT(107000, aclrtLaunchCallback(NULL, NULL, ACL_CALLBACK_BLOCK, stream));
    EXPECT(107012, aclrtProcessReport(1));
    SUCCEEDS(aclrtCreateEvent(&event));
    SUCCEEDS(aclrtQueryEventStatus(event, &status));
    EXPECT(ACL_EVENT_RECORDED_STATUS_NOT_READY, status);
    EXPECT(107000, aclrtStreamWaitEvent(stream, event));
    EXPECT(507000, aclrtEventElapsedTime(&ms, event, event));
    EXPECT(100000, aclrtEventElapsedTime(NULL, event, event));
    EXPECT(107000, aclrtCreateEventWithFlag(&event, 0x40));
    EXPECT(100000, aclrtRecordEvent(NULL, stream));
    EXPECT(107017, aclrtRecordEvent(event, event));
    SUCCEEDS(aclrtDestroyEvent(event));
    EXPECT(107017, aclrtDestroyEvent(event));
    EXPECT(107017, aclrtSynchronizeEvent(event));
    EXPECT(100000, aclrtDestroyEvent(NULL));
    SUCCEEDS(aclrtDestroyStream(stream));
    EXPECT(107017, aclrtDestroyStream(stream));
    EXPECT(107017, aclrtSynchronizeStream(stream));
    SUCCEEDS(aclrtSynchronizeStream(NULL));
    EXPECT(107002, aclrtSetCurrentContext(GARBAGE));
    EXPECT(100000, aclrtSetCurrentContext(NULL));
    EXPECT(100000, aclrtDestroyContext(NULL));
}

static void objects(void)
{
    int64_t *numbers = NULL;
    uint64_t count = 0;
    float value = 1;
    aclTensor *tensor = tensor_at(NULL);
    EXPECT(1, tensor != NULL);
    EXPECT(1, aclCreateTensor(negative, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 2, NULL) != NULL);
    EXPECT(1, aclCreateTensor(NULL, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 2, NULL) == NULL);
    EXPECT(1, aclCreateTensor(shape, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 2, NULL) == NULL);
    EXPECT(1, aclCreateScalar(&value, ACL_STRING) == NULL);
    EXPECT(1, aclCreateScalar(NULL, ACL_FLOAT) == NULL);
    EXPECT(161001, aclGetViewShape(NULL, &numbers, &count));
    EXPECT(161001, aclGetViewShape(tensor, NULL, &count));
    EXPECT(161002, aclGetViewShape((aclTensor *)GARBAGE, &numbers, &count));
    SUCCEEDS(aclGetViewShape(tensor, &numbers, &count));
    EXPECT(2, count);
    EXPECT(2, numbers[1]); /* a C++ program would delete[] it */
    SUCCEEDS(aclDestroyTensor(NULL));
    SUCCEEDS(aclDestroyTensor(tensor));
    EXPECT(161002, aclDestroyTensor(tensor));
    EXPECT(161002, aclDestroyTensor((aclTensor *)&value));
    EXPECT(161002, aclDestroyScalar((aclScalar *)GARBAGE));
    for (int k = 0; k < 10000; k++) EXPECT(1, tensor_at(NULL) != NULL); /* leaked */
    aclTensor *members[] = {tensor_at(NULL), tensor_at(NULL)};
    aclTensorList *list = aclCreateTensorList((const aclTensor *const *)members, 2);
    SUCCEEDS(aclGetTensorListSize(list, &count));
    EXPECT(2, count);
    SUCCEEDS(aclDestroyTensorList(list));
    EXPECT(161002, aclDestroyTensor(members[1]));
    EXPECT(161002, aclDestroyTensorList(list));
    aclIntArray *array = aclCreateIntArray(shape, 2);
    SUCCEEDS(aclGetIntArraySize(array, &count));
    EXPECT(2, count);
    SUCCEEDS(aclDestroyIntArray(array));
    array = aclCreateIntArray(NULL, 7);
    SUCCEEDS(aclGetIntArraySize(array, &count));
    EXPECT(0, count);
    SUCCEEDS(aclDestroyIntArray(array));
    EXPECT(65504 * 2, (int)(2 * aclFloat16ToFloat(aclFloatToFloat16(1e30f))));
    EXPECT(0x3555, aclFloatToFloat16(1.0f / 3));
    EXPECT(65536, (int)aclFloat16ToFloat(0x7C00));
    EXPECT(8, aclDataTypeSize(ACL_FLOAT6_E3M2));
}

static void operators(void)
{
    void *memory, *workspace;
    float host[4] = {0}, value = 0.5f;
    uint64_t size = 1;
    aclOpExecutor *executor = NULL, *other = NULL;
    SUCCEEDS(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    SUCCEEDS(aclrtMalloc(&workspace, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    aclTensor *good = tensor_at(memory), *bad = tensor_at(host), *none = tensor_at(NULL);
    aclTensor *odd = tensor_at((char *)memory + 2);
    aclTensor *wide = aclCreateTensor(vast, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 2, memory);
    aclTensor *typeless = aclCreateTensor(shape, 2, (aclDataType)5, NULL, 0, ACL_FORMAT_ND, shape, 2, memory);
    aclScalar *lambd = aclCreateScalar(&value, ACL_FLOAT);
#define PLAN(a, b, c, d) aclnnHardshrinkBackwardGetWorkspaceSize(a, b, c, d, &size, &executor)
    EXPECT(161001, PLAN(NULL, good, lambd, good));
    EXPECT(161001, PLAN(good, good, NULL, good));
    EXPECT(161001, PLAN(good, good, lambd, NULL));
    EXPECT(161001, aclnnHardshrinkBackwardGetWorkspaceSize(good, good, lambd, good, NULL, &executor));
    EXPECT(161001, aclnnHardshrinkBackwardGetWorkspaceSize(good, good, lambd, good, &size, NULL));
    EXPECT(161002, PLAN(bad, good, lambd, good));
    EXPECT(161002, PLAN(none, good, lambd, good));
    EXPECT(161002, PLAN(odd, good, lambd, good));
    EXPECT(161002, PLAN(wide, good, lambd, good));
    EXPECT(161002, PLAN(typeless, good, lambd, good));
    EXPECT(161002, PLAN((aclTensor *)GARBAGE, good, lambd, good));
    EXPECT(161002, PLAN(good, good, (aclScalar *)good, good));
    EXPECT(161001, aclnnHardshrinkBackward(NULL, 0, NULL, NULL));
    EXPECT(561103, aclnnHardshrinkBackward(NULL, 0, (aclOpExecutor *)GARBAGE, NULL));
    SUCCEEDS(PLAN(good, good, lambd, good));
    EXPECT(0, size);
    SUCCEEDS(aclnnHardshrinkBackward(NULL, 0, executor, NULL));
    EXPECT(561103, aclnnHardshrinkBackward(NULL, 0, executor, NULL));
    SUCCEEDS(PLAN(good, good, lambd, good));
    EXPECT(107017, aclnnHardshrinkBackward(NULL, 0, executor, GARBAGE));
    EXPECT(561103, aclSetAclOpExecutorRepeatable(NULL));
    EXPECT(561103, aclDestroyAclOpExecutor(NULL));
    SUCCEEDS(aclDestroyAclOpExecutor(executor));
    EXPECT(561103, aclnnHardshrinkBackward(NULL, 0, executor, NULL));
    SUCCEEDS(PLAN(good, good, lambd, good));
    SUCCEEDS(aclSetAclOpExecutorRepeatable(executor));
    for (int k = 0; k < 3; k++) SUCCEEDS(aclnnHardshrinkBackward(NULL, 0, executor, NULL));
    EXPECT(561103, aclSetInputTensorAddr(NULL, 0, good, memory));
    EXPECT(561103, aclSetInputTensorAddr(executor, 0, NULL, memory));
    EXPECT(107000, aclSetInputTensorAddr(executor, 0, good, host));
    SUCCEEDS(aclSetTensorAddr(executor, 0, good, (char *)memory + 16));
    void *address = NULL;
    SUCCEEDS(aclGetRawTensorAddr(good, &address));
    EXPECT(16, (char *)address - (char *)memory);
    SUCCEEDS(aclnnHardshrinkBackward(NULL, 0, executor, NULL));
    SUCCEEDS(aclDestroyAclOpExecutor(executor));
    SUCCEEDS(aclrtSynchronizeDevice());
    SUCCEEDS(aclnnLogitGradGetWorkspaceSize(good, good, -1.0, good, &size, &other));
    EXPECT(16777216, size);
    EXPECT(161001, aclnnLogitGrad(NULL, size, other, NULL));
    EXPECT(161002, aclnnLogitGrad(workspace, 64, other, NULL));
    EXPECT(161002, aclnnLogitGrad(host, size, other, NULL));
    SUCCEEDS(aclDestroyAclOpExecutor(other));
    SUCCEEDS(PLAN(good, good, lambd, good));
    SUCCEEDS(aclSetRawTensorAddr(good, memory));
    EXPECT(161002, aclnnHardshrinkBackward(NULL, 0, executor, NULL)); /* moved in between */
    SUCCEEDS(PLAN(good, good, lambd, good));
    SUCCEEDS(aclrtFree(memory));
    EXPECT(161002, aclnnHardshrinkBackward(NULL, 0, executor, NULL));
    EXPECT(161002, PLAN(good, good, lambd, good));
    const char *message = aclGetRecentErrMsg();
    EXPECT(1, message && strstr(message, "EZ1001") && strstr(message, "gradOutput"));
    EXPECT(1, aclGetRecentErrMsg() == NULL);
    SUCCEEDS(aclrtFree(workspace));
}

int main(void)
{
    before_a_device();
    SUCCEEDS(aclrtSetDevice(0));
    memory();
    streams_and_events();
    objects();
    operators();
    SUCCEEDS(aclrtResetDevice(0));
    SUCCEEDS(aclFinalize());
    return failures != 0;
}
