! SPDX-License-Identifier: Apache-2.0
! problem  the innermost of three loops runs over the last index
! remedy   the first index innermost
! arrays   density
! kinds    loop_order
module fields
	implicit none
	real(8) :: density(200, 200, 200), flow(200, 200, 200)
contains
	subroutine advance(n)
		integer, intent(in) :: n
		integer :: i, j, k

#ifdef MENDED
		!$omp parallel do private(i, j)
		do k = 1, n
			do j = 1, n
				do i = 1, n
					density(i, j, k) = 0.9d0 * density(i, j, k) + flow(i, j, k)
				end do
			end do
		end do
#else
		!$omp parallel do private(j, k)
		do i = 1, n                                                                  ! hot
			do j = 1, n
				do k = 1, n
					density(i, j, k) = 0.9d0 * density(i, j, k) + flow(i, j, k)   ! hot
				end do
			end do
		end do
#endif
	end subroutine
end module

program loop_order_3d
	use fields
	implicit none
	integer :: step

	density = 1
	flow = 0.5d0
	do step = 1, 40
		call advance(200)
	end do
	print *, sum(density)
end program
