! SPDX-License-Identifier: Apache-2.0
! A serial loop takes half of each time step.
!
! EXPECT SerialStretch hot serial,loop severity 0.08..0.45
! ALLOW SerialFraction|SerialStretch
! PHASE sequence
! PRINTS checksum 1838832237
program serial_fortran
  use workload
  implicit none
  integer, parameter :: nr = 512
  integer(8) :: cells(nr), total
  integer :: step

  cells = 0
  total = 0
  do step = 1, workload_steps(200)
    call calc(cells)
    total = ieor(total, boundary(cells(1 + mod(step, nr))))
  end do
  call workload_checksum(total)
contains
  subroutine calc(cells)
    integer(8), intent(inout) :: cells(:)
    integer :: i

    !$omp parallel do
    do i = 1, nr
      cells(i) = churn(cells(i) + i, 4000)
    end do
  end subroutine

  integer(8) function boundary(first)
    integer(8), intent(in) :: first
    integer :: i

    boundary = first
    do i = 1, 700000                                    ! HERE: loop
      boundary = iand(ieor(boundary, ishft(boundary, -13)) * 69069_8 + i, 2147483647_8)      ! HERE: serial
    end do
  end function
end program
