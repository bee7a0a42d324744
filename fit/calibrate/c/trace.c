/* trace records the messages of an MPI program for "halfpeak simulate".
 *
 *   mpicc -shared -fPIC -O2 trace.c -o libtrace.so
 *   LD_PRELOAD=./libtrace.so mpirun ./program     (Open MPI: mpirun -x LD_PRELOAD=$PWD/libtrace.so)
 *   halfpeak simulate trace.[0-9]* --machine me.toml
 *
 * Each rank writes a file of its own, trace.NNNNNN in the directory of $HALFPEAK_TRACE or the current
 * one: a line for each call in the format of liballprof (Hoefler, Schneider, Lumsdaine 2010), with times
 * in microseconds. C99 and MPI 3.0's profiling interface. Programs of one thread, in C. Other calls than
 * those below are not recorded; what they take is computation. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *out;
static double zero, own; /* own: the time of the tracer itself, in which the clock of the trace stands */
static double reading;   /* the time of a reading of the clock, which is the tracer's own as well */

static double now(void) {
	double t = 1e6 * (PMPI_Wtime() - zero) - own;
	own += reading;
	return t;
}

static void since(double t) { /* all since then was the tracer */
	double spent = now() - t;
	own += spent;
}

static double timeOfReading(void);

static void opened(const char *call) {
	int rank;
	char path[4096];
	const char *dir = getenv("HALFPEAK_TRACE");
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	snprintf(path, sizeof path, "%s/trace.%06d", dir ? dir : ".", rank);
	reading = timeOfReading();
	out = fopen(path, "w");
	if (!out) {
		fprintf(stderr, "trace: cannot write %s; HALFPEAK_TRACE names a directory that all ranks can write to\n", path);
		PMPI_Abort(MPI_COMM_WORLD, 1);
	}
	setvbuf(out, NULL, _IOFBF, 1 << 20);
	PMPI_Barrier(MPI_COMM_WORLD); /* all begin here, so the times of ranks begin together */
	zero = PMPI_Wtime(), own = 0;
	fprintf(out, "# written by halfpeak's trace.c\n%s:-:%f\n", call, now());
}

/* Samples of what was in the memory of messages, by address, show whether the program has written it since
 * its last message: the sends of such memory follow a line "# written". sum is 0 if a message may come. */
enum { ENTRIES = 1 << 12, SAMPLES = 64 };
static struct { const char *at; size_t n; unsigned long sum; } seen[ENTRIES];

/* The bytes of a message, or 0 if they are not one piece of memory. */
static size_t whole(const void *b, int n, MPI_Datatype d) {
	int size = 0;
	MPI_Aint lb = 0, extent = 0;
	if (n <= 0 || b == NULL || b == MPI_BOTTOM || b == MPI_IN_PLACE || d == MPI_DATATYPE_NULL) return 0;
	PMPI_Type_size(d, &size), PMPI_Type_get_extent(d, &lb, &extent);
	return lb == 0 && extent == size ? (size_t)n * (size_t)size : 0;
}
static unsigned long sample(const char *b, size_t n) {
	unsigned long sum = 1469598103934665603UL;
	for (size_t i = 0, step = n > SAMPLES ? n / SAMPLES : 1; i < n; i += step) sum = (sum ^ (unsigned char)b[i]) * 1099511628211UL;
	return sum | 1;
}
static int find(const char *b) { /* where the address is, or may be */
	unsigned long at = (unsigned long)(size_t)b * 11400714819323198485UL >> 52;
	return (int)(at % ENTRIES);
}
static void sending(const void *b, int n, MPI_Datatype d) {
	double t = now();
	size_t bytes = whole(b, n, d);
	if (bytes > 0) {
		unsigned long sum = sample(b, bytes);
		int i = find(b), known = seen[i].at == b && seen[i].n == bytes;
		if (!known || (seen[i].sum && seen[i].sum != sum)) fprintf(out, "# written\n");
		seen[i].at = b, seen[i].n = bytes, seen[i].sum = sum;
	}
	since(t);
}
static void received(const void *b, int n, MPI_Datatype d, int there) { /* there: the message has come */
	size_t bytes = whole(b, n, d);
	int i = find(b);
	if (bytes > 0) seen[i].at = b, seen[i].n = bytes, seen[i].sum = there ? sample(b, bytes) : 0;
}

