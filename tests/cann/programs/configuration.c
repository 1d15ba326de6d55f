/* Initializes with the configuration in a file, then without one; prints the codes and messages, and
   what the current device is before and after the end. */
#include <stdio.h>

#include "acl/acl.h"

int main(int count, char **words)
{
    int first = count > 1 ? aclInit(words[1]) : 0;
    const char *message = aclGetRecentErrMsg();
    printf("%d ", first);
    printf("%s\n", message ? message : "");
    printf("%d\n", aclInit(NULL));
    int32_t device = -1;
    int found = aclrtGetDevice(&device);
    printf("%d %d\n", found, device);
    aclFinalize();
    printf("%d\n", aclrtGetDevice(&device));
    return 0;
}
