/* What the test programs check with: a line for every call whose result is another than expected. */
#ifndef EXPECT_H
#define EXPECT_H

#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"

static int failures = 0;

#define EXPECT(expected, call)                                                                     \
    do {                                                                                           \
        long long wanted_ = (long long)(expected), got_ = (long long)(call);                       \
        if (wanted_ != got_) {                                                                     \
            const char *text_ = aclGetRecentErrMsg();                                              \
            printf("line %d: %s is %lld, not %lld: %s\n", __LINE__, #call, got_, wanted_,          \
                   text_ ? text_ : "");                                                            \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

#define SUCCEEDS(call) EXPECT(ACL_SUCCESS, call)

#endif
