! SPDX-License-Identifier: Apache-2.0
! The second index of a matrix runs in the inner loop: consecutive accesses are 8 KB apart.
!
! EXPECT ConflictMisses|CapacityMisses|PoorLineUtilisation|StridedAccess in sum_rows severity 0.02..1
! ALLOW .*Misses|.*MissRate.*|StridedAccess|PoorLineUtilisation|PageTableWalks|MemoryBound.*|LocalDramAccesses|ModelledTraffic|WriteAllocateTraffic|WorkingSetBeyondCaches|ReachBeyondCaches|FewPrefetches
! ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
! PHASE sequence
! PRINTS checksum 322437120000
! SAMPLED
program rows_fortran
  use workload
  implicit none
  integer, parameter :: n = 1024
  integer(8), save, volatile :: cells(n, n) ! so that no compiler exchanges the loops
  integer(8) :: total
  integer :: step, i, j

  do j = 1, n
    do i = 1, n
      cells(i, j) = i * 3 + j
    end do
  end do
  total = 0
  do step = 1, workload_steps(150)
    call sum_rows(total)
  end do
  call workload_checksum(total)
contains
  subroutine sum_rows(sum)
    integer(8), intent(inout) :: sum
    integer :: row, column

    !$omp parallel do reduction(+:sum)
    do row = 1, n
      do column = 1, n
        sum = sum + cells(row, column)
      end do
    end do
  end subroutine
end program
