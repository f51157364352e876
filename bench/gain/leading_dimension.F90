! SPDX-License-Identifier: Apache-2.0
! problem  planes of 2048 x 8 bytes: the neighbours in the second index of all arrays fall into the same few sets
! remedy   a leading dimension that is no power of two
! arrays   u
! kinds    conflicts loop_order
program leading_dimension
	implicit none
#ifdef MENDED
	integer, parameter :: lead = 2048 + 8
#else
	integer, parameter :: lead = 2048
#endif
	real(8), allocatable :: u(:,:), row_sum(:)
	integer :: i, j, step

	allocate(u(lead, 200), row_sum(2048))
	u = 1
	row_sum = 0
	do step = 1, 2000
		!$omp parallel do private(j)
		do i = 1, 2048                                  ! hot
			do j = 1, 200
				row_sum(i) = row_sum(i) + u(i, j)   ! hot
			end do
		end do
	end do
	print *, sum(row_sum)
end program
