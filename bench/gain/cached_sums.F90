! SPDX-License-Identifier: Apache-2.0
! problem  none: each thread passes over an array that its second-level cache holds, along memory
! remedy   none
! arrays   x
! nothing to gain
program cached_sums
	implicit none
	real(8), save :: x(16000, 2)
	integer :: half, i, pass, step

	x = 1
	do step = 1, 100
		!$omp parallel do private(i, pass)
		do half = 1, 2                                                             ! hot
			do pass = 1, 400
				do i = 2, 16000
					x(i, half) = 0.999d0 * x(i, half) + 0.001d0 * x(i - 1, half)   ! hot
				end do
			end do
		end do
	end do
	print *, sum(x)
end program
