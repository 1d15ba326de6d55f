/* What a program asks about the product and its memory. */
#include <inttypes.h>

#include "expect.h"

int main(void)
{
    const aclDeviceInfo figures[] = {ACL_DEVICE_INFO_AI_CORE_NUM, ACL_DEVICE_INFO_VECTOR_CORE_NUM,
                                     ACL_DEVICE_INFO_L2_SIZE};
    const aclrtDevAttr attributes[] = {ACL_DEV_ATTR_AICPU_CORE_NUM, ACL_DEV_ATTR_AICORE_CORE_NUM,
                                       ACL_DEV_ATTR_CUBE_CORE_NUM, ACL_DEV_ATTR_VECTOR_CORE_NUM,
                                       ACL_DEV_ATTR_L2_CACHE_SIZE, ACL_DEV_ATTR_NPU_ARCH};
    const aclrtMemAttr memories[] = {ACL_DDR_MEM, ACL_HBM_MEM, ACL_MEM_P2P_HUGE, ACL_MEM_HUGE1G};
    int64_t value = -1;
    int32_t answer = -1;
    /* before any device is set */
    for (int k = 0; k < 3; k++) {
        EXPECT(0, aclGetDeviceCapability(1, figures[k], &value));
        printf(k < 2 ? "%" PRId64 " " : "%" PRId64 "\n", value);
    }
    for (int k = 0; k < 6; k++) {
        EXPECT(0, aclrtGetDeviceInfo(1, attributes[k], &value));
        printf(k < 5 ? "%" PRId64 " " : "%" PRId64 "\n", value);
    }
    for (int k = ACL_CANN_ATTR_INF_NAN; k <= ACL_CANN_ATTR_JIT_COMPILE; k++) {
        EXPECT(0, aclGetCannAttribute((aclCannAttr)k, &answer));
        printf(k < 2 ? "%d " : "%d\n", answer);
    }
    const aclCannAttr *list = NULL;
    size_t count = 0;
    EXPECT(0, aclGetCannAttributeList(&list, &count));
    printf("%zu:", count);
    for (size_t k = 0; k < count; k++) printf(" %d", list[k]);
    printf("\n");

    EXPECT(0, aclrtGetDeviceInfo(1, ACL_DEV_ATTR_PHY_CHIP_ID, &value));
    EXPECT(1, (int)value);
    EXPECT(0, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_WARP_SIZE, &value));
    EXPECT(0, (int)value);
    EXPECT(0, aclrtGetDeviceCapability(0, ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV, &answer));
    EXPECT(0, answer);
    EXPECT(107001, aclGetDeviceCapability(2, ACL_DEVICE_INFO_L2_SIZE, &value));
    EXPECT(107001, aclrtGetDeviceInfo(2, ACL_DEV_ATTR_NPU_ARCH, &value));
    EXPECT(100000, aclGetDeviceCapability(0, ACL_DEVICE_INFO_UNDEFINED, &value));
    EXPECT(100000, aclGetCannAttribute(ACL_CANN_ATTR_UNDEFINED, &answer));
    EXPECT(100000, aclrtGetDeviceInfo(0, (aclrtDevAttr)7, &value));
    EXPECT(100000, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_NPU_ARCH, NULL));
    EXPECT(207000, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_HD_CONNECT_TYPE, &value));

    EXPECT(0, aclrtSetDevice(0));
    for (int k = 0; k < 4; k++) {
        size_t free_bytes = 1, total = 1;
        EXPECT(0, aclrtGetMemInfo(memories[k], &free_bytes, &total));
        EXPECT(1, free_bytes == total);
        printf(k < 3 ? "%d " : "%d\n", total != 0);
    }
    EXPECT(0, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, &value));
    size_t free_bytes, total;
    EXPECT(0, aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
    EXPECT(1, (uint64_t)value == total);
    return 0;
}
