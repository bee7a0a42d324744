/* Programs whose messages move beside computations: beside NAME BYTES SCALE, with computations of SCALE
 * times their usual length. Each rank prints the time in microseconds until it is done. Computations are
 * sleeps, which are exact in a simulator. testdata/beside.star has the same programs; trace.c follows in
 * the same file. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, ranks, n, pending;
static double scale;
static char *take, *give;
static MPI_Request q[512];

/* All ranks begin a trace at the same second of the simulator's clock: a barrier ends at another time
 * in each of them. */
#define PMPI_Barrier beginTogether
int beginTogether(MPI_Comm c) {
	(void)c;
	struct timespec t = {0, (long)(1e9 * (1 - PMPI_Wtime()))};
	nanosleep(&t, NULL);
	return MPI_SUCCESS;
}

/* Every third rank computes longer. */
static void compute(double us) {
	struct timespec t = {0, (long)(1e3 * scale * (us + 7 * (rank % 3)))};
	if (scale > 0) nanosleep(&t, NULL);
}

/* A peer below 0 is none, as beyond the edge of a grid. */
static void get(int from, int tag) {
	if (from < 0) return;
	MPI_Irecv(take + (size_t)pending * (size_t)n, n, MPI_CHAR, from, tag, MPI_COMM_WORLD, &q[pending]);
	pending++;
}

static void put(int to, int tag) {
	if (to < 0) return;
	MPI_Isend(give, n, MPI_CHAR, to, tag, MPI_COMM_WORLD, &q[pending]);
	pending++;
}

static void done(void) {
	MPI_Waitall(pending, q, MPI_STATUSES_IGNORE);
	pending = 0;
}

static void sum(void) {
	double mine = 1, all;
	MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static int width(void) {
	int w = 1;
	while ((w + 1) * (w + 1) <= ranks) w++;
	return w;
}

/* The rank at a distance in rows and columns of the square grid; below 0: none. */
static int beside(int rows, int columns, int wraps) {
	int w = width(), row = rank / w + rows, column = rank % w + columns;
	if (!wraps && (row < 0 || row >= w || column < 0 || column >= w)) return -1;
	return (row + w) % w * w + (column + w) % w;
}

static void ring(void) {
	for (int step = 0; step < 10; step++) {
		get((rank + ranks - 1) % ranks, 1), put((rank + 1) % ranks, 1);
		compute(100);
		done();
	}
}

static void halo(void) {
	int peers[4] = {beside(-1, 0, 1), beside(1, 0, 1), beside(0, -1, 1), beside(0, 1, 1)};
	for (int step = 0; step < 10; step++) {
		for (int d = 0; d < 4; d++) get(peers[d], d);
		for (int d = 0; d < 4; d++) put(peers[d], d ^ 1);
		compute(100);
		done();
	}
}

/* A line with edges, and a sum of all after each step. */
static void jacobi(void) {
	int low = rank - 1, high = rank + 1 < ranks ? rank + 1 : -1;
	for (int step = 0; step < 10; step++) {
		get(low, 1), get(high, 2), put(low, 2), put(high, 1);
		compute(80);
		done();
		sum();
	}
}

/* Two sums in each step, of which one follows the inner points and one the edges. */
static void cg(void) {
	int low = rank - 1, high = rank + 1 < ranks ? rank + 1 : -1;
	for (int step = 0; step < 10; step++) {
		get(low, 1), get(high, 2), put(low, 2), put(high, 1);
		compute(40);
		done();
		compute(5);
		sum();
		compute(20);
		sum();
	}
}

/* Blocks from two neighbours to the two opposite ones: those of the next block are on their way while
 * a rank works on this one. */
static void swept(int up, int left, int down, int right, double work) {
	MPI_Request come[2], go[2];
	int from[2] = {up, left}, to[2] = {down, right};
	for (int i = 0; i < 2; i++) come[i] = go[i] = MPI_REQUEST_NULL;
	for (int block = -1; block < 10; block++) {
		MPI_Waitall(2, come, MPI_STATUSES_IGNORE);
		for (int i = 0; i < 2; i++) if (from[i] >= 0 && block < 9)
			MPI_Irecv(take + (size_t)(2 * (block & 1) + i) * (size_t)n, n, MPI_CHAR, from[i], i, MPI_COMM_WORLD, &come[i]);
		if (block < 0) continue;
		compute(work);
		MPI_Waitall(2, go, MPI_STATUSES_IGNORE);
		for (int i = 0; i < 2; i++) if (to[i] >= 0) MPI_Isend(give, n, MPI_CHAR, to[i], i, MPI_COMM_WORLD, &go[i]);
	}
	MPI_Waitall(2, go, MPI_STATUSES_IGNORE);
}

static void wavefront(void) { swept(beside(-1, 0, 0), beside(0, -1, 0), beside(1, 0, 0), beside(0, 1, 0), 20); }

static void pipeline(void) { swept(-1, rank - 1, -1, rank + 1 < ranks ? rank + 1 : -1, 30); }

/* Sums go up a binary tree and down again; the next ones are computed on the way. */
static void tree(void) {
	int parent = rank > 0 ? (rank - 1) / 2 : -1, children[2];
	for (int i = 0; i < 2; i++) children[i] = 2 * rank + 1 + i < ranks ? 2 * rank + 1 + i : -1;
	for (int step = 0; step < 10; step++) {
		get(children[0], 1), get(children[1], 1);
		compute(50);
		done();
		put(parent, 1), get(parent, 2);
		compute(30);
		done();
		put(children[0], 2), put(children[1], 2);
	}
	done();
}

static void transpose(void) {
	for (int step = 0; step < 3; step++) {
		for (int i = 1; i < ranks; i++) get((rank + ranks - i) % ranks, 1);
		for (int i = 1; i < ranks; i++) put((rank + i) % ranks, 1);
		compute(200);
		done();
	}
}

int main(int argc, char **argv) {
	static const struct { const char *name; void (*run)(void); } programs[] = {{"ring", ring},
		{"halo", halo}, {"jacobi", jacobi}, {"cg", cg}, {"wavefront", wavefront}, {"pipeline", pipeline},
		{"tree", tree}, {"transpose", transpose}};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	n = atoi(argv[2]), scale = atof(argv[3]);
	take = calloc((size_t)ranks + 8, (size_t)n), give = calloc(1, (size_t)n);
	double t = MPI_Wtime();
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		if (!strcmp(argv[1], programs[i].name)) programs[i].run();
	t = MPI_Wtime() - t;
	printf("%.4f\n", 1e6 * t); /* a reduction would be in the trace */
	MPI_Finalize();
	return 0;
}
