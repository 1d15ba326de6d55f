/* Messages: what each call that is refused leaves to its thread. Python keeps them while it runs. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "python_api.h"

/* Why there is no Python to answer this thread's calls or to keep their messages; NULL once the thread
   has asked. */
static __thread const char *unanswered;

/* With the interpreter's lock held. */
static int32_t record(int32_t status, const char *message)
{
    return ascendref_call_helper("", PYTHON_REFUSE, python.PyLong_FromLongLong(status),
                                 python.PyBytes_FromStringAndSize(message, (intptr_t)strlen(message)));
}

int32_t ascendref_enter(int *lock)
{
    const char *why = NULL;
    int32_t code = ascendref_lock_python(lock, &why);
    if (code) {
        unanswered = why;
    } else if (ascendref_ended()) {
        code = record(ACL_ERROR_UNINITIALIZE, "the process ends, and its devices are gone");
        ascendref_leave(*lock);
    }
    return code;
}

int32_t ascendref_refuse(int32_t status, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    int lock;
    int32_t code = ascendref_enter(&lock);
    if (code) return code;
    code = record(status, message);
    ascendref_leave(lock);
    return code;
}

int32_t ascendref_refuse_absent(const char *name, const char *text)
{
    const struct function function = {.name = name, .result = RESULT_STATUS};
    int32_t code = ascendref_refuse(ACLNN_ERR_INNER_FIND_KERNEL_ERROR, "%s", text);
    if (ascendref_logging) ascendref_log(&function, NULL, code);
    return code;
}

const char *native_aclGetRecentErrMsg(void)
{
    static __thread char *text; /* stays until the thread's next such call */
    free(text);
    text = NULL;
    int lock;
    const char *why = NULL;
    if (ascendref_lock_python(&lock, &why)) {
        why = unanswered;
        unanswered = NULL;
        return why;
    }
    PyObject *answer = NULL;
    /* an interrupt that breaks it off is a message itself */
    for (int turn = 0; turn < 2 && !answer; turn++) {
        answer = python.PyObject_Vectorcall(ascendref_helper(PYTHON_MESSAGES), NULL, 0, NULL);
        if (!answer) ascendref_status_of_exception("aclGetRecentErrMsg");
    }
    if (answer) {
        const char *found =
            answer == python.None ? NULL : python.PyUnicode_AsUTF8AndSize(answer, NULL);
        text = found ? strdup(found) : NULL;
        python.Py_DecRef(answer);
    }
    ascendref_leave(lock);
    return text;
}
