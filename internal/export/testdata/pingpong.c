/* The time one way, in µs, of messages of the sizes given. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
	int rank;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	char *b = malloc(1 << 23);
	for (int i = 1; i < argc; i++) {
		int n = atoi(argv[i]), rounds = 5;
		double begin = 0;
		for (int k = -1; k < rounds; k++) { /* the first one brings both together */
			if (k == 0)
				begin = MPI_Wtime();
			if (rank == 0) {
				MPI_Send(b, n, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
				MPI_Recv(b, n, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			} else if (rank == 1) {
				MPI_Recv(b, n, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
				MPI_Send(b, n, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
			}
		}
		if (rank == 0)
			printf("%d %.9f\n", n, (MPI_Wtime() - begin) / (2 * rounds) * 1e6);
	}
	MPI_Finalize();
}
