! SPDX-License-Identifier: Apache-2.0
! A triangular loop dealt out in equal blocks of rows: the last thread has most of the work.
!
! EXPECT ImbalanceIn.*|SlowThreads at loop severity 0.2..0.45
! ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
! PHASE sequence
! PRINTS checksum 2593260029
program imbalance_fortran
  use workload
  implicit none
  integer, parameter :: rows = 400
  integer(8) :: cells(rows)
  integer :: step

  cells = 0
  do step = 1, workload_steps(250)
    call calc(cells)
  end do
  call workload_checksum(cells(2) + cells(rows))
contains
  subroutine calc(cells)
    integer(8), intent(inout) :: cells(:)
    integer :: i

    !$omp parallel do schedule(static)          ! HERE: loop
    do i = 1, rows
      cells(i) = churn(cells(i) + i, 40 * i)
    end do
  end subroutine
end program
