// Versions, numbers of cores, errors of a device, reductions and random numbers.
#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

#include "expect.h"

static char package[] = "runtime", unknown[] = "nothing";

static void versions()
{
    char text[ACL_PKG_VERSION_MAX_SIZE] = "";
    int32_t number = 0;
    SUCCEEDS(aclsysGetVersionStr(package, text));
    EXPECT(0, strcmp(text, "9.0.0"));
    SUCCEEDS(aclsysGetVersionNum(package, &number));
    EXPECT(900000000, number);
    EXPECT(100000, aclsysGetVersionStr(unknown, text));
    EXPECT(100000, aclsysGetVersionStr(nullptr, text));
    EXPECT(100000, aclsysGetVersionStr(package, nullptr));
    EXPECT(100000, aclsysGetVersionNum(package, nullptr));
    EXPECT(100000, aclsysGetVersionNum(unknown, &number));
    aclCANNPackageVersion version;
    SUCCEEDS(aclsysGetCANNVersion(ACL_PKG_NAME_OPP_KERNEL, &version));
    EXPECT(0, strcmp(version.version, "9.0.0") || strcmp(version.majorVersion, "9") ||
                  strcmp(version.minorVersion, "0") || strcmp(version.releaseVersion, "0") ||
                  version.patchVersion[0]);
    EXPECT(100000, aclsysGetCANNVersion(ACL_PKG_NAME_CANN, nullptr));
    EXPECT(100000, aclsysGetCANNVersion((aclCANNPackageName)8, &version));
}

static void utilization()
{
    void *memory;
    aclrtUtilizationInfo found = {-1, -1, -1, -1, nullptr};
    EXPECT(100000, aclrtGetDeviceUtilizationRate(0, nullptr));
    EXPECT(107001, aclrtGetDeviceUtilizationRate(2, &found));
    SUCCEEDS(aclrtGetDeviceUtilizationRate(1, &found)); // which nothing uses
    EXPECT(0, found.cubeUtilization + found.vectorUtilization + found.memoryUtilization);
    size_t free_bytes, total;
    SUCCEEDS(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
    SUCCEEDS(aclrtMalloc(&memory, total / 4, ACL_MEM_MALLOC_HUGE_FIRST));
    for (int k = 0; k < 40; k++) SUCCEEDS(aclrtMemsetAsync(memory, 1 << 24, k, 1 << 24, nullptr));
    SUCCEEDS(aclrtSynchronizeStream(nullptr));
    SUCCEEDS(aclrtGetDeviceUtilizationRate(0, &found));
    EXPECT(25, found.memoryUtilization);
    EXPECT(1, found.vectorUtilization > 0 && found.vectorUtilization <= 100);
    EXPECT(0, found.aicpuUtilization);
    SUCCEEDS(aclrtFree(memory));
}

static void cores()
{
    const auto cube = ACL_RT_DEV_RES_CUBE_CORE, vector = ACL_RT_DEV_RES_VECTOR_CORE;
    uint32_t value = 0, flags = 7;
    aclrtStream stream;
    SUCCEEDS(aclrtGetDeviceResLimit(0, cube, &value));
    EXPECT(20, value);
    SUCCEEDS(aclrtGetResInCurrentThread(vector, &value));
    EXPECT(40, value);
    SUCCEEDS(aclrtSetDeviceResLimit(0, vector, 8));
    SUCCEEDS(aclrtGetResInCurrentThread(vector, &value));
    EXPECT(8, value);
    SUCCEEDS(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_FAST_LAUNCH));
    SUCCEEDS(aclrtStreamGetFlags(stream, &flags));
    EXPECT(ACL_STREAM_FAST_LAUNCH, flags);
    SUCCEEDS(aclrtStreamGetFlags(nullptr, &flags));
    EXPECT(0, flags);
    SUCCEEDS(aclrtSetStreamResLimit(stream, vector, 4));
    SUCCEEDS(aclrtGetStreamResLimit(stream, vector, &value));
    EXPECT(4, value);
    SUCCEEDS(aclrtGetResInCurrentThread(vector, &value));
    EXPECT(8, value);
    SUCCEEDS(aclrtUseStreamResInCurrentThread(stream));
    SUCCEEDS(aclrtGetResInCurrentThread(vector, &value));
    EXPECT(4, value);
    SUCCEEDS(aclrtGetResInCurrentThread(cube, &value));
    EXPECT(20, value);
    SUCCEEDS(aclrtResetStreamResLimit(stream));
    SUCCEEDS(aclrtGetResInCurrentThread(vector, &value));
    EXPECT(8, value);
    SUCCEEDS(aclrtUnuseStreamResInCurrentThread(stream));
    SUCCEEDS(aclrtResetDeviceResLimit(0));
    SUCCEEDS(aclrtGetDeviceResLimit(0, vector, &value));
    EXPECT(40, value);
    EXPECT(107000, aclrtSetDeviceResLimit(0, vector, 41));
    EXPECT(107000, aclrtSetDeviceResLimit(0, vector, 0));
    EXPECT(107001, aclrtSetDeviceResLimit(9, vector, 1));
    EXPECT(107001, aclrtResetDeviceResLimit(-1));
    EXPECT(100000, aclrtSetDeviceResLimit(0, static_cast<aclrtDevResLimitType>(2), 1));
    EXPECT(100000, aclrtGetDeviceResLimit(0, static_cast<aclrtDevResLimitType>(2), &value));
    EXPECT(100000, aclrtGetDeviceResLimit(0, vector, nullptr));
    SUCCEEDS(aclrtDestroyStream(stream));
    EXPECT(107017, aclrtStreamGetFlags(stream, &flags));
    EXPECT(107017, aclrtSetStreamResLimit(stream, vector, 4));
    EXPECT(100000, aclrtStreamGetFlags(nullptr, nullptr));
    std::thread([&] {
        EXPECT(107002, aclrtGetResInCurrentThread(vector, &value));
        EXPECT(107002, aclrtStreamGetFlags(nullptr, &flags));
        EXPECT(107002, aclrtReduceAsync(&value, &value, 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
                                        ACL_FLOAT, nullptr, nullptr));
    }).join();
}

