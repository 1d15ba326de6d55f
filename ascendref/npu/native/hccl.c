/* Collective communication: the functions of HCCL that torch_npu calls, with what hccl.h says of them.
   Each passes its arguments as numbers to the function of the same name in ascendref.npu.hccl. */
#include <stdio.h>

#include "python_api.h"

/* HcclResult, of which these have a use here. */
enum { HCCL_SUCCESS = 0, HCCL_E_PARA = 1, HCCL_E_PTR = 2, HCCL_E_INTERNAL = 4, HCCL_E_RUNTIME = 15 };
enum { ROOT_INFO_BYTES = 4108, COMM_NAME_BYTES = 128 };

/* End a call: store what Python returned, a number or a text, and return the code of what it raised. */
static int32_t finish(const char *name, PyObject *value, void **number, char *text, size_t length,
                      int lock)
{
    int32_t code = HCCL_SUCCESS;
    if (!value) {
        int32_t status = ascendref_status_of_exception(name);
        code = status == ACL_ERROR_RT_PARAM_INVALID ? HCCL_E_PARA : HCCL_E_INTERNAL;
    } else if (number) {
        *number = (void *)(uintptr_t)python.PyLong_AsUnsignedLongLongMask(value);
    } else if (text) {
        snprintf(text, length, "%s", python.PyUnicode_AsUTF8AndSize(value, NULL));
    }
    if (value) python.Py_DecRef(value);
    ascendref_leave(lock);
    return code;
}

