/* Calls: arguments on their way to Python, results and failures on their way back, and the log. */
#include <fenv.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "python_api.h"

int32_t ascendref_status_of_exception(const char *name)
{
    PyObject *kind, *error, *traceback;
    python.PyErr_Fetch(&kind, &error, &traceback);
    python.PyErr_NormalizeException(&kind, &error, &traceback);
    bool interrupted = python.PyErr_GivenExceptionMatches(error, *python.KeyboardInterrupt);
    int32_t status = ACL_ERROR_INTERNAL_ERROR;
    PyObject *name_object = python.PyBytes_FromStringAndSize(name, (intptr_t)strlen(name));
    PyObject *const arguments[] = {name_object, error};
    PyObject *answer = NULL;
    /* an interrupt of the program in Python breaks it off once or twice */
    for (int turn = 0; turn < 3 && !answer; turn++) {
        answer = python.PyObject_Vectorcall(ascendref_helper(PYTHON_STATUS_OF), arguments, 2, NULL);
        if (answer) break;
        interrupted |= python.PyErr_ExceptionMatches(*python.KeyboardInterrupt);
        python.PyErr_Clear();
    }
    if (answer) {
        status = (int32_t)python.PyLong_AsLongLong(answer);
        python.Py_DecRef(answer);
    }
    python.Py_DecRef(name_object);
    python.Py_DecRef(kind);
    python.Py_DecRef(error);
    if (traceback) python.Py_DecRef(traceback);
    /* the Python program that called gets its interrupt as soon as this call returns */
    if (interrupted) python.PyErr_SetInterrupt();
    return status;
}

int32_t ascendref_call_helper(const char *function, int helper, PyObject *first, PyObject *second)
{
    PyObject *const members[] = {first, second};
    PyObject *answer = python.PyObject_Vectorcall(ascendref_helper(helper), members, 2, NULL);
    python.Py_DecRef(first);
    python.Py_DecRef(second);
    if (!answer) return ascendref_status_of_exception(function);
    python.Py_DecRef(answer);
    return ACL_SUCCESS;
}

/* Whether a handle must not be NULL: a stream has a default, and what is NULL among the arguments of
   an operator is for phase 1 and phase 2 to say. */
static bool is_required(enum kind kind)
{
    return kind == KIND_EVENT || kind == KIND_CONTEXT || kind == KIND_NOTIFY ||
           kind == KIND_PHYSICAL_MEMORY || kind == KIND_GRAPH;
}

/* The code for a handle that stands for nothing. */
static int32_t bad_handle(const struct parameter *parameter, const void *handle)
{
    if (!handle) return ascendref_refuse(ACL_ERROR_INVALID_PARAM, "%s is NULL", parameter->name);
    int32_t status = ACLNN_ERR_PARAM_INVALID;
    if (parameter->kind == KIND_CONTEXT)
        status = ACL_ERROR_RT_CONTEXT_NULL;
    else if (parameter->kind == KIND_STREAM || is_required((enum kind)parameter->kind))
        status = ACL_ERROR_RT_INVALID_HANDLE;
    else if (parameter->kind == KIND_EXECUTOR)
        status = ACLNN_ERR_INNER_NULLPTR;
    return ascendref_refuse(status, "%s is %p, which was destroyed or used up before or never was"
                            " such an object", parameter->name, handle);
}

/* A new reference to an argument for Python; NULL with a code, or NULL with an exception and 0. */
static PyObject *converted(const struct parameter *parameter, argument given, int32_t *code)
{
    switch ((enum kind)parameter->kind) {
    case KIND_INT32:
    case KIND_INT64:
        return python.PyLong_FromLongLong(given.i);
    case KIND_UINT32:
    case KIND_UINT64:
    case KIND_ADDRESS:
        return python.PyLong_FromUnsignedLongLong(given.u);
    case KIND_FLOAT:
    case KIND_DOUBLE:
        return python.PyFloat_FromDouble(given.d);
    default:
        break;
    }
    if (!given.p && !is_required((enum kind)parameter->kind)) {
        python.Py_IncRef(python.None);
        return python.None;
    }
    if (parameter->kind == KIND_TEXT)
        return python.PyBytes_FromStringAndSize(given.p, (intptr_t)strlen(given.p));
    void *object = ascendref_find((enum kind)parameter->kind, given.p);
    if (!object) {
        *code = bad_handle(parameter, given.p);
        return NULL;
    }
    if (HANDLE_OF_PYTHON(parameter->kind)) return object;
    PyObject *made = ascendref_python_object((enum kind)parameter->kind, object);
    ascendref_release(object);
    return made;
}

