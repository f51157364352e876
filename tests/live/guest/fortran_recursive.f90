! SPDX-License-Identifier: Apache-2.0
! Guest: Fortran with recursion, automatic arrays, procedure pointers and derived types with finalizers in regions.
module parts
  implicit none
  type :: node
    integer :: value
    type(node), pointer :: next => null()
  end type
  abstract interface
    recursive function of_one(x) result(y)
      integer, intent(in) :: x
      integer :: y
    end function
  end interface
contains
  recursive function depth(x) result(y)
    integer, intent(in) :: x
    integer :: y
    integer :: here(x + 1)
    here = x
    if (x == 0) then
      y = 1
    else
      y = depth(x - 1) + mod(sum(here), 7)
    end if
  end function
  function list(n) result(total)
    integer, intent(in) :: n
    integer :: total, i
    type(node), pointer :: head, one
    nullify(head)
    do i = 1, n
      allocate(one)
      one%value = i
      one%next => head
      head => one
    end do
    total = 0
    do while (associated(head))
      total = total + head%value
      one => head%next
      deallocate(head)
      head => one
    end do
  end function
end module

program fortran_recursive
  use parts
  implicit none
  procedure(of_one), pointer :: pointer_to
  integer :: step, i
  integer(8) :: total
  pointer_to => depth
  total = 0
  do step = 1, 250
!$omp parallel do schedule(dynamic) reduction(+:total)
    do i = 1, 600
      total = total + pointer_to(mod(i, 40)) + list(mod(i * step, 30))
    end do
!$omp parallel do reduction(+:total)
    do i = 1, 20000
      total = total + mod(i * step, 13)
    end do
  end do
  print *, total
end program
