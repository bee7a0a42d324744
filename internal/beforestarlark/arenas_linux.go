//go:build linux && cgo

package beforestarlark

// A program built with cgo has the C library's malloc, which reserves 64 MB of addresses for each
// thread: under "ulimit -v 1000000" threads cannot be made, and Go's runtime dies before main. Go's
// memory is not malloc's, so one region is enough for all threads.

/*
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
__attribute__((constructor)) static void one_arena(void) { mallopt(M_ARENA_MAX, 1); }
#endif
*/
import "C"
