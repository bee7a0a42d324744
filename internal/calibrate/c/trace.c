/* trace records the messages of an MPI program for "halfpeak simulate".
 *
 *   mpicc -shared -fPIC -O2 trace.c -o libtrace.so
 *   LD_PRELOAD=./libtrace.so mpirun ./program     (Open MPI: mpirun -x LD_PRELOAD=$PWD/libtrace.so)
 *   halfpeak simulate trace.[0-9]* --machine me.toml
 *
 * Each rank writes a file of its own, trace.NNNNNN in the directory of $HALFPEAK_TRACE or the current
 * one. After a first line that names rank, ranks and run, there is a line for each call: its name without
 * MPI_, the time since the previous call and in the call (ns), and its arguments (functions.go and
 * recorded.go of package mpitrace name them). A call costs about 0.1 us, which the times leave out.
 *
 * C and Fortran (mpif.h, mpi and, of Open MPI, mpi_f08), POSIX and MPI 3.0's profiling interface. Calls
 * of several threads are recorded if they come one at a time. One-sided communication, files and
 * processes that are started later are counted: their time is computation. What the tracer does not
 * have, such as calls with the suffix _c, is computation without a count. */
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Lines are written into a buffer. A line of most calls has less than LINE bytes. */
enum { BUFFER = 1 << 16, LINE = 512 };
static char buffer[BUFFER + LINE];
static size_t used;
static int out = -1, recording, failedToWrite;

static long long zero;
static long long own;  /* time in which the clock of the trace stands: that of the tracer and of polling */
static long long last; /* end of the last line's call on that clock */
static long long prev; /* end of the last call, with or without a line */
static long long cost, pollCost; /* of the tracer for a call, and for a test that finds nothing */
static long long reading;        /* of the clock, which a call would seem to last longer */
static long long tracing; /* the sum of it */
static long long processor; /* time of the process when it began */

/* The clock in ns. The counter of an x86 processor, if it has one speed, takes half the time of the system's
 * clock. Before a call it waits for the instructions before it, which are the program's. */
#ifdef SMPI_H
#define CLOCK_OF_MPI /* which is that of the simulation */
#endif
static long long systemClock(void) {
#ifdef CLOCK_OF_MPI
	return (long long)(1e9 * PMPI_Wtime());
#else
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1000000000LL * t.tv_sec + t.tv_nsec;
#endif
}
#if defined(__x86_64__) && !defined(CLOCK_OF_MPI)
static unsigned long long firstTick, tickNs; /* tickNs is in ns / 2^32 */
static long long ofTicks(unsigned long long ticks) { return (long long)((unsigned __int128)(ticks - firstTick) * tickNs >> 32); }
static long long clock_(void) {
	unsigned core;
	return tickNs ? ofTicks(__rdtscp(&core)) : systemClock();
}
static long long clockAfter(void) { return tickNs ? ofTicks(__rdtsc()) : systemClock(); }
static void startClock(void) {
	enum { SPIN = 4000000 };
	unsigned a, b, c, d;
	if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & 1 << 8)) return;
	long long t = systemClock(), u;
	firstTick = __rdtsc();
	while ((u = systemClock()) < t + SPIN) {}
	tickNs = (unsigned long long)(4294967296.0 * (double)(u - t) / (double)(__rdtsc() - firstTick));
}
#else
static long long clock_(void) { return systemClock(); }
static long long clockAfter(void) { return systemClock(); }
static void startClock(void) {}
#endif
static long long now(void) { return clock_() - zero - own; }
static long long returned(void) { return clockAfter() - zero - own - reading; } /* after a call */
static void stand(long long ns) { own += ns, tracing += ns; }

static void flush(void) {
	size_t done = 0;
	while (done < used) {
		ssize_t n = write(out, buffer + done, used - done);
		if (n <= 0) {
			failedToWrite = 1;
			break;
		}
		done += (size_t)n;
	}
	used = 0;
}
static void flushed(void) { /* in the tracer's own time */
	long long t = now();
	flush();
	stand(now() - t);
}

/* Parts of a line. */
static char pairs[200], hexPairs[512];
static void text(const char *s, size_t n) { memcpy(buffer + used, s, n), used += n; }
static void digits(long long v) {
	char b[24], *p = b + sizeof b;
	unsigned long long u = v < 0 ? 0ULL - (unsigned long long)v : (unsigned long long)v;
	for (; u >= 100; u /= 100) p -= 2, memcpy(p, pairs + 2 * (u % 100), 2);
	if (u >= 10) p -= 2, memcpy(p, pairs + 2 * u, 2);
	else *--p = (char)('0' + u);
	if (v < 0) *--p = '-';
	text(p, (size_t)(b + sizeof b - p));
}
static void number(long long v) {
	buffer[used++] = ' ';
	if (v >= 0 && v < 10) buffer[used++] = (char)('0' + v);
	else digits(v);
}
static void address(long long v) { /* in hexadecimal digits, which are quickly written */
	char b[16], *p = b + sizeof b;
	unsigned long long u = (unsigned long long)v;
	do p -= 2, memcpy(p, hexPairs + 2 * (u & 255), 2), u >>= 8; while (u);
	text(p, (size_t)(b + sizeof b - p));
}
static int listed; /* elements of the list that is being written */
static void list(void) { listed = 0, buffer[used++] = ' '; }
static void next(void) {
	if (used > BUFFER) flushed();
	if (listed++) buffer[used++] = ',';
}
static void element(long long v) { next(), digits(v); }
static void listEnd(void) { if (!listed) buffer[used++] = '-'; }

/* Calls that are not recorded, but counted. */
typedef struct { const char *name; long long calls, ns; } counted;
static counted others[256];
static int otherCount;

static volatile int inside; /* a call that the library makes within another is not the program's */
static int threads;         /* several threads may call */
static volatile int clashed;
static pthread_t owner;

static int enter(void) {
	if (!recording) return 0;
	if (!threads) return inside ? 0 : (inside = 1);
	if (__sync_lock_test_and_set(&inside, 1)) {
		if (!pthread_equal(owner, pthread_self())) clashed = 1;
		return 0;
	}
	owner = pthread_self();
	return 1;
}
static void leave(void) {
	if (clashed) { /* the rest of the calls has no order */
		text("threads\n", 8), flush(), recording = 0;
		fprintf(stderr, "trace: two threads call MPI at the same time; the trace ends here\n");
	}
	inside = 0;
}
static void head(const char *name, size_t n, long long t, long long u) {
	text(name, n);
	number(t > last ? t - last : 0), number(u > t ? u - t : 0);
	last = prev = u > last ? u : last;
}
static void tail(void) {
	buffer[used++] = '\n';
	stand(cost);
	if (used > BUFFER) flushed();
	leave();
}
/* A test that found nothing. If the program does nothing else between tests, it waits, and the clock stands
 * as it does in a wait; else the test is a part of its computation. A loop around a test takes some
 * instructions, less than NOTHING ns. */
enum { NOTHING = 10 };
/* The library looks for messages in a test. A line says so, at most one in PROGRESS ns. */
enum { PROGRESS = 5000 };
static void poll(long long t, long long u) {
	stand(pollCost);
	if (t - prev <= NOTHING) own += u - prev;
	else if (u - last < PROGRESS) prev = u;
	else {
		head("Poll", 4, t, u), tail();
		return;
	}
	leave();
}
static void found(long long u) { prev = u, stand(pollCost), leave(); }
static void count(counted *x, long long t, long long u) { x->calls++, x->ns += u - t, prev = u, stand(cost), leave(); }
static counted *counter(const char *name) { others[otherCount].name = name; return &others[otherCount++]; }

/* Samples of what was in the memory of messages, by address, show whether the program has written it since
 * its last message. sum is 0 if a message may come. */
enum { ENTRIES = 1 << 10, SAMPLES = 8 };
static struct { const char *at; size_t n; unsigned long long sum; } seen[ENTRIES];

