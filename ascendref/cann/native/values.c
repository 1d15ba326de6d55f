/* Scalars, arrays of numbers, and lists of tensors and scalars. */
#include <stdlib.h>
#include <string.h>

#include "objects.h"

struct scalar {
    struct object base;
    int32_t type;
    uint8_t size;
    _Alignas(8) unsigned char bytes[16];
};

/* An array of numbers, or a list of handles. */
struct array {
    struct object base;
    uint64_t count;
    uint64_t members[];
};

/* Bytes of a scalar's value; 0 for a type that scalars cannot have. */
static uint8_t scalar_size(aclDataType type)
{
    switch (type) {
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_BOOL:
    case ACL_HIFLOAT8:
    case ACL_FLOAT8_E5M2:
    case ACL_FLOAT8_E4M3FN:
    case ACL_FLOAT8_E8M0:
    case ACL_FLOAT6_E3M2:
    case ACL_FLOAT6_E2M3:
    case ACL_FLOAT4_E2M1:
    case ACL_FLOAT4_E1M2:
        return 1;
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_INT16:
    case ACL_UINT16:
        return 2;
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32:
        return 4;
    case ACL_DOUBLE:
    case ACL_INT64:
    case ACL_UINT64:
    case ACL_COMPLEX64:
        return 8;
    case ACL_COMPLEX128:
        return 16;
    default:
        return 0;
    }
}

aclScalar *native_aclCreateScalar(void *value, aclDataType dataType)
{
    uint8_t size = scalar_size(dataType);
    if (!size)
        ascendref_refuse(ACLNN_ERR_PARAM_INVALID, "dataType is %d, which a scalar cannot have",
                         (int)dataType);
    else if (!value)
        ascendref_refuse(ACLNN_ERR_PARAM_NULLPTR, "value is NULL");
    if (!size || !value) return NULL;
    struct scalar *scalar = calloc(1, sizeof *scalar);
    if (scalar) {
        scalar->type = dataType;
        scalar->size = size;
        memcpy(scalar->bytes, value, size);
    }
    return ascendref_new_object(KIND_SCALAR, scalar, "aclCreateScalar");
}

aclnnStatus native_aclDestroyScalar(const aclScalar *scalar)
{
    return ascendref_destroy(KIND_SCALAR, scalar, "aclDestroyScalar");
}

size_t native_aclDataTypeSize(aclDataType dataType)
{
    switch (dataType) {
    case ACL_DT_UNDEFINED:
    case ACL_STRING:
        return 0;
    case ACL_INT4:
    case ACL_UINT1:
        return 1;
    case ACL_COMPLEX32:
        return 4;
    case ACL_FLOAT6_E3M2:
    case ACL_FLOAT6_E2M3:
    case ACL_FLOAT4_E2M1:
    case ACL_FLOAT4_E1M2:
        return 8;
    default:
        return scalar_size(dataType) ? scalar_size(dataType) : 8;
    }
}

static struct array *new_array(const void *values, uint64_t count, size_t size)
{
    if (!values) count = 0;
    if (count > UINT64_C(1) << 40) return NULL;
    struct array *array = calloc(1, sizeof *array + count * size);
    if (!array) return NULL;
    array->count = count;
    if (count) memcpy(array->members, values, count * size);
    return array;
}

static aclnnStatus count_of(enum kind kind, const void *handle, const char *name, uint64_t *size)
{
    aclnnStatus code = ACL_SUCCESS;
    struct array *found = ascendref_required(kind, handle, name, size, &code);
    if (!found) return code;
    *size = found->count;
    ascendref_release(&found->base);
    return ACL_SUCCESS;
}

