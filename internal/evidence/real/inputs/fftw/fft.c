#include <fftw3-mpi.h>
#include <stdio.h>
/* The example of FFTW's manual (2D MPI transforms), repeated. */
int main(int argc, char **argv)
{
    const ptrdiff_t N0 = 1024, N1 = 1024;
    fftw_plan plan;
    fftw_complex *data;
    ptrdiff_t alloc_local, local_n0, local_0_start, i, j;
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    alloc_local = fftw_mpi_local_size_2d(N0, N1, MPI_COMM_WORLD, &local_n0, &local_0_start);
    data = fftw_alloc_complex(alloc_local);
    plan = fftw_mpi_plan_dft_2d(N0, N1, data, data, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    for (i = 0; i < local_n0; ++i) for (j = 0; j < N1; ++j)
       data[i*N1 + j][0] = (double)(local_0_start + i + j), data[i*N1 + j][1] = 0;
    for (int k = 0; k < 20; k++) fftw_execute(plan);
    fftw_destroy_plan(plan);
    MPI_Finalize();
}
