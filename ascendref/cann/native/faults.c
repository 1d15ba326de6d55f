/* A line on stderr when the program touches memory of the device, before it dies of that. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "native.h"

/* the addresses of the devices, as ascendref/device/memory/address_space.py gives them out */
#define FIRST_ADDRESS (UINT64_C(1) << 48)
#define LAST_ADDRESS (FIRST_ADDRESS + (UINT64_C(1) << 52))

static struct sigaction previous;

static bool of_device(uint64_t address)
{
    return address >= FIRST_ADDRESS && address < LAST_ADDRESS;
}

/* The address that was touched, or 0. On x86 the system does not tell addresses that no process can
   have, so it must be in a register. */
static uint64_t touched(const siginfo_t *info, const ucontext_t *context)
{
    uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
    if (of_device(address)) return address;
#if defined __x86_64__
    if (info->si_code != SI_KERNEL) return 0;
    for (int k = REG_R8; k <= REG_RSP; k++) {
        uint64_t value = (uint64_t)context->uc_mcontext.gregs[k];
        if (of_device(value)) return value;
    }
#else
    (void)context;
#endif
    return 0;
}

static void write_line(uint64_t address)
{
    static const char begin[] = "ascendref: the program touched 0x";
    static const char end[] = ", which is memory of the device; the host reaches it only by"
                              " aclrtMemcpy\n";
    char line[sizeof begin + sizeof end + 16];
    size_t length = sizeof begin - 1;
    memcpy(line, begin, length);
    for (int shift = 60; shift >= 0; shift -= 4)
        if (address >> shift) line[length++] = "0123456789abcdef"[address >> shift & 15];
    memcpy(line + length, end, sizeof end - 1);
    if (write(STDERR_FILENO, line, length + sizeof end - 1) < 0) return;
}

static void report(int signal, siginfo_t *info, void *context)
{
    uint64_t address = touched(info, context);
    if (address) write_line(address);
    /* the instruction faults again, and the previous handler gets it */
    sigaction(signal, &previous, NULL);
}

void ascendref_watch_faults(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = report;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &previous);
}
