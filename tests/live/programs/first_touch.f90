! SPDX-License-Identifier: Apache-2.0
! A known answer for first touches in Fortran: a module's array touched by the initial thread alone, a COMMON member by 2 threads
! in halves, another by nobody.
module fields
	implicit none
	real(8) :: grid(512, 512)
end module

subroutine touch_serial(start)
	use fields
	implicit none
	integer, intent(in) :: start
	integer :: i, j
	do j = 1, 512
		do i = 1, 512
			grid(i, j) = start * i + j       ! HERE: serial
		end do
	end do
end subroutine

subroutine touch_shared(start)
	implicit none
	integer, intent(in) :: start
	integer :: i, j
	real(8) :: cu(512, 512), spare(512, 512)
	common /waves/ cu, spare
	!$omp parallel do schedule(static) private(i)
	do j = 1, 512
		do i = 1, 512
			cu(i, j) = start * j - i         ! HERE: shared
		end do
	end do
end subroutine

program first_touch
	use fields
	use omp_lib
	implicit none
	integer :: i, j, step
	real(8) :: total, cu(512, 512), spare(512, 512)
	common /waves/ cu, spare
	if (omp_get_max_threads() /= 2) stop 1
	!$omp parallel
	!$omp end parallel
	call touch_serial(command_argument_count() + 1)
	call touch_shared(command_argument_count() + 1)
	total = 0
	do step = 1, 20
		!$omp parallel do reduction(+:total) private(i)
		do j = 1, 512
			do i = 1, 512
				total = total + grid(i, j) + cu(i, j)
			end do
		end do
	end do
	if (command_argument_count() > 100) spare(1, 1) = total
	print '(ES16.9)', total + spare(1, 1) * 0
end program
