/* Judges algorithms against those that Open MPI chooses by itself:
 *
 *   OMPI_MCA_coll_tuned_use_dynamic_rules=1 mpirun -np 2 ./judge COLLECTIVE:BYTES:ALGORITHM:SEGMENT:FANOUT…
 *
 * One launch has two communicators of all ranks: for the first the library decides, and for the second the
 * algorithm is forced by variables that are read when a communicator is made. Calls of both take turns in
 * short blocks (own, forced, forced, own), so that the state of the host passes for neither. The time of a
 * call is that of its slowest rank from the end of a barrier on. Of each argument it prints the median over
 * pairs of blocks of the library's time divided by that of the forced algorithm, then the same of two
 * communicators for which the library decides, which shows the judge's own error, and the median times of
 * the library's and the forced algorithm in microseconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 100, MOST = 64, ROOM = 4 << 20 };
static int rank, ranks;
static char *in, *out;

static void set(const char *name, const char *suffix, int value) {
	char variable[128];
	MPI_T_cvar_handle handle;
	int index, elements;
	snprintf(variable, sizeof variable, "coll_tuned_%s_algorithm%s", name, suffix);
	if (MPI_T_cvar_get_index(variable, &index) != MPI_SUCCESS || MPI_T_cvar_handle_alloc(index, NULL, &handle, &elements) != MPI_SUCCESS
		|| MPI_T_cvar_write(handle, &value) != MPI_SUCCESS) {
		fprintf(stderr, "judge: this library has no variable %s that can be set\n", variable);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
}

/* A communicator for which the algorithm is forced, or with 0 the library decides. */
static MPI_Comm forced(const char *name, int algorithm, int segment, int fanout) {
	MPI_Comm c;
	set(name, "", algorithm), set(name, "_segmentsize", segment);
	if (fanout > 0) set(name, "_chain_fanout", fanout);
	MPI_Comm_dup(MPI_COMM_WORLD, &c);
	set(name, "", 0), set(name, "_segmentsize", 0);
	return c;
}

static void call(const char *name, int n, MPI_Comm c) {
	int doubles = n / (int)sizeof(double);
	if (!strcmp(name, "bcast")) MPI_Bcast(out, n, MPI_CHAR, 0, c);
	else if (!strcmp(name, "allreduce")) MPI_Allreduce(out, in, doubles, MPI_DOUBLE, MPI_SUM, c);
	else if (!strcmp(name, "reduce")) MPI_Reduce(out, in, doubles, MPI_DOUBLE, MPI_SUM, 0, c);
	else if (!strcmp(name, "allgather")) MPI_Allgather(out, n, MPI_CHAR, in, n, MPI_CHAR, c);
	else if (!strcmp(name, "alltoall")) MPI_Alltoall(out, n, MPI_CHAR, in, n, MPI_CHAR, c);
	else fprintf(stderr, "judge: no collective %s\n", name), MPI_Abort(MPI_COMM_WORLD, 2);
}

/* The mean time of the calls of a block, in seconds. */
static double block(const char *name, int n, int calls, MPI_Comm c) {
	double took[MOST], slowest[MOST], sum = 0;
	for (int i = 0; i < calls; i++) {
		MPI_Barrier(MPI_COMM_WORLD);
		double t = MPI_Wtime();
		call(name, n, c);
		took[i] = MPI_Wtime() - t;
	}
	MPI_Allreduce(took, slowest, calls, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	for (int i = 0; i < calls; i++) sum += slowest[i];
	return sum / calls;
}

static int ascending(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *x, int n) {
	qsort(x, (size_t)n, sizeof *x, ascending);
	return x[n / 2];
}

/* The median over pairs of blocks of a's time divided by b's, and the median time of b. */
static double ratio(const char *name, int n, MPI_Comm a, MPI_Comm b, double *time) {
	double ratios[PAIRS], times[PAIRS], guess = block(name, n, 8, a);
	int calls = guess > 0 && 3e-4 / guess < MOST ? (int)(3e-4 / guess) + 1 : MOST; /* some 0.3 ms */
	MPI_Bcast(&calls, 1, MPI_INT, 0, MPI_COMM_WORLD);
	for (int i = 0; i < PAIRS; i++) {
		double of[2];
		for (int k = 0; k < 2; k++) of[k ^ (i & 1)] = block(name, n, calls, k ^ (i & 1) ? b : a);
		ratios[i] = of[0] / of[1], times[i] = of[1];
	}
	*time = median(times, PAIRS);
	return median(ratios, PAIRS);
}

int main(int argc, char **argv) {
	int provided;
	MPI_Init(&argc, &argv);
	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	in = malloc(ROOM), out = malloc(ROOM);
	memset(in, 1, ROOM), memset(out, 1, ROOM); /* small numbers, of which sums do not overflow */
	for (int i = 1; i < argc; i++) {
		char name[32] = "";
		int n = 0, algorithm = 0, segment = 0, fanout = 0;
		if (sscanf(argv[i], "%31[a-z]:%d:%d:%d:%d", name, &n, &algorithm, &segment, &fanout) < 3 || n < 8 || (size_t)n * (size_t)ranks > ROOM) {
			fprintf(stderr, "judge: %s is no COLLECTIVE:BYTES:ALGORITHM:SEGMENT:FANOUT\n", argv[i]);
			MPI_Abort(MPI_COMM_WORLD, 2);
		}
		MPI_Comm own = forced(name, 0, 0, 0), same = forced(name, 0, 0, 0), other = forced(name, algorithm, segment, fanout);
		double with, without, gain = ratio(name, n, own, other, &with), null = ratio(name, n, own, same, &without);
		if (rank == 0) printf("%.4f %.4f %.3f %.3f\n", gain, null, 1e6 * without, 1e6 * with);
		MPI_Comm_free(&own), MPI_Comm_free(&same), MPI_Comm_free(&other);
	}
	MPI_Finalize();
	return 0;
}