static void errors()
{
    aclrtErrorInfo info;
    memset(&info, 0xFF, sizeof info);
    SUCCEEDS(aclrtGetErrorVerbose(0, &info));
    EXPECT(ACL_RT_NO_ERROR, info.errorType);
    EXPECT(0, info.tryRepair);
    EXPECT(0, info.hasDetail);
    EXPECT(0, info.detail.uceInfo.arraySize);
    EXPECT(100000, aclrtGetErrorVerbose(0, nullptr));
    EXPECT(107001, aclrtGetErrorVerbose(9, &info));
}

static void reductions()
{
    const auto sum = ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM;
    const float first[] = {1, -2, 3, INFINITY}, second[] = {10, 20, -30, 4};
    float result[4];
    void *a, *b;
    SUCCEEDS(aclrtMalloc(&a, 16, ACL_MEM_MALLOC_HUGE_FIRST));
    SUCCEEDS(aclrtMalloc(&b, 16, ACL_MEM_MALLOC_HUGE_FIRST));
    SUCCEEDS(aclrtMemcpy(b, 16, second, 16, ACL_MEMCPY_HOST_TO_DEVICE));
    for (auto kind : {sum, ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX, ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN}) {
        SUCCEEDS(aclrtMemcpy(a, 16, first, 16, ACL_MEMCPY_HOST_TO_DEVICE));
        SUCCEEDS(aclrtReduceAsync(a, b, 16, kind, ACL_FLOAT, nullptr, nullptr));
        SUCCEEDS(aclrtSynchronizeStream(nullptr));
        SUCCEEDS(aclrtMemcpy(result, 16, a, 16, ACL_MEMCPY_DEVICE_TO_HOST));
        for (int k = 0; k < 4; k++) {
            const float one = first[k], other = second[k];
            EXPECT(1, result[k] == (kind == sum                                 ? one + other
                                    : kind == ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX ? fmaxf(one, other)
                                                                               : fminf(one, other)));
        }
    }
    SUCCEEDS(aclrtMemset(a, 16, 1, 16));
    SUCCEEDS(aclrtReduceAsync(a, a, 16, sum, ACL_INT16, nullptr, nullptr));
    SUCCEEDS(aclrtSynchronizeStream(nullptr));
    int16_t integers[8];
    SUCCEEDS(aclrtMemcpy(integers, 16, a, 16, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT(0x0202, integers[7]);
    EXPECT(100000, aclrtReduceAsync(nullptr, b, 16, sum, ACL_FLOAT, nullptr, nullptr));
    EXPECT(100000, aclrtReduceAsync(a, nullptr, 16, sum, ACL_FLOAT, nullptr, nullptr));
    EXPECT(100000, aclrtReduceAsync(a, b, 16, static_cast<aclrtReduceKind>(9), ACL_FLOAT, nullptr,
                                    nullptr));
    EXPECT(207000, aclrtReduceAsync(a, b, 16, ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL, ACL_FLOAT,
                                    nullptr, nullptr));
    EXPECT(100000, aclrtReduceAsync(a, b, 16, sum, ACL_DOUBLE, nullptr, nullptr));
    EXPECT(107000, aclrtReduceAsync(a, b, 15, sum, ACL_FLOAT, nullptr, nullptr));
    EXPECT(107000, aclrtReduceAsync(a, b, 20, sum, ACL_FLOAT, nullptr, nullptr));
    SUCCEEDS(aclrtFree(a));
    SUCCEEDS(aclrtFree(b));
}

template <typename T> static aclrtRandomParaInfo given(T value)
{
    aclrtRandomParaInfo made = {};
    memcpy(made.valueOrAddr, &value, sizeof value);
    made.size = sizeof value;
    return made;
}

static void random_numbers()
{
    const uint64_t count = 4096;
    void *counter, *result;
    std::vector<float> numbers(count), again(count);
    SUCCEEDS(aclrtMalloc(&counter, 16, ACL_MEM_MALLOC_HUGE_FIRST));
    SUCCEEDS(aclrtMalloc(&result, count * 8, ACL_MEM_MALLOC_HUGE_FIRST));
    SUCCEEDS(aclrtMemset(counter, 16, 0, 16));
    aclrtRandomNumTaskInfo task = {};
    task.dataType = ACL_FLOAT;
    task.randomNumFuncParaInfo.funcType = ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS;
    task.randomNumFuncParaInfo.paramInfo.uniformDisInfo = {given(2.0f), given(4.0f)};
    task.randomResultAddr = result;
    task.randomCounterAddr = counter;
    task.randomSeed = given(UINT64_C(7));
    task.randomNum = given(count);
    double sums[4] = {}, squares = 0, largest = 0;
    for (int kind = ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS; kind < 4; kind++) {
        task.randomNumFuncParaInfo.funcType = static_cast<aclrtRandomNumFuncType>(kind);
        SUCCEEDS(aclrtRandomNumAsync(&task, nullptr, nullptr));
        SUCCEEDS(aclrtSynchronizeStream(nullptr));
        SUCCEEDS(aclrtMemcpy(numbers.data(), count * 4, result, count * 4,
                             ACL_MEMCPY_DEVICE_TO_HOST));
        for (float x : numbers) {
            sums[kind] += x / static_cast<double>(count);
            if (kind == 1) EXPECT(1, x >= 2 && x < 4);
            if (kind == 2) squares += (x - 2) * (x - 2) / static_cast<double>(count);
            if (kind == 3) largest = fmax(largest, fabs(x - 2));
        }
    }
    EXPECT(1, fabs(sums[1] - 3) < 0.1);
    EXPECT(1, fabs(sums[2] - 2) < 0.3);
    EXPECT(1, fabs(squares - 16) < 2);
    EXPECT(1, fabs(sums[3] - 2) < 0.3 && largest > 7 && largest <= 8);
    SUCCEEDS(aclrtRandomNumAsync(&task, nullptr, nullptr));
    SUCCEEDS(aclrtSynchronizeStream(nullptr));
    SUCCEEDS(aclrtMemcpy(again.data(), count * 4, result, count * 4, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT(0, memcmp(again.data(), numbers.data(), count * 4)); // a seed gives the same numbers
    task.randomNumFuncParaInfo.funcType = ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK;
    task.randomNumFuncParaInfo.paramInfo.dropoutBitmaskInfo = {given(0.25f)};
    SUCCEEDS(aclrtRandomNumAsync(&task, nullptr, nullptr));
    SUCCEEDS(aclrtSynchronizeStream(nullptr));
    std::vector<unsigned char> bits(count / 8);
    SUCCEEDS(aclrtMemcpy(bits.data(), count / 8, result, count / 8, ACL_MEMCPY_DEVICE_TO_HOST));
    long kept = 0;
    for (auto byte : bits) kept += __builtin_popcount(byte);
    EXPECT(1, kept > 2900 && kept < 3250);
    EXPECT(100000, aclrtRandomNumAsync(nullptr, nullptr, nullptr));
    task.dataType = ACL_INT32;
    EXPECT(100000, aclrtRandomNumAsync(&task, nullptr, nullptr));
    task.dataType = ACL_DOUBLE;
    EXPECT(100000, aclrtRandomNumAsync(&task, nullptr, nullptr));
    task.dataType = ACL_INT32;
    task.randomNumFuncParaInfo.funcType = ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS;
    task.randomNumFuncParaInfo.paramInfo.uniformDisInfo = {given(-5), given(5)};
    task.randomNum = given(count * 4);
    EXPECT(107000, aclrtRandomNumAsync(&task, nullptr, nullptr));
    task.randomNum = given(count);
    task.randomResultAddr = nullptr;
    EXPECT(100000, aclrtRandomNumAsync(&task, nullptr, nullptr));
    task.randomResultAddr = result;
    SUCCEEDS(aclrtRandomNumAsync(&task, nullptr, nullptr));
    SUCCEEDS(aclrtSynchronizeStream(nullptr));
    SUCCEEDS(aclrtFree(counter));
    SUCCEEDS(aclrtFree(result));
}

int main()
{
    versions();
    SUCCEEDS(aclrtSetDevice(0));
    cores();
    utilization();
    errors();
    reductions();
    random_numbers();
    SUCCEEDS(aclrtResetDevice(0));
    return failures != 0;
}
