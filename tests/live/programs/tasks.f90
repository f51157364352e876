! SPDX-License-Identifier: Apache-2.0
! Tasks on arrays of a module: `barrier` as in tasks.c, and four that are handed nothing: flang 19 crashes where a task has variables of its own.
module fields
  implicit none
  integer, parameter :: values = 524288, parts = 16, part = values / parts
  real(8) :: from(values), to(values), mixed(values), halves(values)
contains
  subroutine axpy(quarter)
    integer, intent(in) :: quarter
    integer :: i

    do i = quarter * values / 4 + 1, (quarter + 1) * values / 4
      to(i) = to(i) + from(i)
    end do
  end subroutine axpy

  subroutine quarters()
    !$omp parallel
    !$omp single
    !$omp task
    call axpy(0)
    !$omp end task
    !$omp task
    call axpy(1)
    !$omp end task
    !$omp task
    call axpy(2)
    !$omp end task
    !$omp task
    call axpy(3)
    !$omp end task
    !$omp end single
    !$omp end parallel
  end subroutine quarters

  subroutine at_barrier()
    integer :: number, i

    !$omp parallel private(i, number)
    !$omp do schedule(static)
    do i = 1, values
      mixed(i) = mixed(i) + 1
    end do
    !$omp end do nowait
    !$omp do schedule(static)
    do number = 0, parts - 1
      !$omp task firstprivate(number) private(i)
      do i = number * part + 1, (number + 1) * part
        mixed(i) = mixed(i) * 0.5d0
      end do
      !$omp end task
    end do
    !$omp end do
    !$omp do schedule(static)
    do i = 1, values
      halves(i) = halves(i) + mixed(i)
    end do
    !$omp end do
    !$omp end parallel
  end subroutine at_barrier
end module fields

program tasks
  use fields
  implicit none
  character(len=16) :: kind
  integer :: step, i

  call get_command_argument(1, kind)
  do i = 1, values
    from(i) = mod(i, 7)
    mixed(i) = mod(i, 5)
  end do
  to = 0
  halves = 0
  do step = 1, 2400
    if (kind == 'quarters') call quarters()
    if (kind == 'barrier') call at_barrier()
  end do
  print '(es24.16)', sum(to) + sum(mixed) + sum(halves)
end program tasks
