/* Times collectives as OSU's benchmarks do: in a loop, with a barrier before each call.
 *
 *   collectives REPEATS NAME:BYTES...   as in allreduce:1024; pingpong is between ranks 0 and the last
 *
 * It prints NAME,BYTES,TIME: the mean of the calls on the slowest rank in microseconds. BYTES are of
 * the vector or, where each rank has a block, of that. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, n;
static char *give, *take;

static void call(const char *name) {
	if (!strcmp(name, "bcast")) MPI_Bcast(give, n, MPI_CHAR, 0, MPI_COMM_WORLD);
	else if (!strcmp(name, "allreduce")) MPI_Allreduce(give, take, n / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	else if (!strcmp(name, "allgather")) MPI_Allgather(give, n, MPI_CHAR, take, n, MPI_CHAR, MPI_COMM_WORLD);
	else if (!strcmp(name, "alltoall")) MPI_Alltoall(give, n, MPI_CHAR, take, n, MPI_CHAR, MPI_COMM_WORLD);
	else if (!strcmp(name, "reduce-scatter")) {
		int *counts = malloc((size_t)ranks * sizeof *counts);
		for (int i = 0; i < ranks; i++) counts[i] = n / 4;
		MPI_Reduce_scatter(give, take, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		free(counts);
	} else if (!strcmp(name, "pingpong")) {
		int last = ranks - 1;
		if (rank == 0) MPI_Send(give, n, MPI_CHAR, last, 1, MPI_COMM_WORLD), MPI_Recv(take, n, MPI_CHAR, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank == last) MPI_Recv(take, n, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_Send(give, n, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
	} else MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	int repeats = argc > 1 ? atoi(argv[1]) : 1, most = 0;
	for (int i = 2; i < argc; i++) {
		int bytes = atoi(strchr(argv[i], ':') + 1);
		if (bytes > most) most = bytes;
	}
	give = calloc((size_t)ranks, (size_t)most), take = calloc((size_t)ranks, (size_t)most);
	for (int i = 2; i < argc; i++) {
		char name[32] = "";
		sscanf(argv[i], "%31[^:]:%d", name, &n);
		double sum = 0, slowest;
		for (int k = -1; k < repeats; k++) { /* the first call warms up */
			MPI_Barrier(MPI_COMM_WORLD);
			double t = MPI_Wtime();
			call(name);
			if (k >= 0) sum += MPI_Wtime() - t;
		}
		sum *= 1e6 / repeats;
		MPI_Reduce(&sum, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
		if (rank == 0) printf("%s,%d,%.4f\n", name, n, slowest);
	}
	MPI_Finalize();
	return 0;
}
