/* Waits of torch_npu for other threads, without the interpreter's lock.

   On hardware, no function of the C library needs that lock; here nearly all do. torch_npu calls them
   while it holds a mutex, for which another thread may wait with the interpreter's lock: that of its
   allocator, for example, which is asked how much memory is allocated. Each of the two would wait for
   what the other one holds. So libraries get functions in place of the C library's which give the
   interpreter's lock away before they wait. */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "python_api.h"

/* What take_lock needs if this thread had the lock; NULL if it had not, or Python has ended. */
static void *give_lock(void)
{
    bool has_lock = python.Py_IsInitialized() && python.PyGILState_Check();
    return has_lock ? python.PyEval_SaveThread() : NULL;
}

static void take_lock(void *thread)
{
    if (thread) python.PyEval_RestoreThread(thread);
}

static int lock_mutex(pthread_mutex_t *mutex)
{
    int code = pthread_mutex_trylock(mutex);
    if (code != EBUSY) return code;
    void *thread = give_lock();
    code = pthread_mutex_lock(mutex);
    take_lock(thread);
    return code;
}

/* What the thread that runs a function once needs for that; the function has the lock if its caller
   had it. */
static __thread void (*function)(void);
static __thread void *function_thread;

static void run_with_lock(void)
{
    void *thread = function_thread;
    take_lock(thread);
    function();
    if (thread) python.PyEval_SaveThread();
}

static int run_once(pthread_once_t *control, void (*routine)(void))
{
    void *thread = give_lock();
    function = routine;
    function_thread = thread;
    int code = pthread_once(control, run_with_lock);
    take_lock(thread);
    return code;
}

/* Of C++: wait until no other thread initializes a static variable of a function; whether this thread
   has to. */
static int (*acquire)(int64_t *guard);

static int acquire_guard(int64_t *guard)
{
    void *thread = give_lock();
    int is_ours = acquire(guard);
    take_lock(thread);
    return is_ours;
}

static const struct replacement {
    const char *name;
    void *function;
} replacements[] = {
    {"pthread_mutex_lock", (void *)(uintptr_t)lock_mutex},
    {"pthread_once", (void *)(uintptr_t)run_once},
    {"__cxa_guard_acquire", (void *)(uintptr_t)acquire_guard},
};

/* Let a relocation of a symbol that is replaced lead to the replacement; false if that fails. */
static bool relocate(ElfW(Addr) base, const ElfW(Rela) *entry, const char *symbol)
{
    for (size_t k = 0; k < sizeof replacements / sizeof *replacements; k++) {
        if (strcmp(symbol, replacements[k].name)) continue;
        uintptr_t place = base + entry->r_offset, size = (uintptr_t)sysconf(_SC_PAGESIZE);
        uintptr_t page = place & ~(size - 1);
        /* the linker has made it read-only */
        if (mprotect((void *)page, size, PROT_READ | PROT_WRITE)) return false;
        *(void **)place = replacements[k].function;
    }
    return true;
}

struct table {
    const ElfW(Rela) *entries;
    size_t size;
};

static int relocate_object(struct dl_phdr_info *object, size_t size, void *part_of_name)
{
    (void)size;
    if (!strstr(object->dlpi_name, part_of_name)) return 0;
    const ElfW(Dyn) *dynamic = NULL;
    for (int k = 0; k < object->dlpi_phnum; k++)
        if (object->dlpi_phdr[k].p_type == PT_DYNAMIC)
            dynamic = (const void *)(object->dlpi_addr + object->dlpi_phdr[k].p_vaddr);
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    struct table tables[2] = {{NULL, 0}, {NULL, 0}};
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
        const void *place = (const void *)dynamic->d_un.d_ptr;
        switch (dynamic->d_tag) {
        case DT_SYMTAB: symbols = place; break;
        case DT_STRTAB: names = place; break;
        case DT_RELA: tables[0].entries = place; break;
        case DT_RELASZ: tables[0].size = dynamic->d_un.d_val; break;
        case DT_JMPREL: tables[1].entries = place; break;
        case DT_PLTRELSZ: tables[1].size = dynamic->d_un.d_val; break;
        }
    }
    if (!symbols || !names) return 0;
    for (const struct table *table = tables; table < tables + 2; table++)
        for (size_t k = 0; table->entries && k < table->size / sizeof *table->entries; k++) {
            const ElfW(Rela) *entry = table->entries + k;
            const ElfW(Sym) *symbol = symbols + ELF64_R_SYM(entry->r_info);
            if (symbol->st_shndx != SHN_UNDEF) continue;
            if (!relocate(object->dlpi_addr, entry, names + symbol->st_name)) return 1;
        }
    return 0;
}

/* Have the loaded libraries whose path contains this text wait without the interpreter's lock; 0, or 1
   if the system does not allow it. */
EXPORT int ascendref_wait_without_lock(const char *part_of_path)
{
    int lock;
    if (ascendref_enter(&lock)) return 1; /* from now on, the functions of Python are known */
    ascendref_leave(lock);
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY);
    acquire = (int (*)(int64_t *))(uintptr_t)(library ? dlsym(library, "__cxa_guard_acquire") : NULL);
    if (!acquire) return 1;
    return dl_iterate_phdr(relocate_object, (void *)(uintptr_t)part_of_path);
}