/* Write a result of Python's to where an output points; false if it cannot be represented. */
static bool store(const struct parameter *parameter, argument where, PyObject *value)
{
    void *place = (void *)(uintptr_t)where.u;
    switch ((enum kind)parameter->kind) {
    case KIND_INT32:
    case KIND_UINT32: {
        uint32_t number = (uint32_t)python.PyLong_AsUnsignedLongLongMask(value);
        memcpy(place, &number, sizeof number);
        return true;
    }
    case KIND_INT64:
    case KIND_UINT64:
    case KIND_ADDRESS: {
        uint64_t number = python.PyLong_AsUnsignedLongLongMask(value);
        memcpy(place, &number, sizeof number);
        return true;
    }
    case KIND_FLOAT: {
        float number = (float)python.PyFloat_AsDouble(value);
        memcpy(place, &number, sizeof number);
        return true;
    }
    default: {
        /* contexts, default streams and graphs are asked for again and again, and programs compare
           them */
        bool shared = parameter->kind == KIND_CONTEXT || parameter->kind == KIND_STREAM ||
                      parameter->kind == KIND_GRAPH;
        if (value == python.None) {
            memset(place, 0, sizeof(void *));
            return true;
        }
        void *handle = shared ? ascendref_handle_of((enum kind)parameter->kind, value) : NULL;
        if (handle) {
            memcpy(place, &handle, sizeof handle);
            return true;
        }
        python.Py_IncRef(value);
        handle = ascendref_handle((enum kind)parameter->kind, value);
        if (!handle) python.Py_DecRef(value);
        memcpy(place, &handle, sizeof handle);
        return handle != NULL;
    }
    }
}

static int32_t store_outputs(const struct function *function, const argument *arguments,
                             PyObject *answer)
{
    intptr_t outputs = 0, stored = 0;
    for (int k = 0; k < function->count; k++) outputs += function->parameters[k].output;
    for (int k = 0; k < function->count; k++) {
        const struct parameter *parameter = &function->parameters[k];
        if (!parameter->output) continue;
        PyObject *value = outputs == 1 ? answer : python.PyTuple_GetItem(answer, stored++);
        if (!store(parameter, arguments[k], value))
            return ascendref_refuse(ACL_ERROR_BAD_ALLOC, "there is no memory for %s",
                                    parameter->name);
    }
    return ACL_SUCCESS;
}

/* Text for the caller, which stays until the thread's next such call. */
static int64_t stored_text(PyObject *answer)
{
    static __thread char *text;
    free(text);
    text = NULL;
    if (answer != python.None) {
        const char *characters = python.PyUnicode_AsUTF8AndSize(answer, NULL);
        text = characters ? strdup(characters) : NULL;
    }
    return (int64_t)(intptr_t)text;
}

static bool is_alive(PyObject *object)
{
    PyObject *answer = python.PyObject_GetAttrString(object, "alive");
    bool alive = answer && python.PyObject_IsTrue(answer) == 1;
    if (answer) python.Py_DecRef(answer);
    python.PyErr_Clear();
    return alive;
}

static void end_handle(const struct function *function, const argument *arguments,
                       PyObject *const *members)
{
    for (int k = 0, member = 0; k < function->count; k++) {
        const struct parameter *parameter = &function->parameters[k];
        if (HANDLE_OF_PYTHON(parameter->kind) && !parameter->output) {
            if (members[member] != python.None && !is_alive(members[member])) {
                PyObject *owned = ascendref_take((enum kind)parameter->kind, arguments[k].p);
                if (owned) python.Py_DecRef(owned);
            }
            return;
        }
        member += !parameter->output;
    }
}

