/* Handles: numbers that stand for objects. They are looked up and never dereferenced, so one that is
   garbage, or whose object is gone, is found out. */
#include <pthread.h>
#include <stdlib.h>

#include "native.h"
#include "python_api.h"

/* A handle is 0x7E in the upper byte, which makes it no address of a process, then a byte for the
   kind, 24 bits of generation and 24 bits of position in the table. */
#define MARK UINT64_C(0x7E)
#define POSITIONS (UINT32_C(1) << 24)

struct slot {
    void *object; /* NULL where there is none */
    uint32_t generation;
    uint32_t next_free; /* one more than the position; 0 for none */
    uint8_t kind;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct slot *slots;
static uint32_t used, capacity;
/* the free positions, oldest first, so that a generation comes back as late as possible */
static uint32_t first_free, last_free;

void ascendref_lock_handles(void) { pthread_mutex_lock(&mutex); }
void ascendref_unlock_handles(void) { pthread_mutex_unlock(&mutex); }

static uint64_t number_of(enum kind kind, uint32_t generation, uint32_t position)
{
    return MARK << 56 | (uint64_t)kind << 48 | (uint64_t)generation << 24 | position;
}

bool ascendref_is_handle(enum kind kind, const void *handle)
{
    return (uint64_t)(uintptr_t)handle >> 48 == (MARK << 8 | (uint64_t)kind);
}

/* With the mutex held. */
static struct slot *slot_of(enum kind kind, const void *handle)
{
    uint64_t number = (uint64_t)(uintptr_t)handle;
    uint32_t position = (uint32_t)(number & (POSITIONS - 1));
    if (!ascendref_is_handle(kind, handle) || position >= used) return NULL;
    struct slot *slot = &slots[position];
    bool same = slot->object && slot->kind == kind &&
                slot->generation == (uint32_t)(number >> 24 & (POSITIONS - 1));
    return same ? slot : NULL;
}

void *ascendref_handle(enum kind kind, void *object)
{
    uint64_t handle = 0;
    pthread_mutex_lock(&mutex);
    uint32_t position = POSITIONS;
    if (first_free) {
        position = first_free - 1;
        first_free = slots[position].next_free;
        if (!first_free) last_free = 0;
    } else if (used < POSITIONS) {
        if (used == capacity) {
            uint32_t larger = capacity ? 2 * capacity : 256;
            struct slot *moved = realloc(slots, larger * sizeof *slots);
            if (moved) slots = moved, capacity = larger;
        }
        if (used < capacity) {
            position = used++;
            slots[position].generation = 0;
        }
    }
    if (position < POSITIONS) {
        struct slot *slot = &slots[position];
        slot->object = object;
        slot->kind = (uint8_t)kind;
        slot->next_free = 0;
        handle = number_of(kind, slot->generation, position);
    }
    pthread_mutex_unlock(&mutex);
    return (void *)(uintptr_t)handle;
}

void *ascendref_handle_of(enum kind kind, const void *object)
{
    uint64_t handle = 0;
    pthread_mutex_lock(&mutex);
    for (uint32_t k = 0; k < used && !handle; k++)
        if (slots[k].object == object && slots[k].kind == kind)
            handle = number_of(kind, slots[k].generation, k);
    pthread_mutex_unlock(&mutex);
    return (void *)(uintptr_t)handle;
}

void *ascendref_find(enum kind kind, const void *handle)
{
    pthread_mutex_lock(&mutex);
    struct slot *slot = slot_of(kind, handle);
    void *object = slot ? slot->object : NULL;
    if (object) {
        if (HANDLE_OF_PYTHON(kind))
            python.Py_IncRef(object);
        else
            __atomic_add_fetch(&((struct object *)object)->references, 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&mutex);
    return object;
}

void *ascendref_take(enum kind kind, const void *handle)
{
    pthread_mutex_lock(&mutex);
    struct slot *slot = slot_of(kind, handle);
    void *object = slot ? slot->object : NULL;
    if (object) {
        uint32_t place = (uint32_t)(slot - slots) + 1;
        slot->object = NULL;
        slot->generation = (slot->generation + 1) & (POSITIONS - 1);
        if (last_free)
            slots[last_free - 1].next_free = place;
        else
            first_free = place;
        last_free = place;
    }
    pthread_mutex_unlock(&mutex);
    return object;
}

void *ascendref_replace(enum kind kind, const void *handle, void *object)
{
    pthread_mutex_lock(&mutex);
    struct slot *slot = slot_of(kind, handle);
    void *before = slot ? slot->object : NULL;
    if (before) slot->object = object;
    pthread_mutex_unlock(&mutex);
    return before;
}
