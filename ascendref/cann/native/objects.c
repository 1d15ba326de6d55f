/* Tensors, scalars, arrays and lists: made and destroyed without Python, which gets an object of its
   own when an operator first uses one. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "python_api.h"

struct tensor {
    struct object base;
    int32_t type, format;
    int64_t offset;
    const void *address;
    uint64_t rank, storage_rank;
    bool has_strides;
    int64_t numbers[]; /* the view's sizes, the storage's sizes, the strides if there are any */
};

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

static int64_t *view_of(struct tensor *tensor) { return tensor->numbers; }
static int64_t *storage_of(struct tensor *tensor) { return tensor->numbers + tensor->rank; }
static int64_t *strides_of(struct tensor *tensor)
{
    return tensor->has_strides ? storage_of(tensor) + tensor->storage_rank : NULL;
}

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

/* A new handle for an object, which may be NULL because there was no memory. */
static void *handle_of(enum kind kind, void *object)
{
    if (!object) return NULL;
    ((struct object *)object)->references = 1;
    void *handle = ascendref_handle(kind, object);
    if (!handle) ascendref_release(object);
    return handle;
}

/* NULL is destroyed without effect. */
static aclnnStatus destroy(enum kind kind, const void *handle, const char *function)
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

/* ---- tensors */

static struct tensor *new_tensor(const int64_t *view, uint64_t rank, aclDataType type,
                                 const int64_t *strides, int64_t offset, aclFormat format,
                                 const int64_t *storage, uint64_t storage_rank, void *address)
{
    const uint64_t most = UINT64_C(1) << 32;
    if ((rank && !view) || (storage_rank && !storage) || rank > most || storage_rank > most)
        return NULL;
    uint64_t numbers = rank + storage_rank + (strides ? rank : 0);
    struct tensor *tensor = calloc(1, sizeof *tensor + numbers * sizeof(int64_t));
    if (!tensor) return NULL;
    tensor->type = type;
    tensor->format = format;
    tensor->offset = offset;
    tensor->address = address;
    tensor->rank = rank;
    tensor->storage_rank = storage_rank;
    tensor->has_strides = strides != NULL;
    if (rank) memcpy(view_of(tensor), view, rank * sizeof *view);
    if (storage_rank) memcpy(storage_of(tensor), storage, storage_rank * sizeof *storage);
    if (strides && rank) memcpy(strides_of(tensor), strides, rank * sizeof *strides);
    return tensor;
}

aclTensor *native_aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum,
                                  aclDataType dataType, const int64_t *stride, int64_t offset,
                                  aclFormat format, const int64_t *storageDims,
                                  uint64_t storageDimsNum, void *tensorData)
{
    return handle_of(KIND_TENSOR, new_tensor(viewDims, viewDimsNum, dataType, stride, offset, format,
                                             storageDims, storageDimsNum, tensorData));
}

aclnnStatus native_aclInitTensor(aclTensor *tensor, const int64_t *viewDims, uint64_t viewDimsNum,
                                 aclDataType dataType, const int64_t *stride, int64_t offset,
                                 aclFormat format, const int64_t *storageDims,
                                 uint64_t storageDimsNum, void *tensorDataAddr)
{
    if (!tensor) return ascendref_refuse(ACLNN_ERR_PARAM_NULLPTR, "tensor is NULL");
    struct tensor *made = new_tensor(viewDims, viewDimsNum, dataType, stride, offset, format,
                                     storageDims, storageDimsNum, tensorDataAddr);
    if (!made)
        return ascendref_refuse(ACLNN_ERR_PARAM_INVALID,
                                "viewDims and storageDims are expected where their number is not 0");
    made->base.references = 1;
    struct object *before = ascendref_replace(KIND_TENSOR, tensor, made);
    ascendref_release(before ? before : &made->base);
    if (!before) return ascendref_refuse(ACLNN_ERR_PARAM_INVALID, "tensor is no living aclTensor");
    return ACL_SUCCESS;
}

aclnnStatus native_aclDestroyTensor(const aclTensor *tensor)
{
    return destroy(KIND_TENSOR, tensor, "aclDestroyTensor");
}

