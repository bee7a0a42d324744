/* call COLLECTIVE BYTES: one call of one collective, root 0. BYTES is the message of bcast,
 * reduce, allreduce and scan, and the block of a rank for the others. Broadcasts and
 * what only moves data send chars; reductions sum ints. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int ranks;
    if (argc != 3) {
        fprintf(stderr, "usage: call COLLECTIVE BYTES\n");
        return 2;
    }
    const char *what = argv[1];
    int n = atoi(argv[2]), k = n / sizeof(int);
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm c = MPI_COMM_WORLD;
    char *in = calloc((size_t)n * ranks + 1, 1), *out = calloc((size_t)n * ranks + 1, 1);
    int *counts = malloc(ranks * sizeof *counts);
    for (int i = 0; i < ranks; i++)
        counts[i] = k;
    if (!strcmp(what, "bcast"))
        MPI_Bcast(in, n, MPI_CHAR, 0, c);
    else if (!strcmp(what, "reduce"))
        MPI_Reduce(in, out, k, MPI_INT, MPI_SUM, 0, c);
    else if (!strcmp(what, "allreduce"))
        MPI_Allreduce(in, out, k, MPI_INT, MPI_SUM, c);
    else if (!strcmp(what, "reduce_scatter"))
        MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, c);
    else if (!strcmp(what, "reduce_scatter_block"))
        MPI_Reduce_scatter_block(in, out, k, MPI_INT, MPI_SUM, c);
    else if (!strcmp(what, "allgather"))
        MPI_Allgather(in, n, MPI_CHAR, out, n, MPI_CHAR, c);
    else if (!strcmp(what, "alltoall"))
        MPI_Alltoall(in, n, MPI_CHAR, out, n, MPI_CHAR, c);
    else if (!strcmp(what, "gather"))
        MPI_Gather(in, n, MPI_CHAR, out, n, MPI_CHAR, 0, c);
    else if (!strcmp(what, "scatter"))
        MPI_Scatter(in, n, MPI_CHAR, out, n, MPI_CHAR, 0, c);
    else if (!strcmp(what, "barrier"))
        MPI_Barrier(c);
    else if (!strcmp(what, "scan"))
        MPI_Scan(in, out, k, MPI_INT, MPI_SUM, c);
    else {
        fprintf(stderr, "call: no collective \"%s\"\n", what);
        MPI_Abort(c, 2);
    }
    MPI_Finalize();
    return 0;
}
