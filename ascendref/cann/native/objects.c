/* Objects of C: made and destroyed without Python, which gets an object of its own when an operator
   first uses one. */
#include <stdlib.h>

#include "objects.h"

/* the objects of C that are gone, but not Python's for them; a stack */
static struct object *gone;

void ascendref_release(struct object *object)
{
    if (__atomic_sub_fetch(&object->references, 1, __ATOMIC_ACQ_REL)) return;
    if (!object->python) {
        free(object);
        return;
    }
    /* the next call that has the interpreter's lock anyway does the rest */
    object->next = __atomic_load_n(&gone, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&gone, &object->next, object, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
}

void ascendref_give_up_objects(void)
{
    if (!__atomic_load_n(&gone, __ATOMIC_RELAXED)) return;
    struct object *object = __atomic_exchange_n(&gone, NULL, __ATOMIC_ACQUIRE);
    while (object) {
        struct object *next = object->next;
        python.Py_DecRef(object->python);
        free(object);
        object = next;
    }
}

void *ascendref_new_object(enum kind kind, void *object, const char *function)
{
    void *handle = NULL;
    if (object) {
        ((struct object *)object)->references = 1;
        handle = ascendref_handle(kind, object);
        if (!handle) ascendref_release(object);
    }
    if (!handle) ascendref_refuse(ACLNN_ERR_INNER, "there is no memory for what %s makes", function);
    return handle;
}

aclnnStatus ascendref_destroy(enum kind kind, const void *handle, const char *function)
{
    if (!handle) return ACL_SUCCESS;
    struct object *object = ascendref_take(kind, handle);
    if (!object)
        return ascendref_refuse(ACLNN_ERR_PARAM_INVALID,
                                "%s was given %p, which was destroyed before or never was one of"
                                " its objects",
                                function, handle);
    ascendref_release(object);
    return ACL_SUCCESS;
}

void *ascendref_required(enum kind kind, const void *handle, const char *name, const void *out,
                      aclnnStatus *code)
{
    if (!handle || !out) {
        *code = ascendref_refuse(ACLNN_ERR_PARAM_NULLPTR, "%s is NULL", handle ? "the result" : name);
        return NULL;
    }
    void *object = ascendref_find(kind, handle);
    if (!object)
        *code = ascendref_refuse(ACLNN_ERR_PARAM_INVALID, "%s is %p, which was destroyed before or"
                                 " never was such an object", name, handle);
    return object;
}

PyObject *ascendref_none(void)
{
    python.Py_IncRef(python.None);
    return python.None;
}

PyObject *ascendref_python_object(enum kind kind, struct object *object)
{
    if (kind == KIND_TENSOR_LIST) return ascendref_python_list(KIND_TENSOR, object);
    if (kind == KIND_SCALAR_LIST) return ascendref_python_list(KIND_SCALAR, object);
    if (kind != KIND_TENSOR && kind != KIND_SCALAR) return ascendref_python_array(kind, object);
    if (!object->python) {
        PyObject *made = kind == KIND_TENSOR ? ascendref_python_tensor(object)
                                             : ascendref_python_scalar(object);
        /* another thread may have been as far meanwhile */
        if (made && object->python)
            python.Py_DecRef(made);
        else
            object->python = made;
    }
    if (object->python) python.Py_IncRef(object->python);
    return object->python;
}
