! SPDX-License-Identifier: Apache-2.0
! Serial code of which it is known what it reads and writes, see serial.c.
module serial_fields
	implicit none
	integer, parameter :: steps = 60, values = 2097152, side = 1024, wide = 1024, team = 50000
	double precision :: team_from(team), team_to(team)
	double precision :: scale_from(values), scale_to(values), main_from(values), main_to(values)
	double precision, volatile :: by_columns(wide, side)
	double precision :: column_sums(wide), by_rows(wide, side), row_sums(side)
	integer :: counters(values)
end module

subroutine fill
	use serial_fields
	implicit none
	integer :: i

	do i = 1, values
		scale_from(i) = mod(i, 7)
		main_from(i) = mod(i, 5)
	end do
	team_from = 1
	team_to = 0
	scale_to = 0
	main_to = 0
	counters = 0
	by_columns = 2
	by_rows = 3
	column_sums = 0
	row_sums = 0
end subroutine

subroutine begin_team
	use serial_fields
	implicit none
	integer :: i

	!$omp parallel do schedule(static) ! HERE: begin_team
	do i = 1, team
		team_to(i) = team_from(i) + 1
	end do
end subroutine

subroutine end_team
	use serial_fields
	implicit none
	integer :: i

	!$omp parallel do schedule(static) ! HERE: end_team
	do i = 1, team
		team_to(i) = team_to(i) * 2
	end do
end subroutine

subroutine scale_up
	use serial_fields
	implicit none
	integer :: i

	do i = 1, values
		scale_to(i) = scale_from(i) * 3
	end do
end subroutine

subroutine count_up
	use serial_fields
	implicit none
	integer :: i

	do i = 1, values
		counters(i) = counters(i) + 3
	end do
	call end_team
end subroutine

subroutine columns
	use serial_fields
	implicit none
	integer :: i, j
	double precision :: all

	do i = 1, wide
		all = 0
		do j = 1, side
			all = all + by_columns(i, j) ! HERE: columns
		end do
		column_sums(i) = all
	end do
end subroutine

subroutine rows
	use serial_fields
	implicit none
	integer :: i, j
	double precision :: all

	do j = 1, side
		all = 0
		do i = 1, wide
			all = all + by_rows(i, j)
		end do
		row_sums(j) = all
	end do
end subroutine

program serial
	use serial_fields
	implicit none
	character(len=16) :: kind
	integer :: step, i

	call get_command_argument(1, kind)
	call fill
	do step = 1, steps
		select case (kind)
		case ('counts')
			call begin_team
			call scale_up
			call count_up
			do i = 1, values
				main_to(i) = main_from(i) + step
			end do
		case default
			call begin_team
			call columns
			call end_team
			call rows
		end select
	end do
	print *, sum(team_to), sum(scale_to), sum(main_to), sum(counters), sum(column_sums), sum(row_sums)
	stop 7
end program
