! SPDX-License-Identifier: Apache-2.0
! The nests of loops.c in Fortran: which loop reads and writes how many bytes of which array.
module fields
	implicit none
	integer, parameter :: steps = 500, outer = 32, middle = 32, inner = 1003, columns = 512
	double precision :: values(inner, middle), weights(middle), of_middle(middle, outer), of_outer(outer)
	integer :: numbers(inner, middle), of_numbers(middle, outer)
	double precision :: wide(columns, inner), long_ones(inner, columns), factors(columns), of_wide(columns, 4), of_long(columns, 4)
end module

subroutine fill
	use fields
	implicit none
	integer :: i, k

	do i = 1, middle
		weights(i) = mod(i, 5)
		do k = 1, inner
			values(k, i) = mod(i + k, 7)
			numbers(k, i) = mod(i + k, 7)
		end do
	end do
	do i = 1, columns
		factors(i) = mod(i, 3)
		do k = 1, inner
			wide(i, k) = mod(i + k, 3)
			long_ones(k, i) = mod(i + k, 3)
		end do
	end do
	of_middle = 0; of_outer = 0; of_numbers = 0; of_wide = 0; of_long = 0
end subroutine

subroutine nest
	use fields
	implicit none
	integer :: i, j, k
	double precision :: all, last

	!$omp parallel do schedule(static) private(j, k, all, last) ! HERE: nest_region
	do i = 1, outer
		last = 0
		do j = 1, middle ! HERE: middle
			all = 0
			do k = 1, inner ! HERE: inner
				all = all + values(k, j) ! HERE: inner_body
			end do
			of_middle(j, i) = all * weights(j) ! HERE: middle_body
			last = last + all
		end do
		of_outer(i) = last
	end do
end subroutine

subroutine whole_numbers
	use fields
	implicit none
	integer :: i, j, k, all

	!$omp parallel do schedule(static) private(j, k, all)
	do i = 1, outer
		do j = 1, middle ! HERE: numbers_middle
			all = 0
			do k = 1, inner ! HERE: numbers_inner
				all = all + numbers(k, j) ! HERE: numbers_inner_body
			end do
			of_numbers(j, i) = all ! HERE: numbers_middle_body
		end do
	end do
end subroutine

subroutine transposed
	use fields
	implicit none
	integer :: i, j, k
	double precision :: all

	!$omp parallel do schedule(static) private(j, k, all) ! HERE: transposed_region
	do i = 1, 4
		do j = 1, columns ! HERE: transposed_middle
			all = 0
			do k = 1, inner ! HERE: transposed_inner
				all = all + wide(j, k) ! HERE: transposed_body
			end do
			of_wide(j, i) = all * factors(j)
		end do
	end do
end subroutine

subroutine straight
	use fields
	implicit none
	integer :: i, j, k
	double precision :: all

	!$omp parallel do schedule(static) private(j, k, all)
	do i = 1, 4
		do j = 1, columns
			all = 0
			do k = 1, inner
				all = all + long_ones(k, j)
			end do
			of_long(j, i) = all * factors(j)
		end do
	end do
end subroutine

program loops
	use fields
	implicit none
	character(len=16) :: kind
	integer :: step

	call get_command_argument(1, kind)
	call fill
	do step = 1, steps
		select case (kind)
		case ('counts')
			call nest
			call whole_numbers
		case default
			call transposed
			call straight
		end select
	end do
	print *, sum(of_middle), sum(of_outer), sum(of_numbers), sum(of_wide), sum(of_long)
	stop 7
end program
