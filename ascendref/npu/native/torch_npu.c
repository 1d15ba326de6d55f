/* What torch_npu's libraries ask for beyond the table: only the library that is made for them has it.
   No function here computes anything. A function that would is refused, with its name. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "python_api.h"

/* Refuse in a way that ends torch_npu's operation with this text alone: by a C++ exception
   (std::runtime_error), which becomes Python's RuntimeError. Around the code that a function returns,
   torch_npu would write a text of its own, which begins with advice for another CANN and ends with
   messages of earlier calls. */
__attribute__((format(printf, 1, 2))) static int32_t unavailable(const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY);
    void *found = library ? dlsym(library, "_ZSt21__throw_runtime_errorPKc") : NULL;
    if (found) ((void (*)(const char *))(uintptr_t)found)(message);
    return ascendref_refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s", message);
}

#define UNAVAILABLE(name, why)                                                                     \
    EXPORT int32_t name(void)                                                                      \
    {                                                                                              \
        return unavailable("emulated device: " #name " is not available: " why);                   \
    }

/* The dynamic linker looks functions up by name alone, so that one which reads no argument needs
   none. */
#define REFUSED(name, why)                                                                         \
    EXPORT int32_t name(void)                                                                      \
    {                                                                                              \
        return ascendref_refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,                                  \
                                #name " is not emulated: " why);                                   \
    }
#define ACCEPTED(name)                                                                             \
    EXPORT int32_t name(void) { return ACL_SUCCESS; }

/* ---- operators that are compiled on demand: there are none */

EXPORT int32_t aclopCompileAndExecute(const char *type)
{
    return unavailable("emulated device: %s is not available: no operator is compiled on demand",
                       type ? type : "NULL");
}

EXPORT int32_t aclopCompileAndExecuteV2(const char *type) { return aclopCompileAndExecute(type); }

/* Attributes of such operators are described before they are refused. */
EXPORT void *aclopCreateAttr(void) { return malloc(1); }
EXPORT void aclopDestroyAttr(void *attributes) { free(attributes); }
ACCEPTED(aclopSetAttrBool)
ACCEPTED(aclopSetAttrDataType)
ACCEPTED(aclopSetAttrFloat)
ACCEPTED(aclopSetAttrInt)
ACCEPTED(aclopSetAttrListBool)
ACCEPTED(aclopSetAttrListFloat)
ACCEPTED(aclopSetAttrListInt)
ACCEPTED(aclopSetAttrListListInt)
ACCEPTED(aclopSetAttrString)

/* ---- descriptions of their tensors and of memory */

struct description {
    aclDataType type;
    aclFormat format;
    int count;
    int64_t dims[];
};

EXPORT void *aclCreateTensorDesc(aclDataType type, int count, const int64_t *dims, aclFormat format)
{
    if (count < 0 || (count && !dims)) {
        ascendref_refuse(ACL_ERROR_INVALID_PARAM, "numDims is %d, dims is %p", count,
                         (const void *)dims);
        return NULL;
    }
    struct description *made = malloc(sizeof *made + (size_t)count * sizeof *dims);
    if (!made) {
        ascendref_refuse(ACL_ERROR_BAD_ALLOC, "there is no memory for the description");
        return NULL;
    }
    made->type = type;
    made->format = format;
    made->count = count;
    if (count) memcpy(made->dims, dims, (size_t)count * sizeof *dims);
    return made;
}

EXPORT void aclDestroyTensorDesc(const void *description) { free((void *)(uintptr_t)description); }
EXPORT aclDataType aclGetTensorDescType(const struct description *d) { return d->type; }
EXPORT aclFormat aclGetTensorDescFormat(const struct description *d) { return d->format; }
EXPORT size_t aclGetTensorDescNumDims(const struct description *d) { return (size_t)d->count; }

EXPORT int32_t aclGetTensorDescDimV2(const struct description *d, size_t index, int64_t *size)
{
    if (!d || !size || index >= (size_t)d->count)
        return ascendref_refuse(ACL_ERROR_INVALID_PARAM, "index is %zu; a dimension is expected",
                                index);
    *size = d->dims[index];
    return ACL_SUCCESS;
}

EXPORT void aclSetTensorDescName(void *description, const char *name)
{
    (void)description, (void)name;
}
ACCEPTED(aclSetTensorFormat)
ACCEPTED(aclSetTensorPlaceMent)
ACCEPTED(aclSetTensorShape)

EXPORT void *aclCreateDataBuffer(void) { return malloc(1); }

EXPORT int32_t aclDestroyDataBuffer(const void *buffer)
{
    free((void *)(uintptr_t)buffer);
    return ACL_SUCCESS;
}

/* ---- settings */

/* Options of the compiler of operators, which are kept and have no effect. */
enum { OPTIONS = 32 };
static char *options[OPTIONS];
static pthread_mutex_t options_mutex = PTHREAD_MUTEX_INITIALIZER;

EXPORT int32_t aclSetCompileopt(int32_t option, const char *value)
{
    if (option < 0 || option >= OPTIONS || !value)
        return ascendref_refuse(ACL_ERROR_INVALID_PARAM, "opt is %d, value is %s", option,
                                value ? value : "NULL");
    char *copy = strdup(value);
    if (!copy) return ascendref_refuse(ACL_ERROR_BAD_ALLOC, "there is no memory for the option");
    pthread_mutex_lock(&options_mutex);
    free(options[option]);
    options[option] = copy;
    pthread_mutex_unlock(&options_mutex);
    return ACL_SUCCESS;
}

EXPORT size_t aclGetCompileoptSize(int32_t option)
{
    pthread_mutex_lock(&options_mutex);
    const char *value = option >= 0 && option < OPTIONS ? options[option] : NULL;
    size_t size = value ? strlen(value) + 1 : 1;
    pthread_mutex_unlock(&options_mutex);
    return size;
}

EXPORT int32_t aclGetCompileopt(int32_t option, char *value, size_t length)
{
    if (option < 0 || option >= OPTIONS || !value || length < aclGetCompileoptSize(option))
        return ascendref_refuse(ACL_ERROR_INVALID_PARAM, "opt is %d, length is %zu", option, length);
    pthread_mutex_lock(&options_mutex);
    snprintf(value, length, "%s", options[option] ? options[option] : "");
    pthread_mutex_unlock(&options_mutex);
    return ACL_SUCCESS;
}

/* Tasks and waits of the emulated device have no time limit. */
ACCEPTED(aclrtSetOpWaitTimeout)
ACCEPTED(aclrtSetOpExecuteTimeOut)
/* Nothing on the emulated device reports an overflow. */
ACCEPTED(aclrtSetStreamOverflowSwitch)
/* torch_npu asks for the shapes of captured operators, for a profiler of CANN. */
ACCEPTED(aclrtSetStreamAttribute)

EXPORT int32_t aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t *actual)
{
    if (actual) *actual = timeout;
    return ACL_SUCCESS;
}

