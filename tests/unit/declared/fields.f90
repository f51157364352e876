! SPDX-License-Identifier: Apache-2.0
! Variables of Fortran with static storage. The lines are in the table of tests/unit/declared.c.
module fields
  implicit none
  integer, parameter :: n = 20
  type particle
    real(8) :: x(3)
    integer :: id
  end type
  type block
    real(8), allocatable :: cells(:,:)
    integer :: level
  end type
  real(8) :: grid(n, 0:n+1)
  real(4), allocatable :: work(:,:)
  real(8), pointer :: view(:)
  type(particle) :: cloud(100)
  type(block) :: root
  complex(8) :: z(5)
  integer :: counter = 3
  logical :: mask(-2:2)
  character(len=12) :: labels(4)
  real(8) :: tls(7)
!$omp threadprivate(tls)
contains
  subroutine relax(k)
    integer, intent(in) :: k
    real(8), save :: kept(33)
    kept(k) = kept(k) + grid(k,1) + tls(k)
    grid(k,2) = kept(k+1)
    labels(k) = 'x'
    z(k) = kept(2)
    mask(k) = kept(3) > 0
    cloud(k)%id = k
    cloud(k)%x(2) = kept(k)
  end subroutine
end module

subroutine common_user(k)
  integer k
  real*8 u, v
  integer flag
  common /flow/ u(10,20), v(30), flag
  real*4 b(100)
  common b
  u(k,1) = u(k,1) + v(k) + flag + b(k)
  b(k) = real(u(k,2))
  flag = flag + k
end subroutine

program main
  use fields
  real(8), save :: saved(9)
  integer :: k
  k = command_argument_count() + 1
  allocate(work(10,10), view(10), root%cells(4,4))
  work = k
  view = k
  root%cells = k
  root%level = k
  saved(k) = saved(k) + k
  saved(k+1) = k
  counter = counter + k
  call relax(k)
  call common_user(k)
  print *, saved(k), saved(k+2), work(k,1), view(k), counter, root%cells(1,1), labels(1), z(1), mask(1), cloud(2)%id, cloud(1)%x(2)
end program
