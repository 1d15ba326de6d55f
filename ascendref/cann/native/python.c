/* Python in the process: found or started at the first call that needs it, left alone at the end. */
#include <dlfcn.h>
#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "python_api.h"

struct python_api python;
PyObject **ascendref_python_functions;

enum state {
    NOT_FOUND,
    FOUND,     /* Python runs; its functions of the table are not here yet */
    CONNECTED, /* they are */
    FAILED,
    ENDED,
};

/* Held while Python is found or started. A thread that holds the interpreter's lock waits for it
   only before there is one to be held here. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int state = NOT_FOUND;
static bool started_here; /* not by the program, which then is one of Python */
static int (*is_finalizing)(void);
/* why Python does not run here; written before the state says so */
static char failure[1024] = "Python does not start; run `ascendref cann` again";
static intptr_t function_count;

static int current(void) { return __atomic_load_n(&state, __ATOMIC_ACQUIRE); }
static void become(int next) { __atomic_store_n(&state, next, __ATOMIC_RELEASE); }

PyObject *ascendref_helper(int helper)
{
    return ascendref_python_functions[function_count - PYTHON_HELPERS + helper];
}

/* ---- finding and starting Python */

static const char *setting(const char *name, const char *recorded)
{
    const char *value = getenv(name);
    return value && *value ? value : recorded;
}

/* Say why Python does not run here: on stderr, and for every call that is refused for it. */
__attribute__((format(printf, 1, 2))) static void explain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure, sizeof failure, format, arguments);
    va_end(arguments);
    fprintf(stderr, "ascendref: %s\n", failure);
}

