! SPDX-License-Identifier: Apache-2.0
! Balanced arithmetic: nothing to find.
!
! NONE
! PHASE sequence
! PRINTS checksum 2001751370
program clean_fortran
  use workload
  implicit none
  integer, parameter :: nr = 512
  integer(8) :: cells(nr)
  integer :: step, i

  cells = 0
  do step = 1, workload_steps(250)
    !$omp parallel do
    do i = 1, nr
      cells(i) = churn(cells(i) + i, 9000)
    end do
  end do
  call workload_checksum(cells(1) + cells(nr))
end program
