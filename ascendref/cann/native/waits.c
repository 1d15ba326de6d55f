/* Short waits, which look for a change instead of blocking; see device/scheduling/spinning.py. */
#include <sched.h>
#include <time.h>

#include "native.h"

/* for how many nanoseconds a thread looks */
#define MOMENT 300000

static int64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

void ascendref_spin(int64_t *counter, const int64_t *other, int64_t seen)
{
    __atomic_add_fetch(counter, 1, __ATOMIC_RELEASE);
    int64_t end = nanoseconds() + MOMENT;
    while (__atomic_load_n(other, __ATOMIC_ACQUIRE) == seen && nanoseconds() < end) sched_yield();
}
