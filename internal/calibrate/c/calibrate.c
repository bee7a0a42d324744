/* calibrate measures what the messages of an MPI job cost, for "halfpeak fit".
 *
 *   mpicc -O2 calibrate.c -o calibrate
 *   srun -N 4 --ntasks-per-node=64 ./calibrate > me.csv
 *   halfpeak fit me.csv --save me.toml
 *
 * C99, and calls of MPI 3.0. It prints comments about the job and one CSV; each row is flushed, so
 * the rows of an interrupted run count. Options: see usage().
 *
 * Levels. The innermost are units that share a last-level cache and a socket, from the ranks'
 * affinity and /sys; then hosts; then groups of hosts that are closer to each other than to the
 * rest, from one-byte round trips of all pairs of hosts (up to 64). A pair of ranks meets at the
 * innermost level with a unit that contains both.
 *
 * Method. Cases are measured in passes of shuffled order until the intervals of their medians are
 * narrow, or the time is over (ReproMPI; Hunold, Carpen-Amarie 2016). A row is one pass: the
 * median of its samples with a 95 % interval by order statistics; outliers stay in and are counted.
 * Round trips and bursts are timed by one clock. Everything else begins at an agreed time of a
 * global clock, a sample that somebody began late is repeated (SKaMPI's windows); offsets come from
 * the fastest of several round trips up a binomial tree of ranks, and the drift from two of them
 * (HCA, Hunold and Carpen-Amarie 2018). Collectives of ranks that share processors begin behind a
 * barrier: at the agreed time some of them have no processor. */
#define _GNU_SOURCE
#if defined __GNUC__ && __GNUC__ >= 7
#pragma GCC diagnostic ignored "-Wstringop-overflow" /* of MPICH's MPI_STATUSES_IGNORE, a fake address */
#endif
#include <mpi.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __linux__
#include <sched.h>
#include <unistd.h>
#endif

enum { MAXLEVELS = 8, MAXHOSTS = 64, MAXREPEATS = 64, MAXPASSES = 8, PEERS = 4, TAG = 7 };
#ifdef WAIT_BY_SLEEP
#define SAMPLE 2e-6 /* seconds of a sample at least; in a simulator all are alike */
#define FREE_TESTS 0 /* a test that finds nothing takes a simulator's time */
#else
#define SAMPLE 1e-5
#define FREE_TESTS 1
#endif
static const size_t LARGEST = 4 << 20; /* bytes of a message, and of the buffers of a burst */

enum what { PINGPONG, STREAM, MIXED, SEND, RECEIVE, LATE, BLOCKED, EXCHANGE, RELAY, FRESH, BESIDE, FANOUT, FANFIRST, TWOFIRST, NEARFAR, FANIN, COMBINE, COPY, BARRIER, BCAST, ALLREDUCE, ALLGATHER, ALLTOALL, REDUCE, SCATTER, KINDS };
static const char *const names[KINDS] = {"pingpong", "stream", "mixed_stream", "send", "receive", "late_receive", "late_send", "exchange", "relay", "fresh", "beside",
	"fan_out", "fan_first", "two_first", "near_far", "fan_in", "combine", "copy", "barrier", "bcast", "allreduce", "allgather", "alltoall", "reduce", "scatter"};

/* A task is one case. Its ranks are src[i] and dst[i] of pairs i < k, or the root src[0] and dst[i]. */
typedef struct {
	int what, level, out, k, variant; /* out: the pairs leave a unit of the level */
	long size;
	int repeats, inner, burst; /* inner: calls per sample; burst: messages per sample */
	double begin, slot;        /* of the first sample, and between samples, in global seconds */
	int passes;
	double medians[MAXPASSES], spread;
} Task;

static int rank, ranks = 1;
static int levels;
static char levelName[MAXLEVELS][16];
static int *unitOf[MAXLEVELS]; /* by rank: units numbered from 0 */
static int holds[MAXLEVELS];
static int *hostOf, hosts;
static int ends[2]; /* the nearest and the farthest rank from rank 0 on other hosts; 0 if they are not known */
static double tick, started, budget = 120;
static int cold, passesWanted, onlyCollectives, mostRepeats = 30;
static unsigned long seed = 1;
static char *sendBuffer, *receiveBuffer;
static size_t bufferBytes, coldAt;
static int *src, *dst;
static MPI_Request *requests;
static FILE *csv;
static MPI_Comm versus = MPI_COMM_NULL; /* of collectives with another choice of algorithm */

static unsigned long draw(void) { /* xorshift; the same numbers on all ranks */
	seed ^= seed << 13; seed &= 0xffffffffffffffffUL;
	seed ^= seed >> 7;
	seed ^= seed << 17; seed &= 0xffffffffffffffffUL;
	return seed;
}

