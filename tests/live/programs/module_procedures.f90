! SPDX-License-Identifier: Apache-2.0
! A module's procedures with parallel loops: where nothing else is in the file, flang describes their frames to
! debuggers only.
module grid
    implicit none
    integer, parameter :: n = 600
    real(8) :: from(n, n), to(n, n)
contains
    subroutine fill()
        integer :: i, j
        !$omp parallel do private(i)
        do j = 1, n
            do i = 1, n
                from(i, j) = i + j
                to(i, j) = 0
            end do
        end do
    end subroutine

    subroutine columns()
        integer :: i, j
        !$omp parallel do private(j)
        do i = 1, n
            do j = 1, n
                to(i, j) = to(i, j) + 0.5d0 * from(i, j)    ! strided
            end do
        end do
    end subroutine
end module
