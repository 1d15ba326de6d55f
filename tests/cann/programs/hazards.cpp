/* A mistake for each argument; test_hazards.py looks for the lines by their comments. */
#include <cstring>

#include "acl/acl.h"
#include "expect.h"

static void race(aclrtStream one, aclrtStream two, void *memory)
{
    SUCCEEDS(aclrtMemsetAsync(memory, 64, 0, 64, one)); // race: first
    SUCCEEDS(aclrtMemsetAsync(memory, 64, 1, 64, two)); // race: second
    SUCCEEDS(aclrtSynchronizeDevice());
}

static void leak(void)
{
    void *memory = nullptr;
    SUCCEEDS(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST)); // leak: first
}

int main(int count, char **parts)
{
    aclrtStream one, two;
    void *memory = nullptr;
    SUCCEEDS(aclInit(nullptr));
    SUCCEEDS(aclrtSetDevice(0));
    SUCCEEDS(aclrtCreateStream(&one));
    SUCCEEDS(aclrtCreateStream(&two));
    SUCCEEDS(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    bool exits = false;
    for (int k = 1; k < count; k++) {
        if (!strcmp(parts[k], "race")) race(one, two, memory);
        if (!strcmp(parts[k], "leak")) leak();
        exits = exits || !strcmp(parts[k], "exit");
    }
    SUCCEEDS(aclrtFree(memory));
    SUCCEEDS(aclrtDestroyStream(one));
    SUCCEEDS(aclrtDestroyStream(two));
    if (exits) return failures;
    SUCCEEDS(aclrtResetDevice(0));
    SUCCEEDS(aclFinalize());
    return failures;
}
