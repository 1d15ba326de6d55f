/* Tensors: descriptions of memory, which are checked when an operator uses them. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"

struct tensor {
    struct object base;
    int32_t type, format;
    int64_t offset;
    const void *address;
    uint64_t rank, storage_rank;
    uint64_t blocks_rank; /* rank of the storage in a format that an operator chose; else 0 */
    int64_t blocks[8];    /* and its sizes */
    bool has_strides;
    int64_t numbers[]; /* the view's sizes, the storage's sizes, the strides if there are any */
};

static int64_t *view_of(struct tensor *tensor) { return tensor->numbers; }
static int64_t *storage_of(struct tensor *tensor) { return tensor->numbers + tensor->rank; }
static int64_t *strides_of(struct tensor *tensor)
{
    return tensor->has_strides ? storage_of(tensor) + tensor->storage_rank : NULL;
}

static struct tensor *new_tensor(const int64_t *view, uint64_t rank, aclDataType type,
                                 const int64_t *strides, int64_t offset, aclFormat format,
                                 const int64_t *storage, uint64_t storage_rank, void *address)
{
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

static aclnnStatus check_dims(const int64_t *view, uint64_t rank, const int64_t *storage,
                              uint64_t storage_rank)
{
    const uint64_t most = UINT64_C(1) << 32;
    if ((rank && !view) || (storage_rank && !storage) || rank > most || storage_rank > most)
        return ascendref_refuse(ACLNN_ERR_PARAM_INVALID,
                                "viewDims is %p, viewDimsNum %llu, storageDims %p and storageDimsNum"
                                " %llu; dims are expected where their number is not 0, and at most"
                                " 2^32 of them",
                                (const void *)view, (unsigned long long)rank, (const void *)storage,
                                (unsigned long long)storage_rank);
    return ACL_SUCCESS;
}

aclTensor *native_aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum,
                                  aclDataType dataType, const int64_t *stride, int64_t offset,
                                  aclFormat format, const int64_t *storageDims,
                                  uint64_t storageDimsNum, void *tensorData)
{
    if (check_dims(viewDims, viewDimsNum, storageDims, storageDimsNum)) return NULL;
    struct tensor *made = new_tensor(viewDims, viewDimsNum, dataType, stride, offset, format,
                                     storageDims, storageDimsNum, tensorData);
    return ascendref_new_object(KIND_TENSOR, made, "aclCreateTensor");
}

aclnnStatus native_aclInitTensor(aclTensor *tensor, const int64_t *viewDims, uint64_t viewDimsNum,
                                 aclDataType dataType, const int64_t *stride, int64_t offset,
                                 aclFormat format, const int64_t *storageDims,
                                 uint64_t storageDimsNum, void *tensorDataAddr)
{
    if (!tensor) return ascendref_refuse(ACLNN_ERR_PARAM_NULLPTR, "tensor is NULL");
    aclnnStatus code = check_dims(viewDims, viewDimsNum, storageDims, storageDimsNum);
    if (code) return code;
    struct tensor *made = new_tensor(viewDims, viewDimsNum, dataType, stride, offset, format,
                                     storageDims, storageDimsNum, tensorDataAddr);
    if (!made)
        return ascendref_refuse(ACLNN_ERR_INNER, "there is no memory for the tensor's description");
    made->base.references = 1;
    struct object *before = ascendref_replace(KIND_TENSOR, tensor, made);
    ascendref_release(before ? before : &made->base);
    if (!before) return ascendref_refuse(ACLNN_ERR_PARAM_INVALID, "tensor is no living aclTensor");
    return ACL_SUCCESS;
}

