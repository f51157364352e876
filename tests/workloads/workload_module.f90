! SPDX-License-Identifier: Apache-2.0
! What workload.h is for C: arithmetic whose result does not depend on order or compiler.
! Multiplications stay below 2**63, because overflow is not defined in Fortran.
module workload
  implicit none
contains
  integer(8) function churn(value, rounds)
    integer(8), intent(in) :: value
    integer, intent(in) :: rounds
    integer :: i

    churn = iand(value, 2147483647_8)
    do i = 1, rounds
      churn = iand(churn * 1103515245_8 + 12345_8, 2147483647_8)
      churn = ieor(churn, ishft(churn, -13))
    end do
  end function

  integer function workload_steps(steps)
    integer, intent(in) :: steps
    character(len=32) :: text
    real :: factor
    integer :: status

    factor = 1
    if (command_argument_count() >= 1) then
      call get_command_argument(1, text)
      read (text, *, iostat=status) factor
      if (status /= 0) factor = 1
    end if
    workload_steps = max(1, int(steps * factor))
  end function

  subroutine workload_checksum(total)
    integer(8), intent(in) :: total

    write (*, '(a,i0)') 'checksum ', total
  end subroutine
end module
