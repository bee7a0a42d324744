/* Programs whose traces are held against their runs on simulated networks:
 *
 *   network fan_in|fan_out K BYTES   rank 0 and K leaves, spread over the ranks
 *   network halo|wavefront|master BYTES
 *
 * Each rank prints the time in microseconds until it is done. Computations are sleeps, which are
 * exact in a simulator. trace.c follows in the same file. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, ranks, n;
static char *take, *give;

/* All ranks begin a trace at the same second of the simulator's clock: a barrier ends at another time
 * in each of them. */
#define PMPI_Barrier beginTogether
int beginTogether(MPI_Comm c) {
	(void)c;
	double left = 1 - PMPI_Wtime();
	struct timespec t = {0, (long)(1e9 * left)};
	nanosleep(&t, NULL);
	return MPI_SUCCESS;
}

static void compute(double us) {
	struct timespec t = {0, (long)(1e3 * us)};
	nanosleep(&t, NULL);
}

static void fan(int k, int from_root) {
	MPI_Request q[256];
	for (int leaf = 1; leaf <= k; leaf++) {
		int r = (int)((long)leaf * (ranks - 1) / k), to = rank == 0;
		if (rank != 0 && rank != r) continue;
		if (to == from_root) MPI_Isend(give, n, MPI_CHAR, to ? r : 0, 1, MPI_COMM_WORLD, &q[to ? leaf - 1 : 0]);
		else MPI_Irecv(to ? take + (size_t)(leaf - 1) * (size_t)n : take, n, MPI_CHAR, to ? r : 0, 1, MPI_COMM_WORLD, &q[to ? leaf - 1 : 0]);
		if (!to) MPI_Wait(&q[0], MPI_STATUS_IGNORE);
	}
	if (rank == 0) MPI_Waitall(k, q, MPI_STATUSES_IGNORE);
}

/* Ranks on a square grid, whose neighbours exchange; some columns may be short. */
static void halo(void) {
	int w = 1;
	while ((w + 1) * (w + 1) <= ranks) w++;
	int steps[4] = {1, ranks - 1, w, ranks - w};
	for (int step = 0; step < 10; step++) {
		MPI_Request q[8];
		for (int d = 0; d < 4; d++) MPI_Irecv(take + d * n, n, MPI_CHAR, (rank + steps[d]) % ranks, d, MPI_COMM_WORLD, &q[d]);
		for (int d = 0; d < 4; d++) MPI_Isend(give, n, MPI_CHAR, (rank + steps[d]) % ranks, d ^ 1, MPI_COMM_WORLD, &q[4 + d]);
		MPI_Waitall(8, q, MPI_STATUSES_IGNORE);
		compute(10 + rank % 3);
	}
}

/* Blocks go along all ranks by blocking calls; each works on them, the later ones longer, so that
 * messages wait for their receives. */
static void wavefront(void) {
	for (int block = 0; block < 12; block++) {
		if (rank > 0) MPI_Recv(take, n, MPI_CHAR, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		compute(5 + 3 * (rank % 4));
		if (rank < ranks - 1) MPI_Send(give, n, MPI_CHAR, rank + 1, 1, MPI_COMM_WORLD);
	}
}

static void master(void) {
	int tasks = 3 * ranks, busy = 0;
	MPI_Status s;
	while (rank > 0) {
		MPI_Recv(take, 256, MPI_CHAR, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
		if (s.MPI_TAG == 2) return;
		compute(40 + 3 * (rank % 7));
		MPI_Send(give, n, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
	}
	for (int worker = 1; worker < ranks; worker++, busy++) MPI_Send(give, 256, MPI_CHAR, worker, 1, MPI_COMM_WORLD);
	while (busy > 0) {
		MPI_Recv(take, n, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &s);
		MPI_Send(give, 256, MPI_CHAR, s.MPI_SOURCE, --tasks > 0 ? 1 : 2, MPI_COMM_WORLD);
		busy -= tasks <= 0;
	}
}

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	const char *name = argc > 2 ? argv[1] : "";
	n = atoi(argv[argc - 1]);
	take = calloc(256, (size_t)n + 256), give = calloc(1, (size_t)n + 256);
	double t = MPI_Wtime();
	if (!strcmp(name, "fan_in")) fan(atoi(argv[2]), 0);
	else if (!strcmp(name, "fan_out")) fan(atoi(argv[2]), 1);
	else if (!strcmp(name, "halo")) halo();
	else if (!strcmp(name, "wavefront")) wavefront();
	else if (!strcmp(name, "master")) master();
	t = MPI_Wtime() - t;
	printf("%.4f\n", 1e6 * t); /* a reduction would be in the trace */
	MPI_Finalize();
	return 0;
}
