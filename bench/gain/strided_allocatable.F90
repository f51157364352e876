! SPDX-License-Identifier: Apache-2.0
! problem  the inner loop runs over the last index of allocatable arrays, which is the strided one in Fortran
! remedy   exchange the loops
! arrays   rho flux
! kinds    loop_order
program strided_allocatable
	implicit none
	real(8), allocatable :: rho(:,:), flux(:,:)
	integer :: i, j, step, n

	n = 2500
	allocate(rho(n, n), flux(n, n))
	!$omp parallel do private(i)
	do j = 1, n
		do i = 1, n
			rho(i, j) = i + j
			flux(i, j) = 0
		end do
	end do
	do step = 1, 40
#ifdef MENDED
		!$omp parallel do private(i)
		do j = 2, n - 1
			do i = 2, n - 1
				flux(i, j) = 0.5d0 * (rho(i, j + 1) - rho(i, j - 1))
			end do
		end do
#else
		!$omp parallel do private(j)
		do i = 2, n - 1                 ! hot
			do j = 2, n - 1
				flux(i, j) = 0.5d0 * (rho(i, j + 1) - rho(i, j - 1))   ! hot
			end do
		end do
#endif
	end do
	print *, sum(flux)
end program