static void move_tensor(const struct function *function, const argument *arguments)
{
    const void *tensor = NULL, *address = NULL;
    for (int k = 0; k < function->count; k++) {
        if (function->parameters[k].kind == KIND_TENSOR) tensor = arguments[k].p;
        if (function->parameters[k].kind == KIND_ADDRESS) address = arguments[k].p;
    }
    ascendref_moved(tensor, address);
}

/* Call Python in the default floating-point environment: a thread that waits may compute, and its
   rounding, its subnormals and its flags are the program's. */
static PyObject *computed(PyObject *callable, PyObject *const *members, size_t count)
{
#ifdef __x86_64__
    /* the functions below reload the x87 unit, which takes longer than a small call: where the
       environment is the default already, only the flags are kept, which are the lowest six bits */
    const unsigned flags = 0x3f;
    uint16_t x87;
    __asm__("fnstcw %0" : "=m"(x87));
    unsigned sse = __builtin_ia32_stmxcsr();
    if (x87 == 0x37f && (sse & ~flags) == 0x1f80) {
        PyObject *answer = python.PyObject_Vectorcall(callable, members, count, NULL);
        __builtin_ia32_ldmxcsr(sse);
        return answer;
    }
#endif
    fenv_t environment;
    fegetenv(&environment);
    fesetenv(FE_DFL_ENV);
    PyObject *answer = python.PyObject_Vectorcall(callable, members, count, NULL);
    fesetenv(&environment);
    return answer;
}

static int64_t answered(const struct function *function, const argument *arguments,
                        PyObject *const *members, size_t count)
{
    PyObject *answer = computed(ascendref_python_functions[function->number], members, count);
    int64_t result = ACL_SUCCESS;
    if (!answer)
        result = ascendref_status_of_exception(function->name);
    else if (function->result == RESULT_STATUS)
        result = store_outputs(function, arguments, answer);
    else if (function->result == RESULT_INTEGER)
        result = python.PyLong_AsLongLong(answer);
    else
        result = stored_text(answer);
    if (!answer && function->result == RESULT_TEXT) result = 0;
    if (answer) python.Py_DecRef(answer);
    if (function->ends_handle) end_handle(function, arguments, members);
    if (function->moves_tensor && result == ACL_SUCCESS) move_tensor(function, arguments);
    return result;
}

static int64_t with_python(const struct function *function, const argument *arguments)
{
    PyObject *members[MOST_PARAMETERS];
    size_t count = 0;
    int64_t result = ACL_SUCCESS;
    int32_t code = ACL_SUCCESS;
    for (int k = 0; k < function->count; k++)
        if (function->parameters[k].output && !arguments[k].p)
            return ascendref_refuse(function->null_output, "%s is NULL; %s writes to it",
                                    function->parameters[k].name, function->name);
    for (int k = 0; k < function->count; k++) {
        if (function->parameters[k].output) continue;
        members[count] = converted(&function->parameters[k], arguments[k], &code);
        if (!members[count]) {
            result = code ? code : ascendref_status_of_exception(function->name);
            break;
        }
        count++;
    }
    if (result == ACL_SUCCESS) result = answered(function, arguments, members, count);
    for (size_t k = 0; k < count; k++) python.Py_DecRef(members[k]);
    return result;
}

/* Whether a function destroys what the end of the process has destroyed. torch_npu would print an
   error for each event that a failed program still has; other programs get the code. */
static bool is_destroyed_at_end(const char *name)
{
#ifdef FOR_TORCH_NPU
    return strncmp(name, "aclrtDestroy", strlen("aclrtDestroy")) == 0;
#else
    (void)name;
    return false;
#endif
}

