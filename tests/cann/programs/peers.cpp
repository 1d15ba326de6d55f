// Copies between devices. With the argument "report", the last one is a race.
#include <cstring>
#include <unistd.h>

#include "expect.h"

int main(int, char **arguments)
{
    const auto between = ACL_MEMCPY_DEVICE_TO_DEVICE;
    int32_t can = -1, status = -1, process = 0;
    void *here, *there;
    char result[64];
    aclrtStream first, second;
    EXPECT(107002, aclrtDeviceEnablePeerAccess(1, 0));
    EXPECT(107002, aclrtDeviceDisablePeerAccess(1));
    SUCCEEDS(aclrtDeviceGetBareTgid(&process));
    EXPECT(getpid(), process);
    SUCCEEDS(aclrtDeviceCanAccessPeer(&can, 0, 1));
    EXPECT(1, can);
    EXPECT(100000, aclrtDeviceCanAccessPeer(&can, 1, 1));
    EXPECT(107001, aclrtDeviceCanAccessPeer(&can, 0, 2));
    EXPECT(100000, aclrtDeviceCanAccessPeer(nullptr, 0, 1));
    SUCCEEDS(aclrtSetDevice(0));
    SUCCEEDS(aclrtCreateStream(&first));
    SUCCEEDS(aclrtMalloc(&here, 64, ACL_MEM_MALLOC_HUGE_FIRST_P2P));
    SUCCEEDS(aclrtMemset(here, 64, 5, 64));
    SUCCEEDS(aclrtSetDevice(1));
    SUCCEEDS(aclrtCreateStream(&second));
    SUCCEEDS(aclrtMalloc(&there, 64, ACL_MEM_MALLOC_HUGE_FIRST_P2P));

    SUCCEEDS(aclrtDevicePeerAccessStatus(1, 0, &status));
    EXPECT(0, status);
    EXPECT(107000, aclrtMemcpy(there, 64, here, 64, between));
    EXPECT(1, strstr(aclGetRecentErrMsg(), "aclrtDeviceEnablePeerAccess") != nullptr);
    EXPECT(107000, aclrtMemcpyAsync(there, 64, here, 64, between, second));
    EXPECT(200006, aclrtDeviceEnablePeerAccess(0, 1));
    EXPECT(100000, aclrtDeviceEnablePeerAccess(1, 0));
    EXPECT(107001, aclrtDeviceEnablePeerAccess(2, 0));
    EXPECT(107000, aclrtDevicePeerAccessStatus(1, 2, &status));
    EXPECT(100000, aclrtDevicePeerAccessStatus(1, 0, nullptr));
    SUCCEEDS(aclrtDeviceEnablePeerAccess(0, 0));
    SUCCEEDS(aclrtDevicePeerAccessStatus(1, 0, &status));
    EXPECT(1, status);
    SUCCEEDS(aclrtDevicePeerAccessStatus(0, 1, &status));
    EXPECT(0, status);

    SUCCEEDS(aclrtMemcpy(there, 64, here, 64, between));
    SUCCEEDS(aclrtMemcpy(result, 64, there, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT(5, result[63]);
    SUCCEEDS(aclrtSetDevice(0));
    for (int turn = 0; turn < 3; turn++) { // the host orders the work of both devices
        SUCCEEDS(aclrtSetDevice(0));
        SUCCEEDS(aclrtMemsetAsync(here, 64, turn, 64, first));
        SUCCEEDS(aclrtSynchronizeStream(first));
        SUCCEEDS(aclrtSetDevice(1));
        SUCCEEDS(aclrtMemcpyAsync(there, 64, here, 64, between, second));
        SUCCEEDS(aclrtSynchronizeStream(second));
        SUCCEEDS(aclrtMemcpy(result, 64, there, 64, ACL_MEMCPY_DEVICE_TO_HOST));
        EXPECT(turn, result[0]);
    }
    if (!strcmp(arguments[1], "report")) {
        SUCCEEDS(aclrtMemcpyAsync(there, 64, here, 64, between, second));
        SUCCEEDS(aclrtSetDevice(0));
        SUCCEEDS(aclrtMemsetAsync(here, 64, 9, 64, first)); // nothing waited for the copy
        SUCCEEDS(aclrtSynchronizeStream(first));
        SUCCEEDS(aclrtSetDevice(1));
        SUCCEEDS(aclrtSynchronizeStream(second));
    }
    SUCCEEDS(aclrtDeviceDisablePeerAccess(0));
    EXPECT(107000, aclrtMemcpy(there, 64, here, 64, between));
    SUCCEEDS(aclrtFree(here));
    SUCCEEDS(aclrtFree(there));
    SUCCEEDS(aclrtDestroyStream(second));
    SUCCEEDS(aclrtSetDevice(0));
    SUCCEEDS(aclrtDestroyStream(first));
    return failures != 0;
}
