/* Random programs, each drawn in Starlark and in C by the same generator: random NUMBER. Each rank
 * prints the time in microseconds from the beginning, which all have in common, to its end, and the
 * source and tag of each message in the order in which its receives were posted. Computations are
 * sleeps, which are exact in a simulator. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int rank, count; /* of receives */
static char *in, *out;
static MPI_Request r[4096];
static int place[4096]; /* of the receive of a request among the rank's receives, plus 1 */
static int source[4096], tags[4096]; /* the source among all ranks */
static MPI_Comm among[4096]; /* of a request's receive */
static double started;

static int size(MPI_Comm c) { int n; MPI_Comm_size(c, &n); return n; }
static int own(MPI_Comm c) { int n; MPI_Comm_rank(c, &n); return n; }

static void compute(double us) {
	struct timespec t = {(time_t)(us / 1e6), (long)(1e3 * us) % 1000000000};
	nanosleep(&t, NULL);
}

/* All ranks begin at the same second of the simulator's clock: a barrier ends at another time in each. */
static void begin(void) {
	compute(1e6 * (1 - MPI_Wtime()));
	started = MPI_Wtime();
}

static MPI_Comm split(MPI_Comm c, const int *colors, const int *keys) {
	MPI_Comm made;
	MPI_Comm_split(c, colors[rank] < 0 ? MPI_UNDEFINED : colors[rank], keys[rank], &made);
	return made;
}

static MPI_Comm cart(MPI_Comm c, int dimensions, int periodic) {
	int dims[3] = {0, 0, 0}, periods[3] = {periodic, periodic, periodic};
	MPI_Comm made;
	MPI_Dims_create(size(c), dimensions, dims);
	MPI_Cart_create(c, dimensions, dims, periods, 0, &made);
	return made;
}

static MPI_Comm sub(MPI_Comm c, int dim) {
	int kept[3] = {dim == 0, dim == 1, dim == 2};
	MPI_Comm made;
	MPI_Cart_sub(c, kept, &made);
	return made;
}

static void note(int at, const MPI_Status *s, MPI_Comm c) {
	MPI_Group all, its;
	MPI_Comm_group(MPI_COMM_WORLD, &all), MPI_Comm_group(c, &its);
	MPI_Group_translate_ranks(its, 1, &s->MPI_SOURCE, all, &source[at]);
	tags[at] = s->MPI_TAG;
}

static void receive(int n, int from, int tag, MPI_Comm c) {
	MPI_Status s;
	int at = count++;
	MPI_Recv(in, n, MPI_CHAR, from, tag, c, &s);
	note(at, &s, c);
}

static void begin_receive(int id, int n, int from, int tag, MPI_Comm c) {
	place[id] = ++count, among[id] = c;
	MPI_Irecv(in, n, MPI_CHAR, from, tag, c, &r[id]);
}

static void wait_all(int n, const int *ids) {
	MPI_Request all[256];
	MPI_Status s[256];
	for (int i = 0; i < n; i++) all[i] = r[ids[i]];
	MPI_Waitall(n, all, s);
	for (int i = 0; i < n; i++) if (place[ids[i]]) note(place[ids[i]] - 1, &s[i], among[ids[i]]);
}

static void exchange(int n, int to, int from, int tag, MPI_Comm c) {
	MPI_Status s;
	int at = count;
	count += from != MPI_PROC_NULL;
	MPI_Sendrecv(out, n, MPI_CHAR, to, tag, in, n, MPI_CHAR, from, tag, c, &s);
	if (from == own(c)) s.MPI_SOURCE = from; /* SMPI 3.32 gives the number of its process */
	if (from != MPI_PROC_NULL) note(at, &s, c);
}

static void ring(int n, int by, int tag, MPI_Comm c) {
	int me = own(c), p = size(c);
	exchange(n, (me + by) % p, ((me - by) % p + p) % p, tag, c);
}

static void shift(int n, int dim, int tag, MPI_Comm c) {
	int low, high;
	MPI_Cart_shift(c, dim, 1, &low, &high);
	exchange(n, high, low, tag, c);
}

static void reduce_scatter(int n, MPI_Comm c) {
	int counts[64];
	for (int i = 0; i < size(c); i++) counts[i] = n / 8;
	MPI_Reduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, c);
}

static void allgatherv(int n, MPI_Comm c) {
	int counts[64], at[64];
	for (int i = 0, sum = 0; i < size(c); sum += counts[i++]) counts[i] = n * (i % 3 + 1), at[i] = sum;
	MPI_Allgatherv(out, counts[own(c)], MPI_CHAR, in, counts, at, MPI_CHAR, c);
}

static void alltoallv(int n, MPI_Comm c) {
	int counts[64], at[64];
	for (int i = 0, sum = 0; i < size(c); sum += counts[i++]) counts[i] = n * ((own(c) + i) % 3 + 1), at[i] = sum;
	MPI_Alltoallv(out, counts, at, MPI_CHAR, in, counts, at, MPI_CHAR, c);
}

/* programs */
static void (*const programs[])(void) = {/* table */};

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	in = calloc(1, 4 << 20), out = calloc(1, 4 << 20);
	programs[atoi(argv[1])]();
	double t = MPI_Wtime() - started;
	static char text[1 << 17];
	int n = sprintf(text, "%d %.4f", rank, 1e6 * t);
	for (int i = 0; i < count; i++) n += sprintf(text + n, " %d:%d", source[i], tags[i]);
	printf("%s\n", text);
	MPI_Finalize();
	return 0;
}
