! Calls of Fortran that trace.c records, among any number of ranks. BINDING is mpi or mpi_f08, whose
! routines have the same arguments here but for the types of handles.
program calls
  use BINDING
  implicit none
  integer :: rank, ranks, left, right, ierr, i, at, n, indices(2)
  logical :: flag
  HANDLE(MPI_Comm) :: half
  HANDLE(MPI_Request) :: q(2)
  real(8) :: a(100), b(100), s
  integer :: counts(64), places(64)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  a = rank
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  do i = 1, 5
    call MPI_Irecv(b, 100, MPI_DOUBLE_PRECISION, left, MPI_ANY_TAG, MPI_COMM_WORLD, q(1), ierr)
    call MPI_Isend(a, 10 * i, MPI_DOUBLE_PRECISION, right, i, MPI_COMM_WORLD, q(2), ierr)
    select case (i)
    case (1)
      call MPI_Waitall(2, q, MPI_STATUSES_IGNORE, ierr)
    case (2)
      call MPI_Waitany(2, q, at, MPI_STATUS_IGNORE, ierr)
      call MPI_Waitany(2, q, at, MPI_STATUS_IGNORE, ierr)
    case (3)
      at = 0
      do while (at < 2)
        call MPI_Waitsome(2, q, n, indices, MPI_STATUSES_IGNORE, ierr)
        at = at + n
      end do
    case (4)
      flag = .false.
      do while (.not. flag)
        call MPI_Testall(2, q, flag, MPI_STATUSES_IGNORE, ierr)
      end do
    case (5)
      call MPI_Wait(q(1), MPI_STATUS_IGNORE, ierr)
      call MPI_Wait(q(2), MPI_STATUS_IGNORE, ierr)
    end select
  end do
  call MPI_Sendrecv(a, 7, MPI_DOUBLE_PRECISION, right, 9, b, 7, MPI_DOUBLE_PRECISION, left, 9, MPI_COMM_WORLD, &
    MPI_STATUS_IGNORE, ierr)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, half, ierr)
  call MPI_Allreduce(a, s, 1, MPI_DOUBLE_PRECISION, MPI_SUM, half, ierr)
  call MPI_Allreduce(MPI_IN_PLACE, a, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  do i = 1, ranks
    counts(i) = i
    places(i) = 2 * i
  end do
  call MPI_Allgatherv(a, rank + 1, MPI_DOUBLE_PRECISION, b, counts, places, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(a, 3, MPI_DOUBLE_PRECISION, 0, half, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