static struct { MPI_Datatype d; long long size; int whole; } type; /* the last one */
static long long size(MPI_Datatype d) {
	if (d == type.d && type.size >= 0) return type.size;
	int n = 0;
	MPI_Aint lb = 0, extent = 0;
	if (d == MPI_DATATYPE_NULL) return 0;
	PMPI_Type_size(d, &n), PMPI_Type_get_extent(d, &lb, &extent);
	type.d = d, type.size = n, type.whole = lb == 0 && extent == n;
	return n;
}
/* The bytes of a message, or 0 if they are not one piece of memory. */
static size_t whole(const void *b, int n, MPI_Datatype d) {
	if (n <= 0 || b == NULL || b == MPI_BOTTOM || d == MPI_DATATYPE_NULL) return 0;
	long long bytes = n * size(d);
	return type.whole ? (size_t)bytes : 0;
}
static unsigned long long sample(const char *b, size_t n) {
	unsigned long long sum = 1469598103934665603ULL, word = 0;
	size_t step = n > 8 * SAMPLES ? n / SAMPLES : 8;
	for (size_t i = 0; i + 8 <= n; i += step) memcpy(&word, b + i, 8), sum = (sum ^ word) * 1099511628211ULL;
	for (size_t i = n < 8 ? 0 : n; i < n; i++) sum = (sum ^ (unsigned char)b[i]) * 1099511628211ULL;
	return sum | 1;
}
static int find(const char *b) { /* where the address is, or may be */
	return (int)((unsigned long long)(size_t)b * 11400714819323198485ULL >> 54) % ENTRIES;
}
static int sending(const void *b, int n, MPI_Datatype d) { /* reports whether the memory was written */
	size_t bytes = whole(b, n, d);
	if (bytes == 0) return 0;
	unsigned long long sum = sample(b, bytes);
	int i = find(b), same = seen[i].at == b && seen[i].n == bytes && (!seen[i].sum || seen[i].sum == sum);
	seen[i].at = b, seen[i].n = bytes, seen[i].sum = sum;
	return !same;
}
static void received(const void *b, int n, MPI_Datatype d, int there) { /* there: the message has come */
	size_t bytes = whole(b, n, d);
	int i = find(b);
	if (bytes > 0) seen[i].at = b, seen[i].n = bytes, seen[i].sum = there ? sample(b, bytes) : 0;
}

/* Communicators are numbered by each rank in the order of their creation; the line "comm" of one gives the
 * number of the communicator that it was made of and the world's ranks of its members. */
typedef struct { MPI_Comm c; int id, place, size; } communicator;
static communicator *comms;
static int commCount, commRoom, nextComm;
static communicator hit[64];
static MPI_Group world;

static void members(MPI_Group g) {
	int n, run;
	PMPI_Group_size(g, &n);
	int *ranks = malloc(2 * sizeof *ranks * (size_t)(n + 1)), *at = ranks + n;
	for (int i = 0; i < n; i++) ranks[i] = i;
	PMPI_Group_translate_ranks(g, n, ranks, world, at);
	list();
	for (int i = 0; i < n; i += run) { /* first, or first:members:step */
		int step = i + 1 < n ? at[i + 1] - at[i] : 1;
		for (run = 1; i + run < n && at[i + run] - at[i + run - 1] == step;) run++;
		if (run == 2) run = 1;
		element(at[i] == MPI_UNDEFINED ? -1 : at[i]);
		if (run > 1) buffer[used++] = ':', digits(run), buffer[used++] = ':', digits(step);
	}
	listEnd();
	free(ranks);
}
static int define(MPI_Comm c, int parent, MPI_Comm like) {
	int inter = 0;
	MPI_Group g;
	if (c == MPI_COMM_NULL) return -1;
	if (commCount == commRoom) comms = realloc(comms, sizeof *comms * (size_t)(commRoom = 2 * commRoom + 64));
	communicator *x = &comms[commCount++];
	x->c = c, x->id = nextComm++;
	PMPI_Comm_rank(like, &x->place), PMPI_Comm_size(like, &x->size);
	text("comm", 4), number(x->id), number(parent);
	PMPI_Comm_group(like, &g), members(g), PMPI_Group_free(&g);
	PMPI_Comm_test_inter(like, &inter);
	if (inter) PMPI_Comm_remote_group(like, &g), members(g), PMPI_Group_free(&g);
	buffer[used++] = '\n';
	return x->id;
}
static communicator of(MPI_Comm c) {
	size_t key = 0;
	memcpy(&key, &c, sizeof c);
	communicator *h = &hit[(key ^ key >> 6 ^ key >> 12) % 64];
	if (h->id >= 0 && h->c == c) return *h;
	for (int i = 0; i < commCount; i++) if (comms[i].c == c) return *h = comms[i];
	return (communicator){c, -1, 0, 1};
}
static void forget(MPI_Comm c) {
	for (int i = 0; i < commCount; i++) if (comms[i].c == c) comms[i] = comms[--commCount], i = commCount;
	for (int i = 0; i < 64; i++) hit[i].id = -1;
}
/* A communicator of a call that the tracer does not have is defined before the line of its first use. */
static void known(MPI_Comm c) { if (c != MPI_COMM_NULL && of(c).id < 0) define(c, -1, c); }
static void comm(MPI_Comm c) { number(of(c).id); }
/* After the creation: the definition, which the line of the call follows. */
static int created(MPI_Comm of_, MPI_Comm c, MPI_Comm like) {
	long long t = now();
	int id = define(c, of_ == MPI_COMM_NULL ? -1 : of(of_).id, like);
	stand(now() - t);
	return id;
}

static void peer(int rank, int tag) {
	number(rank == MPI_ANY_SOURCE ? -1 : rank == MPI_PROC_NULL ? -2 : rank), number(tag == MPI_ANY_TAG ? -1 : tag);
}
static void memory(const void *b, int n, MPI_Datatype d) {
	buffer[used++] = ' ', address(whole(b, n, d) ? (long long)(size_t)b : 0), number(n * size(d));
}
static void message(const void *b, int n, MPI_Datatype d, int p, int tag, MPI_Comm c) {
	memory(b, n, d), peer(p, tag), comm(c);
}
static long long handle(MPI_Request r) {
	long long v = 0;
	memcpy(&v, &r, sizeof r);
	return v;
}
static void request(const MPI_Request *r) { buffer[used++] = ' ', address(handle(*r)); }

/* Receives of any source or any tag that have not ended, by request. When one ends, the line "matched" before
 * that of the call says which message it took. */
enum { WILD = 64 };
static MPI_Request wild[WILD];
static int wildCount;
static void wildcard(MPI_Request r, int p, int tag) {
	if ((p == MPI_ANY_SOURCE || tag == MPI_ANY_TAG) && wildCount < WILD) wild[wildCount++] = r;
}
static void matched(MPI_Request r, const MPI_Status *s) {
	for (int i = 0; i < wildCount; i++) if (wild[i] == r) {
		wild[i] = wild[--wildCount];
		text("matched ", 8), address(handle(r)), peer(s->MPI_SOURCE, s->MPI_TAG), buffer[used++] = '\n';
		if (used > BUFFER) flushed();
		return;
	}
}

/* Requests before a call, which may end them. */
static MPI_Request *asked, asked1[64];
static int askedRoom = 64;
static MPI_Request *room(int n) {
	if (!asked) asked = asked1;
	if (n > askedRoom) asked = asked == asked1 ? malloc(sizeof *asked * (size_t)n) : realloc(asked, sizeof *asked * (size_t)n), askedRoom = n;
	return asked;
}
/* A status of the tracer's where the program passes none. */
static MPI_Status status1, *statuses;
static int statusRoom;
static MPI_Status *status(MPI_Status *s) { return s == MPI_STATUS_IGNORE ? &status1 : s; }
static MPI_Status *statusesOf(int n, MPI_Status *s) {
	if (s != MPI_STATUSES_IGNORE || wildCount == 0) return s;
	if (n > statusRoom) statuses = realloc(statuses, sizeof *s * (size_t)(statusRoom = 2 * n));
	return statuses;
}
static void matchedAll(int n, const MPI_Status *s) {
	for (int i = 0; i < n && wildCount > 0; i++) if (asked[i] != MPI_REQUEST_NULL) matched(asked[i], &s[i]);
}
static void matchedSome(int n, const int at[], const MPI_Status *s) {
	for (int i = 0; i < n && wildCount > 0; i++) matched(asked[at[i]], &s[i]);
}
static void ask(int n, const MPI_Request r[]) { if (n > 0) memcpy(room(n), r, sizeof *r * (size_t)n); }
static void ended(int i) { if (asked[i] != MPI_REQUEST_NULL) next(), address(handle(asked[i])); }
static void endedAll(int n) {
	list();
	for (int i = 0; i < n; i++) ended(i);
	listEnd();
}
static void endedOne(int i) {
	list();
	if (i >= 0) ended(i);
	listEnd();
}
static void endedSome(int n, const int at[], int base) {
	list();
	for (int i = 0; i < n; i++) ended(at[i] - base);
	listEnd();
}

