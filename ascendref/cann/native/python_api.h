/* The functions of CPython that the library uses. They are looked up in the running process, so one
   library serves every CPython and nothing of it is needed for compiling. All belong to the stable
   ABI, except PyObject_Vectorcall before Python 3.12 and the three about forks. */
#ifndef ASCENDREF_PYTHON_API_H
#define ASCENDREF_PYTHON_API_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "native.h"

/* F(result, name, parameters) */
#define PYTHON_FUNCTIONS(F)                                                                        \
    F(int, Py_IsInitialized, (void))                                                               \
    F(void, Py_InitializeEx, (int))                                                                \
    F(wchar_t *, Py_DecodeLocale, (const char *, size_t *))                                        \
    F(int, PyGILState_Ensure, (void))                                                              \
    F(void, PyGILState_Release, (int))                                                             \
    F(void *, PyGILState_GetThisThreadState, (void))                                               \
    F(void *, PyEval_SaveThread, (void))                                                           \
    F(void, PyEval_RestoreThread, (void *))                                                        \
    F(PyObject *, PyImport_ImportModule, (const char *))                                           \
    F(PyObject *, PyObject_CallMethod, (PyObject *, const char *, const char *, ...))              \
    F(PyObject *, PyObject_Vectorcall, (PyObject *, PyObject *const *, size_t, PyObject *))        \
    F(PyObject *, PyObject_GetAttrString, (PyObject *, const char *))                              \
    F(int, PyObject_IsTrue, (PyObject *))                                                          \
    F(PyObject *, PyObject_Str, (PyObject *))                                                      \
    F(PyObject *, PyTuple_New, (intptr_t))                                                         \
    F(int, PyTuple_SetItem, (PyObject *, intptr_t, PyObject *))                                    \
    F(PyObject *, PyTuple_GetItem, (PyObject *, intptr_t))                                         \
    F(intptr_t, PyTuple_Size, (PyObject *))                                                        \
    F(PyObject *, PyLong_FromLongLong, (long long))                                                \
    F(PyObject *, PyLong_FromUnsignedLongLong, (unsigned long long))                               \
    F(long long, PyLong_AsLongLong, (PyObject *))                                                  \
    F(unsigned long long, PyLong_AsUnsignedLongLongMask, (PyObject *))                             \
    F(PyObject *, PyFloat_FromDouble, (double))                                                    \
    F(double, PyFloat_AsDouble, (PyObject *))                                                      \
    F(PyObject *, PyBytes_FromStringAndSize, (const char *, intptr_t))                             \
    F(const char *, PyUnicode_AsUTF8AndSize, (PyObject *, intptr_t *))                             \
    F(void, PyErr_Fetch, (PyObject **, PyObject **, PyObject **))                                  \
    F(void, PyErr_NormalizeException, (PyObject **, PyObject **, PyObject **))                     \
    F(int, PyErr_ExceptionMatches, (PyObject *))                                                   \
    F(int, PyErr_GivenExceptionMatches, (PyObject *, PyObject *))                                  \
    F(void, PyErr_Clear, (void))                                                                   \
    F(void, PyErr_SetInterrupt, (void))                                                            \
    F(void, Py_IncRef, (PyObject *))                                                               \
    F(void, Py_DecRef, (PyObject *))                                                               \
    F(int, PyGILState_Check, (void))                                                               \
    F(void, PyOS_BeforeFork, (void))                                                               \
    F(void, PyOS_AfterFork_Parent, (void))                                                         \
    F(void, PyOS_AfterFork_Child, (void))

#define DECLARE(result, name, parameters) result(*name) parameters;
struct python_api {
    PYTHON_FUNCTIONS(DECLARE)
    PyObject *None;
    PyObject **KeyboardInterrupt;
};
#undef DECLARE

/* Filled when Python has been found; constant after that. */
extern struct python_api python;
/* What ascendref.cann.runtime.link.connect returned: the functions of the table, in its order, then
   those below. */
extern PyObject **ascendref_python_functions;

enum {
    PYTHON_STATUS_OF, /* (name of the function, exception) -> code */
    PYTHON_REFUSE,    /* (code, message) -> code, recorded */
    PYTHON_TENSOR,    /* (shape, type, strides, offset, format, storage shape, address) -> Tensor */
    PYTHON_MOVE,      /* (Tensor, address) -> None */
    PYTHON_SCALAR,    /* (bytes, type) -> Scalar */
    PYTHON_MESSAGES,  /* () -> the thread's messages, or None */
    PYTHON_AT_EXIT,   /* () -> None */
    PYTHON_HELPERS,
};
/* One of these functions. */
PyObject *ascendref_helper(int helper);
/* With the interpreter's lock held: call one with two arguments, whose references it takes; the code
   of what it raises on behalf of a function of C. */
int32_t ascendref_call_helper(const char *function, int helper, PyObject *first, PyObject *second);
/* With the interpreter's lock held: the code of the exception that Python raised last, which is recorded
   and cleared. */
int32_t ascendref_status_of_exception(const char *function);

#endif
