/* Three programs whose traces are held against their runs: programs halo|pipeline|master. It prints
 * the time in microseconds from a barrier until the last rank is done. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;
static double work[64];

static void compute(int rounds) { /* some 25 ns a round */
	for (int r = 0; r < rounds; r++)
		for (int i = 0; i < 64; i++) work[i] = work[i] * 0.999 + 1e-3 * (r + i);
}

/* A ring in which both neighbours get 8 KiB in each step, and a sum of all in each tenth. */
static void halo(char *in, char *out) {
	int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks, n = 8192;
	for (int step = 0; step < 300; step++) {
		MPI_Request q[4];
		MPI_Irecv(in, n, MPI_CHAR, left, 1, MPI_COMM_WORLD, &q[0]);
		MPI_Irecv(in + n, n, MPI_CHAR, right, 2, MPI_COMM_WORLD, &q[1]);
		MPI_Isend(out, n, MPI_CHAR, right, 1, MPI_COMM_WORLD, &q[2]);
		MPI_Isend(out + n, n, MPI_CHAR, left, 2, MPI_COMM_WORLD, &q[3]);
		MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
		compute(1000);
		double sum;
		if (step % 10 == 9) MPI_Allreduce(work, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
}

/* Blocks of 64 KiB go from rank to rank; each works on them. */
static void pipeline(char *in, char *out) {
	for (int block = 0; block < 300; block++) {
		if (rank > 0) MPI_Recv(in, 65536, MPI_CHAR, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		compute(1000);
		if (rank < ranks - 1) MPI_Send(out, 65536, MPI_CHAR, rank + 1, 1, MPI_COMM_WORLD);
	}
}

/* Rank 0 gives each worker that returns 4 KiB a new task of 1 KiB; tasks differ in length. */
static void master(char *in, char *out) {
	int tasks = 300, busy = 0;
	MPI_Status s;
	if (rank > 0) {
		for (;;) {
			MPI_Recv(in, 1024, MPI_CHAR, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
			if (s.MPI_TAG == 2) return;
			compute(500 + 10 * in[0]);
			MPI_Send(out, 4096, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
		}
	}
	for (int worker = 1; worker < ranks; worker++, busy++) MPI_Send(out, 1024, MPI_CHAR, worker, 1, MPI_COMM_WORLD);
	while (busy > 0) {
		MPI_Recv(in, 4096, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &s);
		out[0] = (char)(tasks * 37 % 100);
		MPI_Send(out, 1024, MPI_CHAR, s.MPI_SOURCE, --tasks > 0 ? 1 : 2, MPI_COMM_WORLD);
		busy -= tasks <= 0;
	}
}

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	char *in = malloc(1 << 17), *out = malloc(1 << 17);
	memset(in, 0, 1 << 17), memset(out, 0, 1 << 17); /* pages of calloc are one page until they are written */
	const char *name = argc > 1 ? argv[1] : "";
	MPI_Barrier(MPI_COMM_WORLD);
	double t = MPI_Wtime(), last;
	if (!strcmp(name, "halo")) halo(in, out);
	else if (!strcmp(name, "pipeline")) pipeline(in, out);
	else if (!strcmp(name, "master")) master(in, out);
	t = MPI_Wtime() - t;
	MPI_Reduce(&t, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (rank == 0) printf("%.3f\n", 1e6 * last);
	MPI_Finalize();
	return work[0] < -1;
}