/* Sizes in bytes, one for each rank: "24x3,0" is 24, 24, 24 and 0. */
static void sizes(int n, const int counts[], MPI_Datatype d, const MPI_Datatype each[]) {
	long long one = each ? 0 : size(d), run = 0, before = -1;
	list();
	for (int i = 0; i <= n; i++) {
		long long v = i == n ? -1 : counts[i] * (each ? size(each[i]) : one);
		if (v != before) {
			if (run > 0) element(before);
			if (run > 1) buffer[used++] = 'x', digits(run);
			run = 0, before = v;
		}
		run++;
	}
	listEnd();
}
static int place(MPI_Comm c) { return of(c).place; }
/* As many blocks as a rank has peers. */
static int peers(MPI_Comm c) {
	int inter = 0, n = of(c).size;
	PMPI_Comm_test_inter(c, &inter);
	if (inter) PMPI_Comm_remote_size(c, &n);
	return n;
}
static void collective(long long bytes, int root, MPI_Comm c) {
	int inter = 0; /* MPI_ROOT may be the number of a rank, as in SMPI */
	if (root == MPI_ROOT || root == MPI_PROC_NULL) PMPI_Comm_test_inter(c, &inter);
	number(bytes), number(!inter ? root : root == MPI_ROOT ? -3 : -2), comm(c);
}
static void gather(int n, MPI_Datatype d, int n2, MPI_Datatype d2, int root, MPI_Comm c) {
	collective(place(c) == root ? n2 * size(d2) : n * size(d), root, c);
}
static void gatherv(int n, MPI_Datatype d, const int counts[], MPI_Datatype d2, int root, MPI_Comm c) {
	collective(0, root, c);
	if (place(c) == root) sizes(peers(c), counts, d2, NULL);
	else number(n * size(d));
}
/* The blocks that the rank sends to each, and receives from each. */
static void alltoallv(int inPlace, const int counts[], MPI_Datatype d, const MPI_Datatype each[], const int counts2[], MPI_Datatype d2, const MPI_Datatype each2[], MPI_Comm c) {
	collective(0, 0, c);
	sizes(peers(c), inPlace ? counts2 : counts, inPlace ? d2 : d, inPlace ? each2 : each);
	sizes(peers(c), counts2, d2, each2);
}
/* The ranks from which a rank receives, the sizes, the ranks to which it sends, the sizes. Those who have
 * one size give n and no counts. */
static void neighbours(MPI_Comm c, int n, const int counts[], MPI_Datatype d, const MPI_Datatype each[], int n2, const int counts2[], MPI_Datatype d2, const MPI_Datatype each2[]) {
	int kind = MPI_UNDEFINED, in = 0, to = 0, weighted = 0;
	PMPI_Topo_test(c, &kind);
	if (kind == MPI_CART) PMPI_Cartdim_get(c, &in), to = in *= 2;
	if (kind == MPI_GRAPH) PMPI_Graph_neighbors_count(c, place(c), &in), to = in;
	if (kind == MPI_DIST_GRAPH) PMPI_Dist_graph_neighbors_count(c, &in, &to, &weighted);
	int *from = malloc(sizeof *from * (size_t)(4 * (in + to + 1))), *dest = from + in + 1, *w = dest + to + 1;
	for (int i = 0; kind == MPI_CART && i < in / 2; i++) PMPI_Cart_shift(c, i, 1, &from[2 * i], &from[2 * i + 1]);
	if (kind == MPI_GRAPH) PMPI_Graph_neighbors(c, place(c), in, from);
	if (kind == MPI_DIST_GRAPH) PMPI_Dist_graph_neighbors(c, in, from, w, to, dest, w);
	else memcpy(dest, from, sizeof *from * (size_t)to);
	collective(0, 0, c);
	for (int side = 0; side < 2; side++) {
		int m = side ? to : in, *ranks = side ? dest : from, one = side ? n : n2;
		list();
		for (int i = 0; i < m; i++) element(ranks[i] == MPI_PROC_NULL ? -2 : ranks[i]);
		listEnd();
		for (int i = 0; i < m; i++) w[i] = one;
		if (side) sizes(m, counts ? counts : w, d, each);
		else sizes(m, counts2 ? counts2 : w, d2, each2);
	}
	free(from);
}

/* Messages that were probed, until they are received. */
static struct { MPI_Message m; int source, tag, comm; } probed[64];
static void probe(MPI_Message m, int source, int tag, MPI_Comm c) {
	int i = 0;
	while (i < 63 && probed[i].comm > 0) i++;
	probed[i].m = m, probed[i].source = source, probed[i].tag = tag, probed[i].comm = of(c).id + 1;
}
static int probedSource, probedTag, probedComm;
static void takeProbed(MPI_Message m) {
	probedSource = MPI_PROC_NULL, probedTag = 0, probedComm = 0;
	for (int i = 0; i < 64; i++)
		if (probed[i].comm > 0 && probed[i].m == m) {
			probedSource = probed[i].source, probedTag = probed[i].tag, probedComm = probed[i].comm - 1, probed[i].comm = 0;
			return;
		}
}
static void taken(const void *b, int n, MPI_Datatype d) { memory(b, n, d), peer(probedSource, probedTag), number(probedComm); }

/* What the tracer costs: the difference between calls of a function with it and without, among some work. A
 * processor does both at once in part, so parts of the tracer alone would take less. The least of some rounds
 * counts, since other work on the host makes some longer. */
enum { NONE, TEST, SEND_, KINDS, ROUNDS = 30, CALLS = 50 };
static double worked[64];
static char sentBytes[1024];
__attribute__((noinline)) static void traceCall(int kind) {
	int rank, written = 0;
	if (kind == NONE) {
		PMPI_Comm_rank(MPI_COMM_SELF, &rank);
		return;
	}
	enter();
	if (kind == SEND_) written = sending(sentBytes, sizeof sentBytes, MPI_CHAR), known(MPI_COMM_SELF);
	long long t = now();
	PMPI_Comm_rank(MPI_COMM_SELF, &rank);
	long long u = returned();
	if (kind == TEST) {
		poll(t, u);
		return;
	}
	head("Send", 4, t, u), message(sentBytes, sizeof sentBytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD), number(written), tail();
	if (used > BUFFER / 2) used = 0;
}
static void timeCalls(void) {
	long long least[KINDS], two = 0;
	recording = 1, cost = pollCost = reading = 0;
	for (int round = 0; round < ROUNDS; round++) {
		for (int kind = 0; kind < KINDS; kind++) {
			long long t = clock_();
			for (int i = 0; i < CALLS; i++) {
				for (int k = 0; k < 64; k++) worked[k] = worked[k] * 0.999 + 1e-3 * k;
				traceCall(kind);
			}
			t = clock_() - t;
			if (round == 0 || t < least[kind]) least[kind] = t;
		}
		long long t = clock_();
		t = clockAfter() - t;
		if (round == 0 || t < two) two = t;
	}
	recording = 0, used = 0, reading = two;
	cost = (least[SEND_] - least[NONE]) / CALLS, pollCost = (least[TEST] - least[NONE]) / CALLS;
}

/* What the buffer has goes into the file if the program ends before MPI_Finalize, or calls that in a
 * destructor. A handler of the library or the program comes after this one. */
static void closed(void) { if (recording) flush(); }
static struct sigaction actions[NSIG];
static void crashed(int n) {
	closed(), recording = 0;
	sigaction(n, &actions[n], NULL), raise(n);
}

