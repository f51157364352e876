! SPDX-License-Identifier: Apache-2.0
! The whole time loop in one parallel region: each step reads 2 CELLS and writes 2 CELLS values of two arrays.
module fields
  implicit none
  integer, parameter :: cells = 100000
  real(8), save :: heat(cells), next(cells)
end module

program one_region
  use fields
  implicit none
  integer :: i, step, steps
  character(len=16) :: word

  steps = 1000
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) steps
  end if
  do i = 1, cells
    heat(i) = mod(i, 17)
  end do
  !$omp parallel private(step)
  do step = 1, steps
    !$omp do schedule(static)
    do i = 1, cells
      next(i) = heat(i) * 0.75d0 + 0.125d0 * (1 + mod(i, 3))     ! never 0: values do not come to be denormal
    end do
    !$omp do schedule(static)
    do i = 1, cells
      heat(i) = next(i) * 0.9990234375d0
    end do
  end do
  !$omp end parallel
  print '(es25.17)', sum(heat)
end program