/* The object of an argument that must be there; NULL with the code if it is not. */
static void *required(enum kind kind, const void *handle, const char *name, const void *out,
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

/* Memory that a C++ program gives back with delete[], as it is documented. */
static int64_t *new_numbers(uint64_t count)
{
    void *(*operator_new)(size_t) = (void *(*)(size_t))(uintptr_t)dlsym(RTLD_DEFAULT, "_Znam");
    size_t size = (count ? count : 1) * sizeof(int64_t);
    return operator_new ? operator_new(size) : malloc(size);
}

static aclnnStatus copy_numbers(struct tensor *tensor, const int64_t *numbers, uint64_t count,
                                int64_t **copy, uint64_t *copied)
{
    int64_t *made = new_numbers(count);
    if (made) {
        if (count) memcpy(made, numbers, count * sizeof *made);
        *copy = made;
        *copied = count;
    }
    ascendref_release(&tensor->base);
    return made ? ACL_SUCCESS : ascendref_refuse(ACLNN_ERR_INNER, "there is no memory for the copy");
}

aclnnStatus native_aclGetViewShape(const aclTensor *tensor, int64_t **viewDims,
                                   uint64_t *viewDimsNum)
{
    aclnnStatus code = ACL_SUCCESS;
    struct tensor *found = required(KIND_TENSOR, tensor, "tensor", viewDims && viewDimsNum ? viewDims : NULL, &code);
    return found ? copy_numbers(found, view_of(found), found->rank, viewDims, viewDimsNum) : code;
}

aclnnStatus native_aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims,
                                      uint64_t *storageDimsNum)
{
    aclnnStatus code = ACL_SUCCESS;
    struct tensor *found = required(KIND_TENSOR, tensor, "tensor",
                                    storageDims && storageDimsNum ? storageDims : NULL, &code);
    if (!found) return code;
    return copy_numbers(found, storage_of(found), found->storage_rank, storageDims, storageDimsNum);
}

aclnnStatus native_aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue,
                                     uint64_t *stridesNum)
{
    aclnnStatus code = ACL_SUCCESS;
    struct tensor *found = required(KIND_TENSOR, tensor, "tensor",
                                    stridesValue && stridesNum ? stridesValue : NULL, &code);
    if (!found) return code;
    const int64_t *strides = strides_of(found);
    uint64_t rank = found->rank;
    if (strides) return copy_numbers(found, strides, rank, stridesValue, stridesNum);
    int64_t *dense = new_numbers(rank);
    int64_t step = 1;
    for (uint64_t k = rank; dense && k-- > 0;) {
        dense[k] = step;
        step = (int64_t)((uint64_t)step * (uint64_t)view_of(found)[k]);
    }
    ascendref_release(&found->base);
    if (!dense) return ascendref_refuse(ACLNN_ERR_INNER, "there is no memory for the copy");
    *stridesValue = dense;
    *stridesNum = rank;
    return ACL_SUCCESS;
}

#define GET(function, type, field, name)                                                           \
    aclnnStatus native_##function(const aclTensor *tensor, type *name)                             \
    {                                                                                              \
        aclnnStatus code = ACL_SUCCESS;                                                            \
        struct tensor *found = required(KIND_TENSOR, tensor, "tensor", name, &code);               \
        if (!found) return code;                                                                   \
        *name = (type)found->field;                                                                \
        ascendref_release(&found->base);                                                           \
        return ACL_SUCCESS;                                                                        \
    }

GET(aclGetViewOffset, int64_t, offset, offset)
GET(aclGetFormat, aclFormat, format, format)
GET(aclGetDataType, aclDataType, type, dataType)
#undef GET

aclnnStatus native_aclGetRawTensorAddr(const aclTensor *tensor, void **addr)
{
    aclnnStatus code = ACL_SUCCESS;
    struct tensor *found = required(KIND_TENSOR, tensor, "tensor", addr, &code);
    if (!found) return code;
    *addr = (void *)(uintptr_t)found->address;
    ascendref_release(&found->base);
    return ACL_SUCCESS;
}

aclnnStatus native_aclSetRawTensorAddr(aclTensor *tensor, void *addr)
{
    aclnnStatus code = ACL_SUCCESS;
    struct tensor *found = required(KIND_TENSOR, tensor, "tensor", tensor, &code);
    if (!found) return code;
    int lock;
    if (found->base.python && (code = ascendref_enter(&lock)) == ACL_SUCCESS) {
        python.Py_IncRef(found->base.python);
        code = ascendref_call_helper("aclSetRawTensorAddr", PYTHON_MOVE, found->base.python,
                                     python.PyLong_FromUnsignedLongLong((uintptr_t)addr));
        ascendref_leave(lock);
    }
    if (code == ACL_SUCCESS) found->address = addr;
    ascendref_release(&found->base);
    return code;
}

