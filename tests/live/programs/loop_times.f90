! SPDX-License-Identifier: Apache-2.0
! As loop_times.c shares: loops of known shares of the time.
program loop_times
	implicit none
	integer, parameter :: rows = 32, unit = 500
	double precision :: row_of(8, rows), x, total
	integer :: i, j, k, step, steps
	character(len=20) :: word

	call get_command_argument(2, word)
	read (word, *) steps
	row_of = 0.3d0
	total = 0
	do step = 1, steps
		!$omp parallel do private(j, k, x) reduction(+:total) schedule(static)
		do i = 1, rows
			x = 1
			do j = 1, 2 * unit        ! HERE: two
				x = 3 / (x + row_of(2, i))
			end do
			do j = 1, 4 * unit        ! HERE: four
				x = 5 / (x + row_of(3, i))
			end do
			do k = 1, 4        ! HERE: outer
				do j = 1, 2 * unit        ! HERE: inner
					x = 7 / (x + row_of(4, i))
				end do
				row_of(5, i) = x
			end do
			total = total + x
		end do
	end do
	print '(f20.6)', total
	stop 7
end program
