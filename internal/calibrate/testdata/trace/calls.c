/* Calls that trace.c records, among any even number of ranks. Rank 0 prints how many messages
 * all ranks have sent and how many bytes, collectives aside. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long long messages, bytes;
static char out[1 << 16], in[1 << 16];
static int *counts(int n, int first, int step) {
	int *c = malloc(sizeof *c * (size_t)n);
	for (int i = 0; i < n; i++) c[i] = first + i * step;
	return c;
}
static void isend(int n, int to, int tag, MPI_Comm c, MPI_Request *r) {
	MPI_Isend(out, n, MPI_CHAR, to, tag, c, r), messages++, bytes += n;
}

/* Messages in both directions of a ring, whose requests end by each of MPI's calls. */
static void ring(MPI_Comm c) {
	int rank, ranks, flag, at, n, all[2];
	MPI_Request q[2];
	MPI_Comm_rank(c, &rank), MPI_Comm_size(c, &ranks);
	int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
	for (int way = 0; way < 9; way++) {
		MPI_Irecv(in, sizeof in, MPI_CHAR, way % 2 ? MPI_ANY_SOURCE : left, MPI_ANY_TAG, c, &q[0]);
		isend(100 + way, right, way, c, &q[1]);
		switch (way) {
		case 0: MPI_Wait(&q[0], MPI_STATUS_IGNORE), MPI_Wait(&q[1], MPI_STATUS_IGNORE); break;
		case 1: MPI_Waitall(2, q, MPI_STATUSES_IGNORE); break;
		case 2: MPI_Waitany(2, q, &at, MPI_STATUS_IGNORE), MPI_Waitany(2, q, &at, MPI_STATUS_IGNORE), MPI_Waitany(2, q, &at, MPI_STATUS_IGNORE); break;
		case 3: for (int done = 0; done < 2; done += n) MPI_Waitsome(2, q, &n, all, MPI_STATUSES_IGNORE); break;
		case 4: for (int i = 0; i < 2; i++) for (flag = 0; !flag;) MPI_Test(&q[i], &flag, MPI_STATUS_IGNORE); break;
		case 5: for (flag = 0; !flag;) MPI_Testall(2, q, &flag, MPI_STATUSES_IGNORE); break;
		case 6: for (int i = 0; i < 2; i++) for (flag = 0; !flag;) MPI_Testany(2, q, &at, &flag, MPI_STATUS_IGNORE); break;
		case 7: for (int done = 0; done < 2; done += n) MPI_Testsome(2, q, &n, all, MPI_STATUSES_IGNORE); break;
		case 8: MPI_Waitall(2, q, MPI_STATUSES_IGNORE); break;
		}
		MPI_Barrier(c); /* a receive from any rank takes no message of the next way */
	}
	MPI_Request p[2];
	MPI_Send_init(out, 50, MPI_CHAR, right, 1, c, &p[0]), MPI_Recv_init(in, 50, MPI_CHAR, left, 1, c, &p[1]);
	for (int i = 0; i < 3; i++) MPI_Startall(2, p), MPI_Waitall(2, p, MPI_STATUSES_IGNORE), messages++, bytes += 50;
	MPI_Request_free(&p[0]), MPI_Request_free(&p[1]);
	MPI_Sendrecv(out, 10, MPI_DOUBLE, right, 3, in, 10, MPI_DOUBLE, left, 3, c, MPI_STATUS_IGNORE), messages++, bytes += 80;
	MPI_Sendrecv_replace(in, 10, MPI_DOUBLE, right, 3, left, 3, c, MPI_STATUS_IGNORE), messages++, bytes += 80;
	MPI_Message m;
	MPI_Status s;
	isend(33, right, 4, c, &q[0]);
	MPI_Mprobe(MPI_ANY_SOURCE, 4, c, &m, &s), MPI_Mrecv(in, 33, MPI_CHAR, &m, &s), MPI_Wait(&q[0], &s);
	isend(34, right, 5, c, &q[0]);
	for (flag = 0; !flag;) MPI_Improbe(left, 5, c, &flag, &m, MPI_STATUS_IGNORE);
	MPI_Imrecv(in, 34, MPI_CHAR, &m, &q[1]), MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	isend(35, right, 6, c, &q[0]);
	for (flag = 0; !flag;) MPI_Iprobe(left, 6, c, &flag, &s);
	MPI_Recv(in, 35, MPI_CHAR, left, 6, c, &s), MPI_Wait(&q[0], &s);
	MPI_Irecv(in, 1, MPI_CHAR, left, 99, c, &q[0]), MPI_Cancel(&q[0]), MPI_Wait(&q[0], &s);
	MPI_Send(out, 1, MPI_CHAR, MPI_PROC_NULL, 0, c);
}

