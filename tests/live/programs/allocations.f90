! SPDX-License-Identifier: Apache-2.0
! Allocatable components of a derived type behind a dummy argument, and a local array.
module grids
	type part
		real(8), allocatable :: rho(:), mu(:)
	end type
	type grid
		type(part) :: inner
	end type
contains
	subroutine make(g, n)
		type(grid), intent(out) :: g
		integer, intent(in) :: n
		allocate(g%inner%rho(n), &
			stat=istat)
		allocate(g%inner%mu(0:n))
		g%inner%rho = 1
		g%inner%mu = 2
	end subroutine
end module

program allocations
	use grids
	type(grid) :: g
	real(8), allocatable :: work(:), twice(:), thrice(:)
	integer, parameter :: n = 100000
	integer :: i, step
	call make(g, n)
	allocate(work(n))
	allocate(twice(2 * n), &
		thrice(3 * n))
	twice = 1
	thrice = 2
	do step = 1, 50
		!$omp parallel do
		do i = 1, n
			work(i) = g%inner%rho(i) + g%inner%mu(i) * step * twice(i) * thrice(i)
		end do
	end do
	print *, sum(work)
end program
