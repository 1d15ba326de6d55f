// Notifies: waits before and after their records, in streams of one thread and of two.
#include <chrono>
#include <string>
#include <thread>

#include "expect.h"

static std::string order;

static void note(void *letter) { order += *static_cast<const char *>(letter); }

static void in_order(aclrtStream producer, aclrtStream consumer, aclrtNotify notify)
{
    void *memory, *pinned;
    SUCCEEDS(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    SUCCEEDS(aclrtMallocHost(&pinned, 64));
    for (bool early : {true, false}) {
        if (early) {
            SUCCEEDS(aclrtWaitAndResetNotify(notify, consumer, 0));
            SUCCEEDS(aclrtMemcpyAsync(pinned, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST, consumer));
            SUCCEEDS(aclrtLaunchHostFunc(consumer, note, const_cast<char *>("b")));
            EXPECT(507046, aclrtSynchronizeStreamWithTimeout(consumer, 10));
        }
        SUCCEEDS(aclrtMemsetAsync(memory, 64, early ? 1 : 2, 64, producer));
        SUCCEEDS(aclrtLaunchHostFunc(producer, note, const_cast<char *>("a")));
        SUCCEEDS(aclrtRecordNotify(notify, producer));
        if (!early) {
            SUCCEEDS(aclrtWaitAndResetNotify(notify, consumer, 1));
            SUCCEEDS(aclrtMemcpyAsync(pinned, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST, consumer));
            SUCCEEDS(aclrtLaunchHostFunc(consumer, note, const_cast<char *>("b")));
        }
        SUCCEEDS(aclrtSynchronizeStream(consumer));
        EXPECT(early ? 1 : 2, static_cast<char *>(pinned)[63]);
    }
    EXPECT(0, order.compare("abab"));
    SUCCEEDS(aclrtFree(memory));
    SUCCEEDS(aclrtFreeHost(pinned));
}

int main()
{
    aclrtStream producer, consumer;
    aclrtNotify notify, other;
    uint32_t number = 0, another = 0;
    SUCCEEDS(aclrtSetDevice(0));
    SUCCEEDS(aclrtCreateStream(&producer));
    SUCCEEDS(aclrtCreateStream(&consumer));
    SUCCEEDS(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
    SUCCEEDS(aclrtCreateNotify(&other, ACL_NOTIFY_DEVICE_USE_ONLY));
    SUCCEEDS(aclrtGetNotifyId(notify, &number));
    SUCCEEDS(aclrtGetNotifyId(other, &another));
    EXPECT(1, number != another);
    in_order(producer, consumer, notify);
    SUCCEEDS(aclrtWaitAndResetNotify(notify, nullptr, 0));
    std::thread([&] { // while the first thread waits
        EXPECT(107002, aclrtRecordNotify(notify, producer));
        SUCCEEDS(aclrtSetDevice(0));
        std::thread recorder([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            SUCCEEDS(aclrtSetDevice(0));
            SUCCEEDS(aclrtRecordNotify(notify, producer));
        });
        SUCCEEDS(aclrtSynchronizeStream(nullptr));
        recorder.join();
    }).join();
    EXPECT(100000, aclrtCreateNotify(nullptr, 0));
    EXPECT(107000, aclrtCreateNotify(&other, 2));
    EXPECT(100000, aclrtRecordNotify(nullptr, producer));
    EXPECT(100000, aclrtWaitAndResetNotify(nullptr, producer, 0));
    EXPECT(100000, aclrtDestroyNotify(nullptr));
    EXPECT(100000, aclrtGetNotifyId(notify, nullptr));
    EXPECT(107017, aclrtRecordNotify(producer, producer));
    EXPECT(107017, aclrtRecordNotify(notify, notify));
    SUCCEEDS(aclrtSetDevice(1));
    EXPECT(107003, aclrtRecordNotify(notify, producer));
    EXPECT(107003, aclrtRecordNotify(notify, nullptr));
    SUCCEEDS(aclrtSetDevice(0));
    SUCCEEDS(aclrtDestroyNotify(notify));
    EXPECT(107017, aclrtRecordNotify(notify, producer));
    EXPECT(107017, aclrtWaitAndResetNotify(notify, producer, 0));
    EXPECT(107017, aclrtDestroyNotify(notify));
    EXPECT(107017, aclrtGetNotifyId(notify, &number));
    SUCCEEDS(aclrtDestroyStream(producer));
    SUCCEEDS(aclrtDestroyStream(consumer));
    return failures != 0;
}
