! SPDX-License-Identifier: Apache-2.0
! Known blocks in Fortran: allocatable arrays of a module, and one that is allocated anew. Prints a number.
module fields
  implicit none
  real(8), allocatable :: u(:,:)
  real(8), allocatable, target :: v(:)
  real(8), pointer :: p(:) => null()
contains
  subroutine make(n)
    integer, intent(in) :: n
    allocate(u(0:n-1,n))         ! HERE: u
    allocate(v(5*n))             ! HERE: v
    u = 1
    v = 2
  end subroutine
end module

program blocks
  use fields
  implicit none
  integer :: i
  real(8) :: total

  call make(200)
  total = 0
!$omp parallel do reduction(+:total)
  do i = 1, 200
    total = total + sum(u(:,i)) + v(i)
  end do
  deallocate(v)
  allocate(v(4000))
  allocate(p(3000))              ! HERE: p
  v = 3
  p = 4
  print '(f0.0)', total + v(4000) + p(3000)
end program
