/* The parts of the library: functions that the generated table (table.c) and the sources share. */
#ifndef ASCENDREF_NATIVE_H
#define ASCENDREF_NATIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"

#define EXPORT __attribute__((visibility("default")))

/* What a parameter is, for its way to Python and into the log. */
enum kind {
    KIND_INT32,
    KIND_UINT32,
    KIND_INT64,
    KIND_UINT64,
    KIND_FLOAT,
    KIND_DOUBLE,
    KIND_ADDRESS,
    KIND_TEXT,
    /* handles of objects of C */
    KIND_TENSOR,
    KIND_SCALAR,
    KIND_INT_ARRAY,
    KIND_FLOAT_ARRAY,
    KIND_BOOL_ARRAY,
    KIND_TENSOR_LIST,
    KIND_SCALAR_LIST,
    /* handles of objects of Python */
    KIND_STREAM,
    KIND_EVENT,
    KIND_CONTEXT,
    KIND_EXECUTOR,
    KIND_NOTIFY,
    KIND_PHYSICAL_MEMORY,
    KIND_GRAPH,
};

/* What a function returns. */
enum result {
    RESULT_STATUS,
    RESULT_INTEGER, /* what Python returns */
    RESULT_TEXT,    /* the same, as a string that lives until the thread's next such call */
    RESULT_OTHER,   /* what a function of C returns */
};

struct parameter {
    const char *name;
    uint8_t kind;
    bool output;
};

struct function {
    const char *name;
    uint8_t result;
    /* its first handle ends when the object that it stands for does */
    bool ends_handle;
    /* on success, its tensor is at its address */
    bool moves_tensor;
    /* the code for an output of NULL */
    int32_t null_output;
    uint8_t count;
    const struct parameter *parameters;
    /* where it stands among the functions of Python; -1 for a function of C */
    int16_t number;
};

typedef union {
    int64_t i;
    uint64_t u;
    double d;
    const void *p;
} argument;

/* table.c */
extern const char ascendref_functions[]; /* names of the functions of Python, with commas */
extern const char ascendref_digest[];    /* of the table that the library was made from */

/* python.c */
typedef struct _object PyObject;

/* Take the interpreter's lock, after starting Python if nothing did; 0, or a code and why there is no
   Python. */
int32_t ascendref_lock_python(int *lock, const char **why);
void ascendref_leave(int lock);
/* Whether the library's part of the end of the process is over. */
bool ascendref_ended(void);

/* messages.c */
/* Take the interpreter's lock for a call; 0, or the code that every call returns because there is no
   Python or the process ends. That is recorded. */
int32_t ascendref_enter(int *lock);
/* Record a failure as Python's functions do; return its code. */
int32_t ascendref_refuse(int32_t status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Refuse a call of a function that the library does not have. */
int32_t ascendref_refuse_absent(const char *name, const char *text);

/* places.c */
enum { MOST_FRAMES = 8 };

/* A call of the library that a thread is in. */
struct place {
    const char *function;
    /* how many frames are known: where the program goes on after the call, then where the function
       of the program that made it does, and so on */
    int64_t count;
    const void *frames[MOST_FRAMES];
    /* the call in which it was made, by a callback */
    const struct place *outer;
};

/* Begin a call that returns to an address; where that function returns to is found for the checker
   alone. */
void ascendref_begin_call(struct place *place, const char *function, const void *caller);
void ascendref_end_call(const struct place *place);
/* The call that this thread is in; NULL if it is in none. */
const struct place *ascendref_place(void);

/* waits.c */
/* Add 1 to a counter, then return when another one is not what was seen, or after a moment. */
void ascendref_spin(int64_t *counter, const int64_t *other, int64_t seen);

/* calls.c */
int64_t ascendref_call(const struct function *function, const argument *arguments,
                       const void *caller);
extern bool ascendref_logging;
void ascendref_log(const struct function *function, const argument *arguments, int64_t result);
void ascendref_log_double(const struct function *function, const argument *arguments, double result);

/* handles.c */
#define HANDLE_OF_PYTHON(kind) ((kind) >= KIND_STREAM)

/* What every object of C begins with. */
struct object {
    uint32_t references;
    /* Python's object for it, made on demand */
    PyObject *python;
    /* the next one whose object Python is to give up */
    struct object *next;
};

/* A handle for an object, whose reference goes to the table; NULL if there is no memory. */
void *ascendref_handle(enum kind kind, void *object);
/* The handle that an object has already, or NULL. */
void *ascendref_handle_of(enum kind kind, const void *object);
/* A new reference to the object of a handle; NULL if there is none of this kind. Objects of Python
   need the interpreter's lock. */
void *ascendref_find(enum kind kind, const void *handle);
/* End a handle and return the table's reference. */
void *ascendref_take(enum kind kind, const void *handle);
/* Put another object of C in the place of one, whose reference is returned. */
void *ascendref_replace(enum kind kind, const void *handle, void *object);
/* Whether a number looks like a handle of this kind, ended or not. */
bool ascendref_is_handle(enum kind kind, const void *handle);
void ascendref_lock_handles(void);
void ascendref_unlock_handles(void);

/* objects.c and tensors.c: with the interpreter's lock held, a new reference to Python's object for one of C */
PyObject *ascendref_python_object(enum kind kind, struct object *object);
void ascendref_release(struct object *object);
/* With the interpreter's lock held: give up Python's objects for those of C that are gone. */
void ascendref_give_up_objects(void);
/* Keep the new address of a tensor that Python has moved. */
void ascendref_moved(const void *handle, const void *address);

/* faults.c */
void ascendref_watch_faults(void);

#endif