/* A line's parts. Open MPI's numbers stand for any source, any tag and no process, with any library. */
static double last; /* time of the trace: readings differ, and it may not go back */
static double forward(double t) { return last = t > last ? t : last; }
static void start(const char *call, double t) { fprintf(out, "%s:%f", call, forward(t)); }
static void end(double t) { fprintf(out, ":%f\n", forward(t)), since(t); }
static void number(long long n) { fprintf(out, ":%lld", n); }
static void type(int count, MPI_Datatype t) {
	int size = 0;
	if (t != MPI_DATATYPE_NULL) PMPI_Type_size(t, &size);
	fprintf(out, ":%d:0,%d,%d", count, size, size);
}
static void memory(const void *b, int n, MPI_Datatype d) { number(whole(b, n, d) ? (long long)(size_t)b : 0), type(n, d); }
static void peer(int rank, int tag) {
	fprintf(out, ":%d:%d", rank == MPI_ANY_SOURCE ? -1 : rank == MPI_PROC_NULL ? -2 : rank, tag == MPI_ANY_TAG ? -1 : tag);
}
static void comm(MPI_Comm c) {
	int rank, size;
	PMPI_Comm_rank(c, &rank), PMPI_Comm_size(c, &size);
	fprintf(out, ":0,%d,%d", rank, size);
}
static void request(const void *r) { number((long long)(size_t)r); }

static int ascending(const void *a, const void *b) { double x = *(const double *)a, y = *(const double *)b; return (x > y) - (x < y); }

/* The time between the lines of two calls that follow each other at once: a reading of the clock, which waits
 * for what the tracer has written. The median: other work on the host makes some longer. */
static double timeOfReading(void) {
	enum { CALLS = 201 };
	double between[CALLS], before = 0;
	if (!(out = fopen("/dev/null", "w"))) return 0;
	setvbuf(out, NULL, _IOFBF, 1 << 16);
	zero = PMPI_Wtime();
	for (int i = -1; i < CALLS; i++) {
		double t = now(), u = now();
		if (i >= 0) between[i] = t - before;
		before = u;
		start("idle", t), memory(&zero, 1, MPI_DOUBLE), peer(0, 0), comm(MPI_COMM_WORLD), number(0), end(u);
	}
	fclose(out);
	last = 0;
	qsort(between, CALLS, sizeof *between, ascending);
	return between[CALLS / 2];
}

int MPI_Init(int *c, char ***v) { int e = PMPI_Init(c, v); opened("MPI_Init"); return e; }
int MPI_Init_thread(int *c, char ***v, int r, int *p) { int e = PMPI_Init_thread(c, v, r, p); opened("MPI_Init_thread"); return e; }
int MPI_Finalize(void) {
	fprintf(out, "MPI_Finalize:%f:-\n", forward(now()));
	fclose(out);
	return PMPI_Finalize();
}

/* A mark, between which halfpeak simulate --region predicts. */
int MPI_Pcontrol(const int level, ...) { double t = now(); start("MPI_Pcontrol", t), number(level), end(t); return MPI_SUCCESS; }

