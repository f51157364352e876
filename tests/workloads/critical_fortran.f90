! SPDX-License-Identifier: Apache-2.0
! Most of the work is done in a critical construct.
!
! EXPECT CriticalContention at critical severity 0.2..0.6
! ALLOW LockWaiting|CriticalContention
! ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
! PHASE sequence
program critical_fortran
  use workload
  implicit none
  integer, parameter :: nr = 200
  integer(8) :: cells(nr), total, one
  integer :: step, i

  cells = 0
  total = 0
  do step = 1, workload_steps(150)
    !$omp parallel do private(one)
    do i = 1, nr
      cells(i) = churn(cells(i) + i, 2000)
      one = cells(i)
      !$omp critical                          ! HERE: critical
      total = total + churn(one, 12000)
      !$omp end critical
    end do
  end do
  call workload_checksum(total)
end program
