! SPDX-License-Identifier: Apache-2.0
! Arrays of the main program, which gfortran has on the stack with -fopenmp.
program automatic
   implicit none
   integer, parameter :: n = 400
   real(8) :: grid(n, n), work(n, n)
   integer :: i, j, step
   grid = 1
   do step = 1, 1000
!$omp parallel do private(j)
      do i = 1, n
         do j = 1, n
            work(i, j) = grid(i, j) + step
         end do
      end do
   end do
   print *, work(n / 2, n / 2)
end program automatic