int64_t ascendref_call(const struct function *function, const argument *arguments,
                       const void *caller)
{
    struct place place;
    ascendref_begin_call(&place, function->name, caller);
    int lock;
    int64_t result = ascendref_enter(&lock);
    if (result == ACL_SUCCESS) {
        ascendref_give_up_objects();
        result = with_python(function, arguments);
        ascendref_leave(lock);
    } else if (function->result == RESULT_TEXT) {
        result = 0;
    } else if (result == ACL_ERROR_UNINITIALIZE && is_destroyed_at_end(function->name)) {
        result = ACL_SUCCESS;
    }
    if (ascendref_logging) ascendref_log(function, arguments, result);
    ascendref_end_call(&place);
    return result;
}

/* ---- the log */

bool ascendref_logging;

__attribute__((constructor)) static void read_settings(void)
{
    const char *calls = getenv("ASCENDREF_CALLS");
    ascendref_logging = calls && *calls && strcmp(calls, "0") != 0;
}

struct line {
    char text[1024];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void append(struct line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t room = sizeof line->text - line->length;
    int written = vsnprintf(line->text + line->length, room, format, arguments);
    va_end(arguments);
    if (written > 0) line->length += (size_t)written < room ? (size_t)written : room - 1;
}

static void append_value(struct line *line, const struct parameter *parameter, argument value)
{
    if (parameter->output) {
        append(line, value.p ? "&0x%llx" : "NULL", (unsigned long long)value.u);
        return;
    }
    switch ((enum kind)parameter->kind) {
    case KIND_INT32:
    case KIND_INT64: append(line, "%lld", (long long)value.i); break;
    case KIND_UINT32:
    case KIND_UINT64: append(line, "%llu", (unsigned long long)value.u); break;
    case KIND_FLOAT:
    case KIND_DOUBLE: append(line, "%.9g", value.d); break;
    case KIND_TEXT:
        if (value.p) {
            append(line, "\"%s\"", (const char *)value.p);
            break;
        } /* fall through */
    default:
        append(line, value.p ? "0x%llx" : "NULL", (unsigned long long)value.u);
    }
}

static void append_stored(struct line *line, const struct parameter *parameter, argument where)
{
    append(line, " *%s=", parameter->name);
    if (parameter->kind == KIND_FLOAT)
        append(line, "%.9g", *(const float *)where.p);
    else if (parameter->kind == KIND_INT32 || parameter->kind == KIND_UINT32)
        append(line, "%ld", (long)*(const int32_t *)where.p);
    else if (parameter->kind == KIND_INT64 || parameter->kind == KIND_UINT64)
        append(line, "%lld", (long long)*(const int64_t *)where.p);
    else
        append(line, "0x%llx", (unsigned long long)*(const uint64_t *)where.p);
}

static struct line logged_call(const struct function *function, const argument *arguments)
{
    struct line line = {.length = 0};
    append(&line, "ascendref: %s(", function->name);
    for (int k = 0; k < function->count; k++) {
        append(&line, "%s%s=", k ? ", " : "", function->parameters[k].name);
        append_value(&line, &function->parameters[k], arguments[k]);
    }
    append(&line, ") = ");
    return line;
}

/* One write, so that the lines of several threads do not mix. */
static void write_line(struct line *line)
{
    append(line, "\n");
    line->text[line->length - 1] = '\n';
    fwrite(line->text, 1, line->length, stderr);
}

void ascendref_log(const struct function *function, const argument *arguments, int64_t result)
{
    struct line line = logged_call(function, arguments);
    if (function->result == RESULT_TEXT)
        append(&line, result ? "\"%s\"" : "NULL", (const char *)(intptr_t)result);
    else if (function->result == RESULT_OTHER)
        append(&line, "0x%llx", (unsigned long long)result);
    else
        append(&line, "%lld", (long long)result);
    if (function->result == RESULT_STATUS && result == ACL_SUCCESS)
        for (int k = 0; k < function->count; k++)
            if (function->parameters[k].output)
                append_stored(&line, &function->parameters[k], arguments[k]);
    write_line(&line);
}

void ascendref_log_double(const struct function *function, const argument *arguments, double result)
{
    struct line line = logged_call(function, arguments);
    append(&line, "%.9g", result);
    write_line(&line);
}
