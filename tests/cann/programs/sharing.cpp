// Memory of a device that two processes share by a key.
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

enum { LENGTH = 65, BYTES = 5000 };

static int import(int from, int to)
{
    char key[LENGTH] = "", byte = 0, unknown[] = "ascendref-ipc-1-0";
    int32_t process = 0;
    void *shared = nullptr;
    SUCCEEDS(aclrtDeviceGetBareTgid(&process));
    EXPECT(sizeof process, write(to, &process, sizeof process));
    EXPECT(LENGTH, read(from, key, LENGTH));
    EXPECT(107002, aclrtIpcMemImportByKey(&shared, key, 0));
    SUCCEEDS(aclrtSetDevice(0));
    EXPECT(107000, aclrtIpcMemImportByKey(&shared, unknown, 0));
    EXPECT(100000, aclrtIpcMemImportByKey(&shared, nullptr, 0));
    EXPECT(100000, aclrtIpcMemImportByKey(nullptr, key, 0));
    EXPECT(100000, aclrtIpcMemImportByKey(&shared, key, 2));
    EXPECT(207006, aclrtIpcMemImportByKey(&shared, key, 0)); // not allowed yet
    EXPECT(1, write(to, "a", 1));
    EXPECT(1, read(from, &byte, 1));
    SUCCEEDS(aclrtIpcMemImportByKey(&shared, key, ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT));
    SUCCEEDS(aclrtMemcpy(&byte, 1, static_cast<char *>(shared) + 99, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT(6, byte);
    EXPECT(107000, aclrtMemset(shared, BYTES, 0, BYTES - 99));
    EXPECT(107000, aclrtFree(shared));
    SUCCEEDS(aclrtMemsetAsync(shared, 100, 8, 100, nullptr));
    SUCCEEDS(aclrtSynchronizeStream(nullptr));
    SUCCEEDS(aclrtIpcMemClose(key));
    EXPECT(107000, aclrtMemset(shared, 1, 0, 1));
    EXPECT(107000, aclrtIpcMemClose(key)); // another process exports it
    EXPECT(107000, aclrtIpcMemSetImportPid(key, &process, 1));
    return failures != 0;
}

static int export_to(int from, int to)
{
    char key[LENGTH] = "", other[LENGTH] = "", byte = 0;
    int32_t process = 0;
    void *memory = nullptr, *again = nullptr;
    EXPECT(sizeof process, read(from, &process, sizeof process));
    EXPECT(107002, aclrtIpcMemGetExportKey(&byte, 1, key, LENGTH, 0));
    SUCCEEDS(aclrtSetDevice(0));
    SUCCEEDS(aclrtMalloc(&memory, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    char *begin = static_cast<char *>(memory) + 100;
    SUCCEEDS(aclrtMemset(memory, BYTES, 6, BYTES));
    EXPECT(100000, aclrtIpcMemGetExportKey(nullptr, 1, key, LENGTH, 0));
    EXPECT(100000, aclrtIpcMemGetExportKey(memory, 1, nullptr, LENGTH, 0));
    EXPECT(100000, aclrtIpcMemGetExportKey(memory, 1, key, LENGTH - 1, 0));
    EXPECT(100000, aclrtIpcMemGetExportKey(memory, 1, key, LENGTH, 2));
    EXPECT(107000, aclrtIpcMemGetExportKey(&byte, 1, key, LENGTH, 0));
    EXPECT(107000, aclrtIpcMemGetExportKey(begin, BYTES, key, LENGTH, 0));
    SUCCEEDS(aclrtIpcMemGetExportKey(begin, BYTES - 100, key, LENGTH, 0));
    EXPECT(107000, aclrtIpcMemGetExportKey(begin, BYTES - 100, other, LENGTH, 0));
    EXPECT(LENGTH, write(to, key, LENGTH));
    EXPECT(1, read(from, &byte, 1));
    EXPECT(100000, aclrtIpcMemSetImportPid(key, nullptr, 1));
    EXPECT(107000, aclrtIpcMemSetImportPid(key, &process, 0));
    EXPECT(107000, aclrtIpcMemSetImportPid("ascendref-ipc-1-0", &process, 1));
    SUCCEEDS(aclrtIpcMemSetImportPid(key, &process, 1));
    EXPECT(1, write(to, "b", 1));
    int status = -1;
    EXPECT(1, wait(&status) > 0);
    EXPECT(0, status);
    SUCCEEDS(aclrtMemcpy(&byte, 1, begin + 99, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT(8, byte);
    SUCCEEDS(aclrtMemcpy(&byte, 1, begin + 100, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT(6, byte);
    SUCCEEDS(aclrtIpcMemImportByKey(&again, key, 0)); // the same memory in the same process
    EXPECT(1, again == begin);
    SUCCEEDS(aclrtIpcMemClose(key));
    SUCCEEDS(aclrtIpcMemClose(key));
    EXPECT(107000, aclrtIpcMemClose(key));
    SUCCEEDS(aclrtIpcMemGetExportKey(begin, 1, key, LENGTH, 1)); // forgotten at the end
    SUCCEEDS(aclrtFree(memory));
    return failures != 0;
}

int main()
{
    int there[2], back[2];
    if (pipe(there) || pipe(back)) return 2;
    if (fork() == 0) return import(there[0], back[1]);
    return export_to(back[0], there[1]);
}
