/* The time of a program from MPI_Init to MPI_Finalize, without trace.c: a line with the seconds and the
 * part of a processor that the rank had, in the file $CLOCK.RANK. Loaded before the program. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static double began, used;
static double processor(void) {
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}
static void begin(void) { PMPI_Barrier(MPI_COMM_WORLD), began = PMPI_Wtime(), used = processor(); }
static void end(void) {
	double t = PMPI_Wtime() - began;
	int rank;
	char name[4096];
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	snprintf(name, sizeof name, "%s.%d", getenv("CLOCK"), rank);
	FILE *f = fopen(name, "w");
	if (f) fprintf(f, "%.6f %.4f\n", t, (processor() - used) / t), fclose(f);
}
int MPI_Init(int *c, char ***v) { int e = PMPI_Init(c, v); begin(); return e; }
int MPI_Init_thread(int *c, char ***v, int r, int *p) { int e = PMPI_Init_thread(c, v, r, p); begin(); return e; }
int MPI_Finalize(void) { end(); return PMPI_Finalize(); }
extern void pmpi_init_(int *) __attribute__((weak));
extern void pmpi_init_thread_(int *, int *, int *) __attribute__((weak));
extern void pmpi_finalize_(int *) __attribute__((weak));
void mpi_init_(int *e) { pmpi_init_(e), begin(); }
void mpi_init_thread_(int *r, int *p, int *e) { pmpi_init_thread_(r, p, e), begin(); }
void mpi_finalize_(int *e) { end(), pmpi_finalize_(e); }