static bool look_up(void *where)
{
#define LOOK_UP(result, name, parameters)                                                          \
    python.name = (result(*) parameters)(uintptr_t)dlsym(where, #name);                            \
    if (!python.name) {                                                                            \
        explain("this Python has no function %s", #name);                                          \
        return false;                                                                              \
    }
    PYTHON_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    /* the first since Python 3.13 */
    void *finalizing = dlsym(where, "Py_IsFinalizing");
    if (!finalizing) finalizing = dlsym(where, "_Py_IsFinalizing");
    is_finalizing = (int (*)(void))(uintptr_t)finalizing;
    python.None = dlsym(where, "_Py_NoneStruct");
    python.KeyboardInterrupt = dlsym(where, "PyExc_KeyboardInterrupt");
    return is_finalizing && python.None && python.KeyboardInterrupt;
}

static void *load_library(void)
{
    /* a program of Python, or one that links it */
    if (dlsym(RTLD_DEFAULT, "Py_IsInitialized")) return dlopen(NULL, RTLD_NOW);
    const char *path = setting("ASCENDREF_LIBPYTHON", RECORDED_LIBPYTHON);
    /* extension modules look for Python's functions among those of the process */
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        explain("cannot load Python: %s; run `ascendref cann` again, or set ASCENDREF_LIBPYTHON to"
                " the path of its libpython", dlerror());
    return library;
}

/* Since Python 3.14, where Py_SetProgramName is on its way out. */
static bool initialize_from_config(void *library, const char *program)
{
    void *(*create)(void) = (void *(*)(void))(uintptr_t)dlsym(library, "PyInitConfig_Create");
    int (*set_text)(void *, const char *, const char *) =
        (int (*)(void *, const char *, const char *))(uintptr_t)dlsym(library, "PyInitConfig_SetStr");
    int (*set_number)(void *, const char *, int64_t) =
        (int (*)(void *, const char *, int64_t))(uintptr_t)dlsym(library, "PyInitConfig_SetInt");
    int (*initialize)(void *) =
        (int (*)(void *))(uintptr_t)dlsym(library, "Py_InitializeFromInitConfig");
    if (!create || !set_text || !set_number || !initialize) return false;
    void *config = create(); /* isolated unless told otherwise */
    return config && !set_number(config, "use_environment", 1) &&
           !set_number(config, "user_site_directory", 1) &&
           !set_text(config, "program_name", program) && !initialize(config);
}

static bool initialize(void *library)
{
    const char *program = setting("ASCENDREF_PYTHON", RECORDED_PYTHON);
    if (!initialize_from_config(library, program)) {
        void (*set_program)(const wchar_t *) =
            (void (*)(const wchar_t *))(uintptr_t)dlsym(library, "Py_SetProgramName");
        /* by its place, Python finds its packages; the name must stay */
        wchar_t *name = python.Py_DecodeLocale(program, NULL);
        if (!set_program || !name) return false;
        set_program(name);
        python.Py_InitializeEx(0); /* signals are the program's */
    }
    return python.Py_IsInitialized();
}

static void at_exit(void);

/* With the mutex held: have Python run in this process. */
static bool find_python(void)
{
    void *library = load_library();
    if (!library || !look_up(library)) return false;
    if (python.Py_IsInitialized()) return true;
    char *locale = setlocale(LC_CTYPE, NULL);
    locale = locale ? strdup(locale) : NULL;
    bool initialized = initialize(library);
    if (locale) setlocale(LC_CTYPE, locale); /* that of the program, which Python has changed */
    free(locale);
    if (!initialized) {
        explain("Python does not start; run `ascendref cann` again");
        return false;
    }
    started_here = true;
    python.PyEval_SaveThread(); /* or other threads would wait for this one for ever */
    ascendref_watch_faults();
    return atexit(at_exit) == 0;
}

/* With the interpreter's lock held: say why Python cannot do its part. */
static void explain_exception(void)
{
    PyObject *kind, *error, *traceback;
    python.PyErr_Fetch(&kind, &error, &traceback);
    python.PyErr_NormalizeException(&kind, &error, &traceback);
    PyObject *text = error ? python.PyObject_Str(error) : NULL;
    const char *message = text ? python.PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    explain("%s", message ? message : "Python does not start");
    python.PyErr_Clear();
}

/* With the interpreter's lock held: get the functions of the table. */
static bool connect_python(void)
{
    PyObject *module = python.PyImport_ImportModule("ascendref.cann.runtime.link");
    PyObject *functions = NULL;
    if (module)
        functions = python.PyObject_CallMethod(module, "connect", "ssKKi", ascendref_functions,
                                               ascendref_digest,
                                               (unsigned long long)(uintptr_t)ascendref_place,
                                               (unsigned long long)(uintptr_t)ascendref_spin,
                                               (int)started_here);
    if (module) python.Py_DecRef(module);
    if (!functions) {
        explain_exception();
        return false;
    }
    intptr_t count = python.PyTuple_Size(functions);
    PyObject **table = calloc((size_t)count, sizeof *table);
    for (intptr_t k = 0; table && k < count; k++) table[k] = python.PyTuple_GetItem(functions, k);
    /* another thread may have been as far; the tuple stays for as long as the process does */
    if (table && !ascendref_python_functions) {
        function_count = count;
        ascendref_python_functions = table;
    } else {
        free(table);
    }
    return ascendref_python_functions != NULL;
}

static void start(void)
{
    pthread_mutex_lock(&mutex);
    if (current() == NOT_FOUND) become(find_python() ? FOUND : FAILED);
    pthread_mutex_unlock(&mutex);
    if (current() != FOUND) return;
    /* without the mutex: imports give the lock away and take it again */
    int lock = python.PyGILState_Ensure();
    bool connected = connect_python();
    if (current() == FOUND) become(connected ? CONNECTED : FAILED);
    python.PyGILState_Release(lock);
}

/* ---- entering and leaving */

/* Of glibc: runs a function when the thread ends, before pthread's keys, and with them Python's
   thread states, are gone. */
extern int __cxa_thread_atexit_impl(void (*function)(void *), void *argument, void *library)
    __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

/* whether this thread counts as a user of its state in Python */
static __thread bool attached;

static void detach(void *unused)
{
    (void)unused;
    attached = false;
    if (current() < CONNECTED || !python.Py_IsInitialized() || is_finalizing()) return;
    if (!python.PyGILState_GetThisThreadState()) return; /* one of Python's threads, which ended it */
    int lock = python.PyGILState_Ensure();
    python.PyGILState_Release(0); /* what attach left: held, and counted once more */
    python.PyGILState_Release(lock);
}

/* Keep this thread's state in Python, and with it its last error and its messages, from call to call,
   whoever made it and may be about to end it. */
static void attach(void)
{
    if (attached) return;
    attached = true;
    if (python.PyGILState_Ensure()) python.PyEval_SaveThread(); /* unless it held the lock before */
    if (__cxa_thread_atexit_impl) __cxa_thread_atexit_impl(detach, NULL, &__dso_handle);
}

int32_t ascendref_lock_python(int *lock, const char **why)
{
    if (current() < CONNECTED) start();
    if (current() == FAILED) {
        *why = failure;
        return ACL_ERROR_INTERNAL_ERROR;
    }
    if (!python.Py_IsInitialized() || is_finalizing()) {
        *why = "Python ends in this process, and the devices are gone";
        return ACL_ERROR_UNINITIALIZE;
    }
    attach();
    *lock = python.PyGILState_Ensure();
    return ACL_SUCCESS;
}

void ascendref_leave(int lock) { python.PyGILState_Release(lock); }

bool ascendref_ended(void) { return current() == ENDED; }

/* ---- the end of the process, on whichever thread called exit; Python is never finalized, for that
   waits for the thread that started it */

static void at_exit(void)
{
    int lock;
    int64_t status = 0;
    const char *why;
    if (current() != CONNECTED || ascendref_lock_python(&lock, &why)) return;
    PyObject *answer = python.PyObject_Vectorcall(ascendref_helper(PYTHON_AT_EXIT), NULL, 0, NULL);
    if (answer) {
        status = python.PyLong_AsLongLong(answer);
        python.Py_DecRef(answer);
    } else {
        explain_exception();
    }
    become(ENDED); /* what static objects call after this gets a code; Python keeps its message */
    ascendref_leave(lock);
    /* the C library goes on with the functions that are left, and with this status */
    if (status > 0) exit((int)status);
}

/* ---- forks by C, which Python does not see */

static int fork_lock;
static bool fork_is_ours;

static void before_fork(void)
{
    pthread_mutex_lock(&mutex);
    int now = current();
    /* with the lock held, this is a fork by Python, which does the same */
    fork_is_ours = started_here && (now == CONNECTED || now == FOUND) && !python.PyGILState_Check();
    if (fork_is_ours) {
        fork_lock = python.PyGILState_Ensure();
        python.PyOS_BeforeFork();
    }
    ascendref_lock_handles();
}

static void after_fork_in_parent(void)
{
    ascendref_unlock_handles();
    if (fork_is_ours) {
        python.PyOS_AfterFork_Parent();
        python.PyGILState_Release(fork_lock);
    }
    pthread_mutex_unlock(&mutex);
}

static void after_fork_in_child(void)
{
    ascendref_unlock_handles();
    if (fork_is_ours) {
        python.PyOS_AfterFork_Child();
        python.PyGILState_Release(fork_lock);
    }
    pthread_mutex_unlock(&mutex);
}

__attribute__((constructor)) static void prepare_forks(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}