#define ARRAY(Name, KIND, type)                                                                    \
    acl##Name *native_aclCreate##Name(const type *value, uint64_t size)                            \
    {                                                                                              \
        return ascendref_new_object(KIND, new_array(value, size, sizeof *value),                   \
                                    "aclCreate" #Name);                                            \
    }                                                                                              \
    aclnnStatus native_aclGet##Name##Size(const acl##Name *array, uint64_t *size)                  \
    {                                                                                              \
        return count_of(KIND, array, "array", size);                                               \
    }

ARRAY(IntArray, KIND_INT_ARRAY, int64_t)
ARRAY(FloatArray, KIND_FLOAT_ARRAY, float)
ARRAY(BoolArray, KIND_BOOL_ARRAY, bool)
ARRAY(TensorList, KIND_TENSOR_LIST, aclTensor *const)
ARRAY(ScalarList, KIND_SCALAR_LIST, aclScalar *const)
#undef ARRAY

#define DESTROY_ARRAY(Name, KIND)                                                                  \
    aclnnStatus native_aclDestroy##Name(const acl##Name *array)                                    \
    {                                                                                              \
        return ascendref_destroy(KIND, array, "aclDestroy" #Name);                                           \
    }

DESTROY_ARRAY(IntArray, KIND_INT_ARRAY)
DESTROY_ARRAY(FloatArray, KIND_FLOAT_ARRAY)
DESTROY_ARRAY(BoolArray, KIND_BOOL_ARRAY)
#undef DESTROY_ARRAY

/* A list owns what is in it. */
static aclnnStatus destroy_list(enum kind kind, enum kind member, const void *list,
                                const char *function)
{
    if (!list) return ACL_SUCCESS;
    struct array *found = ascendref_take(kind, list);
    if (!found) return ascendref_destroy(kind, list, function); /* which refuses it */
    aclnnStatus code = ACL_SUCCESS;
    for (uint64_t k = 0; k < found->count; k++) {
        aclnnStatus one = ascendref_destroy(member, (void *)(uintptr_t)found->members[k], function);
        if (code == ACL_SUCCESS) code = one;
    }
    ascendref_release(&found->base);
    return code;
}

aclnnStatus native_aclDestroyTensorList(const aclTensorList *array)
{
    return destroy_list(KIND_TENSOR_LIST, KIND_TENSOR, array, "aclDestroyTensorList");
}

aclnnStatus native_aclDestroyScalarList(const aclScalarList *array)
{
    return destroy_list(KIND_SCALAR_LIST, KIND_SCALAR, array, "aclDestroyScalarList");
}

#define AS(type, scalar) (*(const type *)(const void *)(scalar)->bytes)

PyObject *ascendref_python_scalar(struct object *object)
{
    const struct scalar *scalar = (struct scalar *)object;
    /* these hold the value exactly, and are as good to an operator as a Scalar */
    switch (scalar->type) {
    case ACL_FLOAT: return python.PyFloat_FromDouble(AS(float, scalar));
    case ACL_DOUBLE: return python.PyFloat_FromDouble(AS(double, scalar));
    case ACL_INT8: return python.PyLong_FromLongLong(AS(int8_t, scalar));
    case ACL_INT16: return python.PyLong_FromLongLong(AS(int16_t, scalar));
    case ACL_INT32: return python.PyLong_FromLongLong(AS(int32_t, scalar));
    case ACL_INT64: return python.PyLong_FromLongLong(AS(int64_t, scalar));
    case ACL_UINT8: return python.PyLong_FromLongLong(AS(uint8_t, scalar));
    case ACL_UINT16: return python.PyLong_FromLongLong(AS(uint16_t, scalar));
    case ACL_UINT32: return python.PyLong_FromLongLong(AS(uint32_t, scalar));
    case ACL_UINT64: return python.PyLong_FromUnsignedLongLong(AS(uint64_t, scalar));
    default: break;
    }
    PyObject *members[] = {
        python.PyBytes_FromStringAndSize((const char *)scalar->bytes, scalar->size),
        python.PyLong_FromLongLong(scalar->type),
    };
    PyObject *made = python.PyObject_Vectorcall(ascendref_helper(PYTHON_SCALAR), members, 2, NULL);
    for (size_t k = 0; k < 2; k++) python.Py_DecRef(members[k]);
    return made;
}

/* The members of a list as a tuple; those that do not exist any more are None. */
PyObject *ascendref_python_list(enum kind member, struct object *object)
{
    const struct array *list = (struct array *)object;
    PyObject *tuple = python.PyTuple_New((intptr_t)list->count);
    for (uint64_t k = 0; tuple && k < list->count; k++) {
        struct object *one = ascendref_find(member, (void *)(uintptr_t)list->members[k]);
        PyObject *made = one ? ascendref_python_object(member, one) : ascendref_none();
        if (one) ascendref_release(one);
        if (!made) {
            python.Py_DecRef(tuple);
            return NULL;
        }
        python.PyTuple_SetItem(tuple, (intptr_t)k, made);
    }
    return tuple;
}

static PyObject *number_of(enum kind kind, const struct array *array, uint64_t k)
{
    const void *members = array->members;
    if (kind == KIND_INT_ARRAY) return python.PyLong_FromLongLong(((const int64_t *)members)[k]);
    if (kind == KIND_FLOAT_ARRAY) return python.PyFloat_FromDouble(((const float *)members)[k]);
    return python.PyLong_FromLongLong(((const bool *)members)[k]);
}

PyObject *ascendref_python_array(enum kind kind, struct object *object)
{
    const struct array *array = (struct array *)object;
    PyObject *tuple = python.PyTuple_New((intptr_t)array->count);
    for (uint64_t k = 0; tuple && k < array->count; k++)
        python.PyTuple_SetItem(tuple, (intptr_t)k, number_of(kind, array, k));
    return tuple;
}