/* Call the function of Python; format and arguments are those of PyObject_CallMethod. */
#define CALL_FOR(number, text, length, name, ...)                                                  \
    do {                                                                                           \
        int lock;                                                                                  \
        if (ascendref_enter(&lock)) return HCCL_E_RUNTIME;                                         \
        PyObject *module = python.PyImport_ImportModule("ascendref.npu.hccl");              \
        PyObject *value = module ? python.PyObject_CallMethod(module, #name, __VA_ARGS__) : NULL;  \
        if (module) python.Py_DecRef(module);                                                      \
        return finish(#name, value, number, text, length, lock);                                   \
    } while (0)
#define CALL(name, ...) CALL_FOR(NULL, NULL, 0, name, __VA_ARGS__)

/* An address or a handle as PyObject_CallMethod takes it for K. */
#define WORD(pointer) ((unsigned long long)(uintptr_t)(pointer))

/* The number of a stream, under which Python finds it. */
#define STREAM_NUMBER(number, stream)                                                              \
    int32_t number;                                                                                \
    if (aclrtStreamGetId(stream, &number)) return HCCL_E_PARA

/* ---- communicators */

EXPORT int32_t HcclGetRootInfo(char *info)
{
    if (!info) return HCCL_E_PTR;
    CALL_FOR(NULL, info, ROOT_INFO_BYTES, HcclGetRootInfo, NULL);
}

EXPORT int32_t HcclCommInitRootInfo(uint32_t size, const char *info, uint32_t rank, void **comm)
{
    if (!info || !comm) return HCCL_E_PTR;
    CALL_FOR(comm, NULL, 0, HcclCommInitRootInfo, "IsI", size, info, rank);
}

/* A configuration sets buffers, algorithms and expansion, none of which Gloo has. */
EXPORT int32_t HcclCommInitRootInfoConfig(uint32_t size, const char *info, uint32_t rank,
                                          const void *config, void **comm)
{
    (void)config;
    return HcclCommInitRootInfo(size, info, rank, comm);
}

EXPORT int32_t HcclCommDestroy(void *comm) { CALL(HcclCommDestroy, "K", WORD(comm)); }

EXPORT int32_t HcclGetCommName(void *comm, char *name)
{
    if (!name) return HCCL_E_PTR;
    CALL_FOR(NULL, name, COMM_NAME_BYTES, HcclGetCommName, "K", WORD(comm));
}

/* Failures are those of tasks: the stream reports them. */
EXPORT int32_t HcclGetCommAsyncError(void *comm, int32_t *error)
{
    (void)comm;
    if (!error) return HCCL_E_PTR;
    *error = HCCL_SUCCESS;
    return HCCL_SUCCESS;
}

/* The order of Gloo's sums is always the same, whatever HCCL_DETERMINISTIC asks for. */
EXPORT int32_t HcclSetConfig(int32_t config, int32_t value)
{
    (void)config, (void)value;
    return HCCL_SUCCESS;
}

/* ---- collectives */

EXPORT int32_t HcclAllReduce(void *send, void *receive, uint64_t count, int32_t type, int32_t op,
                             void *comm, aclrtStream stream)
{
    STREAM_NUMBER(number, stream);
    CALL(HcclAllReduce, "KKKiiKi", WORD(send), WORD(receive), WORD(count), type, op, WORD(comm),
         number);
}

EXPORT int32_t HcclReduce(void *send, void *receive, uint64_t count, int32_t type, int32_t op,
                          uint32_t root, void *comm, aclrtStream stream)
{
    STREAM_NUMBER(number, stream);
    CALL(HcclReduce, "KKKiiIKi", WORD(send), WORD(receive), WORD(count), type, op, root, WORD(comm),
         number);
}

EXPORT int32_t HcclBroadcast(void *buffer, uint64_t count, int32_t type, uint32_t root, void *comm,
                             aclrtStream stream)
{
    STREAM_NUMBER(number, stream);
    CALL(HcclBroadcast, "KKiIKi", WORD(buffer), WORD(count), type, root, WORD(comm), number);
}

EXPORT int32_t HcclScatter(void *send, void *receive, uint64_t count, int32_t type, uint32_t root,
                           void *comm, aclrtStream stream)
{
    STREAM_NUMBER(number, stream);
    CALL(HcclScatter, "KKKiIKi", WORD(send), WORD(receive), WORD(count), type, root, WORD(comm),
         number);
}

EXPORT int32_t HcclAllGather(void *send, void *receive, uint64_t count, int32_t type, void *comm,
                             aclrtStream stream)
{
    STREAM_NUMBER(number, stream);
    CALL(HcclAllGather, "KKKiKi", WORD(send), WORD(receive), WORD(count), type, WORD(comm), number);
}

EXPORT int32_t HcclAllGatherV(void *send, uint64_t count, void *receive, const uint64_t *counts,
                              const uint64_t *places, int32_t type, void *comm, aclrtStream stream)
{
    if (!counts || !places) return HCCL_E_PTR;
    STREAM_NUMBER(number, stream);
    CALL(HcclAllGatherV, "KKKKKiKi", WORD(send), WORD(count), WORD(receive), WORD(counts),
         WORD(places), type, WORD(comm), number);
}

EXPORT int32_t HcclReduceScatter(void *send, void *receive, uint64_t count, int32_t type, int32_t op,
                                 void *comm, aclrtStream stream)
{
    STREAM_NUMBER(number, stream);
    CALL(HcclReduceScatter, "KKKiiKi", WORD(send), WORD(receive), WORD(count), type, op, WORD(comm),
         number);
}

EXPORT int32_t HcclReduceScatterV(void *send, const uint64_t *counts, const uint64_t *places,
                                  void *receive, uint64_t count, int32_t type, int32_t op, void *comm,
                                  aclrtStream stream)
{
    if (!counts || !places) return HCCL_E_PTR;
    STREAM_NUMBER(number, stream);
    CALL(HcclReduceScatterV, "KKKKKiiKi", WORD(send), WORD(counts), WORD(places), WORD(receive),
         WORD(count), type, op, WORD(comm), number);
}

EXPORT int32_t HcclAlltoAll(const void *send, uint64_t send_count, int32_t send_type,
                            const void *receive, uint64_t receive_count, int32_t receive_type,
                            void *comm, aclrtStream stream)
{
    STREAM_NUMBER(number, stream);
    CALL(HcclAlltoAll, "KKiKKiKi", WORD(send), WORD(send_count), send_type, WORD(receive),
         WORD(receive_count), receive_type, WORD(comm), number);
}

EXPORT int32_t HcclAlltoAllV(const void *send, const uint64_t *send_counts,
                             const uint64_t *send_places, int32_t send_type, const void *receive,
                             const uint64_t *receive_counts, const uint64_t *receive_places,
                             int32_t receive_type, void *comm, aclrtStream stream)
{
    if (!send_counts || !send_places || !receive_counts || !receive_places) return HCCL_E_PTR;
    STREAM_NUMBER(number, stream);
    CALL(HcclAlltoAllV, "KKKiKKKiKi", WORD(send), WORD(send_counts), WORD(send_places), send_type,
         WORD(receive), WORD(receive_counts), WORD(receive_places), receive_type, WORD(comm), number);
}

EXPORT int32_t HcclAlltoAllVC(const void *send, const uint64_t *counts, int32_t send_type,
                              const void *receive, int32_t receive_type, void *comm,
                              aclrtStream stream)
{
    if (!counts) return HCCL_E_PTR;
    STREAM_NUMBER(number, stream);
    CALL(HcclAlltoAllVC, "KKiKiKi", WORD(send), WORD(counts), send_type, WORD(receive), receive_type,
         WORD(comm), number);
}

/* ---- point to point */

EXPORT int32_t HcclSend(void *buffer, uint64_t count, int32_t type, uint32_t rank, void *comm,
                        aclrtStream stream)
{
    STREAM_NUMBER(number, stream);
    CALL(HcclSend, "KKiIKi", WORD(buffer), WORD(count), type, rank, WORD(comm), number);
}

EXPORT int32_t HcclRecv(void *buffer, uint64_t count, int32_t type, uint32_t rank, void *comm,
                        aclrtStream stream)
{
    STREAM_NUMBER(number, stream);
    CALL(HcclRecv, "KKiIKi", WORD(buffer), WORD(count), type, rank, WORD(comm), number);
}

EXPORT int32_t HcclBatchSendRecv(const void *items, uint32_t count, void *comm, aclrtStream stream)
{
    if (!items) return HCCL_E_PTR;
    STREAM_NUMBER(number, stream);
    CALL(HcclBatchSendRecv, "KIKi", WORD(items), count, WORD(comm), number);
}

/* Messages of a group run together; its collectives run in their order. */
EXPORT int32_t HcclGroupStart(void) { CALL(HcclGroupStart, NULL); }
EXPORT int32_t HcclGroupEnd(void) { CALL(HcclGroupEnd, NULL); }
