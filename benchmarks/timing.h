/* What the programs share: a check of every call, and a clock in microseconds. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "acl/acl.h"

static void check(int code, const char *call)
{
    if (code == ACL_SUCCESS) return;
    const char *message = aclGetRecentErrMsg();
    fprintf(stderr, "%s: %d %s\n", call, code, message ? message : "");
    exit(1);
}
#define CHECK(call) check(call, #call)

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}
