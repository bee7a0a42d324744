/* Two ranks exchange messages and then end in another way than by MPI_Finalize: by "signal" or "abort" of rank
 * 1, while rank 0 waits. With "threads", two threads of each rank call MPI at the same time, and with
 * "serialized" in turn. */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

static int rank;
static volatile int ready;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int serialized;

static void *other(void *unused) {
	char b = 0;
	for (int i = 0; i < 100; i++) {
		while (ready <= i) sched_yield();
		if (serialized) pthread_mutex_lock(&turn);
		MPI_Send(&b, 1, MPI_CHAR, rank, 2, MPI_COMM_WORLD);
		if (serialized) pthread_mutex_unlock(&turn);
	}
	return unused;
}

int main(int argc, char **argv) {
	int level, done;
	char b[1024] = "", *end = argc > 1 ? argv[1] : "";
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 5; i++) {
		if (rank == 0) MPI_Send(b, sizeof b, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
		else MPI_Recv(b, sizeof b, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	if (rank == 1 && !strcmp(end, "signal")) raise(SIGSEGV);
	if (rank == 1 && !strcmp(end, "abort")) MPI_Abort(MPI_COMM_WORLD, 3);
	if (!strcmp(end, "signal") || !strcmp(end, "abort")) MPI_Recv(b, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	serialized = !strcmp(end, "serialized");
	pthread_t t;
	pthread_create(&t, NULL, other, NULL);
	for (int i = 0; i < 100; i++) {
		MPI_Request q;
		ready = i + 1;
		if (!serialized) {
			MPI_Recv(b, 1, MPI_CHAR, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			continue;
		}
		pthread_mutex_lock(&turn);
		MPI_Irecv(b, 1, MPI_CHAR, rank, 2, MPI_COMM_WORLD, &q);
		for (done = 0; !done;) {
			MPI_Test(&q, &done, MPI_STATUS_IGNORE);
			if (!done) pthread_mutex_unlock(&turn), sched_yield(), pthread_mutex_lock(&turn);
		}
		pthread_mutex_unlock(&turn);
	}
	pthread_join(t, NULL);
	MPI_Finalize();
	return 0;
}
