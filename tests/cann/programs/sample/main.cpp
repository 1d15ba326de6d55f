// Headers with folder and without, both names of each.
#include "acl/acl.h"
#include "aclnn_logit_grad.h"
#include "aclnnop/level2/aclnn_logit_grad.h"
#include "aclnn_base.h"

#include <cstdio>

int main()
{
    int32_t number = -1;
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    if (aclInit(nullptr) || aclrtSetDevice(0) || aclrtGetDevice(&number)) return 1;
    aclnnStatus refused = aclnnLogitGradGetWorkspaceSize(nullptr, nullptr, -1.0, nullptr, &size, &executor);
    std::printf("device %d, %d\n", number, refused);
    return aclrtResetDevice(0) || aclFinalize();
}
