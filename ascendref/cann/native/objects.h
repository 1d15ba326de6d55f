/* What the sources about tensors and about scalars, arrays and lists share. */
#ifndef ASCENDREF_OBJECTS_H
#define ASCENDREF_OBJECTS_H

#include "functions.h"
#include "python_api.h"

/* A new handle for an object; NULL, with a message, if the object is NULL because there was no memory. */
void *ascendref_new_object(enum kind kind, void *object, const char *function);
/* What the functions for destroying do: NULL is destroyed without effect. */
aclnnStatus ascendref_destroy(enum kind kind, const void *handle, const char *function);
/* A new reference to the object of an argument; NULL with a code if it is none, or if there is no
   place for the result. */
void *ascendref_required(enum kind kind, const void *handle, const char *name, const void *out,
                         aclnnStatus *code);

/* With the interpreter's lock held: new objects of Python for those of C. */
PyObject *ascendref_none(void);
PyObject *ascendref_python_tensor(struct object *tensor);
PyObject *ascendref_python_scalar(struct object *scalar);
PyObject *ascendref_python_list(enum kind member, struct object *list);
PyObject *ascendref_python_array(enum kind kind, struct object *array); /* a tuple of numbers */

#endif
