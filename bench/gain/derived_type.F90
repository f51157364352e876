! SPDX-License-Identifier: Apache-2.0
! problem  two components of an array of a derived type are used: a sixth of each cache line
! remedy   an array for each of these components
! arrays   cells
! kinds    layout
program derived_type
	implicit none
	type cell
		real(8) :: pressure, volume, velocity(3), state(7)
	end type
	type(cell), allocatable :: cells(:)
	real(8), allocatable :: pressure(:), volume(:)
	real(8) :: energy
	integer :: i, step, n

	n = 1000000
	allocate(cells(n), pressure(n), volume(n))
	!$omp parallel do
	do i = 1, n
		cells(i)%velocity = 0
		cells(i)%state = 0
		cells(i)%pressure = mod(i, 10)
		cells(i)%volume = 2
		pressure(i) = mod(i, 10)
		volume(i) = 2
	end do
	energy = 0
	do step = 1, 400
		!$omp parallel do reduction(+:energy)
		do i = 1, n                                                       ! hot
#ifdef MENDED
			energy = energy + pressure(i) * volume(i)
#else
			energy = energy + cells(i)%pressure * cells(i)%volume     ! hot
#endif
		end do
	end do
	print *, energy
end program