/* Operators of the emulated device overflow to infinity, whatever torch_npu sets for a product. */
ACCEPTED(aclrtSetDeviceSatMode)

/* ---- devices and processes */

EXPORT int32_t aclrtGetPrimaryCtxState(int32_t device, uint32_t *flags, int32_t *active)
{
    int lock;
    int32_t code = ascendref_enter(&lock);
    if (code) return code;
    PyObject *module = python.PyImport_ImportModule("ascendref.cann.runtime.lifecycle");
    PyObject *answer =
        module ? python.PyObject_CallMethod(module, "has_primary_context", "i", device) : NULL;
    int found = answer ? python.PyObject_IsTrue(answer) : -1;
    if (answer) python.Py_DecRef(answer);
    if (module) python.Py_DecRef(module);
    python.PyErr_Clear();
    ascendref_leave(lock);
    if (found < 0)
        return ascendref_refuse(ACL_ERROR_RT_INVALID_DEVICEID, "deviceId is %d", device);
    if (flags) *flags = 0;
    if (active) *active = found;
    return ACL_SUCCESS;
}

/* ---- memory that is shared */

#define NO_SHARING "memory of the emulated device belongs to one process"
REFUSED(aclrtMemExportToShareableHandle, NO_SHARING)
REFUSED(aclrtMemImportFromShareableHandle, NO_SHARING)
REFUSED(aclrtMemSetPidToShareableHandle, NO_SHARING)

/* ---- what has no counterpart here */

UNAVAILABLE(HcclCommInitClusterInfoConfig, "communicators are made without a rank table")
UNAVAILABLE(aclprofInit, "there is no profiler of CANN; torch_npu.profiler records timelines")

/* ---- hints for the cache, which the emulated device does not have */

ACCEPTED(aclrtCmoAsync)

/* ---- kernels as binaries, dumps */

#define NO_BINARIES "the emulated device runs no binaries of kernels"
#define NO_DUMPS "operators are not dumped"
REFUSED(aclrtBinaryLoadFromData, NO_BINARIES)
REFUSED(aclrtBinaryGetFunction, NO_BINARIES)
REFUSED(aclrtGetFunctionAddr, NO_BINARIES)
REFUSED(rtDevBinaryRegister, NO_BINARIES)
REFUSED(rtFunctionRegister, NO_BINARIES)
REFUSED(rtKernelLaunch, NO_BINARIES)
REFUSED(rtGetC2cCtrlAddr, NO_BINARIES)
REFUSED(aclmdlInitDump, NO_DUMPS)
REFUSED(aclmdlSetDump, NO_DUMPS)
REFUSED(aclmdlFinalizeDump, NO_DUMPS)

/* ---- what is reported: profiling data go nowhere, messages to stderr from warnings on */

ACCEPTED(MsprofRegisterCallback)
ACCEPTED(MsprofReportAdditionalInfo)
ACCEPTED(MsprofReportApi)
ACCEPTED(MsprofReportCompactInfo)

EXPORT uint64_t MsprofSysCycleTime(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* FNV-1a, which is equal for equal texts. */
EXPORT uint64_t MsprofGetHashId(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t k = 0; text && k < length; k++)
        hash = (hash ^ (unsigned char)text[k]) * UINT64_C(1099511628211);
    return hash;
}

EXPORT void aclAppLog(int32_t level, const char *function, const char *file, uint32_t line,
                      const char *format, ...)
{
    if (level < 2 && !ascendref_logging) return; /* debug, info */
    (void)file;
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fprintf(stderr, "ascendref: %s:%u: %s\n", function, line, message);
}