static long long processorTime(void) {
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return 1000000000LL * (u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1000LL * (u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void opened(int e, int level) {
	int rank, ranks;
	long long run;
	char path[4096];
	const char *dir = getenv("HALFPEAK_TRACE");
	if (e != MPI_SUCCESS || recording) return;
	for (int i = 0; i < 100; i++) pairs[2 * i] = (char)('0' + i / 10), pairs[2 * i + 1] = (char)('0' + i % 10);
	for (int i = 0; i < 512; i++) hexPairs[i] = "0123456789abcdef"[i % 2 ? i / 2 % 16 : i / 32];
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank), PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
	snprintf(path, sizeof path, "%s/trace.%06d", dir ? dir : ".", rank);
	out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0666);
	if (out < 0) fprintf(stderr, "trace: cannot write %s, and this rank is not recorded; HALFPEAK_TRACE names a directory that all ranks can write to\n", path);
	PMPI_Comm_group(MPI_COMM_WORLD, &world);
	for (int i = 0; i < 64; i++) hit[i].id = -1;
	nextComm = 0, define(MPI_COMM_WORLD, -1, MPI_COMM_WORLD), define(MPI_COMM_SELF, -1, MPI_COMM_SELF);
	startClock(), zero = clock_(), type.size = -1, timeCalls();
	run = (long long)time(NULL) * 1000 + getpid() % 1000;
	PMPI_Bcast(&run, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
	used = out < 0 ? 0 : (size_t)snprintf(buffer, LINE, "halfpeak-trace 2 rank %d of %d run %lld\n", rank, ranks, run);
#ifndef SMPI_H /* whose processes share their handlers */
	static const int signals[] = {SIGTERM, SIGINT, SIGSEGV, SIGABRT, SIGFPE, SIGBUS};
	struct sigaction mine = {.sa_handler = crashed, .sa_flags = SA_NODEFER};
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &mine, &actions[signals[i]]);
	atexit(closed);
#endif
	if (out >= 0) flush();
	threads = level == MPI_THREAD_MULTIPLE;
	PMPI_Barrier(MPI_COMM_WORLD); /* all begin here, so the times of ranks begin together */
	zero = clock_(), own = last = prev = tracing = 0, processor = processorTime();
	recording = out >= 0;
}
static void finalized(void) {
	if (!enter()) return;
	long long t = now();
	head("Finalize", 8, t, t), buffer[used++] = '\n';
	for (int i = 0; i < otherCount; i++)
		if (others[i].calls > 0) {
			text("other ", 6), text(others[i].name, strlen(others[i].name)), number(others[i].calls), number(others[i].ns);
			buffer[used++] = '\n';
			if (used > BUFFER) flush();
		}
	/* from MPI_Init to MPI_Finalize, the part of the tracer, and the processor's time */
	text("lasted", 6), number(t + own), number(tracing), number(processorTime() - processor), buffer[used++] = '\n';
	flush();
	if (close(out) || failedToWrite) fprintf(stderr, "trace: a trace was not written whole; is the disk full?\n");
	recording = 0;
}

int MPI_Init(int *c, char ***v) { int e = PMPI_Init(c, v); opened(e, 0); return e; }
int MPI_Init_thread(int *c, char ***v, int r, int *p) { int e = PMPI_Init_thread(c, v, r, p); opened(e, *p); return e; }
int MPI_Finalize(void) { finalized(); return PMPI_Finalize(); }
int MPI_Abort(MPI_Comm c, int e) { closed(); return PMPI_Abort(c, e); }

/* A mark, between which halfpeak simulate --region predicts. */
static void mark(int level) {
	if (!enter()) return;
	long long t = now();
	head("Pcontrol", 8, t, t), number(level), tail();
}
int MPI_Pcontrol(const int level, ...) { mark(level); return MPI_SUCCESS; }

/* A call whose line is written after it. before is done before the clock is read. A call that failed is
 * computation, but for waits, which end requests all the same. */
#define BEFORE(call) if (!enter()) return call
#define TRACED(name, before, line, params, ...) int MPI_##name params { \
	BEFORE(PMPI_##name(__VA_ARGS__)); before; \
	long long t = now(); int e = PMPI_##name(__VA_ARGS__); long long u = returned(); \
	if (e != MPI_SUCCESS && #name[0] != 'W') { found(u); return e; } \
	head(#name, sizeof #name - 1, t, u); line; tail(); return e; }
/* A test has a line if it found something. */
#define TESTED(name, before, flag, line, params, ...) int MPI_##name params { \
	BEFORE(PMPI_##name(__VA_ARGS__)); before; \
	long long t = now(); int e = PMPI_##name(__VA_ARGS__); long long u = returned(); \
	if (!(flag)) { poll(t, u); return e; } \
	line; return e; }
#define LINE_OF(name, line) (head(name, sizeof name - 1, t, u), line, tail())
/* A call that is counted; args in parentheses. */
#define COUNTED(name, params, args) int MPI_##name params { static counted *x; \
	BEFORE(PMPI_##name args); if (!x) x = counter("MPI_" #name); \
	long long t = now(); int e = PMPI_##name args; count(x, t, returned()); return e; }

#define SEND_PARAMS const void *b, int n, MPI_Datatype d, int p, int tag, MPI_Comm c
#define RECV_PARAMS void *b, int n, MPI_Datatype d, int p, int tag, MPI_Comm c
#define MESSAGE b, n, d, p, tag, c
#define SENDING int written = sending(b, n, d); known(c)
#define SEND(name) TRACED(name, SENDING, (message(MESSAGE), number(written)), (SEND_PARAMS), MESSAGE)
#define ISEND(name) TRACED(name, SENDING, (message(MESSAGE), number(written), request(r)), (SEND_PARAMS, MPI_Request *r), MESSAGE, r)
SEND(Send) SEND(Ssend) SEND(Bsend) SEND(Rsend)
ISEND(Isend) ISEND(Issend) ISEND(Ibsend) ISEND(Irsend)
ISEND(Send_init) ISEND(Ssend_init) ISEND(Bsend_init) ISEND(Rsend_init)
/* The line has the message that came, also of a receive of any. */
TRACED(Recv, known(c); s = status(s), (received(b, n, d, 1), message(b, n, d, p == MPI_PROC_NULL ? p : s->MPI_SOURCE, p == MPI_PROC_NULL ? tag : s->MPI_TAG, c)), (RECV_PARAMS, MPI_Status *s), MESSAGE, s)
TRACED(Irecv, known(c), (received(b, n, d, 0), message(MESSAGE), request(r), wildcard(*r, p, tag)), (RECV_PARAMS, MPI_Request *r), MESSAGE, r)
TRACED(Recv_init, known(c), (message(MESSAGE), request(r)), (RECV_PARAMS, MPI_Request *r), MESSAGE, r)
#define CAME(p, tag) (p == MPI_PROC_NULL ? peer(p, tag) : peer(s->MPI_SOURCE, s->MPI_TAG))
TRACED(Sendrecv, SENDING; s = status(s), (received(b2, n2, d2, 1), message(MESSAGE), number(written), memory(b2, n2, d2), CAME(p2, tag2)),
	(const void *b, int n, MPI_Datatype d, int p, int tag, void *b2, int n2, MPI_Datatype d2, int p2, int tag2, MPI_Comm c, MPI_Status *s),
	b, n, d, p, tag, b2, n2, d2, p2, tag2, c, s)
TRACED(Sendrecv_replace, SENDING; s = status(s), (received(b, n, d, 1), message(MESSAGE), number(written), memory(b, n, d), CAME(p2, tag2)),
	(void *b, int n, MPI_Datatype d, int p, int tag, int p2, int tag2, MPI_Comm c, MPI_Status *s), b, n, d, p, tag, p2, tag2, c, s)

TRACED(Start, ask(1, r), endedAll(1), (MPI_Request *r), r)
TRACED(Startall, ask(n, r), endedAll(n), (int n, MPI_Request r[]), n, r)
/* The lines of matches stand before that of the call. */
#define ENDED(name, before, matches, line, params, ...) TESTED(name, before, 1, matches; LINE_OF(#name, line), params, __VA_ARGS__)
ENDED(Wait, ask(1, r); s = status(s), matchedAll(1, s), endedAll(1), (MPI_Request *r, MPI_Status *s), r, s)
ENDED(Waitall, ask(n, r); s = statusesOf(n, s), if (e == MPI_SUCCESS) matchedAll(n, s), endedAll(n), (int n, MPI_Request r[], MPI_Status s[]), n, r, s)
ENDED(Waitany, ask(n, r); s = status(s), if (*i != MPI_UNDEFINED) matched(asked[*i], s), endedOne(*i == MPI_UNDEFINED ? -1 : *i), (int n, MPI_Request r[], int *i, MPI_Status *s), n, r, i, s)
ENDED(Waitsome, ask(n, r); s = statusesOf(n, s), if (*m != MPI_UNDEFINED) matchedSome(*m, at, s), endedSome(*m == MPI_UNDEFINED ? 0 : *m, at, 0), (int n, MPI_Request r[], int *m, int at[], MPI_Status s[]), n, r, m, at, s)
/* A message that has come is not cancelled: the line then names no request. */
static int cancelled(void) {
	int is = 0;
	MPI_Status s;
	if (asked[0] == MPI_REQUEST_NULL) return 0;
	PMPI_Request_get_status(asked[0], &is, &s);
	if (is) PMPI_Test_cancelled(&s, &is);
	return is;
}
TRACED(Cancel, ask(1, r), endedOne(cancelled() ? 0 : -1), (MPI_Request *r), r)
TRACED(Request_free, ask(1, r), endedAll(1), (MPI_Request *r), r)
TESTED(Test, ask(1, r); s = status(s), *f, matchedAll(1, s); LINE_OF("Test", endedAll(1)), (MPI_Request *r, int *f, MPI_Status *s), r, f, s)
TESTED(Testall, ask(n, r); s = statusesOf(n, s), *f, matchedAll(n, s); LINE_OF("Testall", endedAll(n)), (int n, MPI_Request r[], int *f, MPI_Status s[]), n, r, f, s)
TESTED(Testany, ask(n, r); s = status(s), *f, if (*i != MPI_UNDEFINED) matched(asked[*i], s); LINE_OF("Testany", endedOne(*i == MPI_UNDEFINED ? -1 : *i)), (int n, MPI_Request r[], int *i, int *f, MPI_Status *s), n, r, i, f, s)
TESTED(Testsome, ask(n, r); s = statusesOf(n, s), *m, if (*m != MPI_UNDEFINED) matchedSome(*m, at, s); LINE_OF("Testsome", endedSome(*m == MPI_UNDEFINED ? 0 : *m, at, 0)), (int n, MPI_Request r[], int *m, int at[], MPI_Status s[]), n, r, m, at, s)

/* Probes: the receive of what they find has a line of its own. */
#define STATUS MPI_Status mine; s = s == MPI_STATUS_IGNORE ? &mine : s; known(c)
TRACED(Probe, known(c), comm(c), (int p, int tag, MPI_Comm c, MPI_Status *s), p, tag, c, s)
TRACED(Mprobe, STATUS, (comm(c), probe(*m, s->MPI_SOURCE, s->MPI_TAG, c)), (int p, int tag, MPI_Comm c, MPI_Message *m, MPI_Status *s), p, tag, c, m, s)
TESTED(Iprobe, , *f, found(u), (int p, int tag, MPI_Comm c, int *f, MPI_Status *s), p, tag, c, f, s)
TESTED(Improbe, STATUS, *f, (probe(*m, s->MPI_SOURCE, s->MPI_TAG, c), found(u)), (int p, int tag, MPI_Comm c, int *f, MPI_Message *m, MPI_Status *s), p, tag, c, f, m, s)
TRACED(Mrecv, takeProbed(*m), (received(b, n, d, 1), taken(b, n, d)), (void *b, int n, MPI_Datatype d, MPI_Message *m, MPI_Status *s), b, n, d, m, s)
TRACED(Imrecv, takeProbed(*m), (received(b, n, d, 0), taken(b, n, d), request(r)), (void *b, int n, MPI_Datatype d, MPI_Message *m, MPI_Request *r), b, n, d, m, r)

/* A collective and its non-blocking form. P removes the parentheses of parameters and arguments. */
#define P(...) __VA_ARGS__
#define COLLECTIVE(name, iname, line, params, args) \
	TRACED(name, known(c), line, (P params), P args) \
	TRACED(iname, known(c), (line, request(r)), (P params, MPI_Request *r), P args, r)
#define BOTH const void *b, int n, MPI_Datatype d, void *b2, int n2, MPI_Datatype d2
COLLECTIVE(Barrier, Ibarrier, collective(0, 0, c), (MPI_Comm c), (c))
COLLECTIVE(Bcast, Ibcast, collective(n * size(d), root, c), (void *b, int n, MPI_Datatype d, int root, MPI_Comm c), (b, n, d, root, c))
COLLECTIVE(Reduce, Ireduce, collective(n * size(d), root, c), (const void *b, void *b2, int n, MPI_Datatype d, MPI_Op o, int root, MPI_Comm c), (b, b2, n, d, o, root, c))
#define REDUCTION(name, iname) COLLECTIVE(name, iname, collective(n * size(d), 0, c), (const void *b, void *b2, int n, MPI_Datatype d, MPI_Op o, MPI_Comm c), (b, b2, n, d, o, c))
REDUCTION(Allreduce, Iallreduce) REDUCTION(Scan, Iscan) REDUCTION(Exscan, Iexscan) REDUCTION(Reduce_scatter_block, Ireduce_scatter_block)
COLLECTIVE(Reduce_scatter, Ireduce_scatter, (collective(0, 0, c), sizes(peers(c), n, d, NULL)), (const void *b, void *b2, const int n[], MPI_Datatype d, MPI_Op o, MPI_Comm c), (b, b2, n, d, o, c))
COLLECTIVE(Allgather, Iallgather, collective(n2 * size(d2), 0, c), (BOTH, MPI_Comm c), (b, n, d, b2, n2, d2, c))
COLLECTIVE(Alltoall, Ialltoall, collective(n2 * size(d2), 0, c), (BOTH, MPI_Comm c), (b, n, d, b2, n2, d2, c))
COLLECTIVE(Gather, Igather, gather(n, d, n2, d2, root, c), (BOTH, int root, MPI_Comm c), (b, n, d, b2, n2, d2, root, c))
COLLECTIVE(Scatter, Iscatter, gather(n2, d2, n, d, root, c), (BOTH, int root, MPI_Comm c), (b, n, d, b2, n2, d2, root, c))
COLLECTIVE(Allgatherv, Iallgatherv, (collective(0, 0, c), sizes(peers(c), n2, d2, NULL)), (const void *b, int n, MPI_Datatype d, void *b2, const int n2[], const int at2[], MPI_Datatype d2, MPI_Comm c), (b, n, d, b2, n2, at2, d2, c))
COLLECTIVE(Gatherv, Igatherv, gatherv(n, d, n2, d2, root, c), (const void *b, int n, MPI_Datatype d, void *b2, const int n2[], const int at2[], MPI_Datatype d2, int root, MPI_Comm c), (b, n, d, b2, n2, at2, d2, root, c))
COLLECTIVE(Scatterv, Iscatterv, gatherv(n2, d2, n, d, root, c), (const void *b, const int n[], const int at[], MPI_Datatype d, void *b2, int n2, MPI_Datatype d2, int root, MPI_Comm c), (b, n, at, d, b2, n2, d2, root, c))
#define V_PARAMS (const void *b, const int n[], const int at[], MPI_Datatype d, void *b2, const int n2[], const int at2[], MPI_Datatype d2, MPI_Comm c)
#define V_ARGS (b, n, at, d, b2, n2, at2, d2, c)
COLLECTIVE(Alltoallv, Ialltoallv, alltoallv(b == MPI_IN_PLACE, n, d, NULL, n2, d2, NULL, c), V_PARAMS, V_ARGS)
COLLECTIVE(Alltoallw, Ialltoallw, alltoallv(b == MPI_IN_PLACE, n, MPI_DATATYPE_NULL, d, n2, MPI_DATATYPE_NULL, d2, c),
	(const void *b, const int n[], const int at[], const MPI_Datatype d[], void *b2, const int n2[], const int at2[], const MPI_Datatype d2[], MPI_Comm c), V_ARGS)
#define NEIGHBOUR(name, iname) COLLECTIVE(name, iname, neighbours(c, n, NULL, d, NULL, n2, NULL, d2, NULL), (BOTH, MPI_Comm c), (b, n, d, b2, n2, d2, c))
NEIGHBOUR(Neighbor_allgather, Ineighbor_allgather) NEIGHBOUR(Neighbor_alltoall, Ineighbor_alltoall)
COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, neighbours(c, n, NULL, d, NULL, 0, n2, d2, NULL), (const void *b, int n, MPI_Datatype d, void *b2, const int n2[], const int at2[], MPI_Datatype d2, MPI_Comm c), (b, n, d, b2, n2, at2, d2, c))
COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, neighbours(c, 0, n, d, NULL, 0, n2, d2, NULL), V_PARAMS, V_ARGS)
COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, neighbours(c, 0, n, MPI_DATATYPE_NULL, d, 0, n2, MPI_DATATYPE_NULL, d2),
	(const void *b, const int n[], const MPI_Aint at[], const MPI_Datatype d[], void *b2, const int n2[], const MPI_Aint at2[], const MPI_Datatype d2[], MPI_Comm c), V_ARGS)

/* Communicators: the communicator of the call, and the new one's number, or -1. */
#define CREATED(name, params, ...) int MPI_##name params { \
	BEFORE(PMPI_##name(__VA_ARGS__)); known(c); \
	long long t = now(); int e = PMPI_##name(__VA_ARGS__); long long u = returned(); \
	int id = created(c, *new, *new); \
	head(#name, sizeof #name - 1, t, u), comm(c), number(id), tail(); return e; }
CREATED(Comm_dup, (MPI_Comm c, MPI_Comm *new), c, new)
CREATED(Comm_dup_with_info, (MPI_Comm c, MPI_Info i, MPI_Comm *new), c, i, new)
CREATED(Comm_split, (MPI_Comm c, int color, int key, MPI_Comm *new), c, color, key, new)
CREATED(Comm_split_type, (MPI_Comm c, int type, int key, MPI_Info i, MPI_Comm *new), c, type, key, i, new)
CREATED(Comm_create, (MPI_Comm c, MPI_Group g, MPI_Comm *new), c, g, new)
CREATED(Comm_create_group, (MPI_Comm c, MPI_Group g, int tag, MPI_Comm *new), c, g, tag, new)
CREATED(Cart_create, (MPI_Comm c, int n, const int dims[], const int periods[], int reorder, MPI_Comm *new), c, n, dims, periods, reorder, new)
CREATED(Cart_sub, (MPI_Comm c, const int keep[], MPI_Comm *new), c, keep, new)
CREATED(Graph_create, (MPI_Comm c, int n, const int index[], const int edges[], int reorder, MPI_Comm *new), c, n, index, edges, reorder, new)
CREATED(Dist_graph_create, (MPI_Comm c, int n, const int from[], const int degrees[], const int to[], const int w[], MPI_Info i, int reorder, MPI_Comm *new), c, n, from, degrees, to, w, i, reorder, new)
CREATED(Dist_graph_create_adjacent, (MPI_Comm c, int n, const int from[], const int w[], int m, const int to[], const int v[], MPI_Info i, int reorder, MPI_Comm *new), c, n, from, w, m, to, v, i, reorder, new)
CREATED(Intercomm_create, (MPI_Comm c, int leader, MPI_Comm bridge, int remote, int tag, MPI_Comm *new), c, leader, bridge, remote, tag, new)
CREATED(Intercomm_merge, (MPI_Comm c, int high, MPI_Comm *new), c, high, new)
int MPI_Comm_idup(MPI_Comm c, MPI_Comm *new, MPI_Request *r) {
	BEFORE(PMPI_Comm_idup(c, new, r));
	known(c);
	long long t = now();
	int e = PMPI_Comm_idup(c, new, r);
	long long u = returned();
	int id = created(c, *new, c); /* the new one has the same members, and may not be asked yet */
	head("Comm_idup", 9, t, u), comm(c), number(id), request(r), tail();
	return e;
}
static void dropped(MPI_Comm c) { if (recording) forget(c); }
int MPI_Comm_free(MPI_Comm *c) { dropped(*c); return PMPI_Comm_free(c); }
int MPI_Type_free(MPI_Datatype *d) { type.size = -1; return PMPI_Type_free(d); }
int MPI_Comm_disconnect(MPI_Comm *c) { dropped(*c); return PMPI_Comm_disconnect(c); }

#define PUT const void *b, int n, MPI_Datatype d, int p, MPI_Aint at, int n2, MPI_Datatype d2
#define GET void *b, int n, MPI_Datatype d, int p, MPI_Aint at, int n2, MPI_Datatype d2
#define GET_PUT const void *b, int n, MPI_Datatype d, void *b3, int n3, MPI_Datatype d3, int p, MPI_Aint at, int n2, MPI_Datatype d2
COUNTED(Put, (PUT, MPI_Win w), (b, n, d, p, at, n2, d2, w))
COUNTED(Get, (GET, MPI_Win w), (b, n, d, p, at, n2, d2, w))
COUNTED(Accumulate, (PUT, MPI_Op o, MPI_Win w), (b, n, d, p, at, n2, d2, o, w))
COUNTED(Get_accumulate, (GET_PUT, MPI_Op o, MPI_Win w), (b, n, d, b3, n3, d3, p, at, n2, d2, o, w))
COUNTED(Rput, (PUT, MPI_Win w, MPI_Request *r), (b, n, d, p, at, n2, d2, w, r))
COUNTED(Rget, (GET, MPI_Win w, MPI_Request *r), (b, n, d, p, at, n2, d2, w, r))
COUNTED(Raccumulate, (PUT, MPI_Op o, MPI_Win w, MPI_Request *r), (b, n, d, p, at, n2, d2, o, w, r))
COUNTED(Rget_accumulate, (GET_PUT, MPI_Op o, MPI_Win w, MPI_Request *r), (b, n, d, b3, n3, d3, p, at, n2, d2, o, w, r))
COUNTED(Fetch_and_op, (const void *b, void *b2, MPI_Datatype d, int p, MPI_Aint at, MPI_Op o, MPI_Win w), (b, b2, d, p, at, o, w))
COUNTED(Win_create, (void *b, MPI_Aint n, int unit, MPI_Info i, MPI_Comm c, MPI_Win *w), (b, n, unit, i, c, w))
COUNTED(Win_allocate, (MPI_Aint n, int unit, MPI_Info i, MPI_Comm c, void *b, MPI_Win *w), (n, unit, i, c, b, w))
COUNTED(Win_allocate_shared, (MPI_Aint n, int unit, MPI_Info i, MPI_Comm c, void *b, MPI_Win *w), (n, unit, i, c, b, w))
COUNTED(Win_create_dynamic, (MPI_Info i, MPI_Comm c, MPI_Win *w), (i, c, w))
COUNTED(Win_free, (MPI_Win *w), (w))
COUNTED(Win_start, (MPI_Group g, int a, MPI_Win w), (g, a, w))
COUNTED(Win_post, (MPI_Group g, int a, MPI_Win w), (g, a, w))
COUNTED(Win_test, (MPI_Win w, int *f), (w, f))
COUNTED(Win_lock, (int type, int p, int a, MPI_Win w), (type, p, a, w))
#define ON_WINDOW(name) COUNTED(name, (MPI_Win w), (w))
#define WITH_NUMBER(name) COUNTED(name, (int a, MPI_Win w), (a, w))
ON_WINDOW(Win_complete) ON_WINDOW(Win_wait) ON_WINDOW(Win_unlock_all) ON_WINDOW(Win_flush_all) ON_WINDOW(Win_flush_local_all) ON_WINDOW(Win_sync)
WITH_NUMBER(Win_fence) WITH_NUMBER(Win_unlock) WITH_NUMBER(Win_lock_all) WITH_NUMBER(Win_flush) WITH_NUMBER(Win_flush_local)

#define READ(name) COUNTED(name, (MPI_File f, void *b, int n, MPI_Datatype d, MPI_Status *s), (f, b, n, d, s))
#define WRITE(name) COUNTED(name, (MPI_File f, const void *b, int n, MPI_Datatype d, MPI_Status *s), (f, b, n, d, s))
#define READ_AT(name) COUNTED(name, (MPI_File f, MPI_Offset at, void *b, int n, MPI_Datatype d, MPI_Status *s), (f, at, b, n, d, s))
#define WRITE_AT(name) COUNTED(name, (MPI_File f, MPI_Offset at, const void *b, int n, MPI_Datatype d, MPI_Status *s), (f, at, b, n, d, s))
COUNTED(File_open, (MPI_Comm c, const char *name, int mode, MPI_Info i, MPI_File *f), (c, name, mode, i, f))
COUNTED(File_close, (MPI_File *f), (f))
COUNTED(File_delete, (const char *name, MPI_Info i), (name, i))
COUNTED(File_set_view, (MPI_File f, MPI_Offset at, MPI_Datatype d, MPI_Datatype view, const char *form, MPI_Info i), (f, at, d, view, form, i))
READ(File_read) READ(File_read_all) WRITE(File_write) WRITE(File_write_all)
READ_AT(File_read_at) READ_AT(File_read_at_all) WRITE_AT(File_write_at) WRITE_AT(File_write_at_all)
#ifndef SMPI_H
READ(File_read_shared) READ(File_read_ordered) WRITE(File_write_shared) WRITE(File_write_ordered)
COUNTED(Compare_and_swap, (const void *b, const void *b2, void *b3, MPI_Datatype d, int p, MPI_Aint at, MPI_Win w), (b, b2, b3, d, p, at, w))
COUNTED(File_sync, (MPI_File f), (f))
COUNTED(File_set_size, (MPI_File f, MPI_Offset n), (f, n))
COUNTED(File_preallocate, (MPI_File f, MPI_Offset n), (f, n))
COUNTED(File_iread, (MPI_File f, void *b, int n, MPI_Datatype d, MPI_Request *r), (f, b, n, d, r))
COUNTED(File_iwrite, (MPI_File f, const void *b, int n, MPI_Datatype d, MPI_Request *r), (f, b, n, d, r))
COUNTED(File_iread_at, (MPI_File f, MPI_Offset at, void *b, int n, MPI_Datatype d, MPI_Request *r), (f, at, b, n, d, r))
COUNTED(File_iwrite_at, (MPI_File f, MPI_Offset at, const void *b, int n, MPI_Datatype d, MPI_Request *r), (f, at, b, n, d, r))
COUNTED(Comm_spawn, (const char *command, char *v[], int n, MPI_Info i, int root, MPI_Comm c, MPI_Comm *new, int errors[]), (command, v, n, i, root, c, new, errors))
COUNTED(Comm_accept, (const char *port, MPI_Info i, int root, MPI_Comm c, MPI_Comm *new), (port, i, root, c, new))
COUNTED(Comm_connect, (const char *port, MPI_Info i, int root, MPI_Comm c, MPI_Comm *new), (port, i, root, c, new))
#endif

#ifdef OPEN_MPI
/* Fortran: Open MPI's routines call PMPI_ functions, so each has a wrapper here, which passes its
 * arguments on as they are. (MPICH's call MPI_ functions.) a0, a1 … are the addresses of arguments; there
 * may be fewer than the wrapper passes on. Routines of mpi_f08 take the same arguments. */
#define ADDRESSES void *a0, void *a1, void *a2, void *a3, void *a4, void *a5, void *a6, void *a7, void *a8, void *a9, void *a10, void *a11, void *a12, void *a13
#define ADDRESSED a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13
#define I(i) (*(int *)a##i)
#define V(i) ((int *)a##i)
#define D(i) PMPI_Type_f2c(I(i))
#define C(i) PMPI_Comm_f2c(I(i))
#define R(i) (buffer[used++] = ' ', address(handle(PMPI_Request_f2c(I(i)))))
extern int mpi_fortran_in_place_ __attribute__((weak));
#define IN_PLACE(i) ((void *)a##i == (void *)&mpi_fortran_in_place_)

static void askF(int n, const int r[]) {
	room(n > 0 ? n : 1);
	for (int i = 0; i < n; i++) asked[i] = PMPI_Request_f2c(r[i]);
}
static MPI_Datatype *typesF[2];
static MPI_Datatype *types(int side, int n, const int d[]) {
	typesF[side] = realloc(typesF[side], sizeof **typesF * (size_t)(n + 1));
	for (int i = 0; i < n; i++) typesF[side][i] = PMPI_Type_f2c(d[i]);
	return typesF[side];
}
static int degree(MPI_Comm c, int out_) { /* neighbours of a rank */
	int kind = MPI_UNDEFINED, in = 0, to = 0, weighted = 0;
	PMPI_Topo_test(c, &kind);
	if (kind == MPI_CART) PMPI_Cartdim_get(c, &in), to = in *= 2;
	if (kind == MPI_GRAPH) PMPI_Graph_neighbors_count(c, place(c), &in), to = in;
	if (kind == MPI_DIST_GRAPH) PMPI_Dist_graph_neighbors_count(c, &in, &to, &weighted);
	return out_ ? to : in;
}

#define CALL_F(f, before, after) if (!enter()) { pmpi_##f##_(ADDRESSED); return; } \
	before; long long t = now(); pmpi_##f##_(ADDRESSED); long long u = returned(); after
#define ROUTINES(f, before, after) extern void pmpi_##f##_(ADDRESSES) __attribute__((weak)); \
	void mpi_##f##_(ADDRESSES) { CALL_F(f, before, after); } \
	void mpi_##f##_f08_(ADDRESSES) { CALL_F(f, before, after); }
#define TRACED_F(f, name, before, line) ROUTINES(f, before, LINE_OF(name, (line)))
#define TESTED_F(f, name, before, flag, line) ROUTINES(f, before, if (!(flag)) { poll(t, u); return; } LINE_OF(name, (line)))

#define MESSAGE_F a0, I(1), D(2), I(3), I(4), C(5)
#define SENDING_F int written = sending(a0, I(1), D(2)); known(C(5))
#define SEND_F(f, name) TRACED_F(f, name, SENDING_F, (message(MESSAGE_F), number(written)))
#define ISEND_F(f, name) TRACED_F(f, name, SENDING_F, (message(MESSAGE_F), number(written), R(6)))
SEND_F(send, "Send") SEND_F(ssend, "Ssend") SEND_F(bsend, "Bsend") SEND_F(rsend, "Rsend")
ISEND_F(isend, "Isend") ISEND_F(issend, "Issend") ISEND_F(ibsend, "Ibsend") ISEND_F(irsend, "Irsend")
ISEND_F(send_init, "Send_init") ISEND_F(ssend_init, "Ssend_init") ISEND_F(bsend_init, "Bsend_init") ISEND_F(rsend_init, "Rsend_init")
TRACED_F(recv, "Recv", known(C(5)), (received(a0, I(1), D(2), 1), message(MESSAGE_F)))
TRACED_F(irecv, "Irecv", known(C(5)), (received(a0, I(1), D(2), 0), message(MESSAGE_F), R(6)))
TRACED_F(recv_init, "Recv_init", known(C(5)), (message(MESSAGE_F), R(6)))
TRACED_F(sendrecv, "Sendrecv", int written = sending(a0, I(1), D(2)); known(C(10)),
	(received(a5, I(6), D(7), 1), message(a0, I(1), D(2), I(3), I(4), C(10)), number(written), memory(a5, I(6), D(7)), peer(I(8), I(9))))
TRACED_F(sendrecv_replace, "Sendrecv_replace", int written = sending(a0, I(1), D(2)); known(C(7)),
	(received(a0, I(1), D(2), 1), message(a0, I(1), D(2), I(3), I(4), C(7)), number(written), memory(a0, I(1), D(2)), peer(I(5), I(6))))
TRACED_F(start, "Start", askF(1, V(0)), endedAll(1))
TRACED_F(startall, "Startall", askF(I(0), V(1)), endedAll(I(0)))
TRACED_F(wait, "Wait", askF(1, V(0)), endedAll(1))
TRACED_F(waitall, "Waitall", askF(I(0), V(1)), endedAll(I(0)))
TRACED_F(waitany, "Waitany", askF(I(0), V(1)), endedOne(I(2) == MPI_UNDEFINED ? -1 : I(2) - 1))
TRACED_F(waitsome, "Waitsome", askF(I(0), V(1)), endedSome(I(2) == MPI_UNDEFINED ? 0 : I(2), V(3), 1))
TRACED_F(cancel, "Cancel", askF(1, V(0)), endedOne(cancelled() ? 0 : -1))
TRACED_F(request_free, "Request_free", askF(1, V(0)), endedAll(1))
TESTED_F(test, "Test", askF(1, V(0)), I(1), endedAll(1))
TESTED_F(testall, "Testall", askF(I(0), V(1)), I(2), endedAll(I(0)))
TESTED_F(testany, "Testany", askF(I(0), V(1)), I(3), endedOne(I(2) == MPI_UNDEFINED ? -1 : I(2) - 1))
TESTED_F(testsome, "Testsome", askF(I(0), V(1)), I(2), endedSome(I(2) == MPI_UNDEFINED ? 0 : I(2), V(3), 1))
static int statusF[sizeof(MPI_Status) / sizeof(int)];
#define STATUS_F(i) if ((void *)a##i == (void *)MPI_F_STATUS_IGNORE) a##i = statusF
static MPI_Status statusOf(const int *f) {
	MPI_Status s;
	PMPI_Status_f2c((MPI_Fint *)f, &s);
	return s;
}
#define PROBED_F(m, s, c) probe(PMPI_Message_f2c(I(m)), statusOf(V(s)).MPI_SOURCE, statusOf(V(s)).MPI_TAG, C(c))
TRACED_F(probe, "Probe", known(C(2)), comm(C(2)))
ROUTINES(iprobe, , if (!I(3)) poll(t, u); else found(u))
TRACED_F(mprobe, "Mprobe", known(C(2)); STATUS_F(4), (comm(C(2)), PROBED_F(3, 4, 2)))
ROUTINES(improbe, known(C(2)); STATUS_F(5), if (!I(3)) { poll(t, u); return; } PROBED_F(4, 5, 2); found(u))
TRACED_F(mrecv, "Mrecv", takeProbed(PMPI_Message_f2c(I(3))), (received(a0, I(1), D(2), 1), taken(a0, I(1), D(2))))
TRACED_F(imrecv, "Imrecv", takeProbed(PMPI_Message_f2c(I(3))), (received(a0, I(1), D(2), 0), taken(a0, I(1), D(2)), R(4)))

/* c is the index of the communicator, r that of the request. */
#define COLLECTIVE_F(f, name, iname, c, r, line) TRACED_F(f, name, known(C(c)), line) TRACED_F(i##f, iname, known(C(c)), (line, R(r)))
COLLECTIVE_F(barrier, "Barrier", "Ibarrier", 0, 1, collective(0, 0, C(0)))
COLLECTIVE_F(bcast, "Bcast", "Ibcast", 4, 5, collective(I(1) * size(D(2)), I(3), C(4)))
COLLECTIVE_F(reduce, "Reduce", "Ireduce", 6, 7, collective(I(2) * size(D(3)), I(5), C(6)))
COLLECTIVE_F(allreduce, "Allreduce", "Iallreduce", 5, 6, collective(I(2) * size(D(3)), 0, C(5)))
COLLECTIVE_F(scan, "Scan", "Iscan", 5, 6, collective(I(2) * size(D(3)), 0, C(5)))
COLLECTIVE_F(exscan, "Exscan", "Iexscan", 5, 6, collective(I(2) * size(D(3)), 0, C(5)))
COLLECTIVE_F(reduce_scatter_block, "Reduce_scatter_block", "Ireduce_scatter_block", 5, 6, collective(I(2) * size(D(3)), 0, C(5)))
COLLECTIVE_F(reduce_scatter, "Reduce_scatter", "Ireduce_scatter", 5, 6, (collective(0, 0, C(5)), sizes(peers(C(5)), V(2), D(3), NULL)))
COLLECTIVE_F(allgather, "Allgather", "Iallgather", 6, 7, collective(I(4) * size(D(5)), 0, C(6)))
COLLECTIVE_F(alltoall, "Alltoall", "Ialltoall", 6, 7, collective(I(4) * size(D(5)), 0, C(6)))
COLLECTIVE_F(gather, "Gather", "Igather", 7, 8, gather(I(1), D(2), I(4), D(5), I(6), C(7)))
COLLECTIVE_F(scatter, "Scatter", "Iscatter", 7, 8, gather(I(4), D(5), I(1), D(2), I(6), C(7)))
COLLECTIVE_F(allgatherv, "Allgatherv", "Iallgatherv", 7, 8, (collective(0, 0, C(7)), sizes(peers(C(7)), V(4), D(6), NULL)))
COLLECTIVE_F(gatherv, "Gatherv", "Igatherv", 8, 9, gatherv(I(1), D(2), V(4), D(6), I(7), C(8)))
COLLECTIVE_F(scatterv, "Scatterv", "Iscatterv", 8, 9, gatherv(I(5), D(6), V(1), D(3), I(7), C(8)))
COLLECTIVE_F(alltoallv, "Alltoallv", "Ialltoallv", 8, 9, alltoallv(IN_PLACE(0), V(1), D(3), NULL, V(5), D(7), NULL, C(8)))
COLLECTIVE_F(alltoallw, "Alltoallw", "Ialltoallw", 8, 9, alltoallv(IN_PLACE(0), V(1), MPI_DATATYPE_NULL, IN_PLACE(0) ? NULL : types(0, peers(C(8)), V(3)), V(5), MPI_DATATYPE_NULL, types(1, peers(C(8)), V(7)), C(8)))
COLLECTIVE_F(neighbor_allgather, "Neighbor_allgather", "Ineighbor_allgather", 6, 7, neighbours(C(6), I(1), NULL, D(2), NULL, I(4), NULL, D(5), NULL))
COLLECTIVE_F(neighbor_alltoall, "Neighbor_alltoall", "Ineighbor_alltoall", 6, 7, neighbours(C(6), I(1), NULL, D(2), NULL, I(4), NULL, D(5), NULL))
COLLECTIVE_F(neighbor_allgatherv, "Neighbor_allgatherv", "Ineighbor_allgatherv", 7, 8, neighbours(C(7), I(1), NULL, D(2), NULL, 0, V(4), D(6), NULL))
COLLECTIVE_F(neighbor_alltoallv, "Neighbor_alltoallv", "Ineighbor_alltoallv", 8, 9, neighbours(C(8), 0, V(1), D(3), NULL, 0, V(5), D(7), NULL))
COLLECTIVE_F(neighbor_alltoallw, "Neighbor_alltoallw", "Ineighbor_alltoallw", 8, 9,
	neighbours(C(8), 0, V(1), MPI_DATATYPE_NULL, types(0, degree(C(8), 1), V(3)), 0, V(5), MPI_DATATYPE_NULL, types(1, degree(C(8), 0), V(7))))

/* c and new are the indices of the communicators. */
#define CREATED_F(f, name, c, new) ROUTINES(f, known(C(c)), int id = created(C(c), C(new), C(new)); LINE_OF(name, (comm(C(c)), number(id))))
CREATED_F(comm_dup, "Comm_dup", 0, 1) CREATED_F(comm_dup_with_info, "Comm_dup_with_info", 0, 2)
CREATED_F(comm_split, "Comm_split", 0, 3) CREATED_F(comm_split_type, "Comm_split_type", 0, 4)
CREATED_F(comm_create, "Comm_create", 0, 2) CREATED_F(comm_create_group, "Comm_create_group", 0, 3)
CREATED_F(cart_create, "Cart_create", 0, 5) CREATED_F(cart_sub, "Cart_sub", 0, 2) CREATED_F(graph_create, "Graph_create", 0, 5)
CREATED_F(dist_graph_create, "Dist_graph_create", 0, 8) CREATED_F(dist_graph_create_adjacent, "Dist_graph_create_adjacent", 0, 9)
CREATED_F(intercomm_create, "Intercomm_create", 0, 5) CREATED_F(intercomm_merge, "Intercomm_merge", 0, 2)
ROUTINES(comm_idup, known(C(0)), int id = created(C(0), C(1), C(0)); LINE_OF("Comm_idup", (comm(C(0)), number(id), R(2))))

#define ALWAYS_F(f, before, after) extern void pmpi_##f##_(ADDRESSES) __attribute__((weak)); \
	void mpi_##f##_(ADDRESSES) { before; pmpi_##f##_(ADDRESSED); after; } \
	void mpi_##f##_f08_(ADDRESSES) { before; pmpi_##f##_(ADDRESSED); after; }
ALWAYS_F(init, , opened(MPI_SUCCESS, 0))
ALWAYS_F(init_thread, , opened(MPI_SUCCESS, I(1)))
ALWAYS_F(finalize, finalized(), )
ALWAYS_F(abort, closed(), )
ALWAYS_F(pcontrol, mark(I(0)), )
ALWAYS_F(comm_free, dropped(C(0)), )
ALWAYS_F(type_free, type.size = -1, )
ALWAYS_F(comm_disconnect, dropped(C(0)), )

#define COUNTED_F(f, name) static counted *f##Counter; \
	ROUTINES(f, if (!f##Counter) f##Counter = counter("MPI_" name), count(f##Counter, t, u))
COUNTED_F(put, "Put") COUNTED_F(get, "Get") COUNTED_F(accumulate, "Accumulate") COUNTED_F(get_accumulate, "Get_accumulate")
COUNTED_F(rput, "Rput") COUNTED_F(rget, "Rget") COUNTED_F(fetch_and_op, "Fetch_and_op") COUNTED_F(compare_and_swap, "Compare_and_swap")
COUNTED_F(win_create, "Win_create") COUNTED_F(win_allocate, "Win_allocate") COUNTED_F(win_allocate_shared, "Win_allocate_shared") COUNTED_F(win_free, "Win_free")
COUNTED_F(win_fence, "Win_fence") COUNTED_F(win_start, "Win_start") COUNTED_F(win_complete, "Win_complete") COUNTED_F(win_post, "Win_post") COUNTED_F(win_wait, "Win_wait")
COUNTED_F(win_lock, "Win_lock") COUNTED_F(win_unlock, "Win_unlock") COUNTED_F(win_lock_all, "Win_lock_all") COUNTED_F(win_unlock_all, "Win_unlock_all")
COUNTED_F(win_flush, "Win_flush") COUNTED_F(win_flush_all, "Win_flush_all")
COUNTED_F(file_open, "File_open") COUNTED_F(file_close, "File_close") COUNTED_F(file_set_view, "File_set_view")
COUNTED_F(file_read, "File_read") COUNTED_F(file_read_all, "File_read_all") COUNTED_F(file_write, "File_write") COUNTED_F(file_write_all, "File_write_all")
COUNTED_F(file_read_at, "File_read_at") COUNTED_F(file_read_at_all, "File_read_at_all") COUNTED_F(file_write_at, "File_write_at") COUNTED_F(file_write_at_all, "File_write_at_all")
#endif
