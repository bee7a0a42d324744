/* Programs whose traces are held against their runs: programs NAME[:BYTES]…, for any number of ranks. They
 * run one after the other in one launch, since launches differ in the state of the host. Of each it prints
 * the times of messages of 8 bytes, and of 16 KiB from one buffer, which show the state, and the time from a barrier until the last rank
 * is done, in microseconds. The program is between two calls of MPI_Pcontrol. Programs differ in what they do
 * to the memory of their messages: two-buffers sends the same memory again and receives elsewhere, one-buffer
 * sends what it has received, swap receives into what it has sent, and the others write what they send. */
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

/* Ranks 0 and 1 send BYTES to and fro, from one buffer or from two. */
static void pingpong(char *in, char *out, int n) {
	int rounds = n > 100000 ? 60 : n > 4000 ? 300 : 2000;
	for (int i = 0; i < rounds && rank < 2; i++) {
		if (rank == 0) MPI_Send(out, n, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
		MPI_Recv(in, n, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank == 1) MPI_Send(out, n, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
	}
}

/* Ranks 0 and 1 send BYTES to and fro, and write them before. */
static void fresh(char *in, char *out, int n) {
	int rounds = n > 100000 ? 60 : 300;
	for (int i = 0; i < 2 * rounds && rank < 2; i++) {
		if (i % 2 != rank) MPI_Recv(in, n, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		else memset(out, i, (size_t)n), MPI_Send(out, n, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD);
	}
}

/* A ring that passes BYTES on, with two buffers that change their roles. */
static void swapped(char *in, char *out, int n) {
	for (int step = 0; step < 300; step++) {
		MPI_Sendrecv(out, n, MPI_CHAR, (rank + 1) % ranks, 1, in, n, MPI_CHAR, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		char *was = in;
		in = out, out = was;
	}
}

/* A grid of 128 rows of 1,024 numbers on each rank, of which neighbours exchange rows. */
static void jacobi(double *a, double *b) {
	enum { ROWS = 128, N = 1024 };
	int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
	for (int i = 0; i < (ROWS + 2) * N; i++) a[i] = i % 7;
	for (int step = 0; step < 100; step++) {
		MPI_Request q[4];
		MPI_Irecv(a, N, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &q[0]);
		MPI_Irecv(a + (ROWS + 1) * N, N, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &q[1]);
		MPI_Isend(a + N, N, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, &q[2]);
		MPI_Isend(a + ROWS * N, N, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &q[3]);
		MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
		for (int y = 1; y <= ROWS; y++) for (int x = 1; x < N - 1; x++)
			b[y * N + x] = 0.25 * (a[y * N + x - 1] + a[y * N + x + 1] + a[(y - 1) * N + x] + a[(y + 1) * N + x]) + 1e-3 * x;
		double *was = a;
		a = b, b = was;
	}
}

/* Conjugate gradients on a line: an edge from each neighbour and two sums of all in each step. */
static void cg(double *p, double *q) {
	int n = 8192, left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
	for (int i = 0; i <= n + 1; i++) p[i] = i % 5, q[i] = 0;
	for (int step = 0; step < 200; step++) {
		double mine[2] = {0, 0}, all;
		MPI_Sendrecv(p + 1, 1, MPI_DOUBLE, left, 1, p + n + 1, 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Sendrecv(p + n, 1, MPI_DOUBLE, right, 2, p, 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (int i = 1; i <= n; i++) q[i] = 2 * p[i] - p[i - 1] - p[i + 1], mine[0] += p[i] * q[i];
		MPI_Allreduce(&mine[0], &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		for (int i = 1; i <= n; i++) p[i] += 1e-3 * q[i] / (1 + all * all), mine[1] += p[i] * p[i];
		MPI_Allreduce(&mine[1], &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		p[1 + step % n] *= 1 - 1e-6 * (all > 0);
	}
}

/* Sweeps of 20 blocks from the first rank to the last and back, each block from the edge of the one before. */
static void wavefront(char *in, char *out) {
	enum { N = 4096 };
	for (int sweep = 0; sweep < 20; sweep++) {
		int from = sweep % 2 ? rank + 1 : rank - 1, to = sweep % 2 ? rank - 1 : rank + 1;
		for (int block = 0; block < 20; block++) {
			if (from >= 0 && from < ranks) MPI_Recv(in, N, MPI_CHAR, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			compute(500);
			for (int i = 0; i < N; i++) out[i] = (char)(in[i] + sweep + block);
			if (to >= 0 && to < ranks) MPI_Send(out, N, MPI_CHAR, to, 1, MPI_COMM_WORLD);
		}
	}
}

/* Rank 0 makes items of 64 KiB for the others, who add them up and ask for the next. */
static void producer(char *in, char *out) {
	enum { N = 65536 };
	for (int item = 0; item < 300; item++) {
		if (rank == 0) {
			memset(out, item, N);
			for (int other = 1; other < ranks; other++) MPI_Send(out, N, MPI_CHAR, other, 1, MPI_COMM_WORLD);
			for (int other = 1; other < ranks; other++) MPI_Recv(in, 1, MPI_CHAR, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			continue;
		}
		MPI_Recv(in, N, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (int i = 0; i < N; i++) work[i % 64] += in[i];
		MPI_Send(out, 1, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
	}
}

/* Both ranks test between pieces of work whether the other's message has come, and one of them, which has less
 * work, then does nothing but test. */
static void poll(char *in, char *out) {
	int other = rank ^ 1, pieces, done;
	for (int step = 0; step < 200 && other < ranks; step++) {
		MPI_Request q;
		MPI_Irecv(in, 1024, MPI_CHAR, other, 1, MPI_COMM_WORLD, &q);
		pieces = step % 2 == rank % 2 ? 800 : 400, done = 0;
		for (int i = 0; i < pieces; i++) {
			compute(1);
			if (!done) MPI_Test(&q, &done, MPI_STATUS_IGNORE);
		}
		MPI_Send(out, 1024, MPI_CHAR, other, 1, MPI_COMM_WORLD);
		while (!done) MPI_Test(&q, &done, MPI_STATUS_IGNORE);
	}
}

/* The least half of a round trip between ranks 0 and 1, in seconds. */
static double least(char *in, char *out, int n) {
	double least = 1;
	for (int i = 0; i < 50 && rank < 2; i++) {
		double t = MPI_Wtime();
		if (rank == 0) MPI_Send(out, n, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
		MPI_Recv(in, n, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank == 1) MPI_Send(out, n, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
		t = (MPI_Wtime() - t) / 2;
		if (t < least) least = t;
	}
	return least;
}

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	enum { ROOM = 5 << 19 };
	for (int i = 1; i < argc; i++) {
		/* Memory of its own for each program, and written: pages of malloc are one page until they are. */
		char *in = malloc(ROOM), *out = malloc(ROOM), *name = argv[i], *bytes = strchr(name, ':');
		/* Not of zeros either: some processors write zeros over zeros in less time. */
		memset(in, 1, ROOM), memset(out, 2, ROOM);
		int n = bytes ? atoi(bytes + 1) : 0;
		if (bytes) *bytes = 0;
		double mark = least(in, out, 8), sent = least(in, in, 16384), t, last;
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Pcontrol(1);
		t = MPI_Wtime();
		if (!strcmp(name, "halo")) halo(in, out);
		else if (!strcmp(name, "pipeline")) pipeline(in, out);
		else if (!strcmp(name, "master")) master(in, out);
		else if (!strcmp(name, "two-buffers")) pingpong(in, out, n);
		else if (!strcmp(name, "one-buffer")) pingpong(in, in, n);
		else if (!strcmp(name, "fresh")) fresh(in, out, n);
		else if (!strcmp(name, "swap")) swapped(in, out, n);
		else if (!strcmp(name, "jacobi")) jacobi((double *)in, (double *)out);
		else if (!strcmp(name, "cg")) cg((double *)in, (double *)out);
		else if (!strcmp(name, "wavefront")) wavefront(in, out);
		else if (!strcmp(name, "producer")) producer(in, out);
		else if (!strcmp(name, "poll")) poll(in, out);
		t = MPI_Wtime() - t;
		MPI_Pcontrol(0);
		MPI_Reduce(&t, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
		if (rank == 0) printf("%.4f %.4f %.3f\n", 1e6 * mark, 1e6 * sent, 1e6 * last);
	}
	MPI_Finalize();
	return work[0] < -1;
}
