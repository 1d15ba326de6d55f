/* Where in the program calls come from, for what the checker reports. */
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "native.h"

static bool checking;
static __thread const struct place *innermost;

__attribute__((constructor)) static void read_settings(void)
{
    const char *check = getenv("ASCENDREF_CHECK");
    checking = check && *check && strcmp(check, "0") != 0;
}

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *given)
{
    struct place *place = given;
    const void *address = (const void *)_Unwind_GetIP(context);
    if (place->count)
        place->frames[place->count++] = address;
    else if (address == place->frames[0]) /* behind the frames of the library */
        place->count = 1;
    return place->count == MOST_FRAMES ? _URC_END_OF_STACK : _URC_NO_REASON;
}

void ascendref_begin_call(struct place *place, const char *function, const void *caller)
{
    place->function = function;
    place->count = 0;
    place->frames[0] = caller;
    if (checking) _Unwind_Backtrace(visit, place);
    if (!place->count) place->count = 1;
    place->outer = innermost;
    innermost = place;
}

void ascendref_end_call(const struct place *place) { innermost = place->outer; }

const struct place *ascendref_place(void) { return innermost; }
