! SPDX-License-Identifier: Apache-2.0
! Constructs whose bodies are handed to the OpenMP runtime; prints what was computed.
module regions
  implicit none
  integer, parameter :: n = 4096
  double precision :: a(n), b(n)
contains
  subroutine fill(round)
    integer, intent(in) :: round
    integer :: i
    !$omp parallel do schedule(static)
    do i = 1, n
      a(i) = mod(i, 97) + round
      b(i) = a(i) * 0.5d0
    end do
    !$omp end parallel do
  end subroutine

  subroutine add_dynamic
    integer :: i
    !$omp parallel do schedule(dynamic, 64)
    do i = 1, n
      b(i) = b(i) + a(i) * 0.25d0
    end do
    !$omp end parallel do
  end subroutine

  ! flang: another entry of the runtime
  subroutine add_if(round)
    integer, intent(in) :: round
    integer :: i
    !$omp parallel do if(round > 10)
    do i = 1, n
      b(i) = b(i) + round
    end do
    !$omp end parallel do
  end subroutine

  subroutine add_guided
    integer :: i
    !$omp parallel do schedule(guided)
    do i = 1, n
      b(i) = b(i) + a(i) * 0.125d0
    end do
    !$omp end parallel do
  end subroutine

  subroutine in_sections
    !$omp parallel sections
    !$omp section
    b(:n / 2) = b(:n / 2) * 1.25d0
    !$omp section
    b(n / 2 + 1:) = b(n / 2 + 1:) * 0.75d0
    !$omp end parallel sections
  end subroutine

  ! without private variables: flang 19 reserves too little for them
  subroutine in_tasks
    !$omp parallel
    !$omp single
    !$omp task
    b(:n / 4) = b(:n / 4) + 1
    !$omp end task
    !$omp task
    b(n / 4 + 1:) = b(n / 4 + 1:) + 2
    !$omp end task
    !$omp end single
    !$omp end parallel
  end subroutine

  subroutine total(sum)
    double precision, intent(out) :: sum
    double precision :: mine
    integer :: i
    mine = 0
    !$omp parallel do reduction(+ : mine) schedule(static)
    do i = 1, n
      mine = mine + int(b(i) * 16)
    end do
    !$omp end parallel do
    sum = mine
  end subroutine
end module

program main
  use regions
  implicit none
  double precision :: sum, all
  integer :: round
  all = 0
  do round = 1, 20
    call fill(round)
    call add_dynamic
    call add_if(round)
    call add_guided
    call in_sections
    call in_tasks
    call total(sum)
    all = all + sum
  end do
  write (*, "(es25.17)") b(::511), all
end program
