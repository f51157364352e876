! SPDX-License-Identifier: Apache-2.0
! Loops of which it is known what they read and write, see accesses.c.
module fields
	implicit none
	integer, parameter :: steps = 80, values = 524288, side = 1024, tall = 2048
	double precision :: sum_left(values), sum_right(values), sum_to(values)
	double precision, volatile :: by_columns(side, side)
	double precision :: column_sums(side), by_rows(side, side), row_sums(side), triangle(tall, tall)
	integer :: counters(4 * values)
end module

subroutine fill
	use fields
	implicit none
	integer :: i

	do i = 1, values
		sum_left(i) = mod(i, 7)
		sum_right(i) = mod(i, 5)
	end do
	counters = 0
	by_columns = 2
	by_rows = 3
	triangle = 0
	sum_to = 0
	column_sums = 0
	row_sums = 0
end subroutine

subroutine sum_up
	use fields
	implicit none
	integer :: i

	!$omp parallel do schedule(static)
	do i = 1, values
		sum_to(i) = sum_left(i) + sum_right(i)
	end do
end subroutine

subroutine count_up
	use fields
	implicit none
	integer :: i

	!$omp parallel do schedule(static)
	do i = 1, 4 * values
		counters(i) = counters(i) + 3
	end do
end subroutine

subroutine columns
	use fields
	implicit none
	integer :: i, j
	double precision :: all

	!$omp parallel do schedule(static) private(j, all) ! HERE: columns_region
	do i = 1, side
		all = 0
		do j = 1, side
			all = all + by_columns(i, j) ! HERE: columns
		end do
		column_sums(i) = all
	end do
end subroutine

subroutine rows
	use fields
	implicit none
	integer :: i, j
	double precision :: all

	!$omp parallel do schedule(static) private(i, all)
	do j = 1, side
		all = 0
		do i = 1, side
			all = all + by_rows(i, j)
		end do
		row_sums(j) = all
	end do
end subroutine

subroutine triangular
	use fields
	implicit none
	integer :: i, j

	!$omp parallel do schedule(static) private(i) ! HERE: triangular_region
	do j = 1, tall
		do i = 1, j
			triangle(i, j) = triangle(i, j) + 1
		end do
	end do
end subroutine

program accesses
	use fields
	implicit none
	character(len=16) :: kind
	integer :: step

	call get_command_argument(1, kind)
	call fill
	do step = 1, merge(2, 1, kind == 'counts') * steps   ! its steps are short
		select case (kind)
		case ('counts')
			call sum_up
			call count_up
		case ('strides')
			call columns
			call rows
		case default
			call triangular
			call sum_up
		end select
	end do
	print *, sum(sum_to), sum(counters), sum(column_sums), sum(row_sums), sum(triangle)
	stop 7
end program
