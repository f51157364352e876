! SPDX-License-Identifier: Apache-2.0
! Constructs in Fortran: module procedure, external subroutine, main program; see constructs.c.
module physics
  implicit none
  integer :: hits = 0
contains
  subroutine relax(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
!$omp parallel do schedule(dynamic)                  ! @PARALLEL:physics::relax @DO:physics::relax
    do i = 1, n
      a(i) = a(i) * 0.5d0
    end do
!$omp parallel private(i)                            ! @PARALLEL:physics::relax
    hits = ior(hits, 1)
!$omp do schedule(dynamic, 4)                        ! @DO:physics::relax
    do i = 1, n
      a(i) = a(i) + 1
    end do
!$omp barrier                                        ! @BARRIER:physics::relax
!$omp single                                         ! @SINGLE:physics::relax
    a(2) = 3
!$omp end single
!$omp critical                                       ! @CRITICAL:physics::relax
    a(3) = a(3) + 1
!$omp end critical
!$omp end parallel
  end subroutine
end module

subroutine Calc1(a, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  real(8) :: s
  integer :: i
  s = 0
!$omp parallel do reduction(+:s)                     ! @PARALLEL:calc1 @DO?:calc1
  do i = 1, n
    s = s + a(i)
  end do
  a(1) = s
end subroutine

! gfortran gives the region the line of its last MASTER.
subroutine whole(a, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
!$omp parallel if (n > 1) &                          ! @PARALLEL~:whole
!$omp& default(shared)
!$omp master
  a(1) = 1
!$omp end master
!$omp barrier                                        ! @BARRIER:whole
!$omp master
  a(2) = 2
!$omp end master
!$omp end parallel
end subroutine

program swim
  use physics
  implicit none
  real(8) :: a(600)
  integer :: i
  a = 1
  do i = 1, 3
    call relax(a, 600)
    call calc1(a, 600)
    call whole(a, 600)
  end do
!$omp parallel                                       ! @PARALLEL:swim
!$omp do                                             ! @DO?:swim
  do i = 1, 600
    a(i) = a(i) * 2
  end do
!$omp end do
!$omp barrier                                        ! @BARRIER:swim
  hits = ior(hits, 2)
!$omp end parallel
  write (0, *) a(5), hits
end program