/* A call: its line is written after it, in the tracer's own time. */
#define CALL(name, line, ...) double t = now(); int e = P##name(__VA_ARGS__); double u = now(); \
	start(#name, t); line; end(u); return e;

#define SEND(name) int name(const void *b, int n, MPI_Datatype d, int p, int tag, MPI_Comm c) \
	{ sending(b, n, d); CALL(name, (memory(b, n, d), peer(p, tag), comm(c)), b, n, d, p, tag, c) }
SEND(MPI_Send) SEND(MPI_Ssend) SEND(MPI_Bsend) SEND(MPI_Rsend)
#define ISEND(name) int name(const void *b, int n, MPI_Datatype d, int p, int tag, MPI_Comm c, MPI_Request *r) \
	{ sending(b, n, d); CALL(name, (memory(b, n, d), peer(p, tag), comm(c), request(r)), b, n, d, p, tag, c, r) }
ISEND(MPI_Isend) ISEND(MPI_Issend) ISEND(MPI_Ibsend) ISEND(MPI_Irsend) ISEND(MPI_Send_init)
int MPI_Recv(void *b, int n, MPI_Datatype d, int p, int tag, MPI_Comm c, MPI_Status *s)
	{ CALL(MPI_Recv, (received(b, n, d, 1), memory(b, n, d), peer(p, tag), comm(c), number(0)), b, n, d, p, tag, c, s) }
int MPI_Irecv(void *b, int n, MPI_Datatype d, int p, int tag, MPI_Comm c, MPI_Request *r)
	{ CALL(MPI_Irecv, (received(b, n, d, 0), memory(b, n, d), peer(p, tag), comm(c), request(r)), b, n, d, p, tag, c, r) }
int MPI_Recv_init(void *b, int n, MPI_Datatype d, int p, int tag, MPI_Comm c, MPI_Request *r)
	{ CALL(MPI_Recv_init, (memory(b, n, d), peer(p, tag), comm(c), request(r)), b, n, d, p, tag, c, r) }
int MPI_Start(MPI_Request *r) { CALL(MPI_Start, request(r), r) }
int MPI_Startall(int n, MPI_Request r[]) { CALL(MPI_Startall, (number(n), request(r)), n, r) }
int MPI_Sendrecv(const void *b, int n, MPI_Datatype d, int p, int tag, void *b2, int n2, MPI_Datatype d2, int p2, int tag2, MPI_Comm c, MPI_Status *s)
	{ sending(b, n, d); CALL(MPI_Sendrecv, (received(b2, n2, d2, 1), memory(b, n, d), peer(p, tag), memory(b2, n2, d2), peer(p2, tag2), comm(c), number(0)), b, n, d, p, tag, b2, n2, d2, p2, tag2, c, s) }
int MPI_Sendrecv_replace(void *b, int n, MPI_Datatype d, int p, int tag, int p2, int tag2, MPI_Comm c, MPI_Status *s)
	{ sending(b, n, d); CALL(MPI_Sendrecv_replace, (received(b, n, d, 1), memory(b, n, d), peer(p, tag), peer(p2, tag2), comm(c), number(0)), b, n, d, p, tag, p2, tag2, c, s) }

/* Of waits for any, the request that was done. */
int MPI_Wait(MPI_Request *r, MPI_Status *s) { CALL(MPI_Wait, (request(r), number(0)), r, s) }
int MPI_Waitall(int n, MPI_Request r[], MPI_Status s[]) { CALL(MPI_Waitall, (number(n), request(r), number(0)), n, r, s) }
int MPI_Waitany(int n, MPI_Request r[], int *i, MPI_Status *s) {
	double t = now();
	int e = PMPI_Waitany(n, r, i, s);
	double u = now();
	if (*i == MPI_UNDEFINED) return e;
	start("MPI_Wait", t), request(&r[*i]), number(0), end(u);
	return e;
}
int MPI_Waitsome(int n, MPI_Request r[], int *done, int at[], MPI_Status s[]) {
	double t = now();
	int e = PMPI_Waitsome(n, r, done, at, s);
	double u = now();
	for (int i = 0; *done != MPI_UNDEFINED && i < *done; i++, t = u) start("MPI_Wait", t), request(&r[at[i]]), number(0), end(u);
	return e;
}

#define BOTH const void *b, int n, MPI_Datatype d, void *b2, int n2, MPI_Datatype d2
#define BOTHARGS b, n, d, b2, n2, d2
#define BOTHLINE number(0), type(n, d), number(0), type(n2, d2)
int MPI_Barrier(MPI_Comm c) { CALL(MPI_Barrier, comm(c), c) }
int MPI_Bcast(void *b, int n, MPI_Datatype d, int root, MPI_Comm c) { CALL(MPI_Bcast, (number(0), type(n, d), number(root), comm(c)), b, n, d, root, c) }
int MPI_Reduce(const void *b, void *b2, int n, MPI_Datatype d, MPI_Op o, int root, MPI_Comm c)
	{ CALL(MPI_Reduce, (number(0), number(0), type(n, d), number(0), number(root), comm(c)), b, b2, n, d, o, root, c) }
int MPI_Allreduce(const void *b, void *b2, int n, MPI_Datatype d, MPI_Op o, MPI_Comm c)
	{ CALL(MPI_Allreduce, (number(0), number(0), type(n, d), number(0), comm(c)), b, b2, n, d, o, c) }
int MPI_Allgather(BOTH, MPI_Comm c) { CALL(MPI_Allgather, (BOTHLINE, comm(c)), BOTHARGS, c) }
int MPI_Alltoall(BOTH, MPI_Comm c) { CALL(MPI_Alltoall, (BOTHLINE, comm(c)), BOTHARGS, c) }
int MPI_Gather(BOTH, int root, MPI_Comm c) { CALL(MPI_Gather, (BOTHLINE, number(root), comm(c)), BOTHARGS, root, c) }
int MPI_Scatter(BOTH, int root, MPI_Comm c) { CALL(MPI_Scatter, (BOTHLINE, number(root), comm(c)), BOTHARGS, root, c) }
int MPI_Comm_dup(MPI_Comm c, MPI_Comm *other) { CALL(MPI_Comm_dup, (comm(c), number(0)), c, other) }
int MPI_Comm_split(MPI_Comm c, int color, int key, MPI_Comm *other) { CALL(MPI_Comm_split, (comm(c), number(color), number(key), number(0)), c, color, key, other) }
