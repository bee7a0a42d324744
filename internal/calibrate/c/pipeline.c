/* pipeline measures the stages of a pipeline of packets, each alone, for "halfpeak fit".
 *
 *   mpicc -O2 pipeline.c -o pipeline
 *   mpirun -np 2 --bind-to core --mca pml ob1 --mca btl vader,self \
 *     --mca btl_vader_single_copy_mechanism none --mca btl_vader_segment_size 134217728 \
 *     --mca btl_vader_max_send_size 16384 ./pipeline mpi 16384 >> pipe.csv
 *   halfpeak fit pipe.csv --save pipe.toml
 *
 * Give each packet size several launches, in shuffled order: processor, memory and the places of
 * buffers differ between launches. C99, MPI 3.0, two ranks on two processors. The segment has room
 * for eight of the largest fragments, without which Open MPI does not start.
 *
 * mpi   fragments of a rendezvous; the packet is the library's largest fragment. The receiver
 *       answers the request and leaves MPI, so that one call of the sender copies all fragments
 *       in; then it returns to MPI and copies them out.
 * proxy a proxy that reads a packet from one TCP connection and writes it to another
 * cuda  pageable memory to pinned slots to a GPU: nvcc -x cu -DCUDA pipeline.c -lmpi; the pipeline
 *       "runtime" is the runtime's own copy of pageable memory
 *
 * Method. While a stage is timed, the other processor waits outside of the library, on a word of
 * shared memory. A message passes its stages in portions that a queue holds. Both directions take
 * turns, so that caches hold what they hold in a ping-pong. A row is the time of a packet in a
 * stage, over messages. Rows "busy" are the same while the other processor copies too. "Start" is
 * what a message takes besides, once. "Word" is the time of a word between the processors: if they
 * share a core, halfpeak leaves the launch out. Rows "whole" are of whole messages through all
 * stages at once: halfpeak compares predictions with them, and uses them for nothing else. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifdef CUDA
#include <cuda_runtime.h>
#endif

enum { LARGEST = 4 << 20, SLOTS = 8, GROUP = 64 << 10, REPEATS = 400, STAGES = 10, FIRST = 4000, HEADER = 32 };
static const long sizes[] = {64 << 10, 256 << 10, 1 << 20, 8 << 20};

typedef struct { int at; char line[124]; int count; double began; char line2[112]; char slots[2][SLOTS * (long)LARGEST]; } Shared;

static int rank;
static Shared *shared;
static char *out, *in; /* the message that is sent, and the one that comes */
static long packet;
static int sockets[2] = {-1, -1}; /* of two connections between the ranks */
static double samples[STAGES][REPEATS];
static int count[STAGES];

