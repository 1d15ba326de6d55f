"""The array functions: checks of a call, the cache of checked calls, `cast`."""