static void collectives(MPI_Comm c) {
	int rank, ranks;
	double d = 0, e;
	MPI_Request q;
	MPI_Comm_rank(c, &rank), MPI_Comm_size(c, &ranks);
	int last = ranks - 1, *n = counts(ranks, 1, 1), *same = counts(ranks, rank + 1, 0), *at = counts(ranks, 0, 100);
	MPI_Datatype *t = malloc(sizeof *t * (size_t)ranks);
	for (int i = 0; i < ranks; i++) t[i] = MPI_CHAR;
	MPI_Barrier(c), MPI_Bcast(out, 8, MPI_CHAR, last, c), MPI_Reduce(&d, &e, 1, MPI_DOUBLE, MPI_SUM, last, c);
	MPI_Allreduce(MPI_IN_PLACE, &d, 1, MPI_DOUBLE, MPI_SUM, c), MPI_Scan(&d, &e, 1, MPI_DOUBLE, MPI_SUM, c);
	MPI_Exscan(&d, &e, 1, MPI_DOUBLE, MPI_SUM, c), MPI_Reduce_local(&d, &e, 1, MPI_DOUBLE, MPI_SUM);
	MPI_Allgather(out, 4, MPI_CHAR, in, 4, MPI_CHAR, c), MPI_Alltoall(out, 4, MPI_CHAR, in, 4, MPI_CHAR, c);
	MPI_Gather(out, 4, MPI_CHAR, in, 4, MPI_CHAR, 0, c), MPI_Scatter(out, 4, MPI_CHAR, in, 4, MPI_CHAR, 0, c);
	MPI_Gatherv(out, rank + 1, MPI_CHAR, in, n, at, MPI_CHAR, last, c), MPI_Scatterv(out, n, at, MPI_CHAR, in, rank + 1, MPI_CHAR, last, c);
	MPI_Allgatherv(out, rank + 1, MPI_CHAR, in, n, at, MPI_CHAR, c), MPI_Alltoallv(out, n, at, MPI_CHAR, in, same, at, MPI_CHAR, c);
	MPI_Alltoallw(out, n, at, t, in, same, at, t, c);
	MPI_Reduce_scatter(out, in, n, MPI_CHAR, MPI_MAX, c), MPI_Reduce_scatter_block(out, in, 3, MPI_CHAR, MPI_MAX, c);
	MPI_Ialltoallv(out, n, at, MPI_CHAR, in, same, at, MPI_CHAR, c, &q), MPI_Wait(&q, MPI_STATUS_IGNORE);
	MPI_Iallreduce(&d, &e, 1, MPI_DOUBLE, MPI_SUM, c, &q), MPI_Wait(&q, MPI_STATUS_IGNORE);
	free(n), free(same), free(at), free(t);
}

static void neighbours(MPI_Comm c, int degree) {
	int *n = counts(degree, 8, 0), *at = counts(degree, 0, 64);
	MPI_Request q;
	MPI_Neighbor_allgather(out, 4, MPI_CHAR, in, 4, MPI_CHAR, c), MPI_Neighbor_alltoall(out, 4, MPI_CHAR, in, 4, MPI_CHAR, c);
	MPI_Neighbor_alltoallv(out, n, at, MPI_CHAR, in, n, at, MPI_CHAR, c);
	MPI_Ineighbor_alltoall(out, 4, MPI_CHAR, in, 4, MPI_CHAR, c, &q), MPI_Wait(&q, MPI_STATUS_IGNORE);
	free(n), free(at);
}

int main(int argc, char **argv) {
	int rank, ranks, one = 1;
	long long sums[2];
	MPI_Comm half, reversed, dup, node, group, part, cart, row, graph, inter, both;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	ring(MPI_COMM_WORLD);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half), ring(half), collectives(half);
	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed), ring(reversed), collectives(reversed);
	MPI_Comm_dup(reversed, &dup), ring(dup), MPI_Comm_free(&dup);
	MPI_Request q;
	MPI_Comm_idup(half, &dup, &q), MPI_Wait(&q, MPI_STATUS_IGNORE), collectives(dup), MPI_Comm_free(&dup);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node), collectives(node);
	MPI_Group g, first;
	MPI_Comm_group(MPI_COMM_WORLD, &g);
	int range[1][3] = {{0, ranks / 2 - 1, 1}};
	MPI_Group_range_incl(g, 1, range, &first);
	MPI_Comm_create(MPI_COMM_WORLD, first, &part);
	if (part != MPI_COMM_NULL) ring(part);
	if (rank < ranks / 2) MPI_Comm_create_group(MPI_COMM_WORLD, first, 7, &group), collectives(group);
	int dims[2] = {2, ranks / 2}, periods[2] = {0, 1}, keep[2] = {0, 1};
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &cart), neighbours(cart, 4);
	MPI_Cart_sub(cart, keep, &row), collectives(row);
	int from = (rank + 1) % ranks, to = (rank + ranks - 1) % ranks;
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, &one, 1, &to, &one, MPI_INFO_NULL, 0, &graph), neighbours(graph, 1);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 3, &inter);
	if (rank < 2) { /* between the groups: rank 0 of the other one */
		MPI_Sendrecv(out, 12, MPI_CHAR, 0, 1, in, 12, MPI_CHAR, 0, 1, inter, MPI_STATUS_IGNORE), messages++, bytes += 12;
	}
	MPI_Intercomm_merge(inter, rank % 2, &both), ring(both);
	MPI_Sendrecv(out, 4, MPI_CHAR, 0, 0, in, 4, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE), messages++, bytes += 4;
	MPI_Win w;
	MPI_Win_create(in, sizeof in, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
	MPI_Win_fence(0, w), MPI_Put(out, 8, MPI_CHAR, from, 0, 8, MPI_CHAR, w), MPI_Win_fence(0, w), MPI_Win_free(&w);
	long long mine[2] = {messages, bytes};
	MPI_Reduce(mine, sums, 2, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0) printf("%lld messages of %lld bytes\n", sums[0], sums[1]);
	MPI_Finalize();
	return 0;
}