static double now(void) { /* µs */
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void fail(const char *text) {
	fprintf(stderr, "pipeline: %s\n", text);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The ranks take turns: a step begins when the one before has ended. */
static void waitFor(int step) { while (__atomic_load_n(&shared->at, __ATOMIC_ACQUIRE) < step) {} }
static void done(int step) { __atomic_store_n(&shared->at, step, __ATOMIC_RELEASE); }

/* A barrier through shared memory, outside of MPI, returns both ranks within a cache line's way. */
static void meet(int step) {
	if (rank == 0) waitFor(step + 1), done(step + 2);
	else waitFor(step), done(step + 1), waitFor(step + 2);
}

static void sample(int stage, double t) { if (count[stage] < REPEATS) samples[stage][count[stage]++] = t; }

static int compare(const void *a, const void *b) { double x = *(const double *)a, y = *(const double *)b; return (x > y) - (x < y); }

/* gather collects the samples of both ranks at rank 0, and empties them: their lower quartile, since
 * disturbances make times longer. */
static double gather(int stage) {
	static double both[2 * REPEATS];
	int theirs = 0, mine = count[stage];
	count[stage] = 0;
	if (rank == 1) {
		MPI_Send(&mine, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
		MPI_Send(samples[stage], mine, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
		return 0;
	}
	MPI_Recv(&theirs, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Recv(both, theirs, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	memcpy(both + theirs, samples[stage], sizeof(double) * (size_t)mine);
	qsort(both, (size_t)(theirs + mine), sizeof(double), compare);
	return theirs + mine ? both[(theirs + mine) / 4] : 0;
}

static void row(const char *pipe, const char *stage, long n, double t) {
	if (rank == 0 && t > 0) printf("%s,%s,%ld,%ld,%.4f\n", pipe, stage, n, packet, t), fflush(stdout);
}

/* ---- copies through slots ---- */

enum { ARRIVE, READ, FORWARD, DELIVER, FORWARDBUSY, ENDSBUSY }; /* of the proxy */
enum { SEND, HANDOVER, RECEIVE, REQUEST, ANSWER, COPYIN, COPYOUT, COPYINBUSY, COPYOUTBUSY, WHOLE };

static double handOver(int *step) { /* half of a round trip of a word */
	double t = now();
	enum { TRIPS = 100 };
	for (int i = 0; i < TRIPS; i++) {
		if (rank == 0) done(*step + 1), waitFor(*step + 2);
		else waitFor(*step + 1), done(*step + 2);
		*step += 2;
	}
	return (now() - t) / TRIPS / 2;
}

/* word is the shortest of several: it shows whether the processors share a core. */
static double word(int *step) {
	double least = 1e9;
	for (int i = 0; i < 20; i++) {
		double t = handOver(step);
		if (t < least) least = t;
	}
	return least;
}

static long slots(void) { return GROUP / packet > SLOTS ? GROUP / packet : SLOTS; }

/* copySome copies up to k packets in or out, and returns the time. */
static double copySome(int sender, long n, long from, long k) {
	double t = now();
	for (long i = from; i < from + k && i * packet < n; i++) {
		long at = i * packet, bytes = n - at < packet ? n - at : packet;
		char *slot = shared->slots[sender] + i % slots() * packet;
		if (rank == sender) memcpy(slot, out + at, (size_t)bytes);
		else memcpy(in + at, slot, (size_t)bytes);
	}
	return now() - t;
}

/* copies is one message, each stage alone: the sender fills the slots, then the receiver empties
 * them. If busy, the sender fills half of the slots while the receiver empties the other half. */
static void copies(long n, int sender, int busy, int *step) {
	double send = 0, receive = 0;
	long k = (n + packet - 1) / packet, group = GROUP / packet, i = 0;
	if (group > k) group = k;
	if (group < 1) group = 1;
	if (busy) {
		if (k < 2) return;
		if (group > k / 2) group = k / 2;
		if (group > slots() / 2) group = slots() / 2;
		if (rank == sender) copySome(sender, n, 0, group);
		for (; i + group < k; i += group) {
			meet(*step), *step += 2;
			if (rank == sender) send += copySome(sender, n, i + group, group);
			else receive += copySome(sender, n, i, group);
		}
		meet(*step), *step += 2;
		if (rank != sender) copySome(sender, n, i, group);
		if (rank == sender) sample(COPYINBUSY, send / (double)(k - group));
		else sample(COPYOUTBUSY, receive / (double)i);
		return;
	}
	for (; i < k; i += group) {
		meet(*step), *step += 2;
		if (rank == sender) send += copySome(sender, n, i, group);
		meet(*step), *step += 2;
		if (rank != sender) receive += copySome(sender, n, i, group);
	}
	if (rank == sender) sample(COPYIN, send / (double)k);
	else sample(COPYOUT, receive / (double)k);
}

/* ---- fragments of MPI ---- */

static int most; /* fragments of a portion */

/* fragments is one message of MPI. A portion has whole fragments behind the first bytes, which
 * come with the request. If one call did not send a portion, the sample does not count, and
 * in the warm-up the next portions are half as long. */
static void fragments(long n, int sender, int warm, int *step) {
	double start = 0, send = 0, receive = 0;
	long bytes = packet < n ? packet : n, k = n / bytes, all = k, portions = 0;
	char *from = out, *to = in;
	int wrong = 0, flag;
	for (; k > 0; k -= most, portions++) {
		long part = FIRST + (k < most ? k : most) * (bytes - HEADER);
		MPI_Request r;
		double t;
		if (rank == sender) {
			waitFor(*step + 1);
			t = now(), MPI_Isend(from, (int)part, MPI_CHAR, 1 - rank, 2, MPI_COMM_WORLD, &r), start += now() - t;
			done(*step + 2), waitFor(*step + 3);
			t = now(), MPI_Test(&r, &flag, MPI_STATUS_IGNORE), send += now() - t;
			done(*step + 4);
			t = now();
			while (__atomic_load_n(&shared->at, __ATOMIC_ACQUIRE) < *step + 5)
				if (now() - t > 500 + 1e-3 * (double)part) MPI_Test(&r, &flag, MPI_STATUS_IGNORE), wrong = 1;
			MPI_Wait(&r, MPI_STATUS_IGNORE);
		} else {
			MPI_Irecv(to, (int)part, MPI_CHAR, 1 - rank, 2, MPI_COMM_WORLD, &r);
			done(*step + 1), waitFor(*step + 2);
			t = now(), MPI_Test(&r, &flag, MPI_STATUS_IGNORE), start += now() - t;
			done(*step + 3), waitFor(*step + 4);
			t = now(), MPI_Wait(&r, MPI_STATUS_IGNORE), receive += now() - t;
			done(*step + 5);
		}
		*step += 5;
		from += part - FIRST, to += part - FIRST;
	}
	if (rank == sender) shared->count = wrong, done(*step + 1);
	else waitFor(*step + 1);
	*step += 1;
	wrong = shared->count;
	meet(*step), *step += 2;
	if (wrong) {
		if (warm && most > 1) most /= 2;
		return;
	}
	sample(rank == sender ? REQUEST : ANSWER, start / (double)portions);
	if (rank == sender) sample(SEND, send / (double)all);
	else sample(RECEIVE, receive / (double)all);
}

/* ---- a proxy between two connections ---- */

static void connectAll(void) {
	for (int i = 0; i < 2; i++) {
		struct sockaddr_in a = {0};
		socklen_t size = sizeof a;
		a.sin_family = AF_INET, a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		int one = 1, room = 8 << 20;
		int s = socket(AF_INET, SOCK_STREAM, 0);
		/* The forced size, for root; others get what the system allows. */
		if (setsockopt(s, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room)) setsockopt(s, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
		if (setsockopt(s, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof room)) setsockopt(s, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
		if (rank == 0) {
			if (bind(s, (struct sockaddr *)&a, sizeof a) || listen(s, 1) || getsockname(s, (struct sockaddr *)&a, &size)) fail("cannot listen");
			MPI_Send(&a, sizeof a, MPI_CHAR, 1, 3, MPI_COMM_WORLD);
			if ((sockets[i] = accept(s, NULL, NULL)) < 0) fail("cannot accept");
			close(s);
		} else {
			MPI_Recv(&a, sizeof a, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			if (connect(s, (struct sockaddr *)&a, sizeof a)) fail("cannot connect");
			sockets[i] = s;
		}
		setsockopt(sockets[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
		fcntl(sockets[i], F_SETFL, O_NONBLOCK);
	}
}

/* some reads or writes up to n bytes once; 0 if the socket is not ready. */
static long some(int writes, int s, char *b, long n) {
	long k = writes ? send(s, b, (size_t)n, 0) : recv(s, b, (size_t)n, 0);
	if (k == 0 && n > 0) fail("the connection ended");
	if (k < 0 && errno != EAGAIN) fail(strerror(errno));
	return k < 0 ? 0 : k;
}
static void all(int writes, int s, char *b, long n) { for (long k; n > 0; n -= k, b += k) k = some(writes, s, b, n); }

/* forward is the proxy's stage: it reads a packet and writes it. */
static double forward(long n) {
	double t = now();
	for (long at = 0; at < n; at += packet) {
		long k = n - at < packet ? n - at : packet;
		all(0, sockets[0], in, k), all(1, sockets[1], in, k);
	}
	return now() - t;
}

/* proxied is a message from rank 0 through the proxy, rank 1, back to rank 0, packet by packet.
 * TCP passes bytes on while others still come, so the source's time is what the proxy's read takes
 * longer if the source writes meanwhile, than if it has written before; the sink's likewise. */
static void proxied(long n, int pairs, int *step) {
	long part = packet < n ? packet : n, k = n / part;
	double first = 0, middle = 0, last = 0; /* at the source, the proxy and the sink */
	for (long i = 0; i < k; i++) {
		char *o = out + i * part, *b = in + i * part;
		meet(*step), *step += 2;
		if (rank == 0) shared->began = now();
		if (rank == 0) all(1, sockets[0], o, part);
		if (!pairs) meet(*step), *step += 2;
		double t = now();
		if (rank == 1) all(0, sockets[0], in, part), first += now() - (pairs ? shared->began : t), middle += now() - t;
		meet(*step), *step += 2;
		t = now();
		if (rank == 1) shared->began = t, all(1, sockets[1], in, part), middle += now() - t;
		if (!pairs) meet(*step), *step += 2, t = now();
		if (rank == 0) all(0, sockets[1], b, part), last += now() - (pairs ? shared->began : t);
		if (rank == 1 && !pairs) last += now() - t;
	}
	if (pairs && rank == 1) sample(ARRIVE, first / (double)k);
	if (pairs && rank == 0) sample(DELIVER, last / (double)k);
	if (!pairs && rank == 1) sample(READ, first / (double)k), sample(FORWARD, middle / (double)k);
}

/* busyProxy is the same while all work: the proxy forwards a packet while rank 0, whose processor
 * source and sink share, writes the next one and reads the one before: k-1 of each. */
static void busyProxy(long n, int *step) {
	long part = packet < n ? packet : n, k = n / part;
	double proxy = 0, both = 0;
	if (k < 2) return;
	if (rank == 0) all(1, sockets[0], out, part);
	for (long i = 0; i < k; i++) {
		meet(*step), *step += 2;
		double t = now();
		if (rank == 1) proxy += forward(part);
		else {
			if (i + 1 < k) all(1, sockets[0], out + (i + 1) * part, part);
			if (i > 0) all(0, sockets[1], in + (i - 1) * part, part);
			both += now() - t;
		}
	}
	meet(*step), *step += 2;
	if (rank == 0) all(0, sockets[1], in + (k - 1) * part, part), sample(ENDSBUSY, both / (double)(k - 1));
	else sample(FORWARDBUSY, proxy / (double)k);
}

/* ---- whole messages ---- */

static void whole(const char *pipe, long n, int *step) {
	double t = now();
	if (strcmp(pipe, "mpi") == 0) {
		if (rank == 0) MPI_Send(out, (int)n, MPI_CHAR, 1, 4, MPI_COMM_WORLD), MPI_Recv(in, (int)n, MPI_CHAR, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		else MPI_Recv(in, (int)n, MPI_CHAR, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_Send(out, (int)n, MPI_CHAR, 0, 4, MPI_COMM_WORLD);
		if (rank == 0) sample(WHOLE, (now() - t) / 2);
	} else if (rank == 0) { /* source and sink on one processor */
		for (long sent = 0, came = 0; came < n;) {
			if (sent < n) sent += some(1, sockets[0], out + sent, n - sent < packet ? n - sent : packet);
			came += some(0, sockets[1], in + came, n - came < packet ? n - came : packet);
		}
		sample(WHOLE, now() - t);
	} else forward(n);
	if (strcmp(pipe, "mpi")) meet(*step), *step += 2;
}

#ifdef CUDA
/* ---- staging for a GPU ---- */

enum { COPY, DMA, WHOLEGPU, RUNTIME };

/* staged copies a message of pageable memory through two pinned slots; COPY and DMA are timed apart
 * if alone, else the DMA of a packet overlaps with the copy of the next one. */
static void staged(long n, int alone, char *slots, char *device, cudaStream_t *streams) {
	double begin = now(), copy = 0, dma = 0;
	long k = 0;
	for (long at = 0; at < n; at += packet, k++) {
		long bytes = n - at < packet ? n - at : packet;
		char *slot = slots + k % 2 * (long)LARGEST;
		cudaStreamSynchronize(streams[k % 2]); /* the slot is free */
		double t = now();
		memcpy(slot, out + at, (size_t)bytes), copy += now() - t;
		t = now();
		cudaMemcpyAsync(device + at, slot, (size_t)bytes, cudaMemcpyHostToDevice, streams[k % 2]);
		if (alone) cudaStreamSynchronize(streams[k % 2]), dma += now() - t;
	}
	cudaStreamSynchronize(streams[0]), cudaStreamSynchronize(streams[1]);
	if (alone) sample(COPY, copy / (double)k), sample(DMA, dma / (double)k);
	else sample(WHOLEGPU, now() - begin);
}

static void cuda(void) {
	char *slots, *device;
	cudaStream_t streams[2];
	if (rank == 0 && (cudaMallocHost((void **)&slots, 2 * (size_t)LARGEST) || cudaMalloc((void **)&device, (size_t)sizes[3]) ||
		cudaStreamCreate(&streams[0]) || cudaStreamCreate(&streams[1]))) fail("no GPU");
	for (int i = 0; i < 4; i++) {
		for (int r = -8; r < 60 && rank == 0; r++) {
			if (r == 0) memset(count, 0, sizeof count);
			staged(sizes[i], 1, slots, device, streams), staged(sizes[i], 0, slots, device, streams);
			double t = now();
			cudaMemcpy(device, out, (size_t)sizes[i], cudaMemcpyHostToDevice), sample(RUNTIME, now() - t);
		}
		row("cuda", "copy", sizes[i], gather(COPY)), row("cuda", "dma", sizes[i], gather(DMA));
		row("cuda", "whole", sizes[i], gather(WHOLEGPU)), row("runtime", "whole", sizes[i], gather(RUNTIME));
	}
}
#endif

int main(int argc, char **argv) {
	int ranks, step = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	const char *pipe = argc > 1 ? argv[1] : "";
	packet = argc > 2 ? atol(argv[2]) : 0;
	if (ranks != 2 || packet < 256 || packet > LARGEST || (strcmp(pipe, "mpi") && strcmp(pipe, "proxy") && strcmp(pipe, "cuda")))
		fail("usage: mpirun -np 2 --bind-to core ./pipeline mpi|proxy|cuda PACKET_BYTES (256 to 4194304)");
	MPI_Win win;
	MPI_Aint size;
	int unit;
	MPI_Win_allocate_shared(rank == 0 ? sizeof(Shared) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &win);
	MPI_Win_shared_query(win, 0, &size, &unit, &shared);
	if (rank == 0) shared->at = shared->count = 0;
	size_t bytes = 2 * (size_t)sizes[3];
	if (posix_memalign((void **)&out, 4096, bytes) || posix_memalign((void **)&in, 4096, bytes)) fail("no memory");
	memset(out, 1, bytes), memset(in, 2, bytes);
	MPI_Barrier(MPI_COMM_WORLD);
	int proxies = strcmp(pipe, "proxy") == 0;
	if (proxies) connectAll();
	if (rank == 0) printf("# halfpeak pipeline 1\npipeline,stage,message_bytes,packet_bytes,time_us\n");
#ifdef CUDA
	if (strcmp(pipe, "cuda") == 0) cuda();
#endif
	for (int i = 0; i < 4 && strcmp(pipe, "cuda"); i++) {
		long n = sizes[i];
		if (n / packet > 2048) continue; /* minutes, for packets that nobody would choose */
		if (packet > n) continue;
		double before = word(&step), after;
		int warm = 8, repeats = n > 2 << 20 ? 8 : n > 512 << 10 ? 16 : 30;
		most = packet < GROUP ? GROUP / packet : 1;
		for (int r = -warm; r < repeats; r++) {
			if (r == 0) memset(count, 0, sizeof count);
			if (proxies) proxied(n, 0, &step), proxied(n, 1, &step);
			for (int sender = 0; sender < 2 && !proxies; sender++) fragments(n, sender, r < 0, &step);
		}
		for (int r = -2; r < repeats; r++) {
			if (r == 0 && proxies) count[FORWARDBUSY] = count[ENDSBUSY] = 0;
			if (proxies) busyProxy(n, &step);
			if (r >= 0 && !proxies) sample(HANDOVER, handOver(&step));
			for (int both = 0; both < 4 && r >= 0 && !proxies; both++) copies(n, both % 2, both / 2, &step);
		}
		/* Stages and whole messages are measured apart, so that each has its own caches. */
		for (int r = -warm; r < repeats; r++) {
			if (r == 0) count[WHOLE] = 0;
			whole(pipe, n, &step);
		}
		after = word(&step);
		row(pipe, "word", n, after < before ? after : before);
		double t[STAGES];
		for (int stage = 0; stage < STAGES; stage++) t[stage] = gather(stage);
		if (proxies) {
			row(pipe, "source", n, t[ARRIVE] - t[READ]), row(pipe, "proxy", n, t[FORWARD]);
			row(pipe, "sink", n, t[DELIVER] - (t[FORWARD] - t[READ]));
			row(pipe, "source-busy", n, t[ENDSBUSY]), row(pipe, "proxy-busy", n, t[FORWARDBUSY]);
		} else {
			row(pipe, "start", n, t[REQUEST] + t[ANSWER] + 2 * t[HANDOVER]);
			row(pipe, "send", n, t[SEND]), row(pipe, "hand-over", n, t[HANDOVER]), row(pipe, "receive", n, t[RECEIVE]);
			if (t[COPYINBUSY] > 0) { /* what a copy takes longer while the other processor copies too */
				row(pipe, "send-busy", n, t[SEND] * t[COPYINBUSY] / t[COPYIN]);
				row(pipe, "receive-busy", n, t[RECEIVE] * t[COPYOUTBUSY] / t[COPYOUT]);
			}
		}
		row(pipe, "whole", n, t[WHOLE]);
	}
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
