! SPDX-License-Identifier: Apache-2.0
! shared_lines.c in Fortran, with arrays of a module.
module shared_fields
	implicit none
	integer, parameter :: steps = 120, slow_steps = 80, counts = 500000, values = 1048576
	integer(8), volatile :: packed(64) = 0, padded(8, 64) = 0
	real(8) :: cyclic(values) = 0
contains
	subroutine count_packed()
		use omp_lib
		integer :: i
		!$omp parallel private(i)
		do i = 1, counts
			packed(omp_get_thread_num() + 1) = packed(omp_get_thread_num() + 1) + 1
		end do
		!$omp end parallel
	end subroutine

	subroutine count_padded()
		use omp_lib
		integer :: i
		!$omp parallel private(i)
		do i = 1, counts
			padded(1, omp_get_thread_num() + 1) = padded(1, omp_get_thread_num() + 1) + 1
		end do
		!$omp end parallel
	end subroutine

	subroutine walk_cyclic()
		integer :: i
		!$omp parallel do schedule(static, 1)
		do i = 1, values
			cyclic(i) = cyclic(i) + 1
		end do
		!$omp end parallel do
	end subroutine
end module

program shared_lines
	use shared_fields
	implicit none
	character(len=16) :: kind
	integer :: step

	call get_command_argument(1, kind)
	select case (kind)
	case ('packed')
		do step = 1, slow_steps
			call count_packed()
		end do
	case ('padded')                          ! which takes a tenth of the time where no line goes back and forth
		do step = 1, 4 * slow_steps
			call count_padded()
		end do
	case ('cyclic')
		do step = 1, steps
			call walk_cyclic()
		end do
	end select
	print '(i0)', sum(packed) + sum(padded) + int(sum(cyclic), 8)
end program
