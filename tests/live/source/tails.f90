! SPDX-License-Identifier: Apache-2.0
! Subroutines that end with a construct; see tails.c.
module tails
  implicit none
  real(8) :: a(300)
  integer :: hits = 0
contains
  subroutine flow()
    integer :: i
!$omp parallel do                                    ! @PARALLEL:tails::flow @DO?:tails::flow
    do i = 1, 300
      a(i) = a(i) + 1
    end do
  end subroutine

  subroutine chain()
    hits = hits + 1
    call flow()
  end subroutine

  subroutine closing()
    hits = ior(hits, 1)
!$omp barrier                                        ! @BARRIER:tails::closing
  end subroutine

  subroutine orderly()
    integer :: i
!$omp parallel do ordered schedule(static, 1)        ! @PARALLEL:tails::orderly @DO?:tails::orderly
    do i = 1, 30
      a(i) = a(i) * 2
!$omp ordered                                        ! @ORDERED:tails::orderly
      hits = hits + int(a(i))
!$omp end ordered
    end do
  end subroutine
end module

program swim
  use tails
  implicit none
  integer :: i
  a = 1
  do i = 1, 3
    call flow()
    call chain()
    call orderly()
!$omp parallel                                       ! @PARALLEL:swim
    call closing()
    a(3) = 2
!$omp end parallel
  end do
  write (0, *) a(5), hits
end program
