! SPDX-License-Identifier: Apache-2.0
! The inner loop runs over the last index of Fortran arrays: the stride is a column, 20 KB.
! Remedy: exchange the two loops.
program strided
   implicit none
   integer, parameter :: n = 2500
   real(8), allocatable :: rho(:,:), flux(:,:)
   integer :: i, j, step

   allocate(rho(n, n), flux(n, n))
   !$omp parallel do private(i)
   do j = 1, n
      do i = 1, n
         rho(i, j) = i + j
         flux(i, j) = 0
      end do
   end do
   do step = 1, 100
      !$omp parallel do private(j)
      do i = 2, n - 1                                                ! hot
         do j = 2, n - 1                                             ! hot
            flux(i, j) = 0.5d0 * (rho(i, j + 1) - rho(i, j - 1))     ! hot
         end do
      end do
   end do
   print *, sum(flux)
end program
