! SPDX-License-Identifier: Apache-2.0
! Loops of both integer kinds, for which libomp warns flang's users as soon as there is a tool.
program quiet
  use, intrinsic :: iso_fortran_env
  implicit none
  real(real64) :: a(1000)
  integer(int32) :: i
  integer(int64) :: j
  integer :: step
  a = 1
  do step = 1, 20
!$omp parallel do schedule(static)
    do i = 1, 1000
      a(i) = a(i) + 1
    end do
!$omp parallel do schedule(static)
    do j = 1, 1000
      a(j) = a(j) * 0.5
    end do
  end do
  write (error_unit, '(f6.3)') a(5)
end program