aclnnStatus native_aclDestroyTensor(const aclTensor *tensor)
{
    return ascendref_destroy(KIND_TENSOR, tensor, "aclDestroyTensor");
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

static void make_dense(int64_t *strides, const int64_t *view, uint64_t rank)
{
    int64_t step = 1;
    for (uint64_t k = rank; k-- > 0;) {
        strides[k] = step;
        step = (int64_t)((uint64_t)step * (uint64_t)view[k]);
    }
}

/* Take over the shape that an operator found for its result, whose elements are dense. */
static void update_view(struct tensor *tensor)
{
    int lock;
    if (!tensor->base.python || ascendref_enter(&lock) != ACL_SUCCESS) return;
    PyObject *shape = python.PyObject_GetAttrString(tensor->base.python, "shape");
    bool changed = false;
    for (uint64_t k = 0; shape && k < tensor->rank; k++) {
        int64_t size = python.PyLong_AsLongLong(python.PyTuple_GetItem(shape, (intptr_t)k));
        changed |= size != view_of(tensor)[k];
        view_of(tensor)[k] = size;
    }
    if (changed && tensor->has_strides)
        make_dense(strides_of(tensor), view_of(tensor), tensor->rank);
    if (shape) python.Py_DecRef(shape);
    ascendref_leave(lock);
}

/* Take over the format in which an operator put the tensor, and the shape of its storage. */
static void update_format(struct tensor *tensor)
{
    int lock;
    if (!tensor->base.python || ascendref_enter(&lock) != ACL_SUCCESS) return;
    PyObject *format = python.PyObject_GetAttrString(tensor->base.python, "format");
    PyObject *storage = python.PyObject_GetAttrString(tensor->base.python, "storage_shape");
    int64_t now = format ? python.PyLong_AsLongLong(format) : tensor->format;
    uint64_t rank = storage ? (uint64_t)python.PyTuple_Size(storage) : 0;
    if (now != tensor->format && rank <= sizeof tensor->blocks / sizeof *tensor->blocks) {
        tensor->format = (int)now;
        tensor->blocks_rank = rank;
        for (uint64_t k = 0; k < rank; k++)
            tensor->blocks[k] =
                python.PyLong_AsLongLong(python.PyTuple_GetItem(storage, (intptr_t)k));
    }
    if (format) python.Py_DecRef(format);
    if (storage) python.Py_DecRef(storage);
    ascendref_leave(lock);
}

aclnnStatus native_aclGetViewShape(const aclTensor *tensor, int64_t **viewDims,
                                   uint64_t *viewDimsNum)
{
    aclnnStatus code = ACL_SUCCESS;
    struct tensor *found = ascendref_required(KIND_TENSOR, tensor, "tensor", viewDims && viewDimsNum ? viewDims : NULL, &code);
    if (!found) return code;
    update_view(found);
    return copy_numbers(found, view_of(found), found->rank, viewDims, viewDimsNum);
}

aclnnStatus native_aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims,
                                      uint64_t *storageDimsNum)
{
    aclnnStatus code = ACL_SUCCESS;
    struct tensor *found = ascendref_required(KIND_TENSOR, tensor, "tensor",
                                    storageDims && storageDimsNum ? storageDims : NULL, &code);
    if (!found) return code;
    update_format(found);
    const int64_t *numbers = found->blocks_rank ? found->blocks : storage_of(found);
    uint64_t rank = found->blocks_rank ? found->blocks_rank : found->storage_rank;
    return copy_numbers(found, numbers, rank, storageDims, storageDimsNum);
}

aclnnStatus native_aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue,
                                     uint64_t *stridesNum)
{
    aclnnStatus code = ACL_SUCCESS;
    struct tensor *found = ascendref_required(KIND_TENSOR, tensor, "tensor",
                                    stridesValue && stridesNum ? stridesValue : NULL, &code);
    if (!found) return code;
    update_view(found);
    const int64_t *strides = strides_of(found);
    uint64_t rank = found->rank;
    if (strides) return copy_numbers(found, strides, rank, stridesValue, stridesNum);
    int64_t *dense = new_numbers(rank);
    if (dense) make_dense(dense, view_of(found), rank);
    ascendref_release(&found->base);
    if (!dense) return ascendref_refuse(ACLNN_ERR_INNER, "there is no memory for the copy");
    *stridesValue = dense;
    *stridesNum = rank;
    return ACL_SUCCESS;
}

#define GET(function, type, field, name, update)                                                   \
    aclnnStatus native_##function(const aclTensor *tensor, type *name)                             \
    {                                                                                              \
        aclnnStatus code = ACL_SUCCESS;                                                            \
        struct tensor *found = ascendref_required(KIND_TENSOR, tensor, "tensor", name, &code);               \
        if (!found) return code;                                                                   \
        update(found);                                                                             \
        *name = (type)found->field;                                                                \
        ascendref_release(&found->base);                                                           \
        return ACL_SUCCESS;                                                                        \
    }

GET(aclGetViewOffset, int64_t, offset, offset, (void))
GET(aclGetFormat, aclFormat, format, format, update_format)
GET(aclGetDataType, aclDataType, type, dataType, (void))
#undef GET

aclnnStatus native_aclGetRawTensorAddr(const aclTensor *tensor, void **addr)
{
    aclnnStatus code = ACL_SUCCESS;
    struct tensor *found = ascendref_required(KIND_TENSOR, tensor, "tensor", addr, &code);
    if (!found) return code;
    *addr = (void *)(uintptr_t)found->address;
    ascendref_release(&found->base);
    return ACL_SUCCESS;
}

aclnnStatus native_aclSetRawTensorAddr(aclTensor *tensor, void *addr)
{
    aclnnStatus code = ACL_SUCCESS;
    struct tensor *found = ascendref_required(KIND_TENSOR, tensor, "tensor", tensor, &code);
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

static PyObject *tuple_of(const int64_t *numbers, uint64_t count)
{
    PyObject *tuple = python.PyTuple_New((intptr_t)count);
    for (uint64_t k = 0; tuple && k < count; k++)
        python.PyTuple_SetItem(tuple, (intptr_t)k, python.PyLong_FromLongLong(numbers[k]));
    return tuple;
}

PyObject *ascendref_python_tensor(struct object *object)
{
    struct tensor *tensor = (struct tensor *)object;
    const int64_t *strides = strides_of(tensor);
    PyObject *members[] = {
        tuple_of(view_of(tensor), tensor->rank),
        python.PyLong_FromLongLong(tensor->type),
        strides ? tuple_of(strides, tensor->rank) : ascendref_none(),
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
