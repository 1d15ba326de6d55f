/* Initializes with the configuration in a file, then without one; prints the codes and messages. */
#include <stdio.h>

#include "acl/acl.h"

int main(int count, char **words)
{
    int first = count > 1 ? aclInit(words[1]) : 0;
    const char *message = aclGetRecentErrMsg();
    printf("%d ", first);
    printf("%s\n", message ? message : "");
    printf("%d\n", aclInit(NULL));
    return 0;
}