/* put writes a line to the table. Its writer must know: a launcher may drop what does not fit on a disk. */
static void put(const char *format, ...) {
	va_list args;
	va_start(args, format);
	vfprintf(csv, format, args);
	va_end(args);
	if (strchr(format, '\n') && (fflush(csv) != 0 || ferror(csv))) {
		fprintf(stderr, "calibrate: cannot write the table (%s); free the disk, or name another file with --output\n", strerror(errno));
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
}

/* warn tells the user now, and fit later. */
static void warn(const char *format, ...) {
	char text[256];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (rank == 0) fprintf(stderr, "calibrate: %s\n", text), put("# warning: %s\n", text);
}

static void fail(const char *text) {
	if (rank == 0) fprintf(stderr, "calibrate: %s\n", text);
	MPI_Finalize();
	exit(1);
}

/* ---- the global clock ---- */

static double offset, drift, syncedAt; /* global = local − offset − drift·(local − syncedAt) */
static int synced;
static int crowded; /* ranks take turns on processors */

static double globalTime(double local) { return local - offset - drift * (local - syncedAt); }
static double localTime(double global) { /* drift is some 1e-5: one step of the inverse is enough */
	double local = global + offset;
	return local + drift * (local - syncedAt);
}

static double peerOffset(int reference, int other) { /* at other: its clock less the reference's */
	double best = 1e9, result = 0, theirs;
	for (int i = 0; i < 40; i++) {
		if (rank == other) {
			double a = MPI_Wtime();
			MPI_Send(&a, 1, MPI_DOUBLE, reference, TAG, MPI_COMM_WORLD);
			MPI_Recv(&theirs, 1, MPI_DOUBLE, reference, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			double b = MPI_Wtime();
			if (b - a < best) best = b - a, result = (a + b) / 2 - theirs;
		} else {
			MPI_Recv(&theirs, 1, MPI_DOUBLE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			double now = MPI_Wtime();
			MPI_Send(&now, 1, MPI_DOUBLE, other, TAG, MPI_COMM_WORLD);
		}
	}
	return result;
}

static void synchronize(void) {
	double mine = 0;
	int top = 1;
	while (top < ranks) top *= 2;
	for (int bit = 1; bit < top; bit *= 2) { /* rank r of [bit, 2·bit) asks r − bit, which knows its own */
		if (rank < bit && rank + bit < ranks) {
			peerOffset(rank, rank + bit);
			MPI_Send(&mine, 1, MPI_DOUBLE, rank + bit, TAG, MPI_COMM_WORLD);
		} else if (rank >= bit && rank < 2 * bit) {
			double theirs, d = peerOffset(rank - bit, rank);
			MPI_Recv(&theirs, 1, MPI_DOUBLE, rank - bit, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			mine = theirs + d;
		}
	}
	double now = MPI_Wtime();
	if (synced && now - syncedAt > 0.5) drift = (mine - offset) / (now - syncedAt);
	if (fabs(drift) > 1e-3) drift = 0;
	offset = mine, syncedAt = now, synced = 1;
}

static void waitUntil(double local) {
#ifdef WAIT_BY_SLEEP /* for simulators, in which a clock that is read stands still */
	double left = local - MPI_Wtime();
	if (left > 0) {
		struct timespec t = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
		nanosleep(&t, NULL);
	}
#endif
	while (MPI_Wtime() < local) {
#ifdef __linux__
		if (crowded) sched_yield(); /* or the ranks that are not on a processor begin slices of time later */
#endif
	}
}

/* ---- where ranks are ---- */

static char sys[256] = "/sys";

static int readLine(const char *path, char *text, int n) {
	FILE *f = fopen(path, "r");
	if (!f) return 0;
	int ok = fgets(text, n, f) != NULL;
	fclose(f);
	return ok;
}

/* Of a processor: its package, and the first processor of its last-level cache; −1 if not known. */
static void whereIs(int cpu, int *package, int *cache) {
	char path[400], text[256];
	*package = *cache = -1;
	snprintf(path, sizeof path, "%s/devices/system/cpu/cpu%d/topology/physical_package_id", sys, cpu);
	if (readLine(path, text, sizeof text)) *package = atoi(text);
	int deepest = 0;
	for (int i = 0; i < 8; i++) {
		snprintf(path, sizeof path, "%s/devices/system/cpu/cpu%d/cache/index%d/level", sys, cpu, i);
		if (!readLine(path, text, sizeof text)) break;
		int level = atoi(text);
		snprintf(path, sizeof path, "%s/devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list", sys, cpu, i);
		if (level > deepest && readLine(path, text, sizeof text)) deepest = level, *cache = atoi(text);
	}
	if (deepest < 2) *cache = -1;
}

static unsigned long hash(const char *s) {
	unsigned long h = 1469598103934665603UL;
	for (; *s; s++) h = (h ^ (unsigned char)*s) * 1099511628211UL;
	return h >> 1;
}

/* number renames keys to 0, 1, … in the order in which they come; the result is how many there are. */
static int number(const long *keys, int *out) {
	int size = 1, count = 0;
	while (size < 2 * ranks) size *= 2;
	int *table = malloc(sizeof(int) * (size_t)size);
	for (int i = 0; i < size; i++) table[i] = -1;
	for (int r = 0; r < ranks; r++) {
		unsigned long at = (unsigned long)keys[r] * 11400714819323198485UL >> 20;
		for (at &= (unsigned long)size - 1; table[at] >= 0 && keys[table[at]] != keys[r]; at = (at + 1) & ((unsigned long)size - 1)) {}
		if (table[at] < 0) table[at] = r, out[r] = count++;
		else out[r] = out[table[at]];
	}
	free(table);
	return count;
}

static int unitsOf(const int *unit) {
	int n = 0;
	for (int r = 0; r < ranks; r++) if (unit[r] >= n) n = unit[r] + 1;
	return n;
}

static void addLevel(const char *name, const int *unit) {
	/* A level whose units have one unit of the next inner level each has no pair of ranks. */
	int inside = levels ? unitsOf(unitOf[levels - 1]) : ranks;
	if (unitsOf(unit) == inside || levels == MAXLEVELS) {
		if (levels && strcmp(name, "node") == 0) strcpy(levelName[levels - 1], name);
		return;
	}
	unitOf[levels] = malloc(sizeof(int) * (size_t)ranks);
	memcpy(unitOf[levels], unit, sizeof(int) * (size_t)ranks);
	snprintf(levelName[levels++], sizeof levelName[0], "%s", name);
}

/* groups finds hosts that are near each other: classes by a distance below a gap in the distances. */
static int compareDoubles(const void *a, const void *b) { double x = *(const double *)a, y = *(const double *)b; return (x > y) - (x < y); }

static int classes(const double *d, int n, double below, int *of) {
	int count = 0;
	for (int i = 0; i < n; i++) of[i] = -1;
	for (int i = 0; i < n; i++) if (of[i] < 0) {
		for (int j = i; j < n; j++) if (j == i || d[i * n + j] < below) {
			if (of[j] >= 0) return 0; /* near to two that are not near each other */
			of[j] = count;
		}
		count++;
	}
	for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)
		if (i != j && (d[i * n + j] < below) != (of[i] == of[j])) return 0;
	return count;
}

static void measureHosts(double *d, const int *first) { /* least one-way time of a byte, all pairs */
	int n = hosts + hosts % 2, me = -1;
	char byte = 0;
	for (int h = 0; h < hosts; h++) if (first[h] == rank) me = h;
	memset(d, 0, sizeof(double) * (size_t)(hosts * hosts));
	for (int round = 0; round < n - 1 && me >= 0; round++) { /* a tournament: who meets whom */
		int other = me == n - 1 ? round : (2 * round - me + 2 * (n - 1)) % (n - 1);
		if (me != n - 1 && other == me) other = n - 1;
		if (other >= hosts || other == me) continue;
		double best = 1e9;
		for (int i = 0; i < 30; i++) {
			double t = MPI_Wtime();
			if (me < other) {
				MPI_Send(&byte, 1, MPI_CHAR, first[other], TAG, MPI_COMM_WORLD);
				MPI_Recv(&byte, 1, MPI_CHAR, first[other], TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			} else {
				MPI_Recv(&byte, 1, MPI_CHAR, first[other], TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
				MPI_Send(&byte, 1, MPI_CHAR, first[other], TAG, MPI_COMM_WORLD);
			}
			t = (MPI_Wtime() - t) / 2;
			if (me < other && t < best) best = t;
		}
		if (me < other) d[me * hosts + other] = best;
	}
	MPI_Allreduce(MPI_IN_PLACE, d, hosts * hosts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	for (int i = 0; i < hosts; i++) for (int j = 0; j < i; j++) d[i * hosts + j] = d[j * hosts + i];
}

static void findGroups(void) {
	if (hosts < 4 || hosts > MAXHOSTS) return;
	int *first = malloc(sizeof(int) * (size_t)hosts), of[MAXHOSTS], *unit = malloc(sizeof(int) * (size_t)ranks);
	double *d = malloc(sizeof(double) * (size_t)(hosts * hosts)), *all = malloc(sizeof(double) * (size_t)(hosts * hosts));
	for (int r = ranks - 1; r >= 0; r--) first[hostOf[r]] = r;
	measureHosts(d, first);
	int n = 0, found = 0;
	for (int i = 0; i < hosts; i++) for (int j = 0; j < i; j++) all[n++] = d[i * hosts + j];
	if (rank == 0) { /* for topologies that are no levels: each host with those before it */
		put("# distances ");
		for (int i = 0; i < n; i++) put("%s%.3f", i ? "," : "", 1e6 * all[i]);
		put("\n");
	}
	int end[2] = {1, 1};
	for (int i = 2; i < hosts; i++) {
		if (1.02 * d[i] < d[end[0]]) end[0] = i;
		if (d[i] > 1.02 * d[end[1]]) end[1] = i;
	}
	for (int i = 0; i < 2 && d[end[1]] > 1.2 * d[end[0]]; i++) ends[i] = first[end[i]];
	qsort(all, (size_t)n, sizeof(double), compareDoubles);
	for (int i = 0; i + 1 < n && found < 2; i++) {
		if (all[i + 1] < 1.08 * all[i]) continue;
		int count = classes(d, hosts, (all[i] + all[i + 1]) / 2, of);
		if (count < 2 || 2 * count > hosts) continue;
		for (int r = 0; r < ranks; r++) unit[r] = of[hostOf[r]];
		addLevel(found++ ? "group" : "switch", unit);
	}
	free(first), free(unit), free(d), free(all);
}

static int listed(const char *list, int i) { /* the i-th number of a list, which begins again at its end */
	int n = 1;
	for (const char *c = list; *c; c++) n += *c == ',';
	for (i %= n; i > 0; i--) list = strchr(list, ',') + 1;
	return atoi(list);
}

static void findLevels(const char *cpus, const char *hostList) {
	char host[MPI_MAX_PROCESSOR_NAME + 16];
	int length, package = -1, cache = -1, affine = 0;
	MPI_Get_processor_name(host, &length);
	host[length] = 0;
	if (hostList) snprintf(host, sizeof host, "%d", listed(hostList, rank));
	if (cpus) whereIs(listed(cpus, rank), &package, &cache), affine = 1;
#ifdef __linux__
	else {
		cpu_set_t set;
		CPU_ZERO(&set);
		if (sched_getaffinity(0, sizeof set, &set) == 0)
			for (int c = 0; c < CPU_SETSIZE; c++) if (CPU_ISSET(c, &set)) {
				int p, l;
				whereIs(c, &p, &l);
				if (!affine++) package = p, cache = l;
				if (p != package) package = -1;
				if (l != cache) cache = -1;
			}
	}
#endif
	long mine[3], *all = malloc(sizeof(long) * 3 * (size_t)ranks), *keys = calloc((size_t)ranks, sizeof(long));
	mine[0] = (long)hash(host), mine[1] = package, mine[2] = cache;
	/* SMPI's allgather takes minutes among 256 ranks. */
	MPI_Gather(mine, 3, MPI_LONG, all, 3, MPI_LONG, 0, MPI_COMM_WORLD);
	MPI_Bcast(all, 3 * ranks, MPI_LONG, 0, MPI_COMM_WORLD);
	int *unit = malloc(sizeof(int) * (size_t)ranks), known[3] = {1, 1, 1};
	hostOf = malloc(sizeof(int) * (size_t)ranks);
	for (int r = 0; r < ranks; r++) for (int i = 1; i < 3; i++) known[i] &= all[3 * r + i] >= 0;
	for (int r = 0; r < ranks; r++) keys[r] = all[3 * r];
	hosts = number(keys, hostOf);
	if (known[1] && known[2]) {
		for (int r = 0; r < ranks; r++) keys[r] = ((long)hostOf[r] << 32) + (all[3 * r + 1] << 20) + all[3 * r + 2];
		number(keys, unit);
		addLevel("cache", unit);
	}
	if (known[1]) {
		for (int r = 0; r < ranks; r++) keys[r] = ((long)hostOf[r] << 32) + all[3 * r + 1];
		number(keys, unit);
		addLevel("socket", unit);
	}
	if (rank == 0 && !known[1]) put("# sockets are not known: ranks are not bound, or there is no %s/devices/system/cpu\n", sys);
	addLevel("node", hostOf);
	findGroups();
	memset(unit, 0, sizeof(int) * (size_t)ranks);
	addLevel("cluster", unit);
	for (int l = 0; l < levels; l++) { /* the most units of the level inside that one has */
		int units = unitsOf(unitOf[l]), inner = l ? unitsOf(unitOf[l - 1]) : ranks;
		int *count = calloc((unsigned)units, sizeof(int)), *seen = calloc((unsigned)inner, sizeof(int));
		holds[l] = 0;
		for (int r = 0; r < ranks; r++) {
			int i = l ? unitOf[l - 1][r] : r;
			if (!seen[i]++ && ++count[unitOf[l][r]] > holds[l]) holds[l] = count[unitOf[l][r]];
		}
		free(count), free(seen);
	}
	free(all), free(keys), free(unit);
}

/* checkProcessors warns if ranks take turns on processors: every time would be one of the scheduler. */
static void checkProcessors(void) {
#if defined __linux__ && !defined WAIT_BY_SLEEP
	int mine[2] = {-1, (int)sysconf(_SC_NPROCESSORS_ONLN)}, *all = malloc(sizeof mine * (size_t)ranks), *bound = calloc((size_t)hosts * CPU_SETSIZE, sizeof(int));
	int *count = calloc((size_t)hosts, sizeof(int)), shared = 0;
	cpu_set_t set;
	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1)
		for (int c = 0; c < CPU_SETSIZE; c++) if (CPU_ISSET(c, &set)) mine[0] = c;
	MPI_Gather(mine, 2, MPI_INT, all, 2, MPI_INT, 0, MPI_COMM_WORLD);
	for (int r = 0; rank == 0 && r < ranks; r++) {
		count[hostOf[r]]++;
		if (all[2 * r] >= 0) shared |= bound[hostOf[r] * CPU_SETSIZE + all[2 * r]]++;
		if (count[hostOf[r]] > all[2 * r + 1]) shared = 1;
	}
	MPI_Bcast(&shared, 1, MPI_INT, 0, MPI_COMM_WORLD);
	crowded = shared;
	if (shared) warn("%d ranks share processors of %d host%s: times are mostly waiting for a turn; start one rank for each processor", ranks, hosts, hosts > 1 ? "s" : "");
	free(all), free(bound), free(count);
#endif
}

static void printLevels(void) {
	for (int l = 0; l < levels; l++) put("# level %s holds %d\n", levelName[l], holds[l]);
	int *place = malloc(sizeof(int) * (size_t)ranks), *next[MAXLEVELS], *within[MAXLEVELS];
	for (int l = 0; l < levels; l++) { /* of each unit: how many units of the next inner level have come */
		next[l] = calloc((size_t)unitsOf(unitOf[l]), sizeof(int));
		within[l] = malloc(sizeof(int) * (size_t)ranks); /* by inner unit: its number within its unit */
		for (int r = 0; r < ranks; r++) within[l][r] = -1;
	}
	for (int r = 0; r < ranks; r++) {
		int core = 0, size = 1;
		for (int l = 0; l < levels; l++) {
			int inner = l ? unitOf[l - 1][r] : r;
			if (within[l][inner] < 0) within[l][inner] = next[l][unitOf[l][r]]++;
			core += within[l][inner] * size;
			size *= holds[l];
		}
		place[r] = core;
	}
	put("# places ");
	for (int r = 0; r < ranks; r++) put(r ? ",%d" : "%d", place[r]);
	put("\n");
	for (int l = 0; l < levels; l++) free(next[l]), free(within[l]);
	free(place);
}

/* ---- who takes part ---- */

static int isStream(int what) { return what == STREAM || what == MIXED; }
static int isFan(int what) { return what >= FANOUT && what <= FANIN; }
static int innerUnit(int level, int r) { return level ? unitOf[level - 1][r] : r; }

static int *turns; /* by level and rank: the rank's number within its unit of the next inner level */

/* spread lists the ranks of a unit of the level, its inner units taking turns at all levels. */
static int spread(int level, int unit, int *list) {
	int n = 0;
	for (int r = 0; r < ranks; r++) if (unitOf[level][r] == unit) list[n++] = r;
	/* Stable order by the turn within the inner units, from inside out: those of turn 0 first. */
	for (int l = 0; l <= level; l++) {
		int *sorted = malloc(sizeof(int) * (size_t)n), *at = calloc((size_t)ranks + 1, sizeof(int));
		int *turn = turns + (size_t)l * (size_t)ranks;
		for (int i = 0; i < n; i++) at[turn[list[i]] + 1]++;
		for (int t = 0; t < ranks; t++) at[t + 1] += at[t];
		for (int i = 0; i < n; i++) sorted[at[turn[list[i]]]++] = list[i];
		memcpy(list, sorted, sizeof(int) * (size_t)n);
		free(sorted), free(at);
	}
	return n;
}

static void makeTurns(void) {
	turns = calloc((size_t)levels * (size_t)ranks, sizeof(int));
	for (int l = 1; l < levels; l++) {
		int *count = calloc((size_t)unitsOf(unitOf[l - 1]), sizeof(int));
		for (int r = 0; r < ranks; r++) turns[l * ranks + r] = count[unitOf[l - 1][r]]++;
		free(count);
	}
}

/* choose fills src and dst for a task; the result is the number of pairs or leaves that there are.
 * variant tells pairs of the same kind apart. */
static int choose(const Task *t) {
	static int *list, *other, *seen, stamp;
	if (!list) list = malloc(sizeof(int) * (size_t)ranks), other = malloc(sizeof(int) * PEERS * (size_t)ranks), seen = calloc((size_t)ranks, sizeof(int));
	stamp++;
	int l = t->level, units = unitsOf(unitOf[l]), k = 0;
	if (t->what == NEARFAR) {
		for (src[0] = 0; k < t->k && ends[k]; k++) dst[k] = ends[k];
		return k;
	}
	if (isFan(t->what)) {
		int n = spread(l, 0, list);
		src[0] = list[0];
		for (int i = 0; i < n && k < t->k; i++)
			if (innerUnit(l, list[i]) != innerUnit(l, list[0])) dst[k++] = list[i];
		return k;
	}
	if (t->what == MIXED) { /* hosts in drawn pairs; fit draws the same, and finds whose routes share a link */
		int n = 0;
		unsigned long long x = (unsigned)t->variant;
		for (int r = 0; r < ranks; r++) if (hostOf[r] == n) list[n++] = r; /* hosts are numbered by their first ranks */
		for (int i = n - 1; i > 0; i--) {
			x = x * 6364136223846793005ULL + 1442695040888963407ULL; /* Knuth's MMIX generator */
			int j = (int)((x >> 33) % (unsigned)(i + 1)), swap = list[i];
			list[i] = list[j], list[j] = swap;
		}
		for (; k < t->k && 2 * k + 1 < n; k++) src[k] = list[2 * k], dst[k] = list[2 * k + 1];
		return k;
	}
	if (t->out) { /* from a unit of the level to the next one, or with variant 1 to several in turn, with 2 from these: they meet at the next level */
		int n = spread(l, 0, list), peers[PEERS], sizes[PEERS], m = 0;
		for (int r = 0; r < ranks && m < (t->variant ? PEERS : 1); r++) {
			int *mark = &seen[unitOf[l][r]];
			if (unitOf[l][r] == 0 || *mark == stamp || unitOf[l + 1][r] != unitOf[l + 1][list[0]]) continue;
			*mark = stamp, peers[m++] = unitOf[l][r];
		}
		if (m < (t->variant ? 2 : 1)) return 0;
		for (int i = 0; i < m; i++) sizes[i] = spread(l, peers[i], other + (size_t)i * (size_t)ranks);
		int *from = t->variant == 2 ? dst : src, *to = t->variant == 2 ? src : dst;
		for (; k < t->k && k < n && k < sizes[k % m]; k++) from[k] = list[k], to[k] = other[(size_t)(k % m) * (size_t)ranks + (size_t)k];
		return k;
	}
	int which = t->what == BESIDE ? 0 : t->variant; /* that says what the two ranks do */
	int unit = t->what == STREAM || which == 0 ? 0 : which == 1 ? units - 1 : units / 2;
	int n = spread(l, unit, list), inner = 0;
	for (int i = 0; i < n; i++) { /* one rank of each inner unit, then the next ones */
		int *mark = &seen[innerUnit(l, list[i])];
		if (*mark == stamp) break;
		*mark = stamp;
		other[inner++] = list[i];
	}
	if (t->what == STREAM && t->variant) { /* each with the one at a distance, in blocks of twice as many */
		for (int i = 0; i + t->variant < inner; i++) if (!(i & t->variant)) src[k] = other[i], dst[k++] = other[i + t->variant];
		return k;
	}
	int half = inner / 2;
	for (; k < t->k && k < half; k++) src[k] = other[k], dst[k] = other[k + half];
	if (t->k == 1 && inner > 1) src[0] = other[0], dst[0] = other[which == 1 ? inner - 1 : 1], k = 1;
	return k;
}

/* ---- measurements ---- */

static char *slotOf(char *buffer, size_t n) { /* the next place for a message */
	if (!cold) return buffer;
	if (coldAt + n > bufferBytes) coldAt = 0;
	char *at = buffer + coldAt;
	coldAt += (n + 4095) / 4096 * 4096 + 4096;
	return at;
}

/* written returns memory of which each page was written, as a program's is. Pages that nobody wrote are
 * all the kernel's one page of zeros, which stays in the cache, so messages of them are too fast. */
static char *written(size_t n) {
	char *memory = malloc(n);
#ifndef WAIT_BY_SLEEP /* a simulator has no caches, and all ranks in one memory */
	if (memory) memset(memory, 1, n);
#endif
	return memory;
}

static void go(int from, int to) { /* to learns that from is ready */
	if (rank == from) MPI_Send(NULL, 0, MPI_CHAR, to, TAG + 2, MPI_COMM_WORLD);
	else MPI_Recv(NULL, 0, MPI_CHAR, from, TAG + 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void burst(int to, const Task *t, int messages) {
	size_t n = (size_t)t->size, stride = (n + 63) / 64 * 64;
	for (int i = 0; i < messages; i++)
		MPI_Isend(sendBuffer + (cold ? 0 : (size_t)i * stride), (int)n, MPI_CHAR, to, TAG, MPI_COMM_WORLD, &requests[i]);
	MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE);
	MPI_Recv(receiveBuffer, 0, MPI_CHAR, to, TAG + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void receiveBurst(int from, const Task *t, int messages) {
	size_t n = (size_t)t->size, stride = (n + 63) / 64 * 64;
	for (int i = 0; i < messages; i++)
		MPI_Irecv(receiveBuffer + (size_t)i * stride, (int)n, MPI_CHAR, from, TAG, MPI_COMM_WORLD, &requests[i]);
	go(rank, from);
	MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE);
	MPI_Send(sendBuffer, 0, MPI_CHAR, from, TAG + 1, MPI_COMM_WORLD);
}

static double computing[MAXLEVELS]; /* s: the shorter computation beside a message, about as long as that */

static void pair(const Task *t, int a, int b, double *sample) {
	int n = (int)t->size, total = t->repeats + 1, peer = rank == a ? b : a;
	double delay = t->slot;
	if (isStream(t->what)) {
		for (int r = 0; r < total; r++) {
			if (rank == b) {
				receiveBurst(a, t, 1);
				receiveBurst(a, t, t->burst);
				continue;
			}
			go(b, a);
			double at = t->k > 1 ? localTime(t->begin + r * t->slot) : 0, t0 = MPI_Wtime();
			int late = t->k > 1 && t0 > at;
			waitUntil(at);
			t0 = MPI_Wtime();
			burst(b, t, 1);
			double one = MPI_Wtime() - t0;
			go(b, a);
			at = t->k > 1 ? at + t->slot / 2 : 0; /* the pairs begin together again, or shares are not alike */
			late |= t->k > 1 && MPI_Wtime() > at;
			waitUntil(at);
			t0 = MPI_Wtime();
			burst(b, t, t->burst);
			/* a single message that was disturbed may take longer than the burst */
			if (r) sample[r - 1] = late ? -1 : fmax(MPI_Wtime() - t0 - one, 0) / (t->burst - 1);
		}
		return;
	}
	for (int r = 0; r < total; r++) {
		double t0, t1 = 0;
		char *out = slotOf(sendBuffer, (size_t)n), *in = cold ? receiveBuffer + (out - sendBuffer) : receiveBuffer;
		MPI_Request q;
		switch (t->what) {
		case PINGPONG: case RELAY: /* a relay receives into memory that it has sent */
			if (t->what == RELAY) in = out;
			if (r == 0) go(b, a);
			t0 = MPI_Wtime();
			for (int i = 0; i < t->inner; i++) {
				if (rank == a) {
					MPI_Send(out, n, MPI_CHAR, b, TAG, MPI_COMM_WORLD);
					MPI_Recv(in, n, MPI_CHAR, b, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
				} else {
					MPI_Recv(in, n, MPI_CHAR, a, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
					MPI_Send(out, n, MPI_CHAR, a, TAG, MPI_COMM_WORLD);
				}
			}
			t1 = fmax(MPI_Wtime() - t0 - tick, 0) / (2 * t->inner);
			if (rank == b) t1 = 0;
			break;
		case EXCHANGE: {
			go(b, a), go(a, b);
			double at = localTime(t->begin + r * t->slot);
			int late = MPI_Wtime() > at;
			waitUntil(at);
			t0 = MPI_Wtime();
			for (int i = 0; i < t->inner; i++)
				MPI_Sendrecv(out, n, MPI_CHAR, peer, TAG, in, n, MPI_CHAR, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			t1 = rank == a ? fmax(MPI_Wtime() - t0 - tick, 0) / t->inner : 0;
			if (late) t1 = -1;
			break;
		}
		case SEND: /* the call of a sender whose receiver waits */
			if (rank == b) MPI_Irecv(in, n, MPI_CHAR, a, TAG, MPI_COMM_WORLD, &q);
			go(b, a);
			if (rank == a) {
				waitUntil(MPI_Wtime() + delay);
				t0 = MPI_Wtime();
				MPI_Send(out, n, MPI_CHAR, b, TAG, MPI_COMM_WORLD);
				t1 = MPI_Wtime() - t0;
			} else MPI_Wait(&q, MPI_STATUS_IGNORE);
			break;
		case FRESH: /* a message of memory that was just written, and an answer of no bytes */
			if (rank == b) MPI_Irecv(in, n, MPI_CHAR, a, TAG, MPI_COMM_WORLD, &q);
			go(b, a);
			/* The send follows at once, as in a program: the last lines are not in the cache yet. */
			if (rank == a) memset(out, r + 1, (size_t)n);
			t0 = MPI_Wtime();
			if (rank == a) MPI_Send(out, n, MPI_CHAR, b, TAG, MPI_COMM_WORLD);
			else MPI_Wait(&q, MPI_STATUS_IGNORE);
			go(b, a);
			t1 = MPI_Wtime() - t0;
			break;
		case BESIDE: { /* a large message, and computations of the sender (1), the receiver (2) or both */
			int busy = t->variant & (rank == a ? 1 : 2), late = t->variant & 4, tests = t->variant & 8, flag;
			double work = computing[t->level] * (t->variant & 16 ? 3 : 1);
			if (rank == b && !late) MPI_Irecv(in, n, MPI_CHAR, a, TAG, MPI_COMM_WORLD, &q);
			go(b, a);
			t0 = MPI_Wtime();
			go(a, b); /* whoever is disturbed, the sample becomes longer */
			if (rank == b && late) waitUntil(MPI_Wtime() + computing[t->level] / 8), MPI_Irecv(in, n, MPI_CHAR, a, TAG, MPI_COMM_WORLD, &q);
			if (rank == a) MPI_Isend(out, n, MPI_CHAR, b, TAG, MPI_COMM_WORLD, &q);
			for (int part = 0; part < 2 && busy; part++) {
				waitUntil(MPI_Wtime() + work / 2);
				if (tests && part == 0) MPI_Test(&q, &flag, MPI_STATUS_IGNORE);
			}
			MPI_Wait(&q, MPI_STATUS_IGNORE);
			go(b, a);
			t1 = MPI_Wtime() - t0;
			break;
		}
		case BLOCKED: /* the call of a sender whose receiver is late */
			go(b, a);
			if (rank == a) {
				t0 = MPI_Wtime();
				MPI_Send(out, n, MPI_CHAR, b, TAG, MPI_COMM_WORLD);
				t1 = MPI_Wtime() - t0;
			} else {
				int flag; /* the library at the receiver makes progress, as within another call */
				for (double until = MPI_Wtime() + delay; MPI_Wtime() < until;)
					MPI_Iprobe(a, TAG + 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
				MPI_Recv(in, n, MPI_CHAR, a, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			}
			break;
		case RECEIVE: case LATE: /* a receive of a message that has come, posted before or after it */
			if (rank == b && t->what == RECEIVE) MPI_Irecv(in, n, MPI_CHAR, a, TAG, MPI_COMM_WORLD, &q);
			go(b, a);
			if (rank == a) MPI_Send(out, n, MPI_CHAR, b, TAG, MPI_COMM_WORLD);
			else {
				waitUntil(MPI_Wtime() + delay);
				t0 = MPI_Wtime();
				if (t->what == RECEIVE) MPI_Wait(&q, MPI_STATUS_IGNORE);
				else MPI_Recv(in, n, MPI_CHAR, a, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
				t1 = MPI_Wtime() - t0;
			}
			break;
		}
		if (t->what != PINGPONG && t->what != RELAY && t->what != EXCHANGE) t1 = fmax(t1 - tick, 0); /* the clock's own time */
		if (r) sample[r - 1] = t1;
	}
}

static void fan(const Task *t, double *sample) {
	int n = (int)t->size, root = src[0];
	size_t stride = ((size_t)n + 63) / 64 * 64;
	for (int r = 0; r <= t->repeats; r++) {
		if (rank == root) {
			for (int i = 0; i < t->k; i++) go(dst[i], root); /* all are here */
			double t0 = MPI_Wtime();
			for (int i = 0; i < t->k; i++) {
				if (t->what != FANIN) MPI_Isend(sendBuffer, n, MPI_CHAR, dst[i], TAG, MPI_COMM_WORLD, &requests[i]);
				else MPI_Irecv(receiveBuffer + (size_t)i * stride, n, MPI_CHAR, dst[i], TAG, MPI_COMM_WORLD, &requests[i]);
			}
			for (int i = 0; i < t->k && t->what == FANIN; i++) go(root, dst[i]);
			MPI_Waitall(t->k, requests, MPI_STATUSES_IGNORE);
			for (int i = 0; i < t->k && t->what != FANIN; i++) {
				go(dst[i], root);
				if (r && i == 0) sample[r - 1] = MPI_Wtime() - t0;
			}
			if (r && t->what != FANFIRST) sample[r - 1] = MPI_Wtime() - t0;
		} else if (t->what != FANIN) {
			MPI_Irecv(receiveBuffer, n, MPI_CHAR, root, TAG, MPI_COMM_WORLD, &requests[0]);
			go(rank, root);
			MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
			go(rank, root);
		} else {
			go(rank, root);
			go(root, rank);
			MPI_Send(sendBuffer, n, MPI_CHAR, root, TAG, MPI_COMM_WORLD);
		}
	}
}

static void nearFar(const Task *t, double *sample) { /* until the nearer rank has answered, in whatever state the other one is */
	int n = (int)t->size, root = src[0];
	for (int r = 0; r <= t->repeats; r++) {
		if (rank != root) MPI_Irecv(receiveBuffer, n, MPI_CHAR, root, TAG, MPI_COMM_WORLD, &requests[0]);
		else for (int i = 0; i < t->k; i++) go(dst[i], root); /* all are here */
		if (rank != root) {
			go(rank, root);
			MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
			go(rank, root);
			continue;
		}
		double t0 = MPI_Wtime();
		for (int i = t->k - 1; i >= 0; i--) MPI_Isend(sendBuffer, n, MPI_CHAR, dst[i], TAG, MPI_COMM_WORLD, &requests[i]);
		go(dst[0], root);
		if (r) sample[r - 1] = MPI_Wtime() - t0;
		for (int i = 1; i < t->k; i++) go(dst[i], root);
		MPI_Waitall(t->k, requests, MPI_STATUSES_IGNORE);
	}
}

static void two(const Task *t, double *sample) { /* messages to one rank, which answers the first */
	int n = (int)t->size, root = src[0];
	for (int r = 0; r <= t->repeats; r++) {
		char *buffer = rank == root ? sendBuffer : receiveBuffer;
		double t0 = 0;
		for (int i = 0; i < 2 && rank != root; i++) MPI_Irecv(buffer + i * n, n, MPI_CHAR, root, TAG, MPI_COMM_WORLD, &requests[i]);
		go(dst[0], root);
		if (rank == root) t0 = MPI_Wtime();
		for (int i = 0; i < 2 && rank == root; i++) MPI_Isend(buffer, n, MPI_CHAR, dst[0], TAG, MPI_COMM_WORLD, &requests[i]);
		MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
		go(dst[0], root);
		if (r && rank == root) sample[r - 1] = MPI_Wtime() - t0;
		MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
	}
}

static int isLocal(int what) { return what == COMBINE || what == COPY; }

static void compute(const Task *t, double *sample) { /* in one rank, without messages */
	int n = (int)(t->size / (long)sizeof(double));
	/* Small numbers, and no zeros: they stay there as the data of messages, and some processors write zeros
	 * over zeros in less time. */
	memset(sendBuffer, 1, (size_t)t->size);
	memset(receiveBuffer, 1, (size_t)t->size);
	for (int r = 0; r <= t->repeats; r++) {
		double t0 = MPI_Wtime();
		for (int i = 0; i < t->inner; i++) {
			if (t->what == COMBINE) MPI_Reduce_local(sendBuffer, receiveBuffer, n, MPI_DOUBLE, MPI_SUM);
			else memcpy(receiveBuffer, sendBuffer, (size_t)t->size), sendBuffer[0] = receiveBuffer[t->size - 1];
		}
		if (r) sample[r - 1] = (MPI_Wtime() - t0) / t->inner;
	}
}

static void together(const Task *t, double *sample) { /* a collective of all ranks, from an agreed time */
	int n = (int)t->size, doubles = n / (int)sizeof(double);
	void *s = sendBuffer, *r = receiveBuffer;
	MPI_Comm w = t->variant ? versus : MPI_COMM_WORLD;
	for (int i = 0; i <= t->repeats; i++) {
		double at = localTime(t->begin + i * t->slot);
		int late = !crowded && MPI_Wtime() > at;
		if (crowded) MPI_Barrier(MPI_COMM_WORLD), at = MPI_Wtime();
		else waitUntil(at);
		switch (t->what) {
		case BARRIER: MPI_Barrier(w); break;
		case BCAST: MPI_Bcast(s, n, MPI_CHAR, 0, w); break;
		case REDUCE: MPI_Reduce(s, r, doubles, MPI_DOUBLE, MPI_SUM, 0, w); break;
		case ALLREDUCE: MPI_Allreduce(s, r, doubles, MPI_DOUBLE, MPI_SUM, w); break;
		case ALLGATHER: MPI_Allgather(s, n, MPI_CHAR, r, n, MPI_CHAR, w); break;
		case ALLTOALL: MPI_Alltoall(s, n, MPI_CHAR, r, n, MPI_CHAR, w); break;
		case SCATTER: MPI_Scatter(s, n, MPI_CHAR, r, n, MPI_CHAR, 0, w); break;
		}
		double took = crowded ? MPI_Wtime() - at : globalTime(MPI_Wtime()) - (t->begin + i * t->slot);
		if (i) sample[i - 1] = late ? -1 : fmax(took - tick, 0);
	}
}

/* measure runs a task once on all ranks; at rank 0 the samples and their averages over ranks. */
static int collective(int what) { return what >= BARRIER; }

/* report brings the samples of the one or two ranks that took part to rank 0. A reduction would cost a
 * simulator a message of each rank, for each case. */
static void report(const Task *t, int takes, const double *sum, const double *least, double *samples, double *averages, double *late) {
	int from[2] = {isLocal(t->what) ? 0 : t->what == RECEIVE || t->what == LATE ? dst[0] : src[0], dst[0]};
	memcpy(samples, sum, sizeof(double) * (size_t)t->repeats);
	memcpy(late, least, sizeof(double) * (size_t)t->repeats);
	for (int i = 0; i < (t->what == EXCHANGE ? 2 : 1); i++) {
		double theirs[MAXREPEATS];
		if (takes && rank == from[i] && rank > 0) MPI_Send(sum, t->repeats, MPI_DOUBLE, 0, TAG + 4, MPI_COMM_WORLD);
		if (rank > 0 || from[i] == 0) continue;
		MPI_Recv(theirs, t->repeats, MPI_DOUBLE, from[i], TAG + 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (int r = 0; r < t->repeats; r++) samples[r] = fmax(samples[r], theirs[r]), late[r] = fmin(late[r], theirs[r]);
	}
	memcpy(averages, samples, sizeof(double) * (size_t)t->repeats);
}

static int measure(const Task *t, double *samples, double *averages) {
	double mine[MAXREPEATS] = {0}, sum[MAXREPEATS], least[MAXREPEATS];
	int takes = 0;
	choose(t);
	if (collective(t->what)) together(t, mine), takes = 1;
	else if (isLocal(t->what)) { if (rank == 0) compute(t, mine), takes = 1; }
	else if (isFan(t->what)) {
		for (int i = 0; i < t->k; i++) takes |= dst[i] == rank;
		if (takes || rank == src[0]) (t->what == TWOFIRST ? two : t->what == NEARFAR ? nearFar : fan)(t, mine);
		takes = rank == src[0];
	} else for (int i = 0; i < t->k; i++) if (src[i] == rank || dst[i] == rank) {
		pair(t, src[i], dst[i], mine);
		takes = t->what == EXCHANGE || (t->what == RECEIVE || t->what == LATE ? dst[i] : src[i]) == rank;
	}
	int whole = collective(t->what) ? ranks : isStream(t->what) ? t->k : 1, n = 0;
	for (int r = 0; r < t->repeats; r++) sum[r] = takes ? mine[r] : 0, least[r] = takes ? mine[r] : 1e9;
	if (whole > 1) {
		MPI_Reduce(sum, samples, t->repeats, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
		MPI_Reduce(sum, averages, t->repeats, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
		MPI_Reduce(least, mine, t->repeats, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
	} else report(t, takes, sum, least, samples, averages, mine);
	for (int r = 0; rank == 0 && r < t->repeats; r++) if (mine[r] != -1) /* nobody was late */
		samples[n] = samples[r], averages[n] = averages[r] / whole, n++;
	return n;
}

static double estimates[MAXLEVELS][26]; /* s, of a one-way message of 2^i bytes */

static double estimate(const Task *t) { /* of one sample */
	double way = 0;
	int i = 0;
	while (i < 25 && 1L << i < t->size) i++;
	for (int l = 0; l < levels; l++) if (estimates[l][i] > way && (l == t->level + t->out || collective(t->what))) way = estimates[l][i];
	if (collective(t->what)) return way * (t->what >= ALLGATHER && t->what <= ALLTOALL ? ranks : 2 * log2(ranks) + 2) + 2e-5;
	if (isStream(t->what)) return (t->burst + 3) * way * (t->k > 4 ? t->k / 4 : 1) + 2e-6;
	if (isFan(t->what)) return (t->k + 2) * way;
	return (t->what == BESIDE ? 8 : 4) * way;
}

static void row(const Task *t, const double *s, double average, int n) { /* of ascending samples */
	int reach = (int)floor(n / 2.0 - 0.98 * sqrt(n)), outliers = 0; /* order statistics of the median */
	if (reach < 0) reach = 0;
	double q1 = s[n / 4], q3 = s[3 * n / 4];
	for (int i = 0; i < n; i++) outliers += s[i] > q3 + 3 * (q3 - q1) + tick;
	put("%s,%s,%s,%d,%ld,%d,%d,%d,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%d\n", names[t->what],
		collective(t->what) || isLocal(t->what) ? "" : levelName[t->level], t->out ? "out" : "in", collective(t->what) ? ranks : t->k, t->size, t->variant,
		t->passes + 1, n, 1e6 * s[n / 2], 1e6 * s[reach], 1e6 * s[n - 1 - reach], 1e6 * s[0], 1e6 * s[n - 1], 1e6 * average, outliers);
}

/* run measures a task in one pass; the result is the median in s, at all ranks. */
static double run(Task *t, double share, double *fastest) {
	static double lastSync = -1e9;
	double samples[MAXREPEATS] = {0}, averages[MAXREPEATS], result[3]; /* result: number, median, least */
	int clocked = collective(t->what) || t->what == EXCHANGE || (isStream(t->what) && t->k > 1), tries = 0, n = 0;
	double guess = estimate(t);
	t->inner = t->what == PINGPONG || t->what == RELAY || t->what == EXCHANGE || isLocal(t->what) ? (int)ceil(fmax(SAMPLE, 30 * tick) / fmax(guess, 1e-7)) : 1;
	if (cold || t->inner < 1) t->inner = 1;
	t->repeats = (int)(share / fmax(guess * t->inner, 1e-6));
	if (t->repeats > mostRepeats) t->repeats = mostRepeats;
	int least = guess * t->inner > 5e-3 ? 3 : mostRepeats < 8 ? mostRepeats : 8;
	if (t->repeats < least) t->repeats = least;
	do {
		if (clocked) {
			double now[1] = {MPI_Wtime()};
			MPI_Bcast(now, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
			if (now[0] - lastSync > 5) synchronize(), lastSync = now[0];
			t->slot = guess * t->inner * (2 << tries) + 5e-6;
			t->begin = globalTime(MPI_Wtime()) + 2e-4 * (1 << tries) + 2e-7 * ranks;
		} else if (t->what != BLOCKED) t->slot = 2 * guess;
		if (clocked) MPI_Bcast(t, sizeof *t, MPI_BYTE, 0, MPI_COMM_WORLD); /* all ranks know the rest */
		n = measure(t, samples, averages);
		double average = 0;
		for (int i = 0; i < n; i++) average += averages[i] / n;
		qsort(samples, (size_t)n, sizeof(double), compareDoubles);
		averages[0] = average;
		result[0] = n, result[1] = samples[n / 2], result[2] = samples[0];
		MPI_Bcast(result, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
		n = (int)result[0];
	} while (n < t->repeats * 3 / 4 && ++tries < 6 && t->repeats * t->slot < 0.2); /* seconds */
	if (rank == 0 && n > 0) row(t, samples, averages[0], n);
	if (n > 0 && t->passes < MAXPASSES) t->medians[t->passes++] = result[1];
	*fastest = result[2];
	return result[1];
}

/* ---- the plan ---- */

static Task *tasks;
static int count, room;

static void add(int what, int level, int out, int k, long size, int variant) {
	Task t;
	memset(&t, 0, sizeof t);
	t.what = what, t.level = level, t.out = out, t.k = k, t.size = size, t.variant = variant;
	if ((size_t)size > LARGEST) return;
	t.burst = k >= 8 ? 16 : 64;
	while (t.burst > 2 && ((size_t)t.burst * ((size_t)size + 64) > LARGEST || t.burst * size > 2 << 20)) t.burst /= 2;
	if (isStream(what) && (size_t)t.burst * ((size_t)size + 64) > LARGEST) return;
	if (isFan(what) && (size_t)k * ((size_t)size + 64) > LARGEST) return;
	if (!collective(what) && !isLocal(what) && choose(&t) < k) return;
	if (count == room) {
		Task *more = realloc(tasks, sizeof(Task) * (size_t)(room = 2 * room + 64));
		if (!more) fail("no memory");
		tasks = more;
	}
	tasks[count++] = t;
}

static long thresholds[MAXLEVELS];

static int over(double of) { /* whether so much of the budget is over, by rank 0's clock */
	int is = MPI_Wtime() - started > of;
	MPI_Bcast(&is, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return is;
}

static int blocks(int level, long size) { /* whether a send waits for a late receiver */
	Task t;
	memset(&t, 0, sizeof t);
	t.what = BLOCKED, t.level = level, t.k = 1, t.size = size;
	t.slot = 10 * estimate(&t) + 5e-5;
	double fastest, delay = t.slot;
	return run(&t, 0, &fastest) >= delay / 2;
}

/* eager finds the largest message whose sender does not wait for a late receiver, to the byte. Other work on
 * the host makes a send late, and the search then ends anywhere, so both sides are tried again. */
static void eager(int level) {
	long low = 0;
	int sure = 0;
	for (int try = 0; try < 5 && !sure && !(try && over(budget / 4)); try++) {
		long high = (long)LARGEST;
		low = 0;
		for (long size = high; high - low > 1; size = (low + high) / 2) {
			if (blocks(level, size)) high = size;
			else low = size;
		}
		sure = 1;
		for (int i = 0; i < 3 && sure; i++)
			sure = (low == 0 || !blocks(level, low)) && (low + 1 >= (long)LARGEST || blocks(level, low + 1));
	}
	thresholds[level] = low;
	if (!sure) warn("level %s: the eager threshold was not confirmed when it was tried again; measure on quiet hosts", levelName[level]);
	else if (rank == 0) put("# level %s eager %ld\n", levelName[level], low);
}

static void firstPass(void) { /* round trips by size: what everything else is planned by */
	for (int l = 0; l < levels; l++) {
		for (int i = 0; 1L << i <= (long)LARGEST; i++) {
			Task t;
			memset(&t, 0, sizeof t);
			t.what = PINGPONG, t.level = l, t.k = 1, t.size = 1L << i;
			estimates[l][i] = i ? 2 * estimates[l][i - 1] : 1e-5;
			if (choose(&t) < 1 || estimates[l][i] > budget / 200) continue;
			run(&t, 2e-3, &estimates[l][i]);
		}
		eager(l);
	}
}

static void plan(void) {
	for (int l = 0; l < levels; l++) {
		long cut = thresholds[l];
		for (int v = 0; v < 3; v++) for (long n = 1; n <= (long)LARGEST; n *= 2) add(PINGPONG, l, 0, 1, n, v);
		for (int i = 1; i + 1 < 23; i++) { /* where the curve bends, one more size */
			double bend = estimates[l][i] * estimates[l][i] / (estimates[l][i - 1] * estimates[l][i + 1]);
			for (long n = fabs(log(bend)) > 0.1 ? 3L << (i - 1) : 0, k = 0; n > 3 && k < 2; n /= 2, k++) /* above and below */
				add(PINGPONG, l, 0, 1, n, 0), add(PINGPONG, l, 0, 1, n, 1), n < 1 << 20 ? add(STREAM, l, 0, 1, n, 0) : (void)0;
		}
		if (cut > 0 && cut < (long)LARGEST) for (int v = 0; v < 2; v++) add(PINGPONG, l, 0, 1, cut, v), add(PINGPONG, l, 0, 1, cut + 1, v);
		if (cut > 0 && cut < (long)LARGEST) add(STREAM, l, 0, 1, cut, 0), add(STREAM, l, 0, 1, cut + 1, 0), add(EXCHANGE, l, 0, 1, cut, 0), add(EXCHANGE, l, 0, 1, cut + 1, 0);
		/* Caches end between 16 KiB and 4 MiB, and with them what the state of memory matters. */
		for (long n = 64; n <= (long)LARGEST; n *= n < 16384 ? 4 : 2) add(RELAY, l, 0, 1, n, 0), add(FRESH, l, 0, 1, n, 0);
		if (cut > 0 && cut < (long)LARGEST) for (long n = cut; n <= cut + 1; n++) add(RELAY, l, 0, 1, n, 0), add(FRESH, l, 0, 1, n, 0);
		for (long n = 1; n <= 1 << 20; n *= 4) {
			add(STREAM, l, 0, 1, n, 0), add(EXCHANGE, l, 0, 1, n, 0);
			if (n < 1 << 20) add(STREAM, l, 0, 1, 2 * n, 0);
			if (n <= cut) add(SEND, l, 0, 1, n, 0), add(RECEIVE, l, 0, 1, n, 0), add(LATE, l, 0, 1, n, 0);
		}
		if (cut > 0 && cut < (long)LARGEST) add(SEND, l, 0, 1, cut, 0), add(RECEIVE, l, 0, 1, cut, 0);
		for (int out = 0; out < 2 && l + out < levels; out++) for (int k = out ? 1 : 2; k <= ranks; k *= 2)
			for (long n = 8; n <= 1 << 20; n = n == 8 ? 4096 : n * 16) add(STREAM, l, out, k, n, 0);
		for (int k = 2; l + 1 < levels && k <= ranks; k *= 2) /* whether units have a link to each other one */
			for (int v = 1; v <= 2; v++) add(STREAM, l, 1, k, 1 << 16, v), add(STREAM, l, 1, k, 1 << 20, v);
		for (int d = 1; d < holds[l] && holds[l] > 2; d *= 2) { /* all at once, near and far: what blocks of units share */
			Task t;
			memset(&t, 0, sizeof t);
			t.what = STREAM, t.level = l, t.k = 1, t.variant = d;
			int k = choose(&t);
			for (long n = 8; n <= 1 << 20 && k > 1; n = n == 8 ? 65536 : n * 16) add(STREAM, l, 0, k, n, d);
		}
		int large = cut < 1 << 19 ? 20 : 22; /* whether large messages move while a rank computes */
		computing[l] = estimates[l][large];
		if (cut > 0 && cut < 1L << (large - 1) && rank == 0) put("# level %s beside %.0f\n", levelName[l], 1e9 * computing[l]);
		for (int v = 0; v < 32 && cut > 0 && cut < 1L << (large - 1); v++)
			if ((v & 3 || v == 0 || v == 4) && (FREE_TESTS || !(v & 8))) add(BESIDE, l, 0, 1, 1L << large, v);
		for (long n = 512; n <= 1 << 16; n *= 2) /* whether the first of two messages is done first */
			add(FANOUT, l, 0, 1, n, 0), add(FANFIRST, l, 0, 2, n, 0), add(TWOFIRST, l, 0, 1, n, 0), n != 4096 && n != 1 << 16 ? add(FANOUT, l, 0, 2, n, 0) : (void)0;
		for (int k = 2; k <= 64; k *= 4) for (long n = 8; n <= 1 << 16; n = n == 8 ? 4096 : n * 16) add(FANOUT, l, 0, k, n, 0), add(FANIN, l, 0, k, n, 0);
	}
	/* Neighbours in a small torus send by links of their own, as do hosts at a distance. These draws have
	 * streams that share a link in each of up to 64 hosts in which any pairs share one. */
	for (int v = 11; v < 15 && hosts >= 4 && hosts <= MAXHOSTS; v++)
		for (long n = 8; n <= 1 << 20; n = n == 8 ? 65536 : n * 16) add(MIXED, levels - 1, 0, hosts / 2, n, v);
	for (int k = 1; k <= 2; k++) add(NEARFAR, levels - 1, 0, k, 1 << 20, 0); /* whether both have equal shares */
	for (long n = 64; n <= 1 << 20; n *= 16) add(COMBINE, 0, 0, 1, n, 0), add(COPY, 0, 0, 1, n, 0);
}

static long smallestBlock = 8, largestBlock; /* of the collectives that are asked for */

static int contains(const char *list, const char *name) { /* whether a list with commas has the name */
	size_t n = strlen(name);
	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, name, n) && (at[n] == ',' || !at[n])) return 1;
	}
	return 0;
}

static void planCollectives(const char *list) {
	for (int what = BARRIER; what < KINDS; what++) {
		if (!contains(list, names[what])) continue;
		for (long n = smallestBlock; n <= largestBlock; n = onlyCollectives ? n * 4 : n == 8 ? 1024 : n * 16) {
			if (what == ALLGATHER || what == ALLTOALL || what == SCATTER ? (size_t)n * (size_t)ranks > LARGEST : (size_t)n > LARGEST) break;
			for (int v = 0; v < 1 + (versus != MPI_COMM_NULL); v++) add(what, levels - 1, 0, 1, n, v);
			if (what == BARRIER) break;
		}
	}
}

/* setVersus duplicates the communicator after it has set variables of the library, as in
 * coll_tuned_allreduce_algorithm=3. Open MPI reads them when a communicator is made, so that one launch has
 * collectives of both choices, in the same state of the hosts. */
static void setVersus(char *list) {
	int known = 1;
#if !defined WAIT_BY_SLEEP && (MPI_VERSION > 3 || (MPI_VERSION == 3 && MPI_SUBVERSION > 0))
	int provided;
	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	for (char *at = strtok(list, ","); at && known; at = strtok(NULL, ",")) {
		char *value = strchr(at, '=');
		int index, elements, number = value ? atoi(value + 1) : 0;
		MPI_T_cvar_handle handle;
		if (value) *value = 0;
		known = value && MPI_T_cvar_get_index(at, &index) == MPI_SUCCESS && MPI_T_cvar_handle_alloc(index, NULL, &handle, &elements) == MPI_SUCCESS && elements == 1
			&& MPI_T_cvar_write(handle, &number) == MPI_SUCCESS;
	}
#else
	known = 0, (void)list;
#endif
	if (!known) fail("--versus needs variables of the MPI library that can be set while it runs, as in coll_tuned_allreduce_algorithm=3");
	MPI_Comm_dup(MPI_COMM_WORLD, &versus);
}

static int settled(const Task *t) { /* the medians of its passes agree within 2 % */
	double low = 1e9, high = 0;
	if (t->passes < 2 || (versus != MPI_COMM_NULL && t->passes < MAXPASSES)) return 0;
	for (int i = 0; i < t->passes; i++) low = fmin(low, t->medians[i]), high = fmax(high, t->medians[i]);
	return t->passes >= MAXPASSES || high - low <= 0.02 * high * sqrt(t->passes) + tick;
}

/* state writes the least times between the innermost pair of 8 bytes, and of 16 KiB in memory that was sent.
 * Hosts change their state: which cores run the ranks, and how fast. If a hypervisor moves two ranks to one
 * core, the first time changes by a quarter and the second by half. fit keeps the rows of two states apart. */
static void state(void) {
#ifndef WAIT_BY_SLEEP
	Task t;
	memset(&t, 0, sizeof t);
	t.what = PINGPONG, t.k = 1, t.size = 8, t.repeats = 10, t.inner = 3;
	double samples[MAXREPEATS] = {0}, averages[MAXREPEATS], least[2] = {1e9, 1e9};
	while (t.level < levels - 1 && choose(&t) < 1) t.level++;
	for (int i = 0; i < 2; i++, t.what = RELAY, t.size = 16384) {
		int n = measure(&t, samples, averages);
		for (int j = 0; j < n; j++) least[i] = fmin(least[i], samples[j]);
	}
	if (rank == 0) put("# state %.4f %.4f\n", 1e6 * least[0], 1e6 * least[1]);
#endif
}

/* review warns of what makes the table worse than it looks. */
static void review(void) {
	int missing = 0, unsteady = 0, several = 0;
	for (int i = 0; i < count; i++) {
		double low = 1e9, high = 0;
		for (int j = 0; j < tasks[i].passes; j++) low = fmin(low, tasks[i].medians[j]), high = fmax(high, tasks[i].medians[j]);
		missing += tasks[i].passes == 0;
		several += tasks[i].passes > 1, unsteady += tasks[i].passes > 1 && high > 1.5 * low + tick;
	}
	if (5 * missing > count) warn("%d of %d cases were not measured: give more --minutes, or quiet hosts", missing, count);
	if (4 * unsteady > several) warn("%d of %d cases differ between passes by half: other work, or hosts that change their speed, disturb them", unsteady, several);
}

static void passes(void) {
	int *order = malloc(sizeof(int) * (size_t)(count + 1));
	for (int pass = 0; pass < (passesWanted ? passesWanted : MAXPASSES); pass++) {
		int n = 0;
		for (int i = 0; i < count; i++) if (!settled(&tasks[i])) order[n++] = i;
		if (n == 0) break;
		for (int i = n - 1; i > 0; i--) {
			int j = (int)(draw() % (unsigned long)(i + 1)), swap = order[i];
			order[i] = order[j], order[j] = swap;
		}
		for (int i = 0; i < n; i++) {
			if (i % 8 == 0 && over(pass ? budget : 2 * budget)) goto end;
			Task *t = &tasks[order[i]];
			if (estimate(t) * 5 > budget / 20 && pass == 0) continue; /* too long to be worth it */
			double fastest;
			if (i % 4 == 0) state();
			run(t, budget / 3 / (count + 1), &fastest);
		}
		state();
	}
end:
	free(order);
}

static void usage(int status) {
	if (rank == 0) fprintf(status ? stderr : stdout,
		"usage: calibrate [--minutes M] [--passes N] [--repeats N] [--seed N] [--cold] [--collectives LIST] [--only-collectives LIST] [--smallest BYTES] [--largest BYTES] [--output FILE] [--versus LIST]\n"
		"  --output FILE             write the table there, and fail if that fails; a launcher may not\n"
		"  --minutes M               time to take: 2 by default, at most 5\n"
		"  --passes N                at most N passes over all cases\n"
		"  --repeats N               at most N samples in a row, of 30\n"
		"  --cold                    messages of memory that is in no cache\n"
		"  --collectives LIST        of barrier,bcast,allreduce,allgather,alltoall,reduce,scatter; \"none\": none\n"
		"  --only-collectives LIST   nothing else, in sizes by factors of 4\n"
		"  --smallest, --largest BYTES   of a collective's block; 8 and 65536 by default\n"
		"  --versus NAME=VALUE,...   measure collectives in turns without and with these variables of the library\n"
		"  --sys DIR --cpus LIST --hosts LIST   levels from another /sys, with rank i on processor i of the list and host i\n");
	MPI_Finalize();
	exit(status);
}

int main(int argc, char **argv) {
	char *other = NULL;
	const char *cpus = NULL, *hostList = NULL, *path = NULL, *collectives = "barrier,scatter,reduce,bcast,allreduce,allgather,alltoall";
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	csv = stdout;
	largestBlock = 65536;
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;
		if (!strcmp(argv[i], "--cold")) { cold = 1; continue; }
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) usage(0);
		if (!value) usage(2);
		if (!strcmp(argv[i], "--minutes")) budget = 60 * atof(value);
		else if (!strcmp(argv[i], "--passes")) passesWanted = atoi(value);
		else if (!strcmp(argv[i], "--repeats")) mostRepeats = atoi(value);
		else if (!strcmp(argv[i], "--seed")) seed = strtoul(value, NULL, 10) * 2654435761UL + 1;
		else if (!strcmp(argv[i], "--collectives")) collectives = value;
		else if (!strcmp(argv[i], "--only-collectives")) collectives = value, onlyCollectives = 1;
		else if (!strcmp(argv[i], "--smallest")) smallestBlock = atol(value) > 1 ? atol(value) : 1;
		else if (!strcmp(argv[i], "--largest")) largestBlock = atol(value) > 1 ? atol(value) : 1;
		else if (!strcmp(argv[i], "--sys")) snprintf(sys, sizeof sys, "%s", value);
		else if (!strcmp(argv[i], "--cpus")) cpus = value;
		else if (!strcmp(argv[i], "--hosts")) hostList = value;
		else if (!strcmp(argv[i], "--output")) path = value;
		else if (!strcmp(argv[i], "--versus")) other = argv[i + 1];
		else usage(2);
		i++;
	}
	if (!(budget > 0 && budget <= 300)) fail("--minutes is above 0 and at most 5");
	if (mostRepeats < 1 || mostRepeats > MAXREPEATS) fail("--repeats is 1 to 64");
	for (const char *at = collectives; strcmp(collectives, "none"); at = strchr(at, ',') + 1) {
		int known = 0;
		for (int what = BARRIER; what < KINDS; what++) known |= !strncmp(at, names[what], strlen(names[what])) && (at[strlen(names[what])] == ',' || !at[strlen(names[what])]);
		if (!known) fail("--collectives has a name that is none of barrier,bcast,allreduce,allgather,alltoall,reduce,scatter; \"none\" measures none");
		if (!strchr(at, ',')) break;
	}
	if (ranks < 2) fail("there is one rank: start at least two, as in mpirun -np 2 ./calibrate");
	if (other) setVersus(other);
	if (rank == 0 && path && !(csv = fopen(path, "w"))) {
		fprintf(stderr, "calibrate: cannot write %s: %s\n", path, strerror(errno));
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	for (int i = 0; i < 20; i++) draw();
	bufferBytes = LARGEST + 65536;
	if (cold) bufferBytes = 64 << 20;
	sendBuffer = written(bufferBytes), receiveBuffer = written(bufferBytes);
	src = malloc(sizeof(int) * (size_t)ranks), dst = malloc(sizeof(int) * (size_t)ranks);
	requests = malloc(sizeof(MPI_Request) * (size_t)(ranks > 64 ? ranks : 64));
	if (!sendBuffer || !receiveBuffer || !src || !dst || !requests) fail("no memory");
	tick = 1;
	for (int i = 0; i < 100; i++) {
		double a = MPI_Wtime(), b = MPI_Wtime();
		for (int j = 0; b <= a && j < 100000; j++) b = MPI_Wtime();
		if (b > a && b - a < tick) tick = b - a;
	}
	MPI_Bcast(&tick, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	started = MPI_Wtime();
	if (rank == 0) {
		char version[MPI_MAX_LIBRARY_VERSION_STRING], host[MPI_MAX_PROCESSOR_NAME];
		int n;
		time_t now = time(NULL);
		char day[32];
		strftime(day, sizeof day, "%Y-%m-%d", gmtime(&now));
		MPI_Get_library_version(version, &n);
		version[strcspn(version, "\n")] = 0;
		MPI_Get_processor_name(host, &n);
		put("# halfpeak calibrate 1\n# %s, %d ranks, rank 0 on %s, clock of %.3g us%s\n# %s\n", day, ranks, host, 1e6 * tick, cold ? ", cold buffers" : "", version);
	}
	findLevels(cpus, hostList);
	if (!cpus && !hostList) checkProcessors();
	if (rank == 0) printLevels();
	makeTurns();
	if (rank == 0) {
		put("measure,level,way,pairs,bytes,variant,pass,repeats,median_us,low_us,high_us,min_us,max_us,average_us,outliers\n");
	}
	if (!onlyCollectives) firstPass(), plan();
	else for (int l = 0; l < levels; l++) for (int i = 0; i < 26; i++) estimates[l][i] = 2e-6 + 1e-9 * (double)(1L << i);
	planCollectives(collectives);
	passes();
	review();
	if (rank == 0) put("# %.1f s\n", MPI_Wtime() - started);
	if (rank == 0 && csv != stdout && fclose(csv) != 0) {
		fprintf(stderr, "calibrate: cannot write the table (%s)\n", strerror(errno));
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	MPI_Finalize();
	return 0;
}
