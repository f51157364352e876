! SPDX-License-Identifier: Apache-2.0
! Guest: Fortran with allocatable arrays, internal and scratch units, reductions of arrays, and IEEE flags, stopped with a code.
program fortran_units
  use, intrinsic :: ieee_exceptions
  use omp_lib
  implicit none
  integer, parameter :: n = 20000
  real(8), allocatable :: a(:), b(:)
  real(8) :: sums(4)
  integer :: step, i, k
  integer(8) :: total
  character(40) :: line
  logical :: raised
  allocate(a(n), b(n))
  a = 1
  b = 0
  total = 0
  open(10, status='scratch', form='formatted')
  do step = 1, 250
    sums = 0
!$omp parallel do schedule(static) private(k)
    do i = 1, n
      do k = 1, 20
        b(i) = b(i) * 0.5d0 + a(i) / (k + i)
      end do
    end do
!$omp parallel do schedule(static)
    do i = 1, n
      a(i) = 1 + b(i) * 0.25d0
    end do
    do i = 1, 4
      sums(i) = sum(b(i:n:4))
    end do
    write(line, '(es24.16)') sums(1 + mod(step, 4))
    write(10, '(a)') line
    total = total + ichar(line(15:15)) + ichar(line(8:8))
  end do
  rewind(10)
  do step = 1, 250
    read(10, '(a)') line
    total = total + ichar(line(12:12))
  end do
  call ieee_get_flag(ieee_divide_by_zero, raised)
  print '(es24.16, i12, l2)', sum(a), total, raised
  stop 3
end program