void ascendref_moved(const void *handle, const void *address)
{
    struct tensor *found = ascendref_find(KIND_TENSOR, handle);
    if (!found) return;
    found->address = address;
    ascendref_release(&found->base);
}

/* ---- scalars */

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
    if (!size || !value) return NULL;
    struct scalar *scalar = calloc(1, sizeof *scalar);
    if (!scalar) return NULL;
    scalar->type = dataType;
    scalar->size = size;
    memcpy(scalar->bytes, value, size);
    return handle_of(KIND_SCALAR, scalar);
}

aclnnStatus native_aclDestroyScalar(const aclScalar *scalar)
{
    return destroy(KIND_SCALAR, scalar, "aclDestroyScalar");
}

/* ---- arrays and lists */

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
    struct array *found = required(kind, handle, name, size, &code);
    if (!found) return code;
    *size = found->count;
    ascendref_release(&found->base);
    return ACL_SUCCESS;
}

#define ARRAY(Name, KIND, type)                                                                    \
    acl##Name *native_aclCreate##Name(const type *value, uint64_t size)                            \
    {                                                                                              \
        return handle_of(KIND, new_array(value, size, sizeof *value));                             \
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
        return destroy(KIND, array, "aclDestroy" #Name);                                           \
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
    if (!found) return destroy(kind, list, function); /* which refuses it */
    aclnnStatus code = ACL_SUCCESS;
    for (uint64_t k = 0; k < found->count; k++) {
        aclnnStatus one = destroy(member, (void *)(uintptr_t)found->members[k], function);
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

/* ---- Python's objects */

static PyObject *tuple_of(const int64_t *numbers, uint64_t count)
{
    PyObject *tuple = python.PyTuple_New((intptr_t)count);
    for (uint64_t k = 0; tuple && k < count; k++)
        python.PyTuple_SetItem(tuple, (intptr_t)k, python.PyLong_FromLongLong(numbers[k]));
    return tuple;
}

static PyObject *none(void)
{
    python.Py_IncRef(python.None);
    return python.None;
}

static PyObject *make_tensor(struct tensor *tensor)
{
    const int64_t *strides = strides_of(tensor);
    PyObject *members[] = {
        tuple_of(view_of(tensor), tensor->rank),
        python.PyLong_FromLongLong(tensor->type),
        strides ? tuple_of(strides, tensor->rank) : none(),
        python.PyLong_FromLongLong(tensor->offset),
        python.PyLong_FromLongLong(tensor->format),
        tuple_of(storage_of(tensor), tensor->storage_rank),
        python.PyLong_FromUnsignedLongLong((uintptr_t)tensor->address),
    };
    const size_t count = sizeof members / sizeof *members;
    PyObject *made =
        python.PyObject_Vectorcall(ascendref_helper(PYTHON_TENSOR), members, count, NULL);
    for (size_t k = 0; k < count; k++) python.Py_DecRef(members[k]);
    return made;
}

#define AS(type, scalar) (*(const type *)(const void *)(scalar)->bytes)

static PyObject *make_scalar(const struct scalar *scalar)
{
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
static PyObject *make_list(enum kind member, const struct array *list)
{
    PyObject *tuple = python.PyTuple_New((intptr_t)list->count);
    for (uint64_t k = 0; tuple && k < list->count; k++) {
        struct object *object = ascendref_find(member, (void *)(uintptr_t)list->members[k]);
        PyObject *made = object ? ascendref_python_object(member, object) : none();
        if (object) ascendref_release(object);
        if (!made) {
            python.Py_DecRef(tuple);
            return NULL;
        }
        python.PyTuple_SetItem(tuple, (intptr_t)k, made);
    }
    return tuple;
}

PyObject *ascendref_python_object(enum kind kind, struct object *object)
{
    if (kind == KIND_TENSOR_LIST) return make_list(KIND_TENSOR, (struct array *)object);
    if (kind == KIND_SCALAR_LIST) return make_list(KIND_SCALAR, (struct array *)object);
    if (!object->python) {
        PyObject *made = kind == KIND_TENSOR ? make_tensor((struct tensor *)object)
                                             : make_scalar((struct scalar *)object);
        /* another thread may have been as far meanwhile */
        if (made && object->python)
            python.Py_DecRef(made);
        else
            object->python = made;
    }
    if (object->python) python.Py_IncRef(object->python);
    return object->python;
}
